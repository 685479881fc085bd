#include "kernels/classify/replay.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "kernels/core/bounds.h"
#include "kernels/core/double_double.h"

namespace envdoctor::kernels {
namespace {

constexpr std::array<InputModel, 8> table{{
    {WrongResult::tf32_inputs, "TF32 inputs, rounded to nearest", 11, Rounding::nearest, false},
    {WrongResult::tf32_inputs, "TF32 inputs, ties away from zero", 11, Rounding::away, false},
    {WrongResult::tf32_inputs, "TF32 inputs, truncated", 11, Rounding::truncated, false},
    {WrongResult::bf16_inputs, "bf16 inputs, rounded to nearest", 8, Rounding::nearest, false},
    {WrongResult::bf16_inputs, "bf16 inputs, truncated", 8, Rounding::truncated, false},
    {WrongResult::fp16_inputs, "fp16 inputs, rounded to nearest", 11, Rounding::nearest, true},
    {WrongResult::fp32_inputs, "fp32 inputs, rounded to nearest", 24, Rounding::nearest, false},
    {WrongResult::fp32_inputs, "fp32 inputs, truncated", 24, Rounding::truncated, false},
}};

// How many significant bits this number needs.
int bits_needed(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  return 53 - std::min(52, std::countr_zero(std::bit_cast<std::uint64_t>(value)));
}

double narrowed(const InputModel& model, double input) {
  return model.half_range ? rounded_to_half(input) : rounded_to_bits(input, model.bits, model.rounding);
}

struct Element {
  double got = 0, norm = 0;
  Terms terms{};
};

// Products of narrower inputs are exact in double; products of doubles need a second double.
double dot_product(const Terms& terms, const InputModel* model, bool twice, std::size_t begin = 0,
                   std::size_t dropped = 0) {
  DoubleDouble sum;
  for (std::size_t i = begin; i + dropped < terms.a.size(); ++i) {
    const double a = model ? narrowed(*model, terms.a[i]) : terms.a[i];
    const double b = model ? narrowed(*model, terms.b[i]) : terms.b[i];
    if (twice) {
      sum = sum + two_product(a, b);
    } else {
      sum.high += a * b;
    }
  }
  return sum.high;
}

std::vector<Element> sample(const Operation& operation, const Array& got, std::size_t most) {
  std::vector<Element> elements;
  const std::size_t count = std::min(most, got.count());
  for (std::size_t s = 0; s < count; ++s) {
    // Spread over rows and columns; each once, because the factor is a prime larger than any count.
    const std::size_t i = (s * 2654435761U + 12345) % got.count();
    Element element{.got = got.value(i), .terms = operation.terms(i)};
    double squares = 0;
    for (std::size_t p = 0; p < element.terms.a.size(); ++p) {
      const double product = element.terms.a[p] * element.terms.b[p];
      squares += product * product;
    }
    element.norm = std::sqrt(squares);
    if (std::isfinite(element.got) && element.norm > 0 && std::isfinite(element.norm)) elements.push_back(element);
  }
  return elements;
}

// With the inputs as the model narrows them, the first or the last terms of each sum left out.
double residual(const std::vector<Element>& elements, bool twice, const InputModel* model, std::size_t begin = 0,
                std::size_t dropped = 0) {
  double squares = 0;
  for (const Element& element : elements) {
    const double error = (element.got - dot_product(element.terms, model, twice, begin, dropped)) / element.norm;
    squares += error * error;
  }
  const double root = std::sqrt(squares / static_cast<double>(elements.size()));
  return std::isfinite(root) ? root : HUGE_VAL;
}

}  // namespace

double rounded_to_bits(double value, int bits, Rounding rounding) {
  if (!std::isfinite(value)) return value;
  const int dropped = 53 - bits;
  const auto raw = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t unit = std::uint64_t{1} << dropped, rest = raw & (unit - 1), half = unit / 2;
  const std::uint64_t kept = raw - rest;
  const bool up = rounding == Rounding::truncated ? false
                  : rounding == Rounding::away    ? rest >= half
                                                  : rest > half || (rest == half && (kept & unit) != 0);
  return std::bit_cast<double>(up ? kept + unit : kept);  // a carry runs into the exponent, as it should
}

double rounded_to_half(double value) {
  const double size = std::fabs(value);
  if (!(size < 65520)) return std::isnan(value) ? value : std::copysign(HUGE_VAL, value);
  if (size < 0x1p-14) return std::copysign(std::nearbyint(size * 0x1p24) * 0x1p-24, value);
  return rounded_to_bits(value, 11, Rounding::nearest);
}

double narrowed_dot(const Terms& terms, const InputModel& model) { return dot_product(terms, &model, false); }

std::optional<Replay> replay(const Operation& operation, const Array& got, std::size_t most) {
  if (!operation.terms || !is_floating(got.precision)) return {};
  const std::vector<Element> elements = sample(operation, got, most);
  if (elements.empty()) return {};
  const bool twice = got.precision == Precision::fp64;
  Replay result{.plain = residual(elements, twice, nullptr), .best_residual = HUGE_VAL, .samples = elements.size()};
  result.suspect_threshold = kernels::suspect_threshold(static_cast<double>(operation.depth), got.precision);
  double squares = 0, towards_zero = 0;
  for (const Element& element : elements) {
    const double exact = dot_product(element.terms, nullptr, twice), error = (element.got - exact) / element.norm;
    squares += error * error;
    towards_zero -= std::copysign(1.0, exact) * error;
    result.result_bits = std::max(result.result_bits, bits_needed(element.got));
  }
  if (squares > 0) result.bias = towards_zero / std::sqrt(squares * static_cast<double>(elements.size()));
  for (const bool first : {true, false}) {
    const double rest = residual(elements, twice, nullptr, first ? 1 : 0, first ? 0 : 1);
    if (rest * 16 <= result.plain && rest <= result.suspect_threshold) result.lost = first ? "first" : "last";
  }
  double with_range = HUGE_VAL, without = HUGE_VAL;  // the best of 11 bits with and without binary16's range
  for (const InputModel& model : table) {
    if (model.bits >= significand_bits(got.precision)) continue;
    const double rest = residual(elements, twice, &model);
    if (model.bits == 11) {
      double& best = model.half_range ? with_range : without;
      best = std::min(best, rest);
    }
    if (rest < result.best_residual) {
      result.best = &model;
      result.best_residual = rest;
    }
  }
  result.tf32_or_fp16 = std::max(with_range, without) < 8 * std::min(with_range, without) &&
                        std::min(with_range, without) == result.best_residual;
  result.holds =
      result.best && result.best_residual * 16 <= result.plain && result.best_residual <= result.suspect_threshold;
  return result;
}

}  // namespace envdoctor::kernels
