#pragma once
// A device's peak rates, from its own data, and rates that no device can reach.
#include <optional>
#include <string>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

// A device's own data; 0: not reported.
struct DeviceSpecs {
  double clock_mhz = 0, memory_clock_mhz = 0;
  int memory_bus_bits = 0;
  int units = 0;                                                     // NVIDIA: multiprocessors; AMD: compute units
  int nvidia_major = 0, nvidia_minor = 0;                            // compute capability
  int amd_simds = 0, amd_simd_width = 0, amd_instruction_width = 0;  // of a compute unit
  int intel_slices = 0, intel_subslices = 0, intel_units = 0;        // sub-slices per slice, EUs per sub-slice
  std::string clock_origin{}, memory_origin{};                       // the attributes' names
};

struct Peak {
  double value = 0;      // GFLOP/s or GB/s
  std::string origin{};  // what it was computed from
};

// Fused multiply-adds count twice; matrix units don't count. NVIDIA: 2 x multiprocessors x cores of one (CUDA C++
// Programming Guide, arithmetic instructions) x clock. AMD: 2 x units x SIMDs x their width x instruction width x
// clock; Intel: 2 x units x 8 lanes x clock. Nothing if a factor is unknown, and for other precisions than fp32 and
// NVIDIA's fp64.
std::optional<Peak> arithmetic_peak(const DeviceSpecs& specs, Precision precision);
// 2 x memory clock x bus width: both edges of the clock.
std::optional<Peak> memory_peak(const DeviceSpecs& specs);

enum class Rate { gigabytes, gigaflops, gigaops };  // per second
std::string text(Rate rate);                        // GB/s, GFLOP/s, Gop/s

// Why no device computes or moves that much: far above its own peak (half as much again for arithmetic, whose clock
// may be reported too low; tenfold for memory, which caches may hide), or, if that is unknown, above any existing
// device. Empty: plausible.
// `amount`: of a run; beyond all caches the limit for memory is twice its peak.
std::string impossible(double value, Rate rate, const std::optional<Peak>& peak, double amount = 0);

}  // namespace envdoctor::kernels
