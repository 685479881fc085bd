// Theoretical peaks against data sheets, and impossible rates.
#include <gmock/gmock.h>

#include "kernels/devices/peak.h"

namespace envdoctor::kernels::peak_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

DeviceSpecs h200() {
  return {.clock_mhz = 1980,
          .memory_clock_mhz = 3201,
          .memory_bus_bits = 6144,
          .units = 132,
          .nvidia_major = 9,
          .clock_origin = "CU_DEVICE_ATTRIBUTE_CLOCK_RATE",
          .memory_origin = "CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE"};
}

TEST(Peak, OfNvidiaGpusIsThatOfTheirDataSheets) {
  EXPECT_NEAR(arithmetic_peak(h200(), Precision::fp32)->value, 66'908, 1);  // 67 TFLOP/s
  EXPECT_NEAR(arithmetic_peak(h200(), Precision::fp64)->value, 33'454, 1);
  EXPECT_NEAR(memory_peak(h200())->value, 4917, 1);  // 4.8 TB/s
  const DeviceSpecs gtx_970 = {.memory_clock_mhz = 3505, .memory_bus_bits = 256};
  EXPECT_NEAR(memory_peak(gtx_970)->value, 224.3, 0.05);
  const DeviceSpecs rtx_4090 = {.clock_mhz = 2520, .units = 128, .nvidia_major = 8, .nvidia_minor = 9};
  EXPECT_NEAR(arithmetic_peak(rtx_4090, Precision::fp32)->value, 82'575, 1);  // 82.6 TFLOP/s
  EXPECT_NEAR(arithmetic_peak(rtx_4090, Precision::fp64)->value, 1'290, 1);   // 1/64
}

TEST(Peak, OfOtherVendorsIsThatOfTheirDataSheets) {
  const DeviceSpecs mi210 = {
      .clock_mhz = 1700, .units = 104, .amd_simds = 4, .amd_simd_width = 16, .amd_instruction_width = 1};
  EXPECT_NEAR(arithmetic_peak(mi210, Precision::fp32)->value, 22'630, 1);  // 22.6 TFLOP/s
  const DeviceSpecs uhd_630 = {.clock_mhz = 1150, .intel_slices = 1, .intel_subslices = 3, .intel_units = 8};
  EXPECT_NEAR(arithmetic_peak(uhd_630, Precision::fp32)->value, 441.6, 0.1);
}

TEST(Peak, SaysWhereItsClockComesFrom) {
  EXPECT_THAT(arithmetic_peak(h200(), Precision::fp32)->origin,
              HasSubstr("2 x 132 x 128 x 1980 MHz (CU_DEVICE_ATTRIBUTE_CLOCK_RATE)"));
}

TEST(Peak, IsNotGuessedWhereAPartIsMissing) {
  EXPECT_FALSE(arithmetic_peak({.clock_mhz = 1000, .units = 10}, Precision::fp32));  // no vendor's specs
  EXPECT_FALSE(arithmetic_peak({.units = 10, .nvidia_major = 8}, Precision::fp32));  // no clock
  EXPECT_FALSE(arithmetic_peak({.clock_mhz = 1000, .units = 10, .nvidia_major = 99}, Precision::fp32));
  EXPECT_FALSE(arithmetic_peak(h200(), Precision::fp16));
  EXPECT_FALSE(memory_peak({.memory_clock_mhz = 1000}));
}

TEST(ImpossibleRate, IsRefusedAgainstTheDevicesOwnPeak) {
  const std::optional<Peak> peak = arithmetic_peak(h200(), Precision::fp32);
  EXPECT_THAT(impossible(60'000, Rate::gigaflops, peak), IsEmpty());
  EXPECT_THAT(impossible(73'000, Rate::gigaflops, peak), IsEmpty());  // boost above the reported clock
  EXPECT_THAT(impossible(134'000, Rate::gigaflops, peak), HasSubstr("2 times the device's peak"));
  EXPECT_THAT(impossible(20'000, Rate::gigabytes, memory_peak(h200())), IsEmpty());  // from a cache
  EXPECT_THAT(impossible(60'000, Rate::gigabytes, memory_peak(h200())), HasSubstr("the device's peak"));
}

TEST(ImpossibleRate, IsRefusedWithoutAnyPeakToo) {
  EXPECT_THAT(impossible(1000, Rate::gigabytes, std::nullopt), IsEmpty());
  EXPECT_THAT(impossible(1e9, Rate::gigabytes, std::nullopt), HasSubstr("more than any device"));
  EXPECT_THAT(impossible(1e9, Rate::gigaops, std::nullopt), HasSubstr("more than any device"));
  EXPECT_THAT(impossible(std::numeric_limits<double>::infinity(), Rate::gigaflops, std::nullopt),
              HasSubstr("the clock did not advance"));
  EXPECT_THAT(impossible(0, Rate::gigaflops, std::nullopt), HasSubstr("the clock did not advance"));
}

}  // namespace
}  // namespace envdoctor::kernels::peak_test
