// The whole probe against the drivers installed here.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "probe/opencl/opencl_platforms.h"

namespace envdoctor::opencl_real_test {
namespace {

const char* const pocl_file = "/etc/OpenCL/vendors/pocl.icd";

Opencl probe(const std::map<std::string, std::string>& env) {
  const auto files = open_files("/");
  const Host host{.files = *files, .env = env};
  const GatherOptions options;
  Session session(host, options);
  opencl::start(session, Limits{});
  const Snapshot snapshot = session.finish();
  EXPECT_TRUE(snapshot.opencl.get());
  return snapshot.opencl.get() ? *snapshot.opencl.get() : Opencl{};
}

class OpenclOnThisMachine : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(pocl_file)) GTEST_SKIP() << "PoCL is not installed";
    if (const char* home = std::getenv("HOME")) env["HOME"] = home;
  }
  std::map<std::string, std::string> env{};
};

TEST_F(OpenclOnThisMachine, PoclRunsTheTinyKernel) {
  const Opencl seen = probe(env);
  ASSERT_TRUE(seen.platforms.get());
  const auto pocl = std::ranges::find_if(*seen.platforms.get(), [](const auto& p) { return p.icd.is(pocl_file); });
  ASSERT_NE(pocl, seen.platforms.get()->end());
  EXPECT_TRUE(pocl->name.is("Portable Computing Language"));
  ASSERT_TRUE(pocl->devices.get());
  ASSERT_EQ(pocl->devices.get()->size(), 1U);
  const OpenclDevice& device = pocl->devices.get()->front();
  EXPECT_TRUE(device.type.is("cpu"));
  EXPECT_TRUE(device.kernel.is("ran")) << device.kernel.why();
  EXPECT_EQ(device.pci_address.outcome(), Outcome::absent);
  ASSERT_TRUE(device.memory_total_mib.get());
  EXPECT_GT(*device.memory_total_mib.get(), 0);
}

TEST_F(OpenclOnThisMachine, AnApplicationSeesEachPlatformOnce) {
  const Opencl seen = probe(env);
  if (!seen.loader.get()) GTEST_SKIP() << "no libOpenCL is installed";
  ASSERT_TRUE(seen.application_platforms.get()) << seen.application_platforms.why();
  EXPECT_EQ(static_cast<std::size_t>(*seen.application_platforms.get()), seen.platforms.get()->size());
  EXPECT_EQ(seen.error.outcome(), Outcome::absent);
  EXPECT_TRUE(seen.loader.get()->version.get()) << seen.loader.get()->version.why();
}

TEST_F(OpenclOnThisMachine, AnEmptyFolderGivesNoPlatformAndTheLoadersError) {
  env["OCL_ICD_VENDORS"] = testing::TempDir();
  const Opencl seen = probe(env);
  if (!seen.loader.get()) GTEST_SKIP() << "no libOpenCL is installed";
  EXPECT_TRUE(seen.icds.is({}));
  EXPECT_TRUE(seen.platforms.is({}));
  EXPECT_TRUE(seen.error.is("CL_PLATFORM_NOT_FOUND_KHR"));
  EXPECT_TRUE(seen.application_platforms.is(0));
  EXPECT_TRUE(seen.loader.get()->vendors_dir.is(testing::TempDir()));
  EXPECT_TRUE(seen.loader.get()->variable.is("OCL_ICD_VENDORS"));
}

}  // namespace
}  // namespace envdoctor::opencl_real_test
