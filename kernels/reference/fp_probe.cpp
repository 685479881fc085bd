// Single operations with known answers: subnormals, contraction, rounding, NaN, infinities, the sign of zero.
#include "kernels/reference/fp_probe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/reference/reference.h"

namespace envdoctor::kernels {

std::string text(const FpMode& mode) {
  if (!mode.plain_sums_right)
    return mode.rounding.empty() ? "single operations give wrong results" : "rounded " + mode.rounding;
  std::vector<std::string> parts;
  if (mode.fused) parts.emplace_back(*mode.fused ? "a*b+c fused" : "a*b+c not fused");
  if (mode.subnormals_tried)
    parts.push_back(mode.flushes.empty() ? "subnormals kept"
                                         : fmt::format("subnormals flushed by {}", fmt::join(mode.flushes, ", ")));
  if (!mode.rounding.empty()) parts.push_back("rounded " + mode.rounding);
  if (!mode.fast_math.empty()) parts.push_back(fmt::format("fast-math: {}", fmt::join(mode.fast_math, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

namespace fp_probe {
namespace {

// The numbers of the operations, as in kernels/cl/fp_probe.cl.
constexpr int add = 0, subtract = 1, multiply = 2, divide = 3, fused = 4, product_sum = 5, root = 6, exponential = 7,
              reciprocal = 8, is_nan = 9, there_and_back = 10, maximum = 11, minimum = 12, sign_of_product = 13,
              sign_of_sum = 14, less = 15, is_infinite = 16, to_integer = 17, self_difference = 18, scaled = 19;

// The purpose of a row. Those from `nan_equal` on differ only under fast-math options.
enum class Shows { correct, flush, contraction, rounding, nan_equal, infinite_difference, reassociated, zero_sign };

struct Row {
  Shows shows = Shows::correct;
  const char* name = "";  // of the operation, for subnormals
  int operation = 0;
  double a = 0, b = 0, c = 0;
  double value = 0;
  double slack = 0;      // legal absolute error besides rounding
  double flushed = NAN;  // answer if a subnormal operand counts as zero
};

std::vector<Row> rows_for(Precision p) {
  const double inf = HUGE_VAL, nan = NAN, u = unit_roundoff(p), tiny = smallest_normal(p), huge = largest_finite(p);
  const double sub = tiny / 8, h = std::ldexp(1.0, -(significand_bits(p) + 1) / 2);
  const double big = std::ldexp(1.0, significand_bits(p) + 2);
  const double low_exp = p == Precision::fp16 ? -12 : p == Precision::fp32 ? -100 : -740;
  const double third = 1.0 / 3;
  const auto within_ulps_of = [p](const char* function, Row row) {
    row.slack = ulp_limit(function, p) * ulp(p, row.value);
    return row;
  };
  using enum Shows;
  return {
      {flush, "add", add, sub, sub, 0, 2 * sub, 0, 0},
      {flush, "multiply", multiply, tiny, 0.5, 0, tiny / 2},
      {flush, "multiply", multiply, sub, 1, 0, sub, 0, 0},
      {flush, "operands", multiply, sub, 1024, 0, 1024 * sub, 0, 0},
      {flush, "fma", fused, sub, 1, sub, 2 * sub, 0, 0},
      within_ulps_of("divide", Row{flush, "divide", divide, tiny, 4, 0, tiny / 4}),
      within_ulps_of("exp", Row{flush, "exp", exponential, low_exp, 0, 0, std::exp(low_exp)}),
      within_ulps_of("sqrt", Row{flush, "sqrt", root, tiny / 4, 0, 0, std::sqrt(tiny / 4), 0, 0}),
      within_ulps_of("reciprocal", Row{flush, "1/x", reciprocal, tiny / 2, 0, 0, 2 / tiny, 0, inf}),
      {contraction, "", product_sum, 1 + h, 1 + h, -(1 + 2 * h), h * h / 2, h * h / 2},
      {correct, "", fused, 1 + h, 1 + h, -(1 + 2 * h), h * h},
      {rounding, "", add, 1, 1.5 * u, 0, 1 + 2 * u},
      {rounding, "", add, -1, -1.5 * u, 0, -1 - 2 * u},
      {correct, "", add, 1, u, 0, 1},
      {correct, "", add, 1 + 2 * u, u, 0, 1 + 4 * u},
      {correct, "", subtract, 1, u / 2, 0, 1},
      {correct, "", subtract, 1, 1.5 * u, 0, 1 - 2 * u},
      within_ulps_of("divide", Row{correct, "", divide, 1, 3, 0, third}),
      within_ulps_of("reciprocal", Row{correct, "", reciprocal, 3, 0, 0, third}),
      within_ulps_of("reciprocal", Row{correct, "", reciprocal, huge, 0, 0, 1 / huge}),
      p == Precision::fp64 ? Row{correct, "", root, 2, 0, 0, std::sqrt(2.0), 0x1p-52}
                           : within_ulps_of("sqrt", Row{correct, "", root, 2, 0, 0, std::sqrt(2.0)}),
      {correct, "", multiply, huge, 2, 0, inf},
      {correct, "", multiply, -huge, 2, 0, -inf},
      {correct, "", add, huge, huge / 2, 0, inf},
      {correct, "", divide, 1, inf, 0, 0},
      {correct, "", exponential, -inf, 0, 0, 0},
      {nan_equal, "NaN equals itself", is_nan, nan, 0, 0, 1},
      {correct, "", is_nan, 1, 0, 0, 0},
      {infinite_difference, "infinity minus infinity is no NaN", self_difference, inf, 0, 0, nan},
      {infinite_difference, "zero times infinity is no NaN", multiply, 0, inf, 0, nan},
      {infinite_difference, "NaN is lost", add, nan, 1, 0, nan},
      {infinite_difference, "infinity is not recognized", is_infinite, inf, 0, 0, 1},
      {reassociated, "sums are reassociated", there_and_back, big, 1, 0, 0},
      {reassociated, "x * y / y is x", scaled, huge, 2, 0, inf},
      {correct, "", maximum, nan, 1, 0, 1},
      {correct, "", minimum, 1, nan, 0, 1},
      {correct, "", less, nan, 1, 0, 0},
      {zero_sign, "the sign of zero is lost", sign_of_product, -0.0, 1, 0, -1},
      {correct, "", sign_of_sum, -0.0, 0.0, 0, 1},
      {correct, "", to_integer, 2.5, 0, 0, 2},
      {correct, "", to_integer, -3.5, 0, 0, -4},
      {correct, "", is_infinite, huge, 0, 0, 0},
      {correct, "", there_and_back, 1, 2, 0, 2},
      {correct, "", sign_of_product, -0.0, -1, 0, 1},
      {correct, "", less, 1, 2, 0, 1},
  };
}

// The error that fast-math options permit in this row; infinite: any. None of them affects sums and products of
// finite numbers, overflow included.
double relaxed_slack(const Row& row, Precision p) {
  const bool finite = std::isfinite(row.a) && std::isfinite(row.b) && std::isfinite(row.c);
  if (!finite) return HUGE_VAL;
  if (row.shows == Shows::reassociated || row.operation == sign_of_product || row.operation == sign_of_sum)
    return HUGE_VAL;
  const char* function = row.operation == divide        ? "divide"
                         : row.operation == root        ? "sqrt"
                         : row.operation == exponential ? "exp"
                         : row.operation == reciprocal  ? "reciprocal"
                                                        : nullptr;
  const double least = row.operation == product_sum ? HUGE_VAL : row.slack;
  return function ? std::max(least, relaxed_limit(function, row.a, row.b, row.value, p)) : least;
}

// Every item gets a row, so that each compute unit computes all of them.
std::vector<Array> inputs(const Problem& problem) {
  const std::size_t count = problem.at("n");
  const std::vector<Row> rows = rows_for(problem.precision);
  std::vector<Array> in{Array(Precision::int32, count)};
  for (int i = 0; i < 3; ++i) in.emplace_back(problem.precision, count);
  for (std::size_t i = 0; i < count; ++i) {
    const Row& row = rows[i % rows.size()];
    in[0].set(i, row.operation);
    in[1].set(i, row.a);
    in[2].set(i, row.b);
    in[3].set(i, row.c);
  }
  return in;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& /*in*/) {
  const std::vector<Row> rows = rows_for(problem.precision);
  Expected expected{.precision = problem.precision};
  for (std::size_t i = 0; i < problem.at("n"); ++i) {
    const Row& row = rows[i % rows.size()];
    expected.value.push_back(row.value);
    expected.bound.push_back(problem.relaxed ? relaxed_slack(row, problem.precision) : row.slack);
    expected.flushed.push_back(row.flushed);
  }
  return {expected};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), bytes = count * problem.element_bytes();
  return one_step_plan(function_name("fp-probe", problem.precision, written_once(variant)),
                       {{count * 4, 0}, {bytes, 1}, {bytes, 2}, {bytes, 3}, {bytes}}, {u32(count)}, count,
                       capabilities.group(64));
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(problem.at("n"));
  return {.flops = count, .bytes = count * (4 + 4 * static_cast<double>(problem.element_bytes()))};
}

std::string mode(const std::vector<Array>& outputs) { return text(read(outputs.at(0))); }

// Ordered by number.
template <class T>
constexpr std::array<T (*)(T, T, T), 20> operations = {
    [](T a, T b, T) { return a + b; },
    [](T a, T b, T) { return a - b; },
    [](T a, T b, T) { return a * b; },
    [](T a, T b, T) { return a / b; },
    [](T a, T b, T c) { return std::fma(a, b, c); },
    [](T a, T b, T c) { return a * b + c; },
    [](T a, T, T) { return std::sqrt(a); },
    [](T a, T, T) { return std::exp(a); },
    [](T a, T, T) { return T(1) / a; },
    [](T a, T, T) { return std::isnan(a) ? T(1) : T(0); },
    [](T a, T b, T) { return (a + b) - a; },
    [](T a, T b, T) { return std::fmax(a, b); },
    [](T a, T b, T) { return std::fmin(a, b); },
    [](T a, T b, T) { return std::copysign(T(1), a * b); },
    [](T a, T b, T) { return std::copysign(T(1), a + b); },
    [](T a, T b, T) { return a < b ? T(1) : T(0); },
    [](T a, T, T) { return std::isinf(a) ? T(1) : T(0); },
    [](T a, T, T) { return std::rint(a); },
    [](T a, T, T) { return a - a; },
    [](T a, T b, T) { return a * b / b; },
};

template <class T>
void on_host(const HostCall& call) {
  const auto codes = call.buffer<const std::int32_t>(0);
  const auto a = call.buffer<const T>(1), b = call.buffer<const T>(2), c = call.buffer<const T>(3);
  const auto out = call.buffer<T>(4);
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = operations<T>[static_cast<std::size_t>(codes[i])](a[i], b[i], c[i]);
}

}  // namespace

// The result of this row that only fast-math explains.
bool as_with_fast_math(const Row& row, double got) {
  switch (row.shows) {
    case Shows::nan_equal:
    case Shows::zero_sign:
      return got == (row.shows == Shows::nan_equal ? 0 : 1);
    case Shows::reassociated:
      return got == (row.operation == there_and_back ? row.b : row.a);
    case Shows::infinite_difference:
      if (row.operation == is_infinite || row.operation == self_difference || row.operation == multiply)
        return got == 0;
      return !std::isnan(got);
    default:
      return false;
  }
}

FpMode read(const Array& answers) {
  const Precision p = answers.precision;
  const std::vector<Row> rows = rows_for(p);
  FpMode mode;
  const auto note = [](std::vector<std::string>& list, const char* word) {
    if (std::ranges::find(list, word) == list.end()) list.emplace_back(word);
  };
  std::optional<double> up, down;
  bool sums_right = true, by_one = true;
  for (std::size_t i = 0; i < answers.count(); ++i) {
    const Row& row = rows[i % rows.size()];
    const double got = answers.value(i);
    const bool right = std::isnan(row.value) ? std::isnan(got) : got == row.value;
    switch (row.shows) {
      case Shows::flush:
        mode.subnormals_tried = true;
        if (got == 0 || (std::isinf(got) && std::isfinite(row.value))) note(mode.flushes, row.name);
        break;
      case Shows::contraction:
        if (!mode.fused) mode.fused = got != 0;
        break;
      case Shows::rounding:
        if (auto& first = row.a > 0 ? up : down; !first) first = got;
        break;
      case Shows::correct:
        // No compiler option affects these: if they are wrong, the other rows prove nothing either.
        if (!right && (row.operation == add || row.operation == subtract || row.operation == to_integer ||
                       (row.operation == multiply && std::isinf(row.value)))) {
          sums_right = false;
          // Overflow ends at the largest number where numbers are rounded towards zero.
          const bool near = std::isinf(row.value) ? std::fabs(got) == largest_finite(p)
                                                  : std::fabs(got - row.value) <= 2 * ulp(p, row.value);
          by_one = by_one && (near || (row.operation == to_integer && std::fabs(got - row.value) == 1));
        }
        break;
      default:
        if (!right && as_with_fast_math(row, got)) note(mode.fast_math, row.name);
    }
  }
  if (up && down && !std::isnan(*up) && !std::isnan(*down))
    mode.rounding = *up > 1 && *down < -1     ? "to nearest"
                    : *up == 1 && *down == -1 ? "towards zero"
                    : *up > 1                 ? "up"
                                              : "down";
  if (sums_right) return mode;
  const bool other_rounding = by_one && !mode.rounding.empty() && mode.rounding != "to nearest";
  return {.plain_sums_right = false, .rounding = other_rounding ? mode.rounding : ""};
}

const Kernel kernel = {
    .name = "fp-probe",
    .claim =
        "single operations round correctly, treat NaN, infinities and the sign of zero as IEEE 754 does, and lose "
        "subnormals only as OpenCL allows",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .tiny = {{{"n", 64}}},
    .quick = {{{"n", 1024}}},
    .full = {{{"n", 65536}}},
    .functions = {inputs, reference, plan, work},
    .mode = mode,
    .host = {{"fp_probe_fp32_host", on_host<float>}, {"fp_probe_fp64_host", on_host<double>}},
};

}  // namespace fp_probe
}  // namespace envdoctor::kernels
