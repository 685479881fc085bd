// Elementary functions: bad libraries, fast-math, native substitutes, one bad unit.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/kernel.h"
#include "kernels/parallel.h"
#include "kernels/random.h"
#include "kernels/ulp.h"

namespace envdoctor::kernels {
namespace {

// Evaluated in long double (64 bits) for fp64, whose own error is below a thousandth of an ulp there; in double else.
template <class T>
using Unary = T (*)(T, T);

struct Function {
  const char* name;
  // Inputs: uniform on [low, high]; where `logarithmic`, 2^e with e uniform on it, of either sign where `negative`.
  double low, high;
  bool logarithmic, negative;
  Unary<double> narrow;
  Unary<long double> wide;
};

#define BOTH(expression)                                                    \
  [](double x, [[maybe_unused]] double y) -> double { return expression; }, \
      [](long double x, [[maybe_unused]] long double y) -> long double { return expression; }

// In the order of kernels/cl/map.cl.
const std::array<Function, 16>& functions() {
  static const std::array<Function, 16> all{{
      {"exp", -103, 88, false, false, BOTH(std::exp(x))},
      {"exp2", -149, 127, false, false, BOTH(std::exp2(x))},
      {"expm1", -30, 3, true, true, BOTH(std::expm1(x))},
      {"log", -149, 127, true, false, BOTH(std::log(x))},
      {"log2", -149, 127, true, false, BOTH(std::log2(x))},
      {"log1p", -30, 30, true, false, BOTH(std::log1p(x))},
      {"sin", -20, 20, true, true, BOTH(std::sin(x))},
      {"cos", -20, 20, true, true, BOTH(std::cos(x))},
      {"tan", -20, 20, true, true, BOTH(std::tan(x))},
      {"tanh", -20, 4, true, true, BOTH(std::tanh(x))},
      {"erf", -20, 3, true, true, BOTH(std::erf(x))},
      {"pow", -20, 20, true, false, BOTH(std::pow(x, y))},
      {"rsqrt", -149, 127, true, false, BOTH(1 / std::sqrt(x))},
      {"sqrt", -149, 127, true, false, BOTH(std::sqrt(x))},
      {"reciprocal", -149, 127, true, true, BOTH(1 / x)},
      {"atan", -20, 20, true, true, BOTH(std::atan(x))},
  }};
  return all;
}
#undef BOTH

std::size_t each_of(const Problem& problem) { return static_cast<std::size_t>(problem.size.at("n")); }
std::size_t count_of(const Problem& problem) { return each_of(problem) * functions().size(); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  return {{{"n", effort == Effort::tiny ? 24 : effort == Effort::quick ? 2048 : 1 << 16}}};
}

double input(const Function& f, Precision precision, std::uint64_t seed, std::uint64_t index) {
  const double at = f.low + (f.high - f.low) * uniform(seed, 0, index);
  if (!f.logarithmic) {
    // Double precision reaches further out.
    return precision == Precision::fp64 ? at * 7 : at;
  }
  const bool minus = f.negative && (random_bits(seed, 1, index) & 1) != 0;
  const double wide = precision == Precision::fp64 && f.low == -149 ? at * 7 : at;
  return std::exp2(wide) * (minus ? -1 : 1);
}

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t each = each_of(problem);
  Array x(problem.precision, count_of(problem)), y(problem.precision, count_of(problem));
  const std::array<double, 7> special = {0.0, 1.0, -1.0, HUGE_VAL, NAN, smallest_normal(problem.precision), 0.5};
  parallel_for(x.count(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t k = i % each;
      x.set(i, k < special.size() ? special[k] : input(functions()[i / each], problem.precision, problem.seed, i));
      y.set(i, 6 * (uniform(problem.seed, 2, i) - 0.5));
    }
  });
  return {x, y};
}

void one(const Function& f, Precision precision, double x, double y, Expected& expected, std::size_t i) {
  const auto limit = std::max(0.5, ulp_limit(f.name, precision));
  double value = f.narrow(x, y), low = 0;
  if (precision == Precision::fp64 && std::isfinite(value)) {
    const long double exact = f.wide(x, y);
    value = static_cast<double>(exact);
    if (std::isfinite(value)) low = static_cast<double>(exact - static_cast<long double>(value));
  }
  expected.value[i] = value;
  expected.low[i] = low;
  // The reference's own error: below 2^-9 ulp of the result in either case.
  expected.bound[i] = std::isfinite(value) ? (limit + 0x1p-9) * ulp(precision, value, low) : 0;
  const bool subnormal = x != 0 && std::fabs(x) < smallest_normal(precision);
  expected.flushed[i] = subnormal ? f.narrow(std::copysign(0.0, x), y) : NAN;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t count = count_of(problem), each = each_of(problem);
  Expected expected{.precision = problem.precision};
  for (auto* list : {&expected.value, &expected.low, &expected.bound, &expected.flushed}) list->resize(count);
  parallel_for(count, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      one(functions()[i / each], problem.precision, in[0].value(i), in[1].value(i), expected, i);
  });
  return {expected};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t count = count_of(problem), bytes = count * size_of(problem.precision), local = abilities.group(64);
  return {.buffers = {{.bytes = bytes, .input = 0}, {.bytes = bytes, .input = 1}, {.bytes = bytes}},
          .steps = {{.function = function_name("map", problem.precision, variant),
                     .global = {round_up(count, local), 1, 1},
                     .local = {local, 1, 1},
                     .arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2},
                                   static_cast<std::uint32_t>(each_of(problem)), static_cast<std::uint32_t>(count)}}},
          .outputs = {2}};
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(count_of(problem));
  return {.flops = count, .bytes = 3 * count * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.name = "map", .columns = problem.size.at("n")};
}

template <class T>
T on_host_one(std::size_t function, T x, T y) {
  switch (function) {
    case 0:
      return std::exp(x);
    case 1:
      return std::exp2(x);
    case 2:
      return std::expm1(x);
    case 3:
      return std::log(x);
    case 4:
      return std::log2(x);
    case 5:
      return std::log1p(x);
    case 6:
      return std::sin(x);
    case 7:
      return std::cos(x);
    case 8:
      return std::tan(x);
    case 9:
      return std::tanh(x);
    case 10:
      return std::erf(x);
    case 11:
      return std::pow(x, y);
    case 12:
      return T(1) / std::sqrt(x);
    case 13:
      return std::sqrt(x);
    case 14:
      return T(1) / x;
    case 15:
      return std::atan(x);
    default:
      return x;
  }
}

template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<const T>(0), y = call.buffer<const T>(1);
  const auto out = call.buffer<T>(2);
  const auto each = static_cast<std::size_t>(call.scalar<std::uint32_t>(3));
  parallel_for(out.size(), [=](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = on_host_one<T>(i / each, x[i], y[i]);
  });
}

}  // namespace

extern const Kernel map;
const Kernel map = {
    .name = "map",
    .claim = "elementary functions keep the largest error that OpenCL allows each, specials and subnormals included",
    .precisions = {Precision::fp32, Precision::fp64},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .host = {{"map_fp32_host", on_host<float>}, {"map_fp64_host", on_host<double>}},
};

}  // namespace envdoctor::kernels
