#pragma once
// Recomputes results with inputs narrowed as in other arithmetics, to find the one that explains a result.
#include <cstdint>
#include <optional>

#include "kernels/core/kernel.h"

namespace envdoctor::kernels {

enum class Rounding { nearest, away, truncated };  // ties to even; ties away from zero; towards zero

// `value` with `bits` significant bits; exponents are not limited.
double rounded_to_bits(double value, int bits, Rounding rounding);
// The same in IEEE binary16, with its range: 2^-24 to 65504, beyond it infinity.
double rounded_to_half(double value);

// How an arithmetic may narrow its inputs.
struct InputModel {
  WrongResult kind;
  const char* text;  // "TF32 inputs, rounded to nearest"
  int bits;          // of an input
  Rounding rounding;
  bool half_range;  // binary16's exponents as well
};
// Up to `most` outputs, recomputed with the inputs narrowed by each model. Residuals are the root of the mean of
// ((got - dot) / |p|)^2, p_i = a_i b_i the exact products; no finite sample or no terms: none.
struct Replay {
  double plain = 0;                  // residual with the inputs as they are
  const InputModel* best = nullptr;  // the model with the smallest residual
  double best_residual = 0;
  bool holds =
      false;  // best beats plain by 4 bits, and the rest looks like plain arithmetic: below the suspect threshold
  bool tf32_or_fp16 = false;   // both fit about equally well, as is the case if all inputs are within binary16's range
  double bias = 0;             // mean of (error towards zero) / rms: 1 is truncation, about 0 is nearest
  int result_bits = 0;         // maximum of significant bits in the results: 11 is fp16
  const char* lost = nullptr;  // "first", "last": without that term of each sum nothing is suspect
  double suspect_threshold = 0;  // residuals above it are not plain arithmetic
  std::size_t samples = 0;
  [[nodiscard]] bool suspect() const { return plain > suspect_threshold; }
};
// One sum of products with the inputs narrowed by the model.
double narrowed_dot(const Terms& terms, const InputModel& model);
std::optional<Replay> replay(const Operation& operation, const Array& got, std::size_t most = 256);

}  // namespace envdoctor::kernels
