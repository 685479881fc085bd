// Layer normalisation by two passes, with offsets up to 10^4 sigma: a one-pass variance falls out of the bound there.
#include <array>
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

constexpr float epsilon = 1e-5F;
// mean / sigma, row by row; with numbers of 16 bits nothing is left of the spread beside a large mean.
constexpr std::array<double, 4> offsets{0, 10, 100, 10000}, small_offsets{0, 0.25, 0.5, 1};

struct Shape {
  std::size_t rows, n;
};

Shape shape_of(const Problem& problem) {
  return {static_cast<std::size_t>(problem.size.at("rows")), static_cast<std::size_t>(problem.size.at("n"))};
}

// Offsets are for rows of at most 1024: beyond that the bound would let a one-pass variance through.
std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 2}, {"rows", 4}}, {{"n", 70}, {"rows", 4}}};
  if (effort == Effort::quick) return {{{"n", 768}, {"rows", 32}}};
  return {
      {{"n", 2}, {"rows", 64}}, {{"n", 64}, {"rows", 64}}, {{"n", 1023}, {"rows", 128}}, {{"n", 8192}, {"rows", 16}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const auto [rows, n] = shape_of(problem);
  Array x(problem.precision, rows * n);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const auto& all = size_of(problem.precision) == 2 ? small_offsets : offsets;
    const double offset = n <= 1024 ? all[i / n % all.size()] : 0;
    x.set(i, offset + normal(problem.seed, 0, i));
  }
  return {x, normal_array(problem.precision, n, problem.seed, 1, 0.5, 1),
          normal_array(problem.precision, n, problem.seed, 2)};
}

// Any order of additions: that is narrow enough to see a one-pass variance in rows of at most 1024.
double chain(std::size_t n) { return static_cast<double>(n); }

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape shape = shape_of(problem);
  const std::size_t rows = shape.rows, n = shape.n;
  Expected y{
      .precision = problem.precision, .value = std::vector<double>(rows * n), .bound = std::vector<double>(rows * n)};
  std::vector<double> gain(n), shift(n);
  for (std::size_t i = 0; i < n; ++i) {
    gain[i] = in[1].value(i);
    shift[i] = in[2].value(i);
  }
  parallel_for(
      rows,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> x(n);
        for (std::size_t row = begin; row < end; ++row) {
          double sum = 0, squares = 0;
          for (std::size_t i = 0; i < n; ++i) sum += x[i] = in[0].value(row * n + i);
          const double mean = sum / static_cast<double>(n);
          for (const double value : x) squares += (value - mean) * (value - mean);
          const double scale = std::sqrt(squares / static_cast<double>(n) + epsilon);
          const auto bounds = layernorm_bounds(x, gain, shift, epsilon, chain(n), problem.precision);
          for (std::size_t i = 0; i < n; ++i) {
            y.value[row * n + i] = (x[i] - mean) / scale * gain[i] + shift[i];
            y.bound[row * n + i] = bounds[i];
          }
        }
      },
      1);
  return {y};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const auto [rows, n] = shape_of(problem);
  const std::size_t element = size_of(problem.precision), local = variant == Variant::gpu ? abilities.group(128) : 1;
  return {.buffers = {{.bytes = rows * n * element, .input = 0},
                      {.bytes = n * element, .input = 1},
                      {.bytes = n * element, .input = 2},
                      {.bytes = rows * n * element}},
          .steps = {{.function = function_name("layernorm", problem.precision, variant),
                     .global = {rows * local, 1, 1},
                     .local = {local, 1, 1},
                     .arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, BufferArgument{3},
                                   static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(n), epsilon}}},
          .outputs = {3}};
}

Work work(const Problem& problem) {
  const auto [rows, n] = shape_of(problem);
  const auto count = static_cast<double>(rows * n);
  return {.flops = 8 * count, .bytes = 2 * count * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.name = "layernorm", .depth = problem.size.at("n"), .columns = problem.size.at("n")};
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
  parallel_for(
      y.size() / n,
      [=](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const float* from = &x[row * n];
          const float mean = sum_of([=](std::size_t i) { return from[i]; }) / static_cast<float>(n);
          const float variance =
              sum_of([=](std::size_t i) { return (from[i] - mean) * (from[i] - mean); }) / static_cast<float>(n);
          const float scale = 1 / std::sqrt(variance + epsilon);
          for (std::size_t i = 0; i < n; ++i) y[row * n + i] = (from[i] - mean) * scale * gain[i] + shift[i];
        }
      },
      1);
}

}  // namespace

extern const Kernel layernorm;
const Kernel layernorm = {
    .name = "layernorm",
    .claim = "rows are normalised by a two-pass variance, also where their mean is 10^4 times their spread",
    .precisions = {Precision::fp32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"layernorm_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels
