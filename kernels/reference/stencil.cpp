// Steps of a five-point stencil on numbers that stay exact: borders of tiles, order of steps.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::stencil {
namespace {

struct Shape {
  std::size_t height, width, steps;
};

Shape shape_of(const Problem& problem) { return {problem.at("height"), problem.at("width"), problem.at("steps")}; }

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t count = problem.at("height") * problem.at("width");
  if (problem.precision == Precision::fp32) return {odd_integers(problem.precision, count, problem.seed, 0, 8)};
  return {position_coded(problem.precision, count, problem.seed, 0)};
}

float next(float n, float s, float w, float e, float /*c*/) { return 0.25F * ((n + s) + (w + e)); }
std::uint32_t next(std::uint32_t n, std::uint32_t s, std::uint32_t w, std::uint32_t e, std::uint32_t c) {
  return n + s + w + e - 2U * c;
}

// Outside the border is zero; indices before the first row or column wrap to far beyond the last.
template <class T>
void step(std::span<const T> from, std::span<T> to, std::size_t height, std::size_t width) {
  const auto at = [&](std::size_t i, std::size_t j) { return i < height && j < width ? from[i * width + j] : T(0); };
  parallel_for_each(height, 16, [&](std::size_t i) {
    for (std::size_t j = 0; j < width; ++j)
      to[i * width + j] = next(at(i - 1, j), at(i + 1, j), at(i, j - 1), at(i, j + 1), at(i, j));
  });
}

template <class T>
Array after(const Array& start, const Shape& s) {
  Array one = start, two(start.precision, start.count());
  for (std::size_t i = 0; i < s.steps; ++i) {
    step<T>(one.as<T>(), two.as<T>(), s.height, s.width);
    std::swap(one, two);
  }
  return one;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape s = shape_of(problem);
  const bool floating = problem.precision == Precision::fp32;
  Expected out{.precision = problem.precision,
               .exact = floating ? after<float>(in[0], s) : after<std::uint32_t>(in[0], s)};
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& /*capabilities*/) {
  const auto [height, width, steps] = shape_of(problem);
  const std::size_t bytes = height * width * problem.element_bytes();
  Plan plan{.buffers = {{bytes, 0}, {bytes}, {bytes}}, .outputs = {steps % 2 == 1 ? 1 : 2}};
  for (std::size_t i = 0; i < steps; ++i) {
    const int to = i % 2 == 0 ? 1 : 2, from = i == 0 ? 0 : 3 - to;
    Step one{.function = function_name("stencil", problem.precision, variant),
             .arguments = {BufferArgument{from}, BufferArgument{to}, static_cast<std::int32_t>(height),
                           static_cast<std::int32_t>(width)}};
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
  const auto [height, width, steps] = shape_of(problem);
  return work_of(problem, height * width * steps, 4, 2);
}

Operation describe(const Problem& problem, const std::vector<Array>& /*in*/) {
  return {.depth = problem.size.at("steps"), .columns = problem.size.at("width")};
}

template <class T>
void on_host(const HostCall& call) {
  const auto size = [&](std::size_t index) { return static_cast<std::size_t>(call.scalar<std::int32_t>(index)); };
  step<T>(call.buffer<const T>(0), call.buffer<T>(1), size(2), size(3));
}

}  // namespace

const Kernel kernel = {
    .name = "stencil",
    .claim = "neighbours across tiles and steps are the right ones: every bit agrees",
    .precisions = {Precision::fp32, Precision::uint32},
    // Floats begin as odd integers of 8 bits, and a step adds two fractional bits: 8 steps stay within 24. More
    // than that (--size) would round, and the order of additions would matter.
    .tiny = {{{"height", 18}, {"steps", 2}, {"width", 35}}},
    .quick = {{{"height", 130}, {"steps", 4}, {"width", 257}}},
    .full = {{{"height", 1}, {"steps", 3}, {"width", 17}},
             {{"height", 130}, {"steps", 8}, {"width", 257}},
             {{"height", 1023}, {"steps", 8}, {"width", 1025}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "width",
    .host = {{"stencil_fp32_host", on_host<float>}, {"stencil_uint32_host", on_host<std::uint32_t>}},
};

}  // namespace envdoctor::kernels::stencil
