#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor {

Check opencl_no_icd();

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
  EXPECT_EQ(state_of(opencl_no_icd(), with_nvidia_opencl(cuda_unheard()), none), "sound");
  EXPECT_EQ(state_of(opencl_no_icd(), with_nvidia_opencl(container()), missing), "sound");
}

TEST(OpenclNoIcd, FindsAnEmptyFolder) {
  const Answers answers = answers_of(opencl_no_icd(), with_loader(intel_host()));
  ASSERT_NE(finding_of(answers, none), nullptr);
  EXPECT_EQ(finding_of(answers, none)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, none)->fix.front().command, "sudo apt-get install intel-opencl-icd");
  EXPECT_EQ(finding_of(answers_of(opencl_no_icd(), with_loader(healthy_nvidia_host())), none)->severity,
            Severity::info);
}

TEST(OpenclNoIcd, FindsADriverThatWasPassedInWithoutItsRegistration) {
  const Answers answers = answers_of(opencl_no_icd(), container());
  ASSERT_NE(finding_of(answers, missing), nullptr);
  EXPECT_EQ(finding_of(answers, missing)->severity, Severity::error);
  EXPECT_EQ(state_of(answers, none), "not-applicable");
  EXPECT_NE(finding_of(answers_of(opencl_no_icd(), with_pocl(container())), missing), nullptr);
}

TEST(OpenclNoIcd, DoesNotApplyWithoutAGpuOrALoader) {
  EXPECT_EQ(state_of(opencl_no_icd(), with_loader(plain_host()), none), "not-applicable");
  Snapshot snapshot = with_loader(intel_host());
  snapshot.opencl.fill().loader = absent("none");
  EXPECT_EQ(state_of(opencl_no_icd(), snapshot, none), "not-applicable");
  EXPECT_EQ(state_of(opencl_no_icd(), with_loader(intel_host()), missing), "not-applicable");
  EXPECT_EQ(state_of(opencl_no_icd(), in_docker(with_loader(intel_host())), missing), "not-applicable");
}

TEST(OpenclNoIcd, IsUnknownWhereTheFolderWasNotRead) {
  Snapshot snapshot = intel_host();
  EXPECT_EQ(state_of(opencl_no_icd(), snapshot, none), "unknown");
  snapshot.opencl.fill().icds = failed("permission denied");
  EXPECT_EQ(state_of(opencl_no_icd(), snapshot, missing), "unknown");
  Snapshot blind = in_docker(with_loader(cuda_unheard()));
  blind.libraries = failed("timeout");
  EXPECT_EQ(state_of(opencl_no_icd(), blind, missing), "unknown");
}

}  // namespace
}  // namespace envdoctor
