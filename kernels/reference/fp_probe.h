#pragma once
// Single operations with known answers: which arithmetic a device uses. The truth table is in fp_probe.cpp.
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

// A device's arithmetic, as its single operations show it. The report prints it even without faults.
struct FpMode {
  bool plain_sums_right = true;        // if not, only a rounding that explains it is known below
  std::optional<bool> fused{};         // a * b + c in one rounding, where the source permits both
  std::vector<std::string> flushes{};  // operations that lose subnormal results or operands: "add", "fma", "exp"
  bool subnormals_tried = false;
  std::string rounding{};  // "to nearest", "towards zero", …; empty: unknown
  std::vector<std::string>
      fast_math{};  // effects that only fast-math explains: "NaN equals itself", "sums reassociated"
};

// "fused, subnormals kept, to nearest": only what is known; empty: nothing.
std::string text(const FpMode& mode);

// The arithmetic that the results of kernel "fp-probe" show. If items disagree on one operation, the first different
// one counts.
namespace fp_probe {
FpMode read(const Array& answers);
}

}  // namespace envdoctor::kernels
