#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor {

Check opencl_loader_missing();

namespace {

const std::string id = "opencl.loader-missing";

Snapshot without_loader(Snapshot snapshot) {
  snapshot.opencl.fill().loader = absent("no libOpenCL.so.1");
  snapshot.opencl.fill().icds = std::vector<OpenclIcd>{};
  return snapshot;
}

TEST(OpenclLoaderMissing, IsSoundWhereThereIsOne) {
  EXPECT_EQ(state_of(opencl_loader_missing(), with_loader(intel_host()), id), "sound");
}

TEST(OpenclLoaderMissing, IsAnErrorWhereOpenclIsTheOnlyWay) {
  const Answers answers = answers_of(opencl_loader_missing(), without_loader(intel_host()));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "sudo apt-get install ocl-icd-libopencl1");
}

TEST(OpenclLoaderMissing, OnlyInformsBesideWorkingCudaWhereNobodyAskedForOpencl) {
  Snapshot snapshot = without_loader(healthy_nvidia_host());
  EXPECT_EQ(finding_of(answers_of(opencl_loader_missing(), snapshot), id)->severity, Severity::info);
  snapshot.opencl.fill().icds = std::vector<OpenclIcd>{opencl_icd("nvidia.icd", "libnvidia-opencl.so.1")};
  EXPECT_EQ(finding_of(answers_of(opencl_loader_missing(), snapshot), id)->severity, Severity::warning);
}

TEST(OpenclLoaderMissing, DoesNotApplyWithoutAGpuAndWithoutADriver) {
  EXPECT_EQ(state_of(opencl_loader_missing(), without_loader(plain_host()), id), "not-applicable");
}

TEST(OpenclLoaderMissing, IsUnknownWhereNobodyLooked) {
  EXPECT_EQ(state_of(opencl_loader_missing(), intel_host(), id), "unknown");
  Snapshot snapshot = intel_host();
  snapshot.opencl.fill().loader = failed("timeout");
  EXPECT_EQ(state_of(opencl_loader_missing(), snapshot, id), "unknown");
}

}  // namespace
}  // namespace envdoctor
