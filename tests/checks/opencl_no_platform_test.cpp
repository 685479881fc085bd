#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor {

Check opencl_no_platform();

namespace {

const std::string id = "opencl.no-platform";

TEST(OpenclNoPlatform, IsSoundWhereAPlatformIsListed) {
  EXPECT_EQ(state_of(opencl_no_platform(), with_nvidia_opencl(cuda_unheard()), id), "sound");
}

TEST(OpenclNoPlatform, NamesTheGroupWhereOnlyTheErrorIsKnown) {
  for (const char* error : {"-1001", "CL_PLATFORM_NOT_FOUND_KHR"}) {
    Snapshot snapshot;
    snapshot.opencl.fill().error = error;
    const Answers answers = answers_of(opencl_no_platform(), snapshot);
    ASSERT_NE(finding_of(answers, id), nullptr) << error;
    EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
    EXPECT_FALSE(finding_of(answers, id)->fix.front().command.empty());
  }
}

TEST(OpenclNoPlatform, StandsBackWhereTheCauseIsKnown) {
  EXPECT_EQ(state_of(opencl_no_platform(), with_loader(intel_host()), id), "not-applicable");
}

TEST(OpenclNoPlatform, DoesNotApplyWithoutAGpu) {
  EXPECT_EQ(state_of(opencl_no_platform(), with_loader(plain_host()), id), "not-applicable");
}

TEST(OpenclNoPlatform, IsUnknownWhereNobodyAsked) {
  EXPECT_EQ(state_of(opencl_no_platform(), intel_host(), id), "unknown");
}

}  // namespace
}  // namespace envdoctor
