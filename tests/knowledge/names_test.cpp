#include "knowledge/codes/names.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "knowledge/codes/codes_index.h"
#include "knowledge/embedded_tables.h"

namespace envdoctor::knowledge::names_test {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(CodeName, OfEachApi) {
  EXPECT_EQ(code_name("cuda_driver", 100), "CUDA_ERROR_NO_DEVICE");
  EXPECT_EQ(code_name("cuda_driver", 802), "CUDA_ERROR_SYSTEM_NOT_READY");
  EXPECT_EQ(code_name("cuda_driver", 803), "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  EXPECT_EQ(code_name("cuda_runtime", 35), "cudaErrorInsufficientDriver");
  EXPECT_EQ(code_name("nvml", 18), "NVML_ERROR_LIB_RM_VERSION_MISMATCH");
  EXPECT_EQ(code_name("opencl", -1001), "CL_PLATFORM_NOT_FOUND_KHR");
  EXPECT_EQ(code_name("hip", 2), "hipErrorOutOfMemory");
  EXPECT_EQ(code_name("level_zero", 0x78000001), "ZE_RESULT_ERROR_UNINITIALIZED");
}

TEST(CodeName, IsEmptyForWhatNobodyDefined) {
  EXPECT_EQ(code_name("cuda_driver", 123456), "");
  EXPECT_EQ(code_name("no_such_api", 0), "");
}

// A build that didn't make the index anew after a change of the table is caught here.
TEST(CodeName, IndexIsOfTheTable) { EXPECT_EQ(bytes_of(embedded_index, "codes"), codes_index()); }

TEST(Xid, TellsMeaningAndAction) {
  const auto fallen = xid(79);
  ASSERT_TRUE(fallen.has_value());
  EXPECT_THAT(fallen->meaning, HasSubstr("off the bus"));
  EXPECT_EQ(fallen->class_, "hw");
  EXPECT_EQ(fallen->mnemonic, "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS");
  EXPECT_EQ(xid(13)->class_, "app");
  EXPECT_FALSE(xid(99999).has_value());
}

TEST(Variables, AreAllowedByNameOrByTheirBeginning) {
  EXPECT_TRUE(env_allowed("CUDA_VISIBLE_DEVICES"));
  EXPECT_TRUE(env_allowed("LD_LIBRARY_PATH"));
  EXPECT_TRUE(env_allowed("CONDA_PREFIX"));
  EXPECT_TRUE(env_allowed("NVIDIA_REQUIRE_CUDA"));
  EXPECT_TRUE(env_allowed("NVIDIA_REQUIRE_DRIVER"));
  EXPECT_FALSE(env_allowed("AWS_SECRET_ACCESS_KEY"));
  EXPECT_FALSE(env_allowed("NVIDIA_API_KEY"));
  EXPECT_FALSE(env_allowed("HOME"));
  EXPECT_FALSE(env_allowed(""));
}

TEST(Variables, AreSortedAndSayWhetherTheyNameHosts) {
  EXPECT_TRUE(std::ranges::is_sorted(env_allow_list()));
  EXPECT_TRUE(env_names_hosts("TF_CONFIG"));
  EXPECT_FALSE(env_names_hosts("CUDA_VISIBLE_DEVICES"));
}

TEST(Variables, HavePrefixesThatMarkTheirKin) {
  EXPECT_THAT(env_prefixes(), Contains("CUDA_"));
  EXPECT_THAT(env_prefixes(), Contains("NVIDIA_"));
  // A prefix as wide as this would list names that have nothing to do with GPUs.
  for (const std::string& prefix : env_prefixes()) EXPECT_GE(prefix.size(), 3U) << prefix;
}

TEST(Sonames, ComeWithTheirVersionSymbolsAndPackages) {
  const auto cudnn = std::ranges::find(sonames(), "libcudnn.so.9", &Soname::soname);
  ASSERT_NE(cudnn, sonames().end());
  EXPECT_EQ(cudnn->library, "cudnn");
  const auto symbol = std::ranges::find(version_symbols(), "cudnnGetVersion", &VersionSymbol::symbol);
  ASSERT_NE(symbol, version_symbols().end());
  EXPECT_TRUE(symbol->without_gpu);
  const auto untried = std::ranges::find(version_symbols(), "hipRuntimeGetVersion", &VersionSymbol::symbol);
  ASSERT_NE(untried, version_symbols().end());
  EXPECT_FALSE(untried->without_gpu);
  const auto pip = std::ranges::find(pip_packages(), "nvidia-cudnn-cu12", &PipPackage::package);
  ASSERT_NE(pip, pip_packages().end());
  EXPECT_EQ(pip->directory, "site-packages/nvidia/cudnn/lib");
}

}  // namespace
}  // namespace envdoctor::knowledge::names_test
