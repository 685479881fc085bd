// Layer normalisation by two passes, with offsets up to 10^4 sigma: a one-pass variance exceeds the bound there.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::layernorm {
namespace {

constexpr float epsilon = 1e-5F;
// mean / sigma, row by row; with 16-bit numbers a large mean leaves no bits for the spread.
constexpr std::array<double, 4> offsets{0, 10, 100, 10000}, small_offsets{0, 0.25, 0.5, 1};

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  Array x(problem.precision, rows * n);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const auto& all = problem.element_bytes() == 2 ? small_offsets : offsets;
    const std::size_t kind = i / n % (all.size() + 2);
    // Rows with a spread that is negligible compared with epsilon, and with none.
    if (problem.element_bytes() > 2 && kind >= all.size()) {
      x.set(i, kind == all.size() ? 1e-3 * normal(problem.seed, 0, i) : 1);
      continue;
    }
    const double offset = n <= 1024 ? all[kind % all.size()] : 0;
    x.set(i, offset + normal(problem.seed, 0, i));
  }
  return {x, normal_array(problem.precision, n, problem.seed, 1, 0.5, 1),
          normal_array(problem.precision, n, problem.seed, 2)};
}

// 16 partial sums, the tail in one of them, and those one by one; or a group of at least 32 items and its levels.
double chain(const Problem& problem) {
  const auto n = static_cast<double>(problem.at("n"));
  return problem.any_order ? n : std::min(n, std::ceil(n / 16) + 16 + 8);
}

// Narrow enough to detect a one-pass variance in rows of at most 1024.
std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  Expected y = Expected::bounded(problem.precision, rows * n);
  const std::vector<double> gain = in[1].values(), shift = in[2].values();
  parallel_for_each(rows, 1, [&](std::size_t row) {
    std::vector<double> x(n);
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) sum += x[i] = in[0].value(row * n + i);
    const double mean = sum / static_cast<double>(n);
    for (const double value : x) squares += (value - mean) * (value - mean);
    const double scale = std::sqrt(squares / static_cast<double>(n) + epsilon);
    const auto bounds = layernorm_bounds(x, gain, shift, epsilon, chain(problem), problem.precision, problem.relaxed);
    for (std::size_t i = 0; i < n; ++i) {
      y.value[row * n + i] = (x[i] - mean) / scale * gain[i] + shift[i];
      y.bound[row * n + i] = bounds[i];
    }
  });
  return {y};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t rows = problem.at("rows"), n = problem.at("n");
  const std::size_t element = problem.element_bytes(), local = variant == Variant::gpu ? capabilities.group(128) : 1;
  return one_step_plan(function_name("layernorm", problem.precision, variant),
                       {{rows * n * element, 0}, {n * element, 1}, {n * element, 2}, {rows * n * element}},
                       {u32(rows), u32(n), epsilon}, rows * local, local);
}

Work work(const Problem& problem) { return work_of(problem, problem.at("rows") * problem.at("n"), 8, 2); }

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.depth = problem.size.at("n"), .columns = problem.size.at("n"), .functions = {"rsqrt", "sqrt"}};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0), gain = call.buffer<const float>(1), shift = call.buffer<const float>(2);
  const auto y = call.buffer<float>(3);
  const std::size_t n = call.scalar<std::uint32_t>(5);
  // As many partial sums as the device's variants have at least.
  const auto sum_of = [n](const auto& value) {
    std::array<float, 16> sums{};
    for (std::size_t i = 0; i < n; ++i) sums[i % 16] += value(i);
    float sum = 0;
    for (const float part : sums) sum += part;
    return sum;
  };
  parallel_for_each(y.size() / n, 1, [=](std::size_t row) {
    const float* from = &x[row * n];
    const float mean = sum_of([=](std::size_t i) { return from[i]; }) / static_cast<float>(n);
    const float variance =
        sum_of([=](std::size_t i) { return (from[i] - mean) * (from[i] - mean); }) / static_cast<float>(n);
    const float scale = 1 / std::sqrt(variance + epsilon);
    for (std::size_t i = 0; i < n; ++i) y[row * n + i] = (from[i] - mean) * scale * gain[i] + shift[i];
  });
}

}  // namespace

const Kernel kernel = {
    .name = "layernorm",
    .claim = "rows are normalised by a two-pass variance, also where their mean is 10^4 times their spread",
    .precisions = {Precision::fp32},
    // Offsets are for rows of at most 1024: beyond that the bound would accept a one-pass variance.
    .tiny = {{{"n", 2}, {"rows", 6}}, {{"n", 70}, {"rows", 6}}},
    .quick = {{{"n", 768}, {"rows", 32}}},
    .full = {{{"n", 2}, {"rows", 64}},
             {{"n", 64}, {"rows", 64}},
             {{"n", 1023}, {"rows", 128}},
             {{"n", 8192}, {"rows", 16}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "n",
    .rows = {"rows", {0}},
    .host = {{"layernorm_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels::layernorm
