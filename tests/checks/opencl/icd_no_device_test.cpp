#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_icd_no_device_test {

namespace {

const std::string empty = "opencl.icd-no-device";
const std::string rusticl = "opencl.rusticl-not-enabled";

Snapshot with_empty(Snapshot snapshot, const std::string& file, const std::string& library, const std::string& name) {
  snapshot = snapshot.opencl.get() ? snapshot : with_loader(std::move(snapshot));
  add_driver(snapshot, opencl_icd(file, library), opencl_platform(name, {}));
  return snapshot;
}

Snapshot with_rusticl(Snapshot snapshot) {
  return with_empty(std::move(snapshot), "rusticl.icd", "libRusticlOpenCL.so.1", "rusticl");
}
Snapshot with_intel(Snapshot snapshot) {
  return with_empty(std::move(snapshot), "intel.icd", "libigdrcl.so", "Intel(R) OpenCL Graphics");
}

TEST(OpenclIcdNoDevice, IsSoundWhereEveryPlatformHasADevice) {
  const Answers answers =
      answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, with_nvidia_opencl(cuda_unheard()));
  EXPECT_EQ(state_of(answers, empty), "passed");
  EXPECT_EQ(state_of(answers, rusticl), "not-applicable");
}

TEST(OpenclIcdNoDevice, FindsAnEmptyPlatformOfTheGpusOwnVendor) {
  const Answers answers =
      answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, with_intel(intel_host()));
  ASSERT_NE(finding_of(answers, empty), nullptr);
  EXPECT_EQ(finding_of(answers, empty)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, empty)->subject, "icd:/etc/OpenCL/vendors/intel.icd");
}

TEST(OpenclIcdNoDevice, FindsADriverWithoutAnyPlatform) {
  Snapshot snapshot = with_loader(intel_host());
  OpenclIcd icd = opencl_icd("intel.icd", "libigdrcl.so");
  icd.platforms = 0;
  icd.error_kind = "no-platform";
  icd.error = "CL_PLATFORM_NOT_FOUND_KHR";
  snapshot.opencl.fill().icds.fill().push_back(icd);
  EXPECT_NE(finding_of(answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, snapshot), empty),
            nullptr);
}

TEST(OpenclIcdNoDevice, FindsADriverWhosePlatformIsNotAmongThoseListed) {
  Snapshot snapshot = with_pocl(cuda_unheard());
  OpenclIcd icd = opencl_icd("nvidia.icd", "libnvidia-opencl.so.1");
  icd.platforms = Number();
  snapshot.opencl.fill().icds.fill().push_back(icd);
  EXPECT_EQ(
      finding_of(answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, snapshot), empty)->subject,
      "icd:/etc/OpenCL/vendors/nvidia.icd");
  EXPECT_EQ(state_of(empty, with_nvidia_opencl(snapshot)), "passed");
}

TEST(OpenclIcdNoDevice, DoesNotSayThatPoclHasNothingToDrive) {
  const Answers answers =
      answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"},
                     with_empty(intel_host(), "pocl.icd", "libpocl.so.2", "Portable Computing Language"));
  ASSERT_NE(finding_of(answers, empty), nullptr);
  EXPECT_EQ(finding_of(answers, empty)->severity, Severity::info);
  EXPECT_NE(finding_of(answers, empty)->explanation.find("all it needs is a CPU"), std::string::npos);
  ASSERT_FALSE(finding_of(answers, empty)->fix.empty());
  EXPECT_NE(finding_of(answers, empty)->fix[0].command.find("POCL_CACHE_DIR"), std::string::npos);
}

TEST(OpenclIcdNoDevice, OnlyInformsOnAHostWithoutAGpu) {
  const Answers answers =
      answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"},
                     with_rusticl(with_empty(plain_host(), "mesa.icd", "libMesaOpenCL.so.1", "Clover")));
  ASSERT_NE(finding_of(answers, empty), nullptr);
  ASSERT_NE(finding_of(answers, rusticl), nullptr);
  EXPECT_EQ(finding_of(answers, empty)->severity, Severity::info);
  EXPECT_EQ(finding_of(answers, rusticl)->severity, Severity::info);
  EXPECT_TRUE(finding_of(answers, rusticl)->fix.empty());
}

TEST(OpenclIcdNoDevice, TellsRusticlWhichDriverToName) {
  const Answers answers =
      answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, with_rusticl(intel_host()));
  ASSERT_NE(finding_of(answers, rusticl), nullptr);
  EXPECT_EQ(finding_of(answers, rusticl)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, rusticl)->fix.front().command, "export RUSTICL_ENABLE=iris");
  EXPECT_EQ(state_of(answers, empty), "passed");
}

TEST(OpenclIcdNoDevice, CountsOneAsNoNameOfADriver) {
  Snapshot snapshot = with_rusticl(intel_host());
  snapshot.env.fill()["RUSTICL_ENABLE"] = "1";
  EXPECT_EQ(state_of(rusticl, snapshot), "failed");
  snapshot.env.fill()["RUSTICL_ENABLE"] = "iris:0";
  const Answers answers = answers_of_all({"opencl.icd-no-device", "opencl.rusticl-not-enabled"}, snapshot);
  EXPECT_EQ(state_of(answers, rusticl), "passed");
  EXPECT_EQ(state_of(answers, empty), "failed");
}

TEST(OpenclIcdNoDevice, DoesNotApplyWithoutAPlatform) {
  EXPECT_EQ(state_of(empty, with_loader(plain_host())), "not-applicable");
  EXPECT_EQ(state_of(rusticl, with_loader(plain_host())), "not-applicable");
}

TEST(OpenclIcdNoDevice, IsUnknownWhereDevicesWereNotListed) {
  EXPECT_EQ(state_of(empty, intel_host()), "unknown");
  Snapshot snapshot = with_rusticl(intel_host());
  snapshot.opencl.get()->platforms.get()->front().devices = failed("crash");
  snapshot.opencl.get()->icds.get()->clear();
  EXPECT_EQ(state_of(empty, snapshot), "unknown");
  EXPECT_EQ(state_of(rusticl, snapshot), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_icd_no_device_test
