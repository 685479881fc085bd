// Float sums by atomics: no element is lost, though the order, and with it the last bits, may differ each time.
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/double_double.h"
#include "kernels/kernel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

constexpr std::size_t bins = 64;

std::size_t count_of(const Problem& problem) { return static_cast<std::size_t>(problem.size.at("n")); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 300}}};
  if (effort == Effort::quick) return {{{"n", 16385}}};
  return {{{"n", 65}}, {{"n", 262145}}};
}

std::vector<Array> inputs(const Problem& problem) {
  return {normal_array(Precision::fp32, count_of(problem), problem.seed, 0)};
}

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  std::vector<DoubleDouble> sums(bins);
  std::vector<double> sizes_of(bins), terms(bins);
  for (std::size_t i = 0; i < in[0].count(); ++i) {
    const double value = in[0].value(i);
    sums[i % bins] = sums[i % bins] + DoubleDouble(value);
    sizes_of[i % bins] += std::fabs(value);
    ++terms[i % bins];
  }
  Expected out{.precision = Precision::fp32};
  for (std::size_t bin = 0; bin < bins; ++bin) {
    out.value.push_back(sums[bin].high);
    out.low.push_back(sums[bin].low);
    out.bound.push_back(sum_bound(terms[bin], sizes_of[bin], Precision::fp32));
  }
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t count = count_of(problem), local = abilities.group(64);
  Plan plan{.buffers = {{.bytes = count * 4, .input = 0}, {.bytes = bins * 4}}, .outputs = {1}};
  if (variant != Variant::host)
    plan.steps.push_back({.function = function_name("float-atomics-clear", problem.precision, variant),
                          .global = {bins, 1, 1},
                          .local = {local, 1, 1},
                          .arguments = {BufferArgument{1}}});
  plan.steps.push_back({.function = function_name("float-atomics", problem.precision, variant),
                        .global = {round_up(count, local), 1, 1},
                        .local = {local, 1, 1},
                        .arguments = {BufferArgument{0}, BufferArgument{1}, static_cast<std::uint32_t>(count)}});
  return plan;
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(count_of(problem));
  return {.flops = count, .bytes = 4 * count};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*in*/) {
  const std::int64_t terms = problem.size.at("n") / static_cast<std::int64_t>(bins) + 1;
  return {.name = "float-atomics", .depth = terms, .chain = terms, .order_free = true};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0);
  const auto out = call.buffer<float>(1);
  for (float& bin : out) bin = 0;
  for (std::size_t i = 0; i < x.size(); ++i) out[i % bins] += x[i];
}

}  // namespace

extern const Kernel float_atomics;
const Kernel float_atomics = {
    .name = "float-atomics",
    .claim = "float sums by compare-and-swap lose no element; the order, and so the last bits, may differ each time",
    .precisions = {Precision::fp32},
    .float_atomics = true,
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"float_atomics_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels
