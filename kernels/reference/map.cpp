// Elementary functions: bad libraries, fast-math, native replacements, one bad unit.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::map {
namespace {

// Evaluated in long double (64 bits) for fp64, whose own error is below a thousandth of an ulp there; otherwise in
// double.
template <class T>
using Evaluate = T (*)(T x, T y);

struct Function {
  const char* name;
  // Inputs: uniform on [low, high]; where `logarithmic`, 2^e with e uniform on it, of either sign where `negative`.
  double low, high;
  bool logarithmic, negative;
  Evaluate<float> in_float;  // as the host device computes it
  Evaluate<double> in_double;
  Evaluate<long double> in_long_double;
};

#define IN(T, expression) [](T x, [[maybe_unused]] T y) -> T { return expression; }
#define EACH(expression) IN(float, expression), IN(double, expression), IN(long double, expression)

// In the order of kernels/cl/map.cl.
const std::array<Function, 16>& functions() {
  static const std::array<Function, 16> all{{
      {"exp", -103, 88, false, false, EACH(std::exp(x))},
      {"exp2", -149, 127, false, false, EACH(std::exp2(x))},
      {"expm1", -30, 3, true, true, EACH(std::expm1(x))},
      {"log", -149, 127, true, false, EACH(std::log(x))},
      {"log2", -149, 127, true, false, EACH(std::log2(x))},
      {"log1p", -30, 30, true, false, EACH(std::log1p(x))},
      {"sin", -20, 20, true, true, EACH(std::sin(x))},
      {"cos", -20, 20, true, true, EACH(std::cos(x))},
      {"tan", -20, 20, true, true, EACH(std::tan(x))},
      {"tanh", -20, 4, true, true, EACH(std::tanh(x))},
      {"erf", -20, 3, true, true, EACH(std::erf(x))},
      {"pow", -20, 20, true, false, EACH(std::pow(x, y))},
      {"rsqrt", -149, 127, true, false, EACH(1 / std::sqrt(x))},
      {"sqrt", -149, 127, true, false, EACH(std::sqrt(x))},
      {"reciprocal", -149, 127, true, true, EACH(1 / x)},
      {"atan", -20, 20, true, true, EACH(std::atan(x))},
  }};
  return all;
}
#undef EACH
#undef IN

std::size_t count_of(const Problem& problem) { return problem.at("n") * functions().size(); }

double input(const Function& f, Precision precision, std::uint64_t seed, std::uint64_t index) {
  const double at = f.low + (f.high - f.low) * uniform(seed, 0, index);
  if (!f.logarithmic) {
    // Double precision has a larger range.
    return precision == Precision::fp64 ? at * 7 : at;
  }
  const double sign = f.negative ? -random_sign(seed, 1, index) : 1;
  const double wide = precision == Precision::fp64 && f.low == -149 ? at * 7 : at;
  return sign * std::exp2(wide);
}

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t each = problem.at("n");
  Array x(problem.precision, count_of(problem)), y(problem.precision, count_of(problem));
  const std::array<double, 7> special = {0.0, 1.0, -1.0, HUGE_VAL, NAN, smallest_normal(problem.precision), 0.5};
  parallel_for_each(x.count(), 4096, [&](std::size_t i) {
    const std::size_t k = i % each;
    x.set(i, k < special.size() ? special[k] : input(functions()[i / each], problem.precision, problem.seed, i));
    y.set(i, 6 * (uniform(problem.seed, 2, i) - 0.5));
  });
  return {x, y};
}

void one(const Function& f, const Problem& problem, double x, double y, Expected& expected, std::size_t i) {
  const Precision precision = problem.precision;
  const auto limit = std::max(0.5, ulp_limit(f.name, precision));
  double value = f.in_double(x, y), low = 0;
  if (precision == Precision::fp64 && std::isfinite(value)) {
    const long double exact = f.in_long_double(x, y);
    value = static_cast<double>(exact);
    if (std::isfinite(value)) low = static_cast<double>(exact - static_cast<long double>(value));
  }
  expected.value[i] = value;
  expected.low[i] = low;
  // The reference's own error: below 2^-9 ulp of the result in either case.
  expected.bound[i] = std::isfinite(value) ? (limit + 0x1p-9) * ulp(precision, value, low) : 0;
  if (problem.relaxed) expected.bound[i] = std::max(expected.bound[i], relaxed_limit(f.name, x, y, value, precision));
  const bool subnormal = x != 0 && std::fabs(x) < smallest_normal(precision);
  expected.flushed[i] = subnormal ? f.in_double(std::copysign(0.0, x), y) : NAN;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t count = count_of(problem), each = problem.at("n");
  Expected expected{.precision = problem.precision};
  for (auto* list : {&expected.value, &expected.low, &expected.bound, &expected.flushed}) list->resize(count);
  parallel_for_each(count, 4096, [&](std::size_t i) {
    one(functions()[i / each], problem, in[0].value(i), in[1].value(i), expected, i);
  });
  return {expected};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = count_of(problem), bytes = count * problem.element_bytes(), local = capabilities.group(64);
  return one_step_plan(function_name("map", problem.precision, written_once(variant)),
                       {{bytes, 0}, {bytes, 1}, {bytes}}, {u32(problem.at("n")), u32(count)}, count, local);
}

Work work(const Problem& problem) { return work_of(problem, count_of(problem), 1, 3); }

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  std::vector<std::string> names;
  for (const Function& function : functions()) names.emplace_back(function.name);
  return {.columns = problem.size.at("n"), .functions = std::move(names), .row_for_each_function = true};
}

template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<const T>(0), y = call.buffer<const T>(1);
  const auto out = call.buffer<T>(2);
  const std::size_t each = call.scalar<std::uint32_t>(3);
  parallel_for_each(out.size(), 4096, [=](std::size_t i) {
    const Function& function = functions()[i / each];
    if constexpr (std::is_same_v<T, float>) {
      out[i] = function.in_float(x[i], y[i]);
    } else {
      out[i] = function.in_double(x[i], y[i]);
    }
  });
}

}  // namespace

const Kernel kernel = {
    .name = "map",
    .claim = "elementary functions keep the largest error that OpenCL allows each, specials and subnormals included",
    .precisions = {Precision::fp32, Precision::fp64},
    .tiny = {{{"n", 24}}},
    .quick = {{{"n", 2048}}},
    .full = {{{"n", 1 << 16}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    // Blocks of 64, so that each number keeps its neighbours; one section for each function.
    .rows = {"n", {0, 1}, 64, 16},
    .host = {{"map_fp32_host", on_host<float>}, {"map_fp64_host", on_host<double>}},
};

}  // namespace envdoctor::kernels::map
