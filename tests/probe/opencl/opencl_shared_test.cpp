// Which libraries drivers have in common, so that they are loaded once for all of them.
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "probe/opencl/opencl_platforms.h"
#include "tests/support/make_elf.h"

namespace envdoctor::opencl_shared_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class OpenclShared : public testing::Test {
 protected:
  OpenclShared() { fs::remove_all(root_); }
  ~OpenclShared() override { fs::remove_all(root_); }

  void put(const std::string& path, const MadeElf& made) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << make_elf(made);
  }
  void put_drivers(const MadeElf& one, const MadeElf& other) const {
    put("/usr/lib/libone.so", one);
    put("/usr/lib/libother.so", other);
  }
  [[nodiscard]] std::vector<std::string> shared(std::map<std::string, std::string> env = {}) const {
    const auto files = open_files(root_);
    const Host host{.files = *files, .env = env};
    const std::vector<OpenclIcd> icds = {
        {.library = "libone.so"}, {.library = "libother.so"}, {.library = failed("?")}};
    return opencl::shared_libraries(host, Loader(*files, env, "x86-64"), icds);
  }

 private:
  std::string root_ = testing::TempDir() + "shared." + std::to_string(getpid());
};

TEST_F(OpenclShared, IsWhatTwoDriversNeedFromTheSameFile) {
  put("/usr/lib/libLLVM.so", {});
  put("/usr/lib/libalone.so", {});
  put_drivers({.needed = {"libLLVM.so", "libalone.so"}}, {.needed = {"libLLVM.so"}});
  EXPECT_THAT(shared(), ElementsAre("/usr/lib/libLLVM.so"));
}

TEST_F(OpenclShared, IsNothingWhereOneDriverBringsItsOwnCopy) {
  put("/usr/lib/libLLVM.so", {});
  put("/opt/other/libLLVM.so", {});
  put_drivers({.needed = {"libLLVM.so"}}, {.needed = {"libLLVM.so"}, .runpath = "/opt/other"});
  EXPECT_THAT(shared(), IsEmpty());
}

TEST_F(OpenclShared, IsNothingWhereAnRpathDecidesForWhatComesAfter) {
  put("/usr/lib/libLLVM.so", {});
  put_drivers({.needed = {"libLLVM.so"}}, {.needed = {"libLLVM.so"}, .rpath = "/opt/other"});
  EXPECT_THAT(shared(), IsEmpty());
}

TEST_F(OpenclShared, IsNothingThatTheUserPutThere) {
  put("/usr/lib/libLLVM.so", {});
  put("/home/me/libLLVM.so", {});
  put_drivers({.needed = {"libLLVM.so"}}, {.needed = {"libLLVM.so"}});
  EXPECT_THAT(shared({{"LD_LIBRARY_PATH", "/home/me"}}), IsEmpty());
}

TEST_F(OpenclShared, IsNothingWhereNoDriverCanBeRead) { EXPECT_THAT(shared(), IsEmpty()); }

}  // namespace
}  // namespace envdoctor::opencl_shared_test
