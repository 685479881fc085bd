// Softmax and logsumexp of rows, shifted by their maximum: exp, long sums, overflow, rows of minus infinity.
#include <algorithm>
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

struct Shape {
  std::size_t rows, n;
};

Shape shape_of(const Problem& problem) {
  return {static_cast<std::size_t>(problem.size.at("rows")), static_cast<std::size_t>(problem.size.at("n"))};
}

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 3}, {"rows", 2}}, {{"n", 70}, {"rows", 3}}};
  if (effort == Effort::quick) return {{{"n", 1000}, {"rows", 32}}};
  return {
      {{"n", 3}, {"rows", 33}}, {{"n", 255}, {"rows", 64}}, {{"n", 1000}, {"rows", 256}}, {{"n", 65537}, {"rows", 8}}};
}

// Every row at another place, some far beyond what exp takes unshifted, but not where numbers of 16 bits lie too far
// apart; in each third row some elements of minus infinity.
std::vector<Array> inputs(const Problem& problem) {
  const auto [rows, n] = shape_of(problem);
  Array x(problem.precision, rows * n);
  for (std::size_t i = 0; i < x.count(); ++i) {
    const std::size_t row = i / n, column = i % n;
    const double offset = (size_of(problem.precision) == 2 ? 3 : 300) * normal(problem.seed, 1, row);
    const bool nothing = row % 3 == 2 && column % 7 == 3;
    x.set(i, nothing ? -HUGE_VAL : offset + 4 * normal(problem.seed, 0, i));
  }
  return {x};
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape shape = shape_of(problem);
  const std::size_t rows = shape.rows, n = shape.n;
  Expected y{
      .precision = problem.precision, .value = std::vector<double>(rows * n), .bound = std::vector<double>(rows * n)};
  Expected lse{.precision = problem.precision, .value = std::vector<double>(rows), .bound = std::vector<double>(rows)};
  const double depth = static_cast<double>(n) - 1;
  parallel_for(
      rows,
      [&](std::size_t begin, std::size_t end) {
        std::vector<double> x(n);
        for (std::size_t row = begin; row < end; ++row) {
          for (std::size_t i = 0; i < n; ++i) x[i] = in[0].value(row * n + i);
          const double top = *std::ranges::max_element(x);
          double sum = 0;
          for (const double value : x) sum += std::exp(value - top);
          const std::vector<double> bounds = softmax_bounds(x, depth, problem.precision);
          for (std::size_t i = 0; i < n; ++i) y.value[row * n + i] = std::exp(x[i] - top) / sum;
          std::ranges::copy(bounds, y.bound.begin() + static_cast<std::ptrdiff_t>(row * n));
          lse.value[row] = top + std::log(sum);
          lse.bound[row] = logsumexp_bound(x, depth, problem.precision);
        }
      },
      1);
  return {y, lse};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const auto [rows, n] = shape_of(problem);
  const std::size_t element = size_of(problem.precision), local = variant == Variant::gpu ? abilities.group(128) : 1;
  return {
      .buffers = {{.bytes = rows * n * element, .input = 0}, {.bytes = rows * n * element}, {.bytes = rows * element}},
      .steps = {{.function = function_name("softmax", problem.precision, variant),
                 .global = {rows * local, 1, 1},
                 .local = {local, 1, 1},
                 .arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2},
                               static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(n)}}},
      .outputs = {1, 2}};
}

Work work(const Problem& problem) {
  const auto [rows, n] = shape_of(problem);
  const auto count = static_cast<double>(rows * n);
  return {.flops = 5 * count, .bytes = 2 * count * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.name = "softmax", .depth = problem.size.at("n"), .columns = problem.size.at("n")};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0);
  const auto y = call.buffer<float>(1), lse = call.buffer<float>(2);
  const std::size_t n = call.scalar<std::uint32_t>(4);
  parallel_for(
      lse.size(),
      [=](std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
          const auto from = x.subspan(row * n, n);
          const float top = *std::ranges::max_element(from);
          float sum = 0;
          for (std::size_t i = 0; i < n; ++i) sum += y[row * n + i] = std::exp(from[i] - top);
          for (std::size_t i = 0; i < n; ++i) y[row * n + i] /= sum;
          lse[row] = top + std::log(sum);
        }
      },
      1);
}

}  // namespace

extern const Kernel softmax;
const Kernel softmax = {
    .name = "softmax",
    .claim = "softmax and logsumexp of every row lie within the bound of the shifted formula, without overflow",
    .precisions = {Precision::fp32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"softmax_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels
