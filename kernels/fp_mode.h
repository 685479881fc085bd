#pragma once
// The arithmetic a device runs, as its single operations show it. What the report prints even when all is well.
#include <optional>
#include <string>
#include <vector>

namespace envdoctor::kernels {

struct FpMode {
  bool sound = true;                       // plain sums come out right; else nothing below is known
  std::optional<bool> fused{};             // a * b + c in one rounding, where the source leaves it open
  std::vector<std::string> flushes{};      // operations that lose subnormal results or operands: "add", "fma", "exp"
  bool subnormals_tried = false;
  std::string rounding{};                  // "to nearest", "towards zero", …; empty: not known
  std::vector<std::string> fast_math{};    // what only fast-math explains: "NaN equals itself", "sums reassociated"
};

// "fused, subnormals kept, to nearest": only what is known; empty: nothing.
std::string text(const FpMode& mode);

}  // namespace envdoctor::kernels
