// Counting into bins: integer atomics lose nothing, whatever the order.
#include <algorithm>

#include "kernels/kernel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

constexpr std::size_t bins = 256;

std::size_t count_of(const Problem& problem) { return static_cast<std::size_t>(problem.size.at("n")); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 600}}};
  if (effort == Effort::quick) return {{{"n", 65537}}};
  return {{{"n", 999}}, {{"n", 65537}}, {{"n", (1 << 21) + 1}}};
}

std::vector<Array> inputs(const Problem& problem) {
  return {position_coded(Precision::uint32, count_of(problem), problem.seed, 0)};
}

void count_into(std::span<const std::uint32_t> x, std::span<std::uint32_t> counts) {
  std::ranges::fill(counts, 0U);
  for (const std::uint32_t value : x) ++counts[value % bins];
}

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, bins)};
  count_into(in[0].as<std::uint32_t>(), out.exact->as<std::uint32_t>());
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t count = count_of(problem), local = abilities.group(256);
  const std::size_t groups = (count + local - 1) / local;
  const std::size_t items = local * (variant == Variant::gpu ? std::min<std::size_t>(groups, 64) : groups);
  Plan plan{.buffers = {{.bytes = count * 4, .input = 0}, {.bytes = bins * 4}}, .outputs = {1}};
  if (variant != Variant::host)
    plan.steps.push_back({.function = function_name("histogram-clear", problem.precision, variant),
                          .global = {bins, 1, 1},
                          .local = {local, 1, 1},
                          .arguments = {BufferArgument{1}}});
  plan.steps.push_back({.function = function_name("histogram", problem.precision, variant),
                        .global = {items, 1, 1},
                        .local = {local, 1, 1},
                        .arguments = {BufferArgument{0}, BufferArgument{1}, static_cast<std::uint32_t>(count)}});
  return plan;
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(count_of(problem));
  return {.flops = count, .bytes = 4 * count};
}

Operation operation(const Problem& /*problem*/, const std::vector<Array>& /*in*/) { return {.name = "histogram"}; }

void on_host(const HostCall& call) { count_into(call.buffer<const std::uint32_t>(0), call.buffer<std::uint32_t>(1)); }

}  // namespace

extern const Kernel histogram;
const Kernel histogram = {
    .name = "histogram",
    .claim = "integer atomics count every element once",
    .precisions = {Precision::uint32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"histogram_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels
