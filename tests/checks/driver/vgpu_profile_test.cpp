#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_vgpu_profile_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.vgpu-profile";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Snapshot named(const char* name) {
  Snapshot report;
  report.nvidia = Nvidia{.devices = std::vector<NvidiaDevice>{{.index = 0, .name = name}}};
  return report;
}

TEST(DriverVgpuProfile, KnowsTheKindsWithoutCuda) {
  for (const char* name : {"GRID T4-2B", "NVIDIA A40-8A", "GRID M10-1Q", "GRID V100D-1B4"})
    EXPECT_EQ(state_of(id, named(name)), "failed") << name;
  for (const char* name : {"GRID T4-16Q", "NVIDIA A100-40C", "GRID M60-8Q", "NVIDIA A100-SXM4-40GB", "Tesla T4"})
    EXPECT_EQ(state_of(id, named(name)), "passed") << name;
}

TEST(DriverVgpuProfile, IsProvedWrongByCuda) {
  Snapshot report = named("GRID T4-2B");
  report.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100()};
  EXPECT_EQ(state_of(id, report), "passed");
}

TEST(DriverVgpuProfile, NamesALicenceThatWasRefused) {
  const Answers answers = answers_of(id, with({symptom_of({refused, "vgpu-licence"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_NE(finding_of(answers, id)->title.find("licence"), std::string::npos);
}

}  // namespace
}  // namespace envdoctor::driver_vgpu_profile_test
