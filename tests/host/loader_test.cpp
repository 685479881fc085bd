#include "host/elf/loader.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/vendor/vendor_library.h"
#include "tests/support/make_elf.h"
#include "tests/support/make_ld_cache.h"

namespace envdoctor::loader_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LoaderTest : public testing::Test {
 protected:
  LoaderTest() : folder_(fs::path(testing::TempDir() + "/loader." + std::to_string(getpid())).lexically_normal()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/root");
  }
  ~LoaderTest() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& content) const {
    const fs::path file = folder_ + "/root" + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  void put_library(const std::string& path, MadeElf made = {}) const { put(path, make_elf(made)); }
  void put_cache(const std::vector<MadeCacheEntry>& entries) const { put("/etc/ld.so.cache", make_ld_cache(entries)); }

  // "origin path", the chosen one first; or the reason.
  [[nodiscard]] std::vector<std::string> look_up(const std::string& soname, std::map<std::string, std::string> env = {},
                                                 const std::string& requester = "") const {
    const auto files = open_files(folder_ + "/root");
    const auto search = Loader(*files, std::move(env), "x86-64").look_up(soname, requester);
    if (!search.get()) return {search.why()};
    std::vector<std::string> all;
    const auto say = [&](const FoundLibrary& one) {
      all.push_back(one.origin + " " + one.path + (one.problem.empty() ? "" : " " + one.problem));
    };
    say(search.get()->chosen);
    for (const auto& one : search.get()->shadowed) say(one);
    for (const auto& one : search.get()->skipped) say(one);
    return all;
  }
  [[nodiscard]] std::vector<std::string> missing(const std::string& path,
                                                 std::map<std::string, std::string> env = {}) const {
    const auto files = open_files(folder_ + "/root");
    const auto found = Loader(*files, std::move(env), "x86-64").missing_dependencies(path);
    if (!found.get()) return {found.why()};
    std::vector<std::string> all;
    for (const auto& one : *found.get()) all.push_back(one.soname + " for " + one.needed_by);
    return all;
  }

  std::string folder_;
};

TEST_F(LoaderTest, LooksInTheOrderOfTheLoader) {
  put_library("/app/bin/tool", {.runpath = "$ORIGIN/../lib"});
  for (const char* folder : {"/app/lib", "/env1", "/env2", "/opt/cached", "/usr/lib/x86_64-linux-gnu", "/usr/lib"})
    put_library(std::string(folder) + "/libx.so.1");
  put_cache({{.soname = "libx.so.1", .path = "/opt/cached/libx.so.1"}});
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", "/env1:/none;/env2/"}}, "/app/bin/tool"),
              ElementsAre("LD_LIBRARY_PATH /env1/libx.so.1", "LD_LIBRARY_PATH /env2/libx.so.1",
                          "RUNPATH /app/bin/../lib/libx.so.1", "ldcache /opt/cached/libx.so.1",
                          "default /usr/lib/x86_64-linux-gnu/libx.so.1", "default /usr/lib/libx.so.1"));
}

TEST_F(LoaderTest, PutsRpathBeforeTheEnvironmentUnlessThereIsARunpath) {
  put_library("/app/old", {.rpath = "/rpath"});
  put_library("/app/both", {.rpath = "/rpath", .runpath = "/runpath"});
  for (const char* folder : {"/rpath", "/runpath", "/env"}) put_library(std::string(folder) + "/libx.so.1");
  const std::map<std::string, std::string> env = {{"LD_LIBRARY_PATH", "/env"}};
  EXPECT_THAT(look_up("libx.so.1", env, "/app/old"),
              ElementsAre("RPATH /rpath/libx.so.1", "LD_LIBRARY_PATH /env/libx.so.1"));
  EXPECT_THAT(look_up("libx.so.1", env, "/app/both"),
              ElementsAre("LD_LIBRARY_PATH /env/libx.so.1", "RUNPATH /runpath/libx.so.1"));
}

TEST_F(LoaderTest, PassesOverAnotherMachineAndStopsAtRubbish) {
  put_library("/arm/libx.so.1", {.machine = EM_AARCH64});
  put("/rubbish/libx.so.1", "not a library");
  put_library("/good/libx.so.1");
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", "/arm:/good"}}),
              ElementsAre("LD_LIBRARY_PATH /good/libx.so.1", "LD_LIBRARY_PATH /arm/libx.so.1 for aarch64"));
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", "/rubbish:/good"}}),
              ElementsAre("LD_LIBRARY_PATH /rubbish/libx.so.1 /rubbish/libx.so.1: not an ELF file",
                          "LD_LIBRARY_PATH /good/libx.so.1"));
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", "/arm"}})[0], HasSubstr("/arm/libx.so.1 is for aarch64"));
}

TEST_F(LoaderTest, CountsTwoNamesOfOneFileOnce) {
  put_library("/usr/lib/x86_64-linux-gnu/libx.so.1.2");
  fs::create_symlink("libx.so.1.2", folder_ + "/root/usr/lib/x86_64-linux-gnu/libx.so.1");
  fs::create_symlink("usr/lib", folder_ + "/root/lib");
  put_cache({{.soname = "libx.so.1", .path = "/lib/x86_64-linux-gnu/libx.so.1"}});
  EXPECT_THAT(look_up("libx.so.1"), ElementsAre("ldcache /lib/x86_64-linux-gnu/libx.so.1"));
}

TEST_F(LoaderTest, TakesAPreloadedLibraryOfThatNameFirst) {
  put_library("/hook/libhook.so", {.soname = "libx.so.1"});
  put_library("/usr/lib/libx.so.1");
  EXPECT_THAT(look_up("libx.so.1", {{"LD_PRELOAD", "libother.so /hook/libhook.so"}}),
              ElementsAre("LD_PRELOAD /hook/libhook.so", "default /usr/lib/libx.so.1"));
}

TEST_F(LoaderTest, PassesOverEntriesOfTheCacheForOtherMachines) {
  put_library("/usr/lib32/libx.so.1", {.machine = EM_386});
  put_library("/opt/libx.so.1");
  put_cache({{.soname = "libx.so.1", .path = "/usr/lib32/libx.so.1", .flags = 3},
             {.soname = "libx.so.1", .path = "/gone/libx.so.1"},
             {.soname = "libx.so.1", .path = "/opt/libx.so.1"}});
  EXPECT_THAT(look_up("libx.so.1"), ElementsAre("ldcache /opt/libx.so.1"));
}

TEST_F(LoaderTest, SaysAbsentOnlyIfAllPlacesCouldBeRead) {
  const auto files = open_files(folder_ + "/root");
  EXPECT_EQ(Loader(*files, {}).look_up("libx.so.1").outcome(), Outcome::absent);
  put("/etc/ld.so.cache", "rubbish");
  const auto search = Loader(*files, {}).look_up("libx.so.1");
  EXPECT_EQ(search.outcome(), Outcome::failed);
  EXPECT_THAT(search.why(), HasSubstr("/etc/ld.so.cache: not a glibc loader cache"));
  put_library("/env/libx.so.1");
  EXPECT_NE(Loader(*files, {{"LD_LIBRARY_PATH", "/env"}}).look_up("libx.so.1").get(), nullptr);
}

TEST_F(LoaderTest, TakesALibraryOfWhichOnlyTheNameWasCaptured) {
  std::ofstream(folder_ + "/nodes.txt") << "/usr/lib/libcuda.so.1 file 0755 0 0 0 0 ?\n";
  EXPECT_THAT(look_up("libcuda.so.1"), ElementsAre("default /usr/lib/libcuda.so.1"));
}

TEST_F(LoaderTest, TakesPathsAndRelativeFoldersFromTheWorkingFolder) {
  put_library("/job/here/libx.so.1");
  EXPECT_THAT(look_up("/job/here/libx.so.1"), ElementsAre("path /job/here/libx.so.1"));
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", "here"}, {"PWD", "/job"}}),
              ElementsAre("LD_LIBRARY_PATH /job/here/libx.so.1"));
  EXPECT_THAT(look_up("libx.so.1", {{"LD_LIBRARY_PATH", ":"}, {"PWD", "/job/here"}}),
              ElementsAre("LD_LIBRARY_PATH /job/here/libx.so.1"));
}

TEST_F(LoaderTest, NamesWhatIsMissingHoweverDeep) {
  put_library("/usr/lib/libpocl.so.2", {.needed = {"liba.so.1", "libc.so.6"}});
  put_library("/usr/lib/liba.so.1", {.needed = {"libLLVM.so.14", "libpocl.so.2", "libc.so.6"}});
  put_library("/usr/lib/libc.so.6");
  EXPECT_THAT(missing("/usr/lib/libpocl.so.2"), ElementsAre("libLLVM.so.14 for /usr/lib/liba.so.1"));
  put_library("/usr/lib/libLLVM.so.14");
  EXPECT_THAT(missing("/usr/lib/libpocl.so.2"), IsEmpty());
  EXPECT_THAT(missing("/usr/lib/libnone.so")[0], HasSubstr("/usr/lib/libnone.so: ENOENT"));
}

TEST_F(LoaderTest, HandsRpathDownToWhatIsNeededInTurn) {
  put_library("/app/tool", {.needed = {"liba.so.1"}, .rpath = "$ORIGIN/lib"});
  put_library("/app/lib/liba.so.1", {.needed = {"libb.so.1"}});
  put_library("/app/lib/libb.so.1");
  EXPECT_THAT(missing("/app/tool"), IsEmpty());
  put_library("/app/tool", {.needed = {"liba.so.1"}, .runpath = "$ORIGIN/lib"});
  EXPECT_THAT(missing("/app/tool"), ElementsAre("libb.so.1 for /app/lib/liba.so.1"));
}

TEST(LdCache, ReadsBothWaysOfWritingIt) {
  const std::vector<MadeCacheEntry> made = {
      {.soname = "liba.so.1", .path = "/lib/liba.so.1"},
      {.soname = "libb.so.1", .path = "/lib/libb.so.1", .flags = 0x0a03, .hwcap = 4}};
  for (const bool old_part : {false, true}) {
    const auto entries = parse_ld_cache(make_ld_cache(made, old_part));
    ASSERT_NE(entries.get(), nullptr) << entries.why();
    ASSERT_EQ(entries.get()->size(), 2U);
    EXPECT_EQ(entries.get()->at(0).path, "/lib/liba.so.1");
    EXPECT_EQ(entries.get()->at(0).machine, "x86-64");
    EXPECT_EQ(entries.get()->at(1).soname, "libb.so.1");
    EXPECT_EQ(entries.get()->at(1).machine, "aarch64");
    EXPECT_TRUE(entries.get()->at(1).hwcap);
  }
}

TEST(LdCache, IsRefusedWhereverItIsCutShort) {
  for (const bool old_part : {false, true}) {
    const std::string whole = make_ld_cache({{.soname = "liba.so.1", .path = "/lib/liba.so.1"}}, old_part);
    for (std::size_t length = 0; length < whole.size(); ++length)
      EXPECT_EQ(parse_ld_cache(whole.substr(0, length)).outcome(), Outcome::failed) << length;
    EXPECT_NE(parse_ld_cache(whole).get(), nullptr);
  }
}

TEST(LoaderLive, AgreesWithTheRealLoader) {
  const auto files = open_files("/");
  const Loader loader(*files, {});
  for (const char* soname : {"libc.so.6", "libstdc++.so.6", "libelf.so.1"}) {
    const auto search = loader.look_up(soname);
    const auto library = Library::open(soname);
    ASSERT_NE(library.get(), nullptr) << library.why();
    ASSERT_NE(search.get(), nullptr) << search.why();
    EXPECT_EQ(search.get()->chosen.path, library.get()->path());
    EXPECT_EQ(search.get()->chosen.problem, "");
  }
  const auto missing = loader.missing_dependencies("/proc/self/exe");
  ASSERT_NE(missing.get(), nullptr) << missing.why();
  EXPECT_THAT(*missing.get(), IsEmpty());
}

TEST(Library, TellsNotThereFromBroken) {
  EXPECT_EQ(Library::open("libno-such-thing.so.7").outcome(), Outcome::absent);
  const std::string path = testing::TempDir() + "/librubbish." + std::to_string(getpid()) + ".so";
  std::ofstream(path) << "rubbish";
  EXPECT_EQ(Library::open(path).outcome(), Outcome::failed);
  fs::remove(path);
  const auto library = Library::open("libc.so.6");
  ASSERT_NE(library.get(), nullptr);
  int (*get_process)() = nullptr;
  library.get()->bind(get_process, {"no_such_symbol", "getpid"});
  ASSERT_NE(get_process, nullptr);
  EXPECT_EQ(get_process(), getpid());
  library.get()->bind(get_process, {"no_such_symbol"});
  EXPECT_EQ(get_process, nullptr);
}

}  // namespace
}  // namespace envdoctor::loader_test
