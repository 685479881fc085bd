// Steps of a five-point stencil on numbers that stay exact: rims of tiles, order of steps.
#include <cmath>

#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

struct Shape {
  explicit Shape(const Problem& problem)
      : height(static_cast<int>(problem.size.at("height"))),
        width(static_cast<int>(problem.size.at("width"))),
        steps(static_cast<int>(problem.size.at("steps"))) {}
  int height, width, steps;
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
};

// Floats begin as odd integers of 8 bits, and a step adds two bits behind the point: 8 steps stay within 24. More than
// that
// (--size) would round, and the order of additions show.
std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"height", 18}, {"steps", 2}, {"width", 35}}};
  if (effort == Effort::quick) return {{{"height", 130}, {"steps", 4}, {"width", 257}}};
  return {{{"height", 1}, {"steps", 3}, {"width", 17}},
          {{"height", 130}, {"steps", 8}, {"width", 257}},
          {{"height", 1023}, {"steps", 8}, {"width", 1025}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const Shape s(problem);
  if (problem.precision == Precision::fp32) return {odd_integers(problem.precision, s.count(), problem.seed, 0, 8)};
  return {position_coded(problem.precision, s.count(), problem.seed, 0)};
}

float next(float n, float s, float w, float e, float /*c*/) { return 0.25F * ((n + s) + (w + e)); }
std::uint32_t next(std::uint32_t n, std::uint32_t s, std::uint32_t w, std::uint32_t e, std::uint32_t c) {
  return n + s + w + e - 2U * c;
}

template <class T>
void step(std::span<const T> from, std::span<T> to, int height, int width) {
  const auto at = [&](int i, int j) {
    return i >= 0 && i < height && j >= 0 && j < width
               ? from[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)]
               : T(0);
  };
  parallel_for(
      static_cast<std::size_t>(height),
      [&](std::size_t begin, std::size_t end) {
        for (int i = static_cast<int>(begin); i < static_cast<int>(end); ++i) {
          for (int j = 0; j < width; ++j)
            to[static_cast<std::size_t>(i) * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)] =
                next(at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), at(i, j));
        }
      },
      16);
}

template <class T>
Array after(const Array& start, const Shape& s) {
  Array one = start, two(start.precision, start.count());
  for (int i = 0; i < s.steps; ++i) {
    step<T>(one.as<T>(), two.as<T>(), s.height, s.width);
    std::swap(one, two);
  }
  return one;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape s(problem);
  const bool floating = problem.precision == Precision::fp32;
  Expected out{.precision = problem.precision,
               .exact = floating ? after<float>(in[0], s) : after<std::uint32_t>(in[0], s)};
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& /*abilities*/) {
  const Shape s(problem);
  const std::size_t bytes = s.count() * size_of(problem.precision);
  Plan plan{.buffers = {{.bytes = bytes, .input = 0}, {.bytes = bytes}, {.bytes = bytes}},
            .outputs = {s.steps % 2 == 1 ? 1 : 2}};
  const auto height = static_cast<std::size_t>(s.height), width = static_cast<std::size_t>(s.width);
  for (int i = 0; i < s.steps; ++i) {
    Step one{.function = function_name("stencil", problem.precision, variant),
             .arguments = {BufferArgument{i == 0       ? 0
                                          : i % 2 == 1 ? 1
                                                       : 2},
                           BufferArgument{i % 2 == 0 ? 1 : 2}, s.height, s.width}};
    if (variant == Variant::gpu) {
      one.global = {round_up(width, 16), round_up(height, 16), 1};
      one.local = {16, 16, 1};
    } else {
      one.global = {height, 1, 1};
    }
    plan.steps.push_back(one);
  }
  return plan;
}

Work work(const Problem& problem) {
  const Shape s(problem);
  const auto points = static_cast<double>(s.count()) * s.steps;
  return {.flops = 4 * points, .bytes = 2 * points * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*in*/) {
  return {.name = "stencil",
          .depth = problem.size.at("steps"),
          .chain = problem.size.at("steps"),
          .columns = problem.size.at("width")};
}

template <class T>
void on_host(const HostCall& call) {
  step<T>(call.buffer<const T>(0), call.buffer<T>(1), call.scalar<std::int32_t>(2), call.scalar<std::int32_t>(3));
}

}  // namespace

extern const Kernel stencil;
const Kernel stencil = {
    .name = "stencil",
    .claim = "neighbours across tiles and steps are the right ones: every bit agrees",
    .precisions = {Precision::fp32, Precision::uint32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "width",
    .host = {{"stencil_fp32_host", on_host<float>}, {"stencil_uint32_host", on_host<std::uint32_t>}},
};

}  // namespace envdoctor::kernels
