#pragma once
// Runs the program under test as a user would, with its streams in files.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor {

struct Ran {
  int status = -1;
  std::string out{};
  std::string err{};
};

// Folders that go when the process of the tests ends; not when one of its children does.
struct TestFolders {
  std::set<std::string> made{};
  pid_t owner = getpid();
  ~TestFolders() {
    std::error_code ignored;
    if (getpid() != owner) return;
    for (const std::string& folder : made) std::filesystem::remove_all(folder, ignored);
  }
};

// A private folder for this test.
inline std::string test_folder() {
  static TestFolders folders;
  const auto* info = testing::UnitTest::GetInstance()->current_test_info();
  std::string name = std::string(info->test_suite_name()) + "." + info->name();
  for (char& c : name) c = c == '/' ? '-' : c;
  const std::string folder = testing::TempDir() + "envdoctor-" + std::to_string(getpid()) + "-" + name;
  if (folders.made.insert(folder).second) std::filesystem::create_directories(folder);
  return folder;
}

// `arguments` as a shell would read them; `before` may set variables or feed standard input.
inline Ran run_envdoctor(const std::string& arguments, const std::string& before = "") {
  const std::string folder = test_folder();
  const std::string command =
      before + " " + binary_path + " " + arguments + " >" + folder + "/out 2>" + folder + "/err";
  const int status = std::system(command.c_str());  // NOLINT: the test's own words
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_whole(folder + "/out"),
          read_whole(folder + "/err")};
}

inline std::string write_file_here(const std::string& name, const std::string& content) {
  const std::string path = test_folder() + "/" + name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

}  // namespace envdoctor
