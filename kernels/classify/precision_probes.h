#pragma once
// Small dot products whose exact answers show which arithmetic was used: how many bits of an input survive, how many
// the accumulator holds, how it rounds, and how far its exponents reach. For any device and any library: compute the
// terms of each probe by the call in question, and pass the answers back.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/core/kernel.h"

namespace envdoctor::kernels {

struct PrecisionProbe {
  enum class Kind { input, accumulator, rounding, range } kind = Kind::input;
  int bits = 0;   // input: of the odd integer; accumulator: p of 2^p + 1
  Terms terms{};  // two products; pad with zeros to the required length
  double exact = 0;
};

// For results of this precision: inputs of 2 to 24 (53) bits, sums 2^p + 1, roundings, and a scale that fp16 can't
// hold.
const std::vector<PrecisionProbe>& precision_probes(Precision precision);

struct MeasuredPrecision {
  int input_bits = 0;        // the widest odd integer that survived: 8 bf16, 11 TF32 or fp16, 24 fp32, 53 fp64
  int accumulator_bits = 0;  // the widest sum that survived: 11 fp16, 24 fp32; fewer than that: guard bits are missing
  std::optional<bool> truncates{};  // sums are rounded towards zero; none: neither truncated nor to nearest
  bool half_range = false;          // 2^-30 or 2^30 were lost: fp16 takes part
  [[nodiscard]] bool full(Precision precision) const;
};

// `answers` one per probe, in order; none for another number of them.
std::optional<MeasuredPrecision> measured_precision(Precision precision, std::span<const double> answers);

// "24-bit inputs, 24-bit sums, to nearest": for the report.
std::string text(const MeasuredPrecision& reading);

}  // namespace envdoctor::kernels
