// Rules name codes by constants that the build makes from the tables, and in no other way.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "knowledge/codes/constants.h"
#include "knowledge/codes/names.h"
#include "tests/support/paths.h"

namespace envdoctor::knowledge::constants_test {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// Each name that begins so, between quotation marks; the beginning alone names no code.
std::set<std::string> literals(const std::string& text, const std::string& prefix) {
  std::set<std::string> found;
  for (auto at = text.find('"' + prefix); at != std::string::npos; at = text.find('"' + prefix, at + 1))
    found.insert(text.substr(at + 1, text.find('"', at + 1) - at - 1));
  found.erase(prefix);
  return found;
}

TEST(Constants, AreMadeFromTheTables) {
  EXPECT_STREQ(cuda_error::no_device, "CUDA_ERROR_NO_DEVICE");
  EXPECT_STREQ(cuda_error::insufficient_driver, "cudaErrorInsufficientDriver");  // the driver's API has no such code
  EXPECT_STREQ(nvml_error::driver_not_loaded, "NVML_ERROR_DRIVER_NOT_LOADED");
  EXPECT_EQ(xid(envdoctor::xid::gpu_has_fallen_off_the_bus)->mnemonic, "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS");
}

TEST(Constants, StandInRulesInPlaceOfNames) {
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(source_folder) + "/checks")) {
    if (!file.is_regular_file()) continue;
    const std::string text = text_of(file.path());
    EXPECT_TRUE(literals(text, "CUDA_ERROR_").empty()) << file.path();
    EXPECT_TRUE(literals(text, "NVML_ERROR_").empty()) << file.path();
  }
}

}  // namespace
}  // namespace envdoctor::knowledge::constants_test
