#pragma once
// The OpenCL probe against a registration folder that a test fills with fakes (tests/fakes/opencl.c), beside a real
// PoCL.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "evidence/json.h"
#include "probe/opencl/opencl_platforms.h"
#include "tests/support/paths.h"

namespace envdoctor {

inline std::string fake_opencl(const std::string& way) {
  return std::string(test_build_folder) + "/fakes/fake_opencl_" + way + ".so";
}

// ENVDOCTOR_REPETITIONS=100 for the long run.
inline int opencl_repetitions() {
  const char* set = std::getenv("ENVDOCTOR_REPETITIONS");
  return set ? std::max(1, std::atoi(set)) : 20;
}

class OpenclProbe : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = testing::TempDir() + "envdoctor-" + test->test_suite_name() + "-" + test->name() + "-" +
             std::to_string(getpid());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    env["OCL_ICD_VENDORS"] = folder;
    if (const char* home = std::getenv("HOME")) env["HOME"] = home;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  // Writes a file into the registration folder and returns its path.
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(folder + "/" + name, std::ios::binary) << content;
    return folder + "/" + name;
  }
  std::string add(const std::string& way) const { return write(way + ".icd", fake_opencl(way) + "\n"); }

  // PoCL's own registration, copied; false if there is none.
  [[nodiscard]] bool add_pocl() const {
    std::ifstream from("/etc/OpenCL/vendors/pocl.icd");
    std::string line;
    return std::getline(from, line) && !write("pocl.icd", line + "\n").empty();
  }

  void run(Limits limits = {}) {
    const auto files = open_files("/");
    const Host host{.files = *files, .env = env};
    const GatherOptions options;
    const auto start = std::chrono::steady_clock::now();
    Session session(host, options);
    opencl::start(session, limits);
    snapshot = session.finish();
    took = std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
    ASSERT_TRUE(snapshot.opencl.get());
    seen = *snapshot.opencl.get();
    EXPECT_EQ(snapshot_from_json(to_json(snapshot), "itself"), snapshot);
  }

  [[nodiscard]] OpenclIcd icd(const std::string& file) const {
    if (const auto* all = seen.icds.get()) {
      for (const OpenclIcd& one : *all) {
        if (one.file.is(file)) return one;
      }
    }
    ADD_FAILURE() << file << " is not in the list";
    return {};
  }
  [[nodiscard]] OpenclPlatform platform(const std::string& file) const {
    if (const auto* all = seen.platforms.get()) {
      for (const OpenclPlatform& one : *all) {
        if (one.icd.is(file)) return one;
      }
    }
    ADD_FAILURE() << file << " has no platform";
    return {};
  }
  // The only device of the only platform of a driver.
  [[nodiscard]] OpenclDevice device(const std::string& file) const {
    const OpenclPlatform owner = platform(file);
    if (owner.devices.get() && owner.devices.get()->size() == 1) return owner.devices.get()->front();
    ADD_FAILURE() << file << " has not one device: " << owner.devices.why();
    return {};
  }
  void expect_pocl() const { EXPECT_TRUE(device(folder + "/pocl.icd").kernel.is("ran")); }

  std::string folder{};
  std::map<std::string, std::string> env{};
  Snapshot snapshot{};
  Opencl seen{};
  Milliseconds took{0};
};

}  // namespace envdoctor
