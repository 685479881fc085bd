#pragma once
// Compares with a file, or rewrites it where UPDATE_GOLDEN=1 is set.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace envdoctor {

inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

inline void expect_golden(const std::filesystem::path& path, const std::string& text) {
  if (const char* update = std::getenv("UPDATE_GOLDEN"); update && std::string(update) == "1") {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path)) << "make it with UPDATE_GOLDEN=1: " << path;
  EXPECT_EQ(read_whole(path), text) << "differs from " << path << "; UPDATE_GOLDEN=1 rewrites it";
}

}  // namespace envdoctor
