#include "kernels/classify/precision_probes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace envdoctor::kernels {
namespace {

using Kind = PrecisionProbe::Kind;

std::vector<PrecisionProbe> build(Precision precision) {
  const int bits = significand_bits(precision);
  const bool half = precision == Precision::fp16;
  std::vector<PrecisionProbe> probes;
  const auto add = [&](Kind kind, int b, double a0, double b0, double a1, double b1, double exact) {
    probes.push_back({kind, b, {{a0, a1}, {b0, b1}}, exact});
  };
  for (int b = 2; b <= bits; ++b) {
    // Odd, so that the lowest bit counts; for either operand, because a library may narrow only one.
    const double low = std::ldexp(1.0, b - 1) + 1, high = std::ldexp(1.0, b) - 1;
    for (const double odd : {low, high, -low}) {
      add(Kind::input, b, odd, 1, 0, 1, odd);
      add(Kind::input, b, 1, odd, 1, 0, odd);
    }
  }
  // Factors of 2^(p/2) keep every input within fp16's range.
  for (int p = 4; p < bits; ++p) {
    const double one = std::ldexp(1.0, p / 2), other = std::ldexp(1.0, p - p / 2);
    add(Kind::accumulator, p + 1, one, other, 1, 1, std::ldexp(1.0, p) + 1);
    add(Kind::accumulator, p + 1, 1, -1, one, -other, -std::ldexp(1.0, p) - 1);
  }
  // 1 + 3/4 ulp: to nearest is 1 + 1 ulp, truncated 1.
  const double step = std::ldexp(1.0, 1 - bits);
  add(Kind::rounding, 0, 1, 1, 0.75 * std::ldexp(step, 6), 0x1p-6, 1 + step);
  add(Kind::rounding, 0, -1, 1, -0.75 * std::ldexp(step, 6), 0x1p-6, -1 - step);
  if (!half) {
    add(Kind::range, 0, 129 * 0x1p-30, 0x1p30, 0, 1, 129);
    add(Kind::range, 0, 0x1p30, 131 * 0x1p-30, 0, 1, 131);
    add(Kind::range, 0, 133 * 0x1p20, 0x1p-20, 0, 1, 133);
  }
  return probes;
}

// The widest probe for which it and all narrower ones were right.
int widest(const std::vector<PrecisionProbe>& probes, std::span<const double> answers, Kind kind) {
  int narrowest_wrong = std::numeric_limits<int>::max(), last = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].kind == kind && answers[i] != probes[i].exact)
      narrowest_wrong = std::min(narrowest_wrong, probes[i].bits);
  }
  for (const PrecisionProbe& probe : probes) {
    if (probe.kind == kind && probe.bits < narrowest_wrong) last = std::max(last, probe.bits);
  }
  return last;
}

}  // namespace

const std::vector<PrecisionProbe>& precision_probes(Precision precision) {
  static const std::vector<PrecisionProbe> half = build(Precision::fp16), single = build(Precision::fp32),
                                           twice = build(Precision::fp64);
  return precision == Precision::fp16 ? half : precision == Precision::fp32 ? single : twice;
}

std::optional<MeasuredPrecision> measured_precision(Precision precision, std::span<const double> answers) {
  const std::vector<PrecisionProbe>& probes = precision_probes(precision);
  if (answers.size() != probes.size()) return {};
  MeasuredPrecision reading{.input_bits = widest(probes, answers, Kind::input),
                            .accumulator_bits = widest(probes, answers, Kind::accumulator)};
  int to_nearest = 0, to_zero = 0, roundings = 0;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    if (probes[i].kind == Kind::range) reading.half_range = reading.half_range || answers[i] != probes[i].exact;
    if (probes[i].kind != Kind::rounding) continue;
    ++roundings;
    to_nearest += answers[i] == probes[i].exact ? 1 : 0;
    to_zero += std::fabs(answers[i]) == 1 ? 1 : 0;
  }
  if (to_nearest == roundings) reading.truncates = false;
  if (to_zero == roundings) reading.truncates = true;
  return reading;
}

bool MeasuredPrecision::full(Precision precision) const {
  const int bits = significand_bits(precision);
  return input_bits == bits && accumulator_bits == bits && truncates == false && !half_range;
}

std::string text(const MeasuredPrecision& reading) {
  std::string rounding = "rounding unknown";
  if (reading.truncates) rounding = *reading.truncates ? "truncated" : "to nearest";
  return fmt::format("{}-bit inputs, {}-bit sums, {}{}", reading.input_bits, reading.accumulator_bits, rounding,
                     reading.half_range ? ", fp16's range" : "");
}

}  // namespace envdoctor::kernels
