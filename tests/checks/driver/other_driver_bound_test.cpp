#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_other_driver_bound_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.other-driver-bound";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Snapshot held_by(std::string driver) {
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", std::move(driver))};
  return host;
}

TEST(DriverOtherDriverBound, IsFoundWhereTheOnlyGpuIsGivenAway) {
  for (const char* driver : {"vfio-pci", "pci-stub", "nova_core"}) {
    const Answers answers = answers_of(id, held_by(driver));
    ASSERT_NE(finding_of(answers, id), nullptr) << driver;
    EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
    EXPECT_EQ(finding_of(answers, id)->subject, "gpu:0000:65:00.0");
  }
}

TEST(DriverOtherDriverBound, IsMeantToBeBesideAGpuThatIsFree) {
  Snapshot host = healthy_nvidia_host();
  host.pci.fill().push_back(pci_a100("0000:b3:00.0", "vfio-pci"));
  const Answers answers = answers_of(id, host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::info);
}

TEST(DriverOtherDriverBound, BelievesTheKernelsWordForLikely) {
  const Answers answers = answers_of(id, with({symptom_of({present, "other-driver"}, {{"driver", "NovaCore"}})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_NE(finding_of(answers, id)->title.find("nova_core"), std::string::npos);
}

TEST(DriverOtherDriverBound, DoubtsALineOfACardThatMayBeNoGpu) {
  const auto sure = [](const Symptom& line) { return finding_of(answers_of(id, with({line})), id)->confidence; };
  EXPECT_EQ(sure(symptom_of({present, "other-driver"}, {{"driver", "vfio-pci"}})), Confidence::possible);
  EXPECT_EQ(sure(symptom_of({present, "other-driver"}, {{"driver", "vfio-pci"}, {"of", "gpu"}})), Confidence::likely);
}

TEST(DriverOtherDriverBound, LeavesNouveauToItsOwnDiagnosis) {
  EXPECT_EQ(state_of(id, held_by("nouveau")), "passed");
  EXPECT_EQ(state_of("driver.nouveau-bound", held_by("nova_core")), "passed");
  EXPECT_EQ(state_of(id, healthy_nvidia_host()), "passed");
}

}  // namespace
}  // namespace envdoctor::driver_other_driver_bound_test
