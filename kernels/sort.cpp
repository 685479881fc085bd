// Bitonic sort: branches, barriers, and many launches that depend on each other.
#include <algorithm>
#include <bit>

#include "kernels/kernel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

std::size_t count_of(const Problem& problem) { return static_cast<std::size_t>(problem.size.at("n")); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 100}}};
  if (effort == Effort::quick) return {{{"n", 2000}}};
  return {{{"n", 1}}, {{"n", 1000}}, {{"n", 65537}}};
}

std::vector<Array> inputs(const Problem& problem) {
  return {position_coded(Precision::uint32, count_of(problem), problem.seed, 0)};
}

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = in[0]};
  std::ranges::sort(out.exact->as<std::uint32_t>());
  return {out};
}

// The numbers, and behind them the largest there is, up to a power of two that fills a group twice.
Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t count = count_of(problem);
  const auto name = [&](const char* step) { return function_name(step, problem.precision, variant); };
  if (variant == Variant::host)
    return {.buffers = {{.bytes = count * 4, .input = 0}, {.bytes = count * 4}},
            .steps = {{.function = name("sort"), .arguments = {BufferArgument{0}, BufferArgument{1}}}},
            .outputs = {1}};
  const std::size_t local = abilities.group(variant == Variant::gpu ? 256 : 64);
  const std::size_t padded = std::max(std::bit_ceil(count), 2 * local);
  Plan plan{.buffers = {{.bytes = count * 4, .input = 0}, {.bytes = padded * 4}}, .outputs = {1}};
  plan.steps.push_back({.function = name("sort-copy"),
                        .global = {padded, 1, 1},
                        .local = {local, 1, 1},
                        .arguments = {BufferArgument{0}, BufferArgument{1}, static_cast<std::uint32_t>(count)}});
  for (std::size_t size = 2; size <= padded; size *= 2) {
    for (std::size_t stride = size / 2; stride > 0; stride /= 2) {
      const bool in_group = variant == Variant::gpu && stride <= local;
      Step step{.function = name(in_group ? "sort-local" : "sort-pass"),
                .global = {padded / 2, 1, 1},
                .local = {local, 1, 1},
                .arguments = {BufferArgument{1}, static_cast<std::uint32_t>(size)}};
      if (!in_group) step.arguments.emplace_back(static_cast<std::uint32_t>(stride));
      plan.steps.push_back(step);
      if (in_group) break;  // it does the smaller strides as well
    }
  }
  return plan;
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(std::bit_ceil(count_of(problem)));
  const auto levels = static_cast<double>(std::bit_width(std::bit_ceil(count_of(problem))));
  return {.flops = count * levels * levels / 4, .bytes = 2 * count * levels * levels};
}

Operation operation(const Problem& /*problem*/, const std::vector<Array>& /*in*/) { return {.name = "sort"}; }

void on_host(const HostCall& call) {
  const auto x = call.buffer<const std::uint32_t>(0);
  const auto out = call.buffer<std::uint32_t>(1);
  std::ranges::copy(x, out.begin());
  std::ranges::sort(out);
}

}  // namespace

extern const Kernel sort;
const Kernel sort = {
    .name = "sort",
    .claim = "a sort through many dependent launches ends in order with every element kept",
    .precisions = {Precision::uint32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"sort_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels
