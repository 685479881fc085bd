// An LSTM step, from every state of a run that was computed on the host: then a one-step bound holds for each step,
// while a bound over the whole run would soon allow any result.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::lstm {
namespace {

struct Shape {
  std::size_t inputs, hidden, steps;
  [[nodiscard]] std::size_t width() const { return inputs + hidden; }
};

Shape shape_of(const Problem& problem) { return {problem.at("inputs"), problem.at("hidden"), problem.at("steps")}; }

// Two sums of 16 lanes, each with its tail in one, and 4 levels; their sum and the bias. A group of at least 16 items
// adds no longer chain.
double chain(const Shape& s, const Problem& problem) {
  const auto width = static_cast<double>(s.width());
  const double lanes = std::ceil(static_cast<double>(std::max(s.inputs, s.hidden)) / 16) + 15 + 4 + 1 + 2;
  const double items =
      std::ceil(static_cast<double>(s.inputs) / 16) + std::ceil(static_cast<double>(s.hidden) / 16) + 8;
  return problem.any_order ? width + 1 : std::min(width + 1, std::max(lanes, items));
}

// In double: the exact activations of cell `j` and, for `bound`, the largest errors of their arguments.
LstmStep step_of(const Shape& s, const Problem& problem, const std::vector<double>& weights,
                 const std::vector<double>& bias, const double* x, const double* h, double c, std::size_t j) {
  std::array<double, 4> z{}, dz{};
  for (std::size_t gate = 0; gate < 4; ++gate) {
    const std::size_t row = gate * s.hidden + j;
    double sum = bias[row], sizes = std::fabs(bias[row]);
    for (std::size_t i = 0; i < s.width(); ++i) {
      const double product = weights[row * s.width() + i] * (i < s.inputs ? x[i] : h[i - s.inputs]);
      sum += product;
      sizes += std::fabs(product);
    }
    z[gate] = sum;
    dz[gate] = dot_bound(chain(s, problem), static_cast<double>(s.width()), sizes, problem.precision);
  }
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  LstmStep step{.i = sigmoid(z[0]),
                .f = sigmoid(z[1]),
                .g = std::tanh(z[2]),
                .o = sigmoid(z[3]),
                .dz_i = dz[0],
                .dz_f = dz[1],
                .dz_g = dz[2],
                .dz_o = dz[3],
                .c_before = c};
  step.c = step.f * c + step.i * step.g;
  step.t = std::tanh(step.c);
  return step;
}

// Weights, biases, the sequence, and the states before each step: those of the exact run, rounded.
std::vector<Array> inputs(const Problem& problem) {
  const Shape s = shape_of(problem);
  const Precision p = problem.precision;
  std::vector<Array> in{
      normal_array(p, 4 * s.hidden * s.width(), problem.seed, 0, 1 / std::sqrt(static_cast<double>(s.width()))),
      normal_array(p, 4 * s.hidden, problem.seed, 1, 0.1), normal_array(p, s.steps * s.inputs, problem.seed, 2),
      normal_array(p, s.steps * s.hidden, problem.seed, 3, 0.5), normal_array(p, s.steps * s.hidden, problem.seed, 4)};
  const std::vector<double> weights = in[0].values(), bias = in[1].values(), x = in[2].values();
  for (std::size_t t = 0; t + 1 < s.steps; ++t) {
    const std::vector<double> h = in[3].values();
    parallel_for_each(s.hidden, 64, [&](std::size_t j) {
      const std::size_t at = t * s.hidden + j;
      const LstmStep step = step_of(s, problem, weights, bias, &x[t * s.inputs], &h[t * s.hidden], in[4].value(at), j);
      in[3].set(at + s.hidden, step.o * step.t);
      in[4].set(at + s.hidden, step.c);
    });
  }
  return in;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Shape s = shape_of(problem);
  const std::size_t count = s.steps * s.hidden;
  Expected h = Expected::bounded(problem.precision, count);
  Expected c = h;
  const std::vector<double> weights = in[0].values(), bias = in[1].values(), x = in[2].values(),
                            before = in[3].values();
  parallel_for_each(count, 16, [&](std::size_t at) {
    const std::size_t t = at / s.hidden;
    const LstmStep step =
        step_of(s, problem, weights, bias, &x[t * s.inputs], &before[t * s.hidden], in[4].value(at), at % s.hidden);
    const LstmBound bound = lstm_step_bound(step, problem.precision, problem.relaxed);
    h.value[at] = step.o * step.t;
    c.value[at] = step.c;
    h.bound[at] = bound.h;
    c.bound[at] = bound.c;
  });
  return {h, c};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const Shape s = shape_of(problem);
  const std::size_t element = problem.element_bytes(), count = s.steps * s.hidden,
                    local = capabilities.group(variant == Variant::gpu ? 64 : 8);
  const std::size_t states = count * element;
  return one_step_plan(function_name("lstm", problem.precision, variant),
                       {{4 * s.hidden * s.width() * element, 0},
                        {4 * s.hidden * element, 1},
                        {s.steps * s.inputs * element, 2},
                        {states, 3},
                        {states, 4},
                        {states},
                        {states}},
                       {u32(s.inputs), u32(s.hidden), u32(count)}, variant == Variant::gpu ? count * local : count,
                       local);
}

Work work(const Problem& problem) {
  const Shape s = shape_of(problem);
  const auto rows = static_cast<double>(4 * s.hidden * s.steps), width = static_cast<double>(s.width());
  const auto weights = static_cast<double>(4 * s.hidden * s.width());
  return {.flops = 2 * rows * width + 3 * rows,
          .bytes = (weights + 3 * rows) * static_cast<double>(problem.element_bytes())};
}

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.depth = problem.size.at("inputs") + problem.size.at("hidden"),
          .columns = problem.size.at("hidden"),
          .functions = {"exp", "tanh"}};
}

void on_host(const HostCall& call) {
  const auto weights = call.buffer<const float>(0), bias = call.buffer<const float>(1), x = call.buffer<const float>(2),
             h = call.buffer<const float>(3), c = call.buffer<const float>(4);
  const auto h_out = call.buffer<float>(5), c_out = call.buffer<float>(6);
  const std::size_t in = call.scalar<std::uint32_t>(7), hidden = call.scalar<std::uint32_t>(8), width = in + hidden;
  const auto sigmoid = [](float z) { return 1 / (1 + std::exp(-z)); };
  parallel_for_each(h_out.size(), 64, [=](std::size_t at) {
    const std::size_t t = at / hidden;
    std::array<float, 4> z{};
    for (std::size_t gate = 0; gate < 4; ++gate) {
      const std::size_t row = gate * hidden + at % hidden;
      const HostLoops<float>& loops = host_loops<float>();
      z[gate] = bias[row] + loops.dot(&weights[row * width], &x[t * in], in) +
                loops.dot(&weights[row * width + in], &h[t * hidden], hidden);
    }
    c_out[at] = sigmoid(z[1]) * c[at] + sigmoid(z[0]) * std::tanh(z[2]);
    h_out[at] = sigmoid(z[3]) * std::tanh(c_out[at]);
  });
}

}  // namespace

const Kernel kernel = {
    .name = "lstm",
    .claim = "each LSTM step, begun from the exact state, ends within the bound of one step",
    .precisions = {Precision::fp32},
    .tiny = {{{"hidden", 5}, {"inputs", 3}, {"steps", 2}}},
    .quick = {{{"hidden", 64}, {"inputs", 32}, {"steps", 8}}},
    .full = {{{"hidden", 1}, {"inputs", 1}, {"steps", 64}}, {{"hidden", 128}, {"inputs", 64}, {"steps", 64}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .rows = {"steps", {2, 3, 4}},
    .host = {{"lstm_fp32_host", on_host}},
};

}  // namespace envdoctor::kernels::lstm
