#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_wrong_loader_test {

namespace {

const std::string id = "opencl.wrong-loader";

Snapshot with_variable(const std::string& name, const std::string& value) {
  Snapshot snapshot = with_loader(intel_host());
  snapshot.env.fill()[name] = value;
  snapshot.opencl.fill().loader.fill().variable = name;
  snapshot.opencl.fill().loader.fill().vendors_dir = value;
  return snapshot;
}

TEST(OpenclWrongLoader, IsSoundWhereTheUsualFolderIsRead) {
  EXPECT_EQ(state_of("opencl.wrong-loader", with_loader(intel_host())), "passed");
  EXPECT_EQ(state_of("opencl.wrong-loader", with_nvidia_opencl(cuda_unheard())), "passed");
}

TEST(OpenclWrongLoader, FindsAFileInTheVariableOfALoaderThatWantsAFolder) {
  Snapshot snapshot;  // as read from a report
  snapshot.env.fill()["OCL_ICD_VENDORS"] = "/etc/OpenCL/vendors/amdocl64.icd";
  snapshot.opencl.fill().loader.fill().version = "Khronos OpenCL ICD Loader 3.0.5";
  snapshot.opencl.fill().platforms = std::vector<OpenclPlatform>{};
  const Answers answers = answers_of("opencl.wrong-loader", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
  snapshot.opencl.fill().loader.fill().version = "ocl-icd 2.3";
  EXPECT_EQ(state_of("opencl.wrong-loader", snapshot), "passed");
}

TEST(OpenclWrongLoader, FindsAVariableThatLeadsToAnEmptyFolder) {
  for (const char* name : {"OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH"}) {
    const Answers answers = answers_of("opencl.wrong-loader", with_variable(name, "/opt/nothing"));
    ASSERT_NE(finding_of(answers, id), nullptr) << name;
    EXPECT_EQ(finding_of(answers, id)->fix.front().command, std::string("unset ") + name);
  }
}

TEST(OpenclWrongLoader, FindsAnEnvironmentsOwnLoader) {
  Snapshot snapshot = with_loader(intel_host());
  snapshot.opencl.fill().loader.fill().path = "/opt/conda/lib/libOpenCL.so.1";
  snapshot.opencl.fill().loader.fill().vendors_dir = "/opt/conda/etc/OpenCL/vendors";
  EXPECT_EQ(state_of("opencl.wrong-loader", snapshot), "failed");
}

TEST(OpenclWrongLoader, FindsADriverUnderTheLoadersName) {
  Snapshot snapshot = with_loader(intel_host());
  snapshot.opencl.fill().loader.fill().kind = "vendor";
  EXPECT_EQ(state_of("opencl.wrong-loader", snapshot), "failed");
}

TEST(OpenclWrongLoader, DoesNotApplyWithoutALoaderOrAGpu) {
  EXPECT_EQ(state_of("opencl.wrong-loader", with_loader(plain_host())), "not-applicable");
  Snapshot snapshot = with_loader(intel_host());
  snapshot.opencl.fill().loader = absent("none");
  EXPECT_EQ(state_of("opencl.wrong-loader", snapshot), "not-applicable");
}

TEST(OpenclWrongLoader, IsUnknownWhereNobodyLooked) {
  EXPECT_EQ(state_of("opencl.wrong-loader", intel_host()), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_wrong_loader_test
