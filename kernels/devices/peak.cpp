#include "kernels/devices/peak.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace envdoctor::kernels {
namespace {

// fp32 results per clock of a multiprocessor; 0: unknown.
int nvidia_cores(int major, int minor) {
  static constexpr std::array<int, 13> cores = {0, 0, 48, 192, 0, 128, 128, 64, 128, 128, 128, 0, 128};
  if (major < 0 || major >= static_cast<int>(cores.size())) return 0;
  if (minor == 0 && major == 2) return 32;
  return minor == 0 && (major == 6 || major == 8) ? 64 : cores[static_cast<std::size_t>(major)];
}

// fp64 rate in parts of the fp32 rate; 0: unknown.
int nvidia_fp64_divisor(int major, int minor) {
  if ((minor == 0 && major >= 6 && major <= 9) || (major == 7 && minor == 2)) return 2;
  if (major == 6 || (major == 7 && minor == 5)) return 32;
  if (major == 8 || major == 12) return 64;
  return 0;
}

Peak peak(double per_clock, const DeviceSpecs& specs, const std::string& of) {
  return {2 * per_clock * specs.clock_mhz * 1e-3,
          fmt::format("{} x {:.0f} MHz ({})", of, specs.clock_mhz, specs.clock_origin)};
}

}  // namespace

std::optional<Peak> arithmetic_peak(const DeviceSpecs& c, Precision precision) {
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

std::optional<Peak> memory_peak(const DeviceSpecs& c) {
  if (c.memory_clock_mhz <= 0 || c.memory_bus_bits <= 0) return std::nullopt;
  return Peak{2 * c.memory_clock_mhz * 1e-3 * c.memory_bus_bits / 8,
              fmt::format("2 x {:.0f} MHz x {} bits ({})", c.memory_clock_mhz, c.memory_bus_bits, c.memory_origin)};
}

std::string text(Rate rate) { return rate == Rate::gigabytes ? "GB/s" : rate == Rate::gigaflops ? "GFLOP/s" : "Gop/s"; }

std::string impossible(double value, Rate rate, const std::optional<Peak>& peak, double amount) {
  constexpr double clock_understated = 1.5, caches = 10, beyond_caches = 2, all_caches_bytes = 128 << 20;
  constexpr double fastest_memory = 1e5, fastest_units = 2e6;  // including caches and narrow types
  if (!std::isfinite(value) || value <= 0) return "the clock did not advance";
  const bool memory = rate == Rate::gigabytes;
  if (peak && peak->value > 0) {
    const double limit = peak->value * (!memory                     ? clock_understated
                                        : amount > all_caches_bytes ? beyond_caches
                                                                    : caches);
    return value <= limit
               ? ""
               : fmt::format("{:.3g} {} is {:.3g} times the device's peak", value, text(rate), value / peak->value);
  }
  return value <= (memory ? fastest_memory : fastest_units)
             ? ""
             : fmt::format("{:.3g} {} is more than any device reaches", value, text(rate));
}

}  // namespace envdoctor::kernels
