// Direct convolution: borders, strides, groups; and whether another algorithm was used instead.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::conv2d {
namespace {

struct Shape {
  int batch, channels, groups, filters, height, width, stride, pad;
  [[nodiscard]] int out_height() const { return (height + 2 * pad - 3) / stride + 1; }
  [[nodiscard]] int out_width() const { return (width + 2 * pad - 3) / stride + 1; }
  [[nodiscard]] int in_group() const { return channels / groups; }
  [[nodiscard]] std::size_t outputs() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(filters * out_height() * out_width());
  }
  [[nodiscard]] std::size_t image() const {
    return static_cast<std::size_t>(batch) * static_cast<std::size_t>(channels * height * width);
  }
  [[nodiscard]] std::size_t weights() const {
    return static_cast<std::size_t>(filters) * static_cast<std::size_t>(in_group()) * 9;
  }
};

Shape shape_of(const Problem& problem) {
  const auto size = [&](const char* name) { return static_cast<int>(problem.size.at(name)); };
  return {size("batch"),  size("channels"), size("groups"), size("filters"),
          size("height"), size("width"),    size("stride"), size("pad")};
}

Sizes of(int batch, int channels, int groups, int filters, int height, int width, int stride, int pad) {
  return {{"batch", batch},   {"channels", channels}, {"filters", filters}, {"groups", groups},
          {"height", height}, {"pad", pad},           {"stride", stride},   {"width", width}};
}

std::vector<Array> inputs(const Problem& problem) {
  const Shape s = shape_of(problem);
  return factors_of_sums(problem, s.image(), s.weights(), 9.0 * s.in_group());
}

// Calls term(x, w) with the indices of each product in output element `at`.
template <class Term>
void each_term(const Shape& s, std::size_t at, const Term& term) {
  const auto index = static_cast<int>(at);
  const int j = index % s.out_width(), i = index / s.out_width() % s.out_height();
  const int f = index / (s.out_width() * s.out_height()) % s.filters,
            b = index / (s.out_width() * s.out_height() * s.filters);
  const int first = f / (s.filters / s.groups) * s.in_group();
  for (int c = 0; c < s.in_group(); ++c) {
    for (int u = 0; u < 3; ++u) {
      for (int v = 0; v < 3; ++v) {
        const int row = i * s.stride + u - s.pad, column = j * s.stride + v - s.pad;
        if (row < 0 || row >= s.height || column < 0 || column >= s.width) continue;
        term(static_cast<std::size_t>((b * s.channels + first + c) * s.height + row) *
                     static_cast<std::size_t>(s.width) +
                 static_cast<std::size_t>(column),
             static_cast<std::size_t>(f * s.in_group() + c) * 9 + static_cast<std::size_t>(u * 3 + v));
      }
    }
  }
}

// A dot product of in_group * 9 terms in any order; products of two fp32 are exact in double.
std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape s = shape_of(problem);
  const std::vector<double> x = in[0].values(), w = in[1].values();
  Expected out = Expected::bounded(problem.precision, s.outputs());
  out.probable.resize(s.outputs());
  const double depth = s.in_group() * 9.0, roundings = depth * static_cast<double>(s.outputs());
  parallel_for_each(s.outputs(), 64, [&](std::size_t at) {
    double sum = 0, sizes_sum = 0;
    each_term(s, at, [&](std::size_t xi, std::size_t wi) {
      sum += x[xi] * w[wi];
      sizes_sum += std::fabs(x[xi] * w[wi]);
    });
    out.value[at] = sum;
    out.bound[at] = dot_bound(depth, depth, sizes_sum, problem.precision);
    out.probable[at] = probable_dot_bound(depth, depth, sizes_sum, roundings, problem.precision);
  });
  return {exactly(problem, std::move(out))};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const Shape s = shape_of(problem);
  const std::size_t element = problem.element_bytes();
  Plan plan = one_step_plan(
      function_name("conv2d", problem.precision, variant),
      {{s.image() * element, 0}, {s.weights() * element, 1}, {s.outputs() * element}},
      {s.channels, s.groups, s.filters, s.height, s.width, s.out_height(), s.out_width(), s.stride, s.pad});
  Step& step = plan.steps.front();
  const auto rows = static_cast<std::size_t>(s.out_height()), columns = static_cast<std::size_t>(s.out_width());
  const auto images = static_cast<std::size_t>(s.batch) * static_cast<std::size_t>(s.filters);
  if (variant == Variant::gpu) {
    const std::size_t local = capabilities.group(64);
    step.global = {round_up(columns, local), rows, images};
    step.local = {local, 1, 1};
  } else {
    step.global = {rows, images, 1};
  }
  return plan;
}

Work work(const Problem& problem) {
  const Shape s = shape_of(problem);
  return {.flops = 18.0 * s.in_group() * static_cast<double>(s.outputs()),
          .bytes = static_cast<double>((s.image() + s.weights() + s.outputs()) * problem.element_bytes())};
}

Operation describe(const Problem& problem, const std::vector<Array>& in) {
  const Shape s = shape_of(problem);
  return {.depth = s.in_group() * 9, .columns = s.out_width(), .terms = [s, x = in[0], w = in[1]](std::size_t element) {
            Terms terms;
            each_term(s, element, [&](std::size_t xi, std::size_t wi) {
              terms.a.push_back(x.value(xi));
              terms.b.push_back(w.value(wi));
            });
            return terms;
          }};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const float>(0), w = call.buffer<const float>(1);
  const auto y = call.buffer<float>(2);
  const auto number = [&](std::size_t i) { return call.scalar<std::int32_t>(i); };
  const int plane = number(3) * number(6) * number(7);
  const Shape s{static_cast<int>(x.size()) / plane,
                number(3),
                number(4),
                number(5),
                number(6),
                number(7),
                number(10),
                number(11)};
  parallel_for_each(y.size(), 64, [&](std::size_t at) {
    float sum = 0;
    each_term(s, at, [&](std::size_t xi, std::size_t wi) { sum += x[xi] * w[wi]; });
    y[at] = sum;
  });
}

}  // namespace

const Kernel kernel = {
    .name = "conv2d",
    .claim = "a 3 x 3 convolution lies within the bound of the direct sum, borders, strides and groups included",
    .precisions = {Precision::fp32, Precision::fp16},
    .tiny = {of(1, 2, 1, 2, 5, 21, 1, 1)},
    .quick = {of(1, 8, 1, 8, 17, 37, 1, 1)},
    .full = {of(1, 1, 1, 1, 3, 3, 1, 0), of(2, 6, 3, 9, 19, 23, 2, 1), of(2, 16, 1, 16, 33, 65, 1, 1),
             of(1, 32, 1, 32, 56, 56, 1, 1)},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .terms = [](const Problem& problem) { return 9.0 * shape_of(problem).in_group(); },
    .host = {{"conv2d_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels::conv2d
