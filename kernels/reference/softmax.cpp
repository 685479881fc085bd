// Softmax and logsumexp of rows, shifted by their maximum: exp, long sums, overflow, rows of minus infinity.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::softmax {
namespace {

// Every row with a different offset, some far beyond exp's range without the shift, but not where 16-bit numbers are
// too far apart; in each third row some elements of minus infinity.
std::vector<Array> inputs(const Problem& problem) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  Array x(problem.precision, rows * n);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const std::size_t row = i / n, column = i % n;
    const double offset = (problem.element_bytes() == 2 ? 3 : 300) * normal(problem.seed, 1, row);
    const bool nothing = row % 3 == 2 && column % 7 == 3;
    x.set(i, nothing ? -HUGE_VAL : offset + 4 * normal(problem.seed, 0, i));
  }
  return {x};
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  Expected y = Expected::bounded(problem.precision, rows * n);
  Expected lse = Expected::bounded(problem.precision, rows);
  // One item adds a row one by one; a group of them, or the host, has no longer chain.
  const double depth = static_cast<double>(n) - 1;
  parallel_for_each(rows, 1, [&](std::size_t row) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = in[0].value(row * n + i);
    const double top = *std::ranges::max_element(x);
    double sum = 0;
    for (const double value : x) sum += std::exp(value - top);
    const std::vector<double> bounds = softmax_bounds(x, depth, problem.precision, problem.relaxed);
    for (std::size_t i = 0; i < n; ++i) y.value[row * n + i] = std::exp(x[i] - top) / sum;
    std::ranges::copy(bounds, y.bound.begin() + static_cast<std::ptrdiff_t>(row * n));
    lse.value[row] = top + std::log(sum);
    lse.bound[row] = logsumexp_bound(x, depth, problem.precision, problem.relaxed);
  });
  return {y, lse};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  const std::size_t element = problem.element_bytes(), local = variant == Variant::gpu ? capabilities.group(128) : 1;
  return one_step_plan(function_name("softmax", problem.precision, variant),
                       {{rows * n * element, 0}, {rows * n * element}, {rows * element}}, {u32(rows), u32(n)},
                       rows * local, local);
}

Work work(const Problem& problem) { return work_of(problem, problem.at("rows") * problem.at("n"), 5, 2); }

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.depth = problem.size.at("n"), .columns = problem.size.at("n"), .functions = {"exp", "log"}};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0);
  const auto y = call.buffer<float>(1), lse = call.buffer<float>(2);
  const std::size_t n = call.scalar<std::uint32_t>(4);
  parallel_for_each(lse.size(), 1, [=](std::size_t row) {
    const auto from = x.subspan(row * n, n);
    const float top = *std::ranges::max_element(from);
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += y[row * n + i] = std::exp(from[i] - top);
    for (std::size_t i = 0; i < n; ++i) y[row * n + i] /= sum;
    lse[row] = top + std::log(sum);
  });
}

}  // namespace

const Kernel kernel = {
    .name = "softmax",
    .claim = "softmax and logsumexp of every row are within the bound of the shifted formula, without overflow",
    .precisions = {Precision::fp32},
    .tiny = {{{"n", 3}, {"rows", 2}}, {{"n", 70}, {"rows", 3}}},
    .quick = {{{"n", 1000}, {"rows", 32}}},
    .full = {{{"n", 3}, {"rows", 33}},
             {{"n", 255}, {"rows", 64}},
             {{"n", 1000}, {"rows", 256}},
             {{"n", 65537}, {"rows", 8}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "n",
    .rows = {"rows", {0}},
    .host = {{"softmax_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels::softmax
