#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "probe/os/libraries.h"
#include "probe/probes.h"
#include "probe/python/python_interpreter.h"
#include "tests/support/make_elf.h"

namespace envdoctor::libraries_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

#if defined(__aarch64__)
constexpr int here = EM_AARCH64;
#else
constexpr int here = EM_X86_64;
#endif

class MadeHost : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = fs::path(testing::TempDir()) / (std::string("libraries-") + test->name()) / "root";
    fs::remove_all(root_.parent_path());
    fs::create_directories(root_);
  }
  void file(const std::string& path, const std::string& content = "") const {
    fs::create_directories((root_ / path.substr(1)).parent_path());
    std::ofstream(root_ / path.substr(1)) << content;
  }
  void library(const std::string& path) const { file(path, make_elf({.machine = here})); }
  void link(const std::string& path, const std::string& target) const {
    fs::create_directories((root_ / path.substr(1)).parent_path());
    fs::create_symlink(target, root_ / path.substr(1));
  }
  Snapshot probed() {
    files_ = open_files(root_.string());
    const Host host{.files = *files_, .env = env_, .live = false};
    const GatherOptions options{.redact = false};
    Session session(host, options);
    probe_libraries(session);
    return session.finish();
  }
  std::vector<SharedLibrary> rows(const std::string& soname) {
    std::vector<SharedLibrary> some;
    const Snapshot snapshot = probed();
    std::ranges::copy_if(*snapshot.libraries.get(), std::back_inserter(some),
                         [&](const SharedLibrary& row) { return row.soname.is(soname); });
    return some;
  }
  fs::path root_{};
  std::map<std::string, std::string> env_{};
  std::unique_ptr<Files> files_{};
};
using Libraries = MadeHost;
using Toolkits = MadeHost;
using SitePackages = MadeHost;

TEST_F(Libraries, TellTheDriversAreMissingOnAnEmptyHostAndNothingElse) {
  const Snapshot snapshot = probed();
  std::vector<std::string> names;
  for (const SharedLibrary& row : *snapshot.libraries.get()) {
    names.push_back(*row.soname.get());
    EXPECT_TRUE(row.found.is(false));
  }
  EXPECT_THAT(names, ElementsAre("libOpenCL.so.1", "libcuda.so.1", "libnvidia-ml.so.1"));
  EXPECT_TRUE(snapshot.toolkits.get()->empty());
}

TEST_F(Libraries, TheLoadersChoiceComesFirstAndShadowsTheNextCopy) {
  env_["LD_LIBRARY_PATH"] = "/opt/a:/opt/b";
  library("/opt/a/libcudnn.so.8.9.2");
  link("/opt/a/libcudnn.so.8", "libcudnn.so.8.9.2");
  library("/opt/b/libcudnn.so.8.6.0");
  link("/opt/b/libcudnn.so.8", "libcudnn.so.8.6.0");
  const auto found = rows("libcudnn.so.8");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].found.is(true));
  EXPECT_TRUE(found[0].path.is("/opt/a/libcudnn.so.8"));
  EXPECT_TRUE(found[0].version.is("8.9.2"));
  EXPECT_TRUE(found[0].origin.is("LD_LIBRARY_PATH"));
  EXPECT_EQ(found[0].shadowed_by.outcome(), Outcome::not_probed);
  EXPECT_TRUE(found[1].version.is("8.6.0"));
  EXPECT_TRUE(found[1].shadowed_by.is("/opt/a/libcudnn.so.8"));
}

TEST_F(Libraries, AFileThatIsNoLibraryIsNotCalledFound) {
  env_["LD_LIBRARY_PATH"] = "/opt/a";
  file("/opt/a/libcudnn.so.8", "a pointer to large file storage");
  const auto found = rows("libcudnn.so.8");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].found.outcome(), Outcome::failed);
  EXPECT_THAT(found[0].found.why(), testing::HasSubstr("/opt/a/libcudnn.so.8"));
}

TEST_F(Libraries, AToolkitsCopyThatNothingLeadsToIsToldWithItsPathButNotFound) {
  file("/usr/local/cuda-12.4/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}})");
  library("/usr/local/cuda-12.4/lib64/libcudart.so.12.4.127");
  link("/usr/local/cuda-12.4/lib64/libcudart.so.12", "libcudart.so.12.4.127");
  link("/usr/local/cuda", "cuda-12.4");
  const auto found = rows("libcudart.so.12");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].found.is(false));
  EXPECT_EQ(found[0].path.outcome(), Outcome::not_probed);
  EXPECT_TRUE(found[1].found.is(false));
  EXPECT_TRUE(found[1].path.is("/usr/local/cuda-12.4/lib64/libcudart.so.12"));
  EXPECT_TRUE(found[1].version.is("12.4.127"));
  EXPECT_TRUE(found[1].origin.is("toolkit"));
  // The other libraries that frameworks need from CUDA 12 are listed as missing, those of another major version are
  // not.
  EXPECT_TRUE(rows("libcufft.so.11").at(0).found.is(false));
  EXPECT_TRUE(rows("libcudnn.so.9").at(0).found.is(false));
  EXPECT_TRUE(rows("libcudart.so.13").empty());
}

TEST_F(Libraries, APipCopyIsFoundAndYieldsToTheLibraryPathAlone) {
  env_["VIRTUAL_ENV"] = "/venv";
  const std::string packages = "/venv/lib/python3.11/site-packages";
  file("/venv/pyvenv.cfg");
  library(packages + "/nvidia/cudnn/lib/libcudnn.so.9");
  file(packages + "/nvidia_cudnn_cu12-9.3.0.75.dist-info/METADATA");
  auto found = rows("libcudnn.so.9");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].found.is(true));
  EXPECT_TRUE(found[0].origin.is("pip"));
  EXPECT_TRUE(found[0].version.is("9.3.0.75"));

  library("/opt/old/libcudnn.so.9");
  env_["LD_LIBRARY_PATH"] = "/opt/old";
  found = rows("libcudnn.so.9");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].path.is("/opt/old/libcudnn.so.9"));
  EXPECT_TRUE(found[1].shadowed_by.is("/opt/old/libcudnn.so.9"));
}

TEST_F(Libraries, WhatAnInstalledTensorflowNeedsIsToldAlsoWhereItIsMissing) {
  env_["VIRTUAL_ENV"] = "/venv";
  file("/venv/pyvenv.cfg");
  file("/venv/lib/python3.10/site-packages/tensorflow-2.10.1.dist-info/METADATA");
  EXPECT_TRUE(rows("libcudart.so.11.0").at(0).found.is(false));
  EXPECT_TRUE(rows("libcudnn.so.8").at(0).found.is(false));
  EXPECT_TRUE(rows("libcudart.so.12").empty());
}

TEST_F(Libraries, AWheelsHashedCopyCountsUnderItsSoname) {
  env_["CONDA_PREFIX"] = "/conda";
  library("/conda/lib/python3.10/site-packages/torch/lib/libcudart-d0da41ae.so.11.0");
  const auto found = rows("libcudart.so.11.0");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].found.is(true));
  EXPECT_TRUE(found[0].origin.is("pip"));
}

TEST_F(Libraries, AStubIsToldAsAStubAndNeverFoundByItself) {
  file("/usr/local/cuda/lib64/stubs/libcuda.so", "stub");
  file("/usr/local/cuda/bin/nvcc");
  const auto found = rows("libcuda.so");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].stub.is(true));
  EXPECT_TRUE(found[0].found.is(false));
  EXPECT_TRUE(rows("libcuda.so.1").at(0).found.is(false));
}

TEST_F(Libraries, ALinkToAStubOnTheLibraryPathIsAStub) {
  env_["LD_LIBRARY_PATH"] = "/opt/lib";
  library("/usr/local/cuda-12.4/lib64/stubs/libcuda.so");
  link("/opt/lib/libcuda.so.1", "/usr/local/cuda-12.4/lib64/stubs/libcuda.so");
  const auto found = rows("libcuda.so.1");
  ASSERT_FALSE(found.empty());
  EXPECT_TRUE(found[0].found.is(true));
  EXPECT_TRUE(found[0].stub.is(true));
}

TEST_F(Libraries, ACompatibilityFolderShowsItsDriverVersion) {
  library("/usr/local/cuda-12.4/compat/libcuda.so.550.54.14");
  link("/usr/local/cuda-12.4/compat/libcuda.so.1", "libcuda.so.550.54.14");
  const auto found = rows("libcuda.so.1");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].found.is(false));
  EXPECT_EQ(found[0].path.outcome(), Outcome::not_probed);
  EXPECT_TRUE(found[1].path.is("/usr/local/cuda-12.4/compat/libcuda.so.1"));
  EXPECT_TRUE(found[1].version.is("550.54.14"));
  EXPECT_TRUE(found[1].stub.is(false));
}

TEST_F(Libraries, ADriverThatIsMountedOutOfReachIsSeen) {
  library("/usr/local/nvidia/lib64/libcuda.so.535.104.05");
  link("/usr/local/nvidia/lib64/libcuda.so.1", "libcuda.so.535.104.05");
  const auto found = rows("libcuda.so.1");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].found.is(false));
  EXPECT_TRUE(found[1].origin.is("mounted"));
  EXPECT_TRUE(found[1].found.is(false));
  EXPECT_TRUE(found[1].version.is("535.104.05"));
}

TEST_F(Toolkits, AreListedOnceByTheirOwnFolder) {
  file("/usr/local/cuda-11.8/version.json", R"({"cuda": {"name": "CUDA SDK", "version": "11.8.89"}})");
  file("/usr/local/cuda-10.1/version.txt", "CUDA Version 10.1.243\n");
  file("/usr/local/cuda-notes/README");
  link("/usr/local/cuda", "cuda-11.8");
  file("/opt/mine/include/cuda.h", "#define __CUDA_H__\n#define CUDA_VERSION 12040\n");
  env_ = {{"CUDA_HOME", "/opt/mine"}, {"CUDA_PATH", "/usr/local/cuda"}};
  const Snapshot snapshot = probed();
  const auto& toolkits = *snapshot.toolkits.get();
  ASSERT_EQ(toolkits.size(), 3U);
  EXPECT_TRUE(toolkits[0].path.is("/opt/mine"));
  EXPECT_TRUE(toolkits[0].version.is("12.4"));
  EXPECT_TRUE(toolkits[0].origin.is("CUDA_HOME"));
  EXPECT_TRUE(toolkits[1].version.is("10.1.243"));
  EXPECT_TRUE(toolkits[2].path.is("/usr/local/cuda-11.8"));
  EXPECT_TRUE(toolkits[2].version.is("11.8.89"));
  EXPECT_TRUE(toolkits[2].origin.is("/usr/local"));
}

TEST_F(Toolkits, SayWhichFileTellsNoVersion) {
  file("/usr/local/cuda/version.json", "{}");
  file("/usr/local/cuda/bin/nvcc");
  const Snapshot snapshot = probed();
  EXPECT_EQ(snapshot.toolkits.get()->at(0).version.why(), "/usr/local/cuda/version.json: contains no version");
}

TEST_F(SitePackages, AreThoseOfTheFirstPythonOnThePath) {
  file("/usr/bin/python3.11");
  link("/usr/bin/python3", "python3.11");
  file("/usr/lib/python3/dist-packages/x");
  file("/usr/local/lib/python3.11/dist-packages/x");
  file("/home/a/.local/lib/python3.11/site-packages/x");
  file("/venv/pyvenv.cfg");
  link("/venv/bin/python3", "/usr/bin/python3");
  file("/venv/lib/python3.11/site-packages/x");
  files_ = open_files(root_.string());
  Host host{.files = *files_, .env = {{"PATH", "/nowhere:/usr/bin"}, {"HOME", "/home/a"}}, .live = false};
  EXPECT_THAT(site_packages(host),
              ElementsAre("/home/a/.local/lib/python3.11/site-packages", "/usr/local/lib/python3.11/dist-packages",
                          "/usr/lib/python3/dist-packages"));
  host.env["PATH"] = "/venv/bin:/usr/bin";
  EXPECT_THAT(site_packages(host), ElementsAre("/venv/lib/python3.11/site-packages"));
  host.env.clear();
  EXPECT_TRUE(site_packages(host).empty());
}

TEST(LibraryVersion, IsWhatTheFileNameAddsToTheSoname) {
  EXPECT_TRUE(version_of_file_name("/x/libcudart.so.11.8.89", "libcudart.so.11.0").is("11.8.89"));
  EXPECT_TRUE(version_of_file_name("/x/libcuda.so.535.104.05", "libcuda.so.1").is("535.104.05"));
  EXPECT_EQ(version_of_file_name("/x/libcudart.so.11.0", "libcudart.so.11.0").outcome(), Outcome::absent);
  EXPECT_EQ(version_of_file_name("/x/libcuda.so.1.1", "libcuda.so.1").outcome(), Outcome::absent);  // Jetson
  EXPECT_EQ(version_of_file_name("/x/libcuda.so.1", "libcuda.so").outcome(), Outcome::absent);
  EXPECT_EQ(version_of_file_name("/x/libfoo.so.1.2-beta", "libfoo.so.1").outcome(), Outcome::absent);
}

TEST(LibraryVersion, DecodesWhatLibrariesSay) {
  EXPECT_EQ(cudnn_version_text(8902), "8.9.2");
  EXPECT_EQ(cudnn_version_text(91900), "9.19.0");
  EXPECT_EQ(nccl_version_text(2708), "2.7.8");
  EXPECT_EQ(nccl_version_text(22809), "2.28.9");
  EXPECT_TRUE(has_version_symbol("cudnn"));
  EXPECT_FALSE(has_version_symbol("HIP runtime"));  // asks the GPU
}

}  // namespace
}  // namespace envdoctor::libraries_test
