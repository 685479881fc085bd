#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_icd_broken_test {

namespace {

const std::string id = "opencl.icd-broken";

Snapshot with_icd(Snapshot snapshot, const OpenclIcd& icd) {
  snapshot = with_loader(std::move(snapshot));
  snapshot.opencl.fill().icds.fill().push_back(icd);
  return snapshot;
}

OpenclIcd intel_icd() {
  return broken_icd(opencl_icd("intel.icd", "libigdrcl.so"), "not-found",
                    "libigdrcl.so: cannot open shared object file");
}

TEST(OpenclIcdBroken, IsSoundWhereEveryDriverLoads) {
  EXPECT_EQ(state_of("opencl.icd-broken", with_pocl(with_nvidia_opencl(healthy_nvidia_host()))), "passed");
  OpenclIcd empty = opencl_icd("intel.icd", "libigdrcl.so");
  empty.error_kind = "no-platform";
  empty.error = "clIcdGetPlatformIDsKHR: CL_PLATFORM_NOT_FOUND_KHR";
  EXPECT_EQ(state_of("opencl.icd-broken", with_icd(intel_host(), empty)), "passed");
}

TEST(OpenclIcdBroken, FindsALibraryThatDoesNotLoadAndNamesItsFile) {
  const Answers answers = answers_of("opencl.icd-broken", with_icd(intel_host(), intel_icd()));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->subject, "icd:/etc/OpenCL/vendors/intel.icd");
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/opencl/icds/0/error"});
}

TEST(OpenclIcdBroken, NamesAMissingDependency) {
  OpenclIcd icd = intel_icd();
  icd.missing_dependency = "libelf.so.1";
  const Answers answers = answers_of("opencl.icd-broken", with_icd(intel_host(), icd));
  EXPECT_NE(finding_of(answers, id)->explanation.find("libelf.so.1"), std::string::npos);
}

TEST(OpenclIcdBroken, OnlyInformsOfALeftoverForAGpuThatIsNotHere) {
  EXPECT_EQ(finding_of(answers_of("opencl.icd-broken", with_icd(healthy_nvidia_host(), intel_icd())), id)->severity,
            Severity::info);
  EXPECT_EQ(finding_of(answers_of("opencl.icd-broken", with_icd(plain_host(), intel_icd())), id)->severity,
            Severity::info);
}

TEST(OpenclIcdBroken, WarnsOfADriverThatTakesProgramsAlongEvenWithoutAGpu) {
  OpenclIcd icd = broken_icd(opencl_icd("bad.icd", "libbad.so"), "crash", "signal 11");
  icd.step = "clIcdGetPlatformIDsKHR";
  const Answers answers = answers_of("opencl.icd-broken", with_icd(plain_host(), icd));
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_NE(finding_of(answers, id)->explanation.find("clIcdGetPlatformIDsKHR"), std::string::npos);
}

TEST(OpenclIcdBroken, IsAWarningBesideWorkingCuda) {
  const OpenclIcd icd = broken_icd(opencl_icd("nvidia.icd", "libnvidia-opencl.so.1"), "not-found", "no such file");
  EXPECT_EQ(finding_of(answers_of("opencl.icd-broken", with_icd(healthy_nvidia_host(), icd)), id)->severity,
            Severity::warning);
}

TEST(OpenclIcdBroken, DoesNotApplyWhereNoDriverIsRegistered) {
  EXPECT_EQ(state_of("opencl.icd-broken", with_loader(intel_host())), "not-applicable");
}

TEST(OpenclIcdBroken, IsUnknownWhereDriversWereNotLoaded) {
  EXPECT_EQ(state_of("opencl.icd-broken", intel_host()), "unknown");
  OpenclIcd icd = opencl_icd("intel.icd", "libigdrcl.so");
  icd.loads = Flag();
  EXPECT_EQ(state_of("opencl.icd-broken", with_icd(intel_host(), icd)), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_icd_broken_test
