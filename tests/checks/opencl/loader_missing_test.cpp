#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_loader_missing_test {

namespace {

const std::string id = "opencl.loader-missing";

Snapshot without_loader(Snapshot snapshot) {
  snapshot.opencl.fill().loader = absent("no libOpenCL.so.1");
  snapshot.opencl.fill().icds = std::vector<OpenclIcd>{};
  return snapshot;
}

TEST(OpenclLoaderMissing, IsSoundWhereThereIsOne) {
  EXPECT_EQ(state_of("opencl.loader-missing", with_loader(intel_host())), "passed");
}

TEST(OpenclLoaderMissing, IsAnErrorWhereOpenclIsTheOnlyWay) {
  const Answers answers = answers_of("opencl.loader-missing", without_loader(intel_host()));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "sudo apt-get install ocl-icd-libopencl1");
}

TEST(OpenclLoaderMissing, OnlyInformsBesideWorkingCudaWhereNobodyAskedForOpencl) {
  Snapshot snapshot = without_loader(healthy_nvidia_host());
  EXPECT_EQ(finding_of(answers_of("opencl.loader-missing", snapshot), id)->severity, Severity::info);
  snapshot.opencl.fill().icds = std::vector<OpenclIcd>{opencl_icd("nvidia.icd", "libnvidia-opencl.so.1")};
  EXPECT_EQ(finding_of(answers_of("opencl.loader-missing", snapshot), id)->severity, Severity::warning);
}

TEST(OpenclLoaderMissing, DoesNotApplyWithoutAGpuAndWithoutADriver) {
  EXPECT_EQ(state_of("opencl.loader-missing", without_loader(plain_host())), "not-applicable");
}

TEST(OpenclLoaderMissing, IsUnknownWhereNobodyLooked) {
  EXPECT_EQ(state_of("opencl.loader-missing", intel_host()), "unknown");
  Snapshot snapshot = intel_host();
  snapshot.opencl.fill().loader = failed("timeout");
  EXPECT_EQ(state_of("opencl.loader-missing", snapshot), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_loader_missing_test
