// The codes that rules name must be those of the tables, and stand in rules by their constants only.
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

std::set<std::string> names_of(const char* api) {
  std::set<std::string> names;
  for (int code = 0; code < 1100; ++code) names.insert(code_name(api, code));
  return names;
}

TEST(Constants, AreNamesOfTheTable) {
  const std::string header = text_of(std::string(source_folder) + "/knowledge/codes/constants.h");
  ASSERT_GT(literals(header, "CUDA_ERROR_").size(), 20U);
  const auto driver = names_of("cuda_driver"), runtime = names_of("cuda_runtime"), nvml = names_of("nvml");
  for (const std::string& name : literals(header, "CUDA_ERROR_")) EXPECT_TRUE(driver.contains(name)) << name;
  for (const std::string& name : literals(header, "cudaError")) EXPECT_TRUE(runtime.contains(name)) << name;
  for (const std::string& name : literals(header, "NVML_ERROR_")) EXPECT_TRUE(nvml.contains(name)) << name;
  EXPECT_EQ(xid(envdoctor::xid::off_the_bus)->mnemonic, "ROBUST_CHANNEL_GPU_HAS_FALLEN_OFF_THE_BUS");
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
