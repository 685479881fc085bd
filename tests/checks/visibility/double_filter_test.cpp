#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_double_filter_test {

namespace {

const std::string id = "visibility.double-filter";

Snapshot radeons(const std::string& rocr, const std::string& name, const std::string& value) {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "740f", "amdgpu"),
                                        pci_gpu("0000:83:00.0", "1002", "740f", "amdgpu")};
  snapshot.env.fill()["ROCR_VISIBLE_DEVICES"] = rocr;
  snapshot.env.fill()[name] = value;
  return snapshot;
}

TEST(VisibilityDoubleFilter, IsSoundWhereTheSecondListFitsWhatIsLeft) {
  EXPECT_EQ(state_of("visibility.double-filter", radeons("1", "HIP_VISIBLE_DEVICES", "0")), "passed");
  EXPECT_EQ(state_of("visibility.double-filter", radeons("0,1", "HIP_VISIBLE_DEVICES", "1")), "passed");
  EXPECT_EQ(state_of("visibility.double-filter", healthy_nvidia_host()), "passed");
}

TEST(VisibilityDoubleFilter, FindsASecondListThatCountsAsIfThereWereNoFirst) {
  for (const char* name : {"HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    const Answers answers = answers_of("visibility.double-filter", radeons("1", name, "1"));
    const Finding* finding = finding_of(answers, id);
    ASSERT_NE(finding, nullptr) << name;
    EXPECT_EQ(finding->severity, Severity::error);
    EXPECT_EQ(finding->evidence.size(), 2U);
    EXPECT_EQ(finding->fix.front().command, std::string("unset ") + name);
  }
  EXPECT_EQ(
      finding_of(answers_of("visibility.double-filter", radeons("1", "HIP_VISIBLE_DEVICES", "0,1")), id)->severity,
      Severity::warning);
}

TEST(VisibilityDoubleFilter, IsSoundWhereHipListsADevice) {
  Snapshot snapshot = radeons("1", "HIP_VISIBLE_DEVICES", "1");
  snapshot.rocm.fill().hip_devices = std::vector<RocmDevice>{RocmDevice{}};
  EXPECT_EQ(state_of("visibility.double-filter", snapshot), "passed");
}

TEST(VisibilityDoubleFilter, DoesNotMixAmdsVariablesWithAnNvidiaGpu) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()["ROCR_VISIBLE_DEVICES"] = "1";
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "1";
  EXPECT_EQ(state_of("visibility.double-filter", snapshot), "passed");
}

TEST(VisibilityDoubleFilter, DoesNotApplyWithoutAGpu) {
  EXPECT_EQ(state_of("visibility.double-filter", plain_host()), "not-applicable");
}

TEST(VisibilityDoubleFilter, IsUnknownWhereTheVariablesAreNotKnown) {
  EXPECT_EQ(state_of("visibility.double-filter", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::visibility_double_filter_test
