#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_libcuda_stub_test {

namespace {

constexpr const char* id = "driver.libcuda-stub";

std::string state(const Snapshot& snapshot) { return state_of("driver.libcuda-stub", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.libcuda-stub", snapshot); }

Snapshot with_stub() {
  Snapshot host = healthy_nvidia_host();
  Nvidia& nvidia = host.nvidia.fill();
  nvidia.cuda_library = "/usr/local/cuda-12.4/lib64/stubs/libcuda.so.1";
  nvidia.cuinit_error = "CUDA_ERROR_STUB_LIBRARY";
  nvidia.cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverLibcudaStub, IsFoundWhereProgramsLoadIt) {
  const Answers answers = answers_for(with_stub());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/nvidia/cuinit_error", "/nvidia/cuda_library"}));
}

TEST(DriverLibcudaStub, KnowsTheAnswerOfOldStubs) {
  Snapshot report;
  report.nvidia.fill().cuinit_error = "UNKNOWN ERROR (34)";
  EXPECT_EQ(state(report), "failed");
  report.nvidia.fill().cuinit_error = "UNKNOWN ERROR (-1)";
  EXPECT_EQ(state(report), "failed");
}

TEST(DriverLibcudaStub, IsSoundWithAStubThatOnlyLinkersUse) {
  Snapshot host = healthy_nvidia_host();
  host.libraries.fill().push_back(library_at("libcuda.so", "/usr/local/cuda/lib64/stubs/libcuda.so", "toolkit"));
  host.nvidia.fill().cuda_devices = std::vector<CudaDevice>{};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverLibcudaStub, DoesNotApplyWithoutALibraryOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = healthy_nvidia_host();
  host.nvidia = Nvidia{.cuda_library = absent("libcuda.so.1 not found")};
  host.libraries = std::vector<SharedLibrary>{library_missing("libcuda.so.1")};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverLibcudaStub, IsUnknownWhereNobodyLooked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

}  // namespace
}  // namespace envdoctor::driver_libcuda_stub_test
