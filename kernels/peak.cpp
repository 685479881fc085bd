#include "kernels/peak.h"

#include <fmt/format.h>

#include <cmath>

namespace envdoctor::kernels {
namespace {

// fp32 results per clock of a multiprocessor; 0: not known.
int nvidia_cores(int major, int minor) {
  switch (major) {
    case 2:
      return minor == 0 ? 32 : 48;
    case 3:
      return 192;
    case 5:
      return 128;
    case 6:
      return minor == 0 ? 64 : 128;
    case 7:
      return 64;
    case 8:
      return minor == 0 ? 64 : 128;
    case 9:
    case 10:
    case 12:
      return 128;
    default:
      return 0;
  }
}

// fp64 rate in parts of the fp32 rate; 0: not known.
int nvidia_fp64_divisor(int major, int minor) {
  if ((minor == 0 && major >= 6 && major <= 9) || (major == 7 && minor == 2)) return 2;
  if (major == 6 || (major == 7 && minor == 5)) return 32;
  if (major == 8 || major == 12) return 64;
  return 0;
}

Peak peak(double per_clock, const Clues& clues, const std::string& of) {
  return {2 * per_clock * clues.clock_mhz * 1e-3,
          fmt::format("{} x {:.0f} MHz ({})", of, clues.clock_mhz, clues.clock_origin)};
}

}  // namespace

std::optional<Peak> arithmetic_peak(const Clues& c, Precision precision) {
  if (c.clock_mhz <= 0) return std::nullopt;
  if (const int cores = nvidia_cores(c.nvidia_major, c.nvidia_minor); cores > 0 && c.units > 0) {
    const int divisor = precision == Precision::fp32   ? 1
                        : precision == Precision::fp64 ? nvidia_fp64_divisor(c.nvidia_major, c.nvidia_minor)
                                                       : 0;
    if (divisor == 0) return std::nullopt;
    return peak(static_cast<double>(c.units) * cores / divisor, c,
                fmt::format("2 x {} x {}{}", c.units, cores, divisor == 1 ? "" : fmt::format("/{}", divisor)));
  }
  if (precision != Precision::fp32) return std::nullopt;
  if (const int lanes = c.amd_simds * c.amd_simd_width * c.amd_instruction_width; lanes > 0 && c.units > 0)
    return peak(static_cast<double>(c.units) * lanes, c, fmt::format("2 x {} x {}", c.units, lanes));
  constexpr int intel_lanes = 8;
  if (const int units = c.intel_slices * c.intel_subslices * c.intel_units; units > 0)
    return peak(static_cast<double>(units) * intel_lanes, c, fmt::format("2 x {} x {}", units, intel_lanes));
  return std::nullopt;
}

std::optional<Peak> memory_peak(const Clues& c) {
  if (c.memory_clock_mhz <= 0 || c.memory_bus_bits <= 0) return std::nullopt;
  return Peak{2 * c.memory_clock_mhz * 1e-3 * c.memory_bus_bits / 8,
              fmt::format("2 x {:.0f} MHz x {} bits ({})", c.memory_clock_mhz, c.memory_bus_bits, c.memory_origin)};
}

std::string text(Rate rate) { return rate == Rate::gigabytes ? "GB/s" : rate == Rate::gigaflops ? "GFLOP/s" : "Gop/s"; }

std::string impossible(double value, Rate rate, const std::optional<Peak>& peak) {
  constexpr double clock_told_low = 1.5, caches = 10;
  constexpr double fastest_memory = 1e5, fastest_units = 2e6;  // caches and small words included
  if (!std::isfinite(value) || value <= 0) return "the clock did not advance";
  const bool memory = rate == Rate::gigabytes;
  if (peak && peak->value > 0) {
    const double limit = peak->value * (memory ? caches : clock_told_low);
    return value <= limit ? ""
                          : fmt::format("{:.3g} {} is {:.3g} times what the device can do", value, text(rate),
                                        value / peak->value);
  }
  return value <= (memory ? fastest_memory : fastest_units)
             ? ""
             : fmt::format("{:.3g} {} is more than any device can do", value, text(rate));
}

}  // namespace envdoctor::kernels
