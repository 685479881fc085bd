#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_power_or_thermal_test {

namespace {

constexpr const char* id = "hardware.power-or-thermal";

std::string state(const Snapshot& snapshot) { return state_of("hardware.power-or-thermal", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("hardware.power-or-thermal", snapshot); }

Snapshot with_reasons(std::vector<std::string> reasons) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().throttle_reasons = std::move(reasons);
  return host;
}

TEST(HardwarePowerOrThermal, IsFoundWhereTheHardwareProtectsItself) {
  const Answers answers = answers_for(with_reasons({"power_cap", "hw_thermal"}));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/devices/0/throttle_reasons/1"});
}

TEST(HardwarePowerOrThermal, IsSoundAtThePowerCapWhichIsNormalUnderLoad) {
  EXPECT_EQ(state(with_reasons({"power_cap"})), "passed");
  EXPECT_EQ(state(with_reasons({})), "passed");
}

TEST(HardwarePowerOrThermal, IsAnErrorWhereTheCardLacksItsPowerCables) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().nvml_error = "NVML_ERROR_INSUFFICIENT_POWER";
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
}

TEST(HardwarePowerOrThermal, IsUnknownWhereNobodyAsked) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().throttle_reasons = failed("NVML_ERROR_UNKNOWN");
  EXPECT_EQ(state(host), "unknown");
  EXPECT_EQ(state(Snapshot{}), "unknown");
}

TEST(HardwarePowerOrThermal, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

}  // namespace
}  // namespace envdoctor::hardware_power_or_thermal_test
