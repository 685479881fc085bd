#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_no_icd_test {

namespace {

const std::string none = "opencl.no-icd";
const std::string missing = "opencl.icd-missing-in-container";

Snapshot container() {
  Snapshot snapshot = in_docker(with_loader(cuda_unheard()));
  snapshot.libraries.get()->push_back(
      library_at("libnvidia-opencl.so.1", "/usr/lib/x86_64-linux-gnu/libnvidia-opencl.so.550.54.14"));
  return snapshot;
}

TEST(OpenclNoIcd, IsSoundWhereADriverIsRegistered) {
  EXPECT_EQ(state_of(none, with_nvidia_opencl(cuda_unheard())), "passed");
  EXPECT_EQ(state_of(missing, with_nvidia_opencl(container())), "passed");
}

TEST(OpenclNoIcd, FindsAnEmptyFolder) {
  const Answers answers =
      answers_of_all({"opencl.no-icd", "opencl.icd-missing-in-container"}, with_loader(intel_host()));
  ASSERT_NE(finding_of(answers, none), nullptr);
  EXPECT_EQ(finding_of(answers, none)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, none)->fix.front().command, "sudo apt-get install intel-opencl-icd");
  EXPECT_EQ(finding_of(answers_of_all({"opencl.no-icd", "opencl.icd-missing-in-container"},
                                      with_loader(healthy_nvidia_host())),
                       none)
                ->severity,
            Severity::info);
}

TEST(OpenclNoIcd, FindsADriverThatWasPassedInWithoutItsRegistration) {
  const Answers answers = answers_of_all({"opencl.no-icd", "opencl.icd-missing-in-container"}, container());
  ASSERT_NE(finding_of(answers, missing), nullptr);
  EXPECT_EQ(finding_of(answers, missing)->severity, Severity::error);
  EXPECT_EQ(state_of(answers, none), "not-applicable");
  EXPECT_NE(
      finding_of(answers_of_all({"opencl.no-icd", "opencl.icd-missing-in-container"}, with_pocl(container())), missing),
      nullptr);
}

TEST(OpenclNoIcd, DoesNotApplyWithoutAGpuOrALoader) {
  EXPECT_EQ(state_of(none, with_loader(plain_host())), "not-applicable");
  Snapshot snapshot = with_loader(intel_host());
  snapshot.opencl.fill().loader = absent("none");
  EXPECT_EQ(state_of(none, snapshot), "not-applicable");
  EXPECT_EQ(state_of(missing, with_loader(intel_host())), "not-applicable");
  EXPECT_EQ(state_of(missing, in_docker(with_loader(intel_host()))), "not-applicable");
}

TEST(OpenclNoIcd, IsUnknownWhereTheFolderWasNotRead) {
  Snapshot snapshot = intel_host();
  EXPECT_EQ(state_of(none, snapshot), "unknown");
  snapshot.opencl.fill().icds = failed("permission denied");
  EXPECT_EQ(state_of(missing, snapshot), "unknown");
  Snapshot blind = in_docker(with_loader(cuda_unheard()));
  blind.libraries = failed("timeout");
  EXPECT_EQ(state_of(missing, blind), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_no_icd_test
