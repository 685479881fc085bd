#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_firmware_missing_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.firmware-missing";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Symptom file(const char* name) { return symptom_of({missing, "gpu-firmware"}, {{"file", name}}); }

TEST(DriverFirmwareMissing, NamesTheFileThatTheKernelAskedFor) {
  const Answers answers = answers_of(id, with({file("amdgpu/psp_14_0_3_sos.bin")}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_NE(finding_of(answers, id)->explanation.find("psp_14_0_3_sos"), std::string::npos);
}

TEST(DriverFirmwareMissing, LeavesOutWhatDriversDoWithout) {
  for (const char* name : {"i915/adlp_dmc.bin", "amdgpu/vega10_ta.bin", "i915/tgl_huc.bin"})
    EXPECT_EQ(state_of(id, with({file(name)})), "not-applicable") << name;
  EXPECT_EQ(state_of(id, with({file("i915/dg2_huc.bin"), symptom_of({failed, "intel-gpu-initialization"})})), "failed");
}

TEST(DriverFirmwareMissing, OnlyWarnsWhereTheGpuWorks) {
  const Answers answers = answers_of(id, with({file("nvidia/570.86.15/gsp_ga10x.bin"), symptom_of({used, "gpu"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
}

}  // namespace
}  // namespace envdoctor::driver_firmware_missing_test
