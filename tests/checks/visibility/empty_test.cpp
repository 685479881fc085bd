#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::visibility_empty_test {

namespace {

const std::string id = "visibility.empty";

Snapshot hidden_by(const std::string& name, const std::string& value) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()[name] = value;
  snapshot.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  snapshot.nvidia.fill().cuda_devices = failed("cuInit: CUDA_ERROR_NO_DEVICE");
  return snapshot;
}

TEST(VisibilityEmpty, IsSoundWhereNothingIsSet) {
  EXPECT_EQ(state_of("visibility.empty", healthy_nvidia_host()), "passed");
}

TEST(VisibilityEmpty, FindsEveryTextThatSelectsNothing) {
  for (const char* value : {"", "-1", "NoDevFiles", "none", " "}) {
    const Answers answers = answers_of("visibility.empty", hidden_by("CUDA_VISIBLE_DEVICES", value));
    const Finding* finding = finding_of(answers, id);
    ASSERT_NE(finding, nullptr) << '"' << value << '"';
    EXPECT_EQ(finding->subject, "env:CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(finding->confidence, Confidence::certain);
    EXPECT_EQ(finding->evidence.front().path, "/env/CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(finding->fix.front().command, "unset CUDA_VISIBLE_DEVICES");
  }
}

TEST(VisibilityEmpty, LeavesBadNumbersToAnotherDiagnosis) {
  EXPECT_EQ(state_of("visibility.empty", hidden_by("CUDA_VISIBLE_DEVICES", "7")), "passed");
  EXPECT_EQ(state_of("visibility.empty", hidden_by("CUDA_VISIBLE_DEVICES", "GPU-77")), "passed");
}

TEST(VisibilityEmpty, IsSoundWhereCudaListsADeviceAllTheSame) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_EQ(state_of("visibility.empty", snapshot), "passed");
}

TEST(VisibilityEmpty, IsSoundForAnEmptyVariableOnWindowsWhereThereIsNone) {
  Snapshot snapshot;
  snapshot.host.fill().platform = "windows";
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_EQ(state_of("visibility.empty", snapshot), "passed");
}

TEST(VisibilityEmpty, DoesNotApplyWithoutAGpu) {
  Snapshot snapshot = plain_host();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_EQ(state_of("visibility.empty", snapshot), "not-applicable");
}

TEST(VisibilityEmpty, IsUnknownWhereTheVariablesCouldNotBeRead) {
  Snapshot snapshot = hidden_by("CUDA_VISIBLE_DEVICES", "-1");
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = failed("withheld");
  EXPECT_EQ(state_of("visibility.empty", snapshot), "unknown");
  snapshot.env = Map<Text>();
  EXPECT_EQ(state_of("visibility.empty", snapshot), "unknown");
  EXPECT_EQ(state_of("visibility.empty", Snapshot{}), "unknown");
}

TEST(VisibilityEmpty, KnowsThatHipTakesAnEmptyTextForUnsetAndRocrDoesNot) {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "740f", "amdgpu")};
  snapshot.env.fill()["HIP_VISIBLE_DEVICES"] = "";
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "";
  EXPECT_EQ(state_of("visibility.empty", snapshot), "passed");
  snapshot.env.fill()["ROCR_VISIBLE_DEVICES"] = "";
  EXPECT_EQ(finding_of(answers_of("visibility.empty", snapshot), id)->subject, "env:ROCR_VISIBLE_DEVICES");
}

TEST(VisibilityEmpty, IsLikelyWhereOnlyTheVariableIsKnown) {
  Snapshot snapshot;
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "";
  const Answers answers = answers_of("visibility.empty", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

}  // namespace
}  // namespace envdoctor::visibility_empty_test
