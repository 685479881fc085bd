// Float sums by atomics: no element is lost, but the order, and so the last bits, may differ each time.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::float_atomics {
namespace {

constexpr std::size_t bins = 64;

// The maximum of numbers summed into a bin.
double terms_of(const Problem& problem) {
  const auto terms = problem.at("n") / bins + 1;
  return static_cast<double>(terms);
}

std::vector<Array> inputs(const Problem& problem) {
  if (problem.whole_numbers)
    return {whole_numbers(Precision::fp32, problem.at("n"), problem.seed, 0,
                          whole_number_limit(Precision::fp32, terms_of(problem)))};
  return {normal_array(Precision::fp32, problem.at("n"), problem.seed, 0)};
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  std::vector<DoubleDouble> sums(bins);
  std::vector<double> sizes_of(bins), terms(bins);
  for (std::size_t i = 0; i < in[0].count(); ++i) {
    const double value = in[0].value(i);
    sums[i % bins] = sums[i % bins] + DoubleDouble(value);
    sizes_of[i % bins] += std::fabs(value);
    ++terms[i % bins];
  }
  Expected out{.precision = Precision::fp32};
  const auto all = static_cast<double>(in[0].count());
  for (std::size_t bin = 0; bin < bins; ++bin) {
    out.value.push_back(sums[bin].high);
    out.low.push_back(sums[bin].low);
    out.bound.push_back(sum_bound(terms[bin], sizes_of[bin], Precision::fp32));
    out.probable.push_back(probable_sum_bound(terms[bin], sizes_of[bin], all, Precision::fp32));
  }
  return {exactly(problem, std::move(out))};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), local = capabilities.group(64);
  Plan plan = one_step_plan(function_name("float-atomics", problem.precision, written_once(variant)),
                            {{count * 4, 0}, {bins * 4}}, {u32(count)}, count, local);
  if (variant != Variant::host)
    plan.steps.insert(plan.steps.begin(),
                      line_of_items("float_atomics_clear_fp32_gpu", bins, local, {BufferArgument{1}}));
  return plan;
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 1, 1); }

Operation describe(const Problem& problem, const std::vector<Array>& /*in*/) {
  return {.depth = static_cast<std::int64_t>(terms_of(problem)), .order_free = true};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0);
  const auto out = call.buffer<float>(1);
  for (float& bin : out) bin = 0;
  for (std::size_t i = 0; i < x.size(); ++i) out[i % bins] += x[i];
}

}  // namespace

const Kernel kernel = {
    .name = "float-atomics",
    .claim = "float sums by compare-and-swap lose no element; the order, and so the last bits, may differ each time",
    .precisions = {Precision::fp32},
    .tiny = {{{"n", 300}}},
    .quick = {{{"n", 16385}}},
    .full = {{{"n", 65}}, {{"n", 262145}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "n",
    .terms = terms_of,
    .host = {{"float_atomics_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels::float_atomics
