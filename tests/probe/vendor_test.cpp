#include "probe/gpu/vendor_probes.h"

#include <gtest/gtest.h>

namespace envdoctor::vendor_test {
namespace {

TEST(VendorLibraryName, CarriesItsVersion) {
  EXPECT_TRUE(version_in_file_name("/usr/lib/libcuda.so.550.54.14").is("550.54.14"));
  EXPECT_TRUE(version_in_file_name("/usr/lib/libze_loader.so.1.8.12").is("1.8.12"));
  for (const char* path : {"/usr/lib/libcuda.so.1", "/usr/lib/libcuda.so", "", "/x.so.5.a"})
    EXPECT_EQ(version_in_file_name(path).outcome(), Outcome::absent) << path;
}

TEST(VendorCode, IsNamedOrNumbered) {
  EXPECT_EQ(code_text("cuda_driver", 999), "CUDA_ERROR_UNKNOWN");
  EXPECT_EQ(code_text("nvml", 15), "NVML_ERROR_GPU_IS_LOST");
  EXPECT_EQ(code_text("level_zero", 0x78000001), "ZE_RESULT_ERROR_UNINITIALIZED");
  EXPECT_EQ(code_text("nvml", 12345), "code 12345");
  EXPECT_EQ(code_text("nvml", function_not_found), "the library has no such function");
}

TEST(VendorUuid, IsCutToEightDigitsWhateverItsPrefix) {
  EXPECT_EQ(reported_uuid("GPU-3f9c2ab1-1111-2222-3333-444455556666", true), "GPU-3f9c2ab1");
  EXPECT_EQ(reported_uuid("MIG-3f9c2ab1-1111-2222-3333-444455556666", true), "MIG-3f9c2ab1");
  EXPECT_EQ(reported_uuid("MIG-GPU-3f9c2ab1-1111-2222-3333-444455556666/1/0", true), "MIG-GPU-3f9c2ab1");
  EXPECT_EQ(reported_uuid("odd", true), "odd");
}

TEST(VendorText, IsTamed) {
  EXPECT_EQ(tame("a\nb\x1b[31m"), "a?b?[31m");
  EXPECT_EQ(tame(std::string(100000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace envdoctor::vendor_test
