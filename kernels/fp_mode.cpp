#include "kernels/fp_mode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace envdoctor::kernels {

std::string text(const FpMode& mode) {
  if (!mode.sound) return "single operations come out wrong";
  std::vector<std::string> parts;
  if (mode.fused) parts.emplace_back(*mode.fused ? "a*b+c fused" : "a*b+c not fused");
  if (mode.subnormals_tried)
    parts.push_back(mode.flushes.empty() ? "subnormals kept"
                                         : fmt::format("subnormals flushed by {}", fmt::join(mode.flushes, ", ")));
  if (!mode.rounding.empty()) parts.push_back("rounded " + mode.rounding);
  if (!mode.fast_math.empty()) parts.push_back(fmt::format("fast-math: {}", fmt::join(mode.fast_math, ", ")));
  return fmt::format("{}", fmt::join(parts, "; "));
}

}  // namespace envdoctor::kernels
