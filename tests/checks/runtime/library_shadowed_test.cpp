#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_library_shadowed_test {

namespace {

const std::string id = "runtime.library-shadowed";

SharedLibrary copy_at(const std::string& path, const std::string& origin, const Text& version) {
  SharedLibrary row = library_at("libnvJitLink.so.12", path, origin);
  row.version = version;
  return row;
}

Snapshot shadowed(const Text& first, const Text& own, const std::string& origin = "LD_LIBRARY_PATH") {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()["LD_LIBRARY_PATH"] = "/opt/cuda/lib64";
  snapshot.libraries.get()->push_back(copy_at("/opt/cuda/lib64/libnvJitLink.so.12", origin, first));
  SharedLibrary behind = copy_at("/env/nvidia/nvjitlink/lib/libnvJitLink.so.12", "pip", own);
  behind.shadowed_by = "/opt/cuda/lib64/libnvJitLink.so.12";
  snapshot.libraries.get()->push_back(behind);
  return snapshot;
}

TEST(RuntimeLibraryShadowed, IsSoundWithoutSuchCopiesOrWithEqualVersions) {
  EXPECT_EQ(state_of("runtime.library-shadowed", healthy_nvidia_host()), "passed");
  EXPECT_EQ(state_of("runtime.library-shadowed", shadowed("12.4.127", "12.4.127")), "passed");
  EXPECT_EQ(state_of("runtime.library-shadowed", shadowed(Text(), Text())), "passed");
}

TEST(RuntimeLibraryShadowed, WarnsOfAnotherVersionInFront) {
  const Answers answers = answers_of("runtime.library-shadowed", shadowed("12.2.140", "12.4.127"));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(finding->subject, "library:libnvJitLink.so.12");
  EXPECT_EQ(finding->fix.front().command, "unset LD_LIBRARY_PATH");
}

TEST(RuntimeLibraryShadowed, IsAnErrorWhereTheFrameworkFellToTheCpu) {
  Snapshot snapshot = shadowed("12.2.140", "12.4.127");
  snapshot.torch.fill().cuda_available = false;
  const Answers answers = answers_of("runtime.library-shadowed", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
}

TEST(RuntimeLibraryShadowed, LeavesTheSystemsOtherVersionAlone) {
  EXPECT_EQ(state_of("runtime.library-shadowed", shadowed("11.8.89", "12.4.127", "ldcache")), "passed");
}

TEST(RuntimeLibraryShadowed, FindsAJaxOnTheCpuThatGetsItsLibrariesFromAVariable) {
  Snapshot snapshot;  // as read from a report
  snapshot.env.fill()["LD_LIBRARY_PATH"] = "/usr/lib/openmpi:/opt/hpc_sdk/cuda/12.4/lib64";
  snapshot.libraries = std::vector<SharedLibrary>{
      library_at("libnvJitLink.so.12", "/opt/hpc_sdk/cuda/12.4/lib64/libnvJitLink.so.12", "")};
  snapshot.jax.fill().backend = "cpu";
  EXPECT_EQ(state_of("runtime.library-shadowed", snapshot), "failed");
  snapshot.jax.fill().backend = "gpu";
  EXPECT_EQ(state_of("runtime.library-shadowed", snapshot), "passed");
  snapshot.jax.fill().backend = "cpu";
  snapshot.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  EXPECT_EQ(state_of("runtime.library-shadowed", snapshot), "passed");
}

TEST(RuntimeLibraryShadowed, DoesNotApplyWithoutAGpu) {
  EXPECT_EQ(state_of("runtime.library-shadowed", plain_host()), "not-applicable");
}

TEST(RuntimeLibraryShadowed, IsUnknownWhereLibrariesWereNotLookedAt) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.libraries = failed("timeout");
  EXPECT_EQ(state_of("runtime.library-shadowed", snapshot), "unknown");
  EXPECT_EQ(state_of("runtime.library-shadowed", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::runtime_library_shadowed_test
