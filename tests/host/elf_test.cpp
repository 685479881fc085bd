#include "host/elf/elf.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/make_elf.h"

namespace envdoctor::elf_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Elf, TellsWhatALibraryIsAndNeeds) {
  const std::string bytes = make_elf({.soname = "libOpenCL.so.1",
                                      .needed = {"libdl.so.2", "libc.so.6"},
                                      .rpath = "/old",
                                      .runpath = "$ORIGIN/../lib:/opt",
                                      .symbols = {"clGetPlatformIDs", "clFinish"}});
  const auto facts = elf_facts(bytes, "x");
  ASSERT_NE(facts.get(), nullptr) << facts.why();
  EXPECT_EQ(facts.get()->machine, "x86-64");
  EXPECT_EQ(facts.get()->soname, "libOpenCL.so.1");
  EXPECT_THAT(facts.get()->needed, ElementsAre("libdl.so.2", "libc.so.6"));
  EXPECT_EQ(facts.get()->rpath, "/old");
  EXPECT_EQ(facts.get()->runpath, "$ORIGIN/../lib:/opt");
}

TEST(Elf, NamesTheMachine) {
  EXPECT_EQ(elf_facts(make_elf({.machine = EM_AARCH64}), "x").get()->machine, "aarch64");
  EXPECT_EQ(elf_facts(make_elf({.machine = EM_PPC64}), "x").get()->machine, "ppc64le");
  EXPECT_EQ(elf_facts(make_elf({.machine = 4242}), "x").get()->machine, "machine 4242");
}

TEST(Elf, SaysWhyAFileIsNone) {
  EXPECT_EQ(elf_facts("", "x").why(), "x: not an ELF file");
  EXPECT_EQ(elf_facts("/* GNU ld script */ GROUP ( libc.so.6 )", "x").why(), "x: not an ELF file");
  EXPECT_EQ(elf_facts(std::string(100'000, '\0'), "x").outcome(), Outcome::failed);
  const std::string whole = make_elf({.soname = "libx.so.1"});
  EXPECT_THAT(elf_facts(whole.substr(0, whole.size() - 1), "x").why(), HasSubstr("x: cut short"));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(elf_facts(whole.substr(0, length), "x").outcome(), Outcome::failed) << length;
}

TEST(Elf, RefusesANameOutsideTheStringTable) {
  std::string bytes = make_elf({.needed = {"liba.so"}});
  bytes[sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + offsetof(Elf64_Dyn, d_un) + 3] = 1;  // 16 MiB further
  EXPECT_EQ(elf_facts(bytes, "x").why(), "x: a name lies outside its string table");
}

TEST(Elf, ReadsThisProgram) {
  const auto files = open_files("/");
  const auto facts = elf_facts(*files, "/proc/self/exe");
  ASSERT_NE(facts.get(), nullptr) << facts.why();
  EXPECT_EQ(facts.get()->machine, own_machine());
  EXPECT_THAT(facts.get()->needed, testing::Contains("libc.so.6"));
}

TEST(Elf, DoesNotReadAFolderOrWhatIsNotThere) {
  const auto files = open_files("/");
  EXPECT_EQ(elf_facts(*files, "/tmp").why(), "/tmp: not a plain file");
  EXPECT_EQ(elf_facts(*files, "/dev/null").why(), "/dev/null: not a plain file");
  EXPECT_EQ(elf_facts(*files, "/no-such-file").outcome(), Outcome::absent);
}

}  // namespace
}  // namespace envdoctor::elf_test
