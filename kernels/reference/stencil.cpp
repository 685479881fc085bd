// Steps of a five-point stencil on numbers that stay exact: rims of tiles, order of steps.
#include <cmath>

#include "kernels/core/kernel.h"
#include "kernels/core/parallel.h"
#include "kernels/core/random.h"

namespace envdoctor::kernels::stencil {
namespace {

struct Shape {
  explicit Shape(const Problem& problem)
      : height(static_cast<int>(problem.size.at("height"))),
        width(static_cast<int>(problem.size.at("width"))),
        steps(static_cast<int>(problem.size.at("steps"))) {}
  int height, width, steps;
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(height) * static_cast<std::size_t>(width); }
};

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
  parallel_for_each(static_cast<std::size_t>(height), 16, [&](std::size_t row) {
    const int i = static_cast<int>(row);
    for (int j = 0; j < width; ++j)
      to[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(j)] =
          next(at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), at(i, j));
  });
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

Plan plan(const Problem& problem, Variant variant, const Capabilities& /*capabilities*/) {
  const Shape s(problem);
  const std::size_t bytes = s.count() * problem.element_bytes();
  Plan plan{.buffers = {{bytes, 0}, {bytes}, {bytes}}, .outputs = {s.steps % 2 == 1 ? 1 : 2}};
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
  return work_of(problem, s.count() * static_cast<std::size_t>(s.steps), 4, 2);
}

Operation describe(const Problem& problem, const std::vector<Array>& /*in*/) {
  return {.depth = problem.size.at("steps"), .columns = problem.size.at("width")};
}

template <class T>
void on_host(const HostCall& call) {
  step<T>(call.buffer<const T>(0), call.buffer<T>(1), call.scalar<std::int32_t>(2), call.scalar<std::int32_t>(3));
}

}  // namespace

const Kernel kernel = {
    .name = "stencil",
    .claim = "neighbours across tiles and steps are the right ones: every bit agrees",
    .precisions = {Precision::fp32, Precision::uint32},
    // Floats begin as odd integers of 8 bits, and a step adds two bits behind the point: 8 steps stay within 24. More
    // than that (--size) would round, and the order of additions show.
    .tiny = {{{"height", 18}, {"steps", 2}, {"width", 35}}},
    .quick = {{{"height", 130}, {"steps", 4}, {"width", 257}}},
    .full = {{{"height", 1}, {"steps", 3}, {"width", 17}},
             {{"height", 130}, {"steps", 8}, {"width", 257}},
             {{"height", 1023}, {"steps", 8}, {"width", 1025}}},
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .describe = describe,
    .grows = "width",
    .host = {{"stencil_fp32_host", on_host<float>}, {"stencil_uint32_host", on_host<std::uint32_t>}},
};

}  // namespace envdoctor::kernels::stencil
