#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_no_platform_test {

namespace {

const std::string id = "opencl.no-platform";

TEST(OpenclNoPlatform, IsSoundWhereAPlatformIsListed) {
  EXPECT_EQ(state_of("opencl.no-platform", with_nvidia_opencl(cuda_unheard())), "passed");
}

TEST(OpenclNoPlatform, NamesTheGroupWhereOnlyTheErrorIsKnown) {
  for (const char* error : {"-1001", "CL_PLATFORM_NOT_FOUND_KHR"}) {
    Snapshot snapshot;
    snapshot.opencl.fill().error = error;
    const Answers answers = answers_of("opencl.no-platform", snapshot);
    ASSERT_NE(finding_of(answers, id), nullptr) << error;
    EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
    EXPECT_FALSE(finding_of(answers, id)->fix.front().command.empty());
  }
}

TEST(OpenclNoPlatform, StandsBackWhereTheCauseIsKnown) {
  EXPECT_EQ(state_of("opencl.no-platform", with_loader(intel_host())), "not-applicable");
}

TEST(OpenclNoPlatform, DoesNotApplyWithoutAGpu) {
  EXPECT_EQ(state_of("opencl.no-platform", with_loader(plain_host())), "not-applicable");
}

TEST(OpenclNoPlatform, IsUnknownWhereNobodyAsked) {
  EXPECT_EQ(state_of("opencl.no-platform", intel_host()), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_no_platform_test
