#pragma once
// Single operations with known answers: which arithmetic a device runs. The truth table is in fp_probe.cpp.
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

// The arithmetic a device runs, as its single operations show it. The report prints it even when all is well.
struct FpMode {
  bool plain_sums_right = true;            // if not, nothing below is known but a rounding that explains why
  std::optional<bool> fused{};             // a * b + c in one rounding, where the source leaves it open
  std::vector<std::string> flushes{};      // operations that lose subnormal results or operands: "add", "fma", "exp"
  bool subnormals_tried = false;
  std::string rounding{};                  // "to nearest", "towards zero", …; empty: not known
  std::vector<std::string> fast_math{};    // what only fast-math explains: "NaN equals itself", "sums reassociated"
};

// "fused, subnormals kept, to nearest": only what is known; empty: nothing.
std::string text(const FpMode& mode);

// What the answers of the kernel "fp-probe" show. Where items disagree on one operation, the first that differs counts.
namespace fp_probe {
FpMode read(const Array& answers);
}

}  // namespace envdoctor::kernels
