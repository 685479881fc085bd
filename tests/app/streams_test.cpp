// Streams that are full or closed, and output files that cannot be written completely.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/process.h"

namespace envdoctor::streams_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string healthy = std::string(source_folder) + "/docs/examples/healthy.json";

// The exit status of a shell's line in which E is envdoctor, in a folder of the test's own.
int status_of(const std::string& line) {
  const std::string script = "cd " + test_folder() + "; E=" + binary_path + "\n" + line;
  const int status = std::system(("bash -c '" + script + "'").c_str());  // NOLINT: the test's own words
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Streams, ThatCannotTakeTheirTextMakeHelpAndVersionFail) {
  for (const char* asked : {"--help", "--version", "run --help", "list"}) {
    for (const char* where : {" >/dev/full", " >&-"}) EXPECT_EQ(status_of(std::string("$E ") + asked + where), 2);
  }
}

TEST(Streams, ThatCannotTakeAComplaintChangeNoExitStatus) {
  for (const char* where : {" 2>/dev/full", " 2>&-", " 2</dev/null"}) {
    EXPECT_EQ(status_of(std::string("$E captrue") + where), 2) << where;
    EXPECT_EQ(status_of(std::string("$E run --deterministic -- sh -c \"exit 7\"") + where), 7) << where;
    EXPECT_EQ(status_of(std::string("$E run -- no-such-program") + where), 127) << where;
  }
}

TEST(Streams, WhoseReaderIsGoneKeepTheStatusOfTheProgram) {
  EXPECT_EQ(status_of("$E run --deterministic -- sh -c \"sleep 0.3; exit 7\" 2> >(true)"), 7);
}

TEST(Streams, ThatAreClosedStayClosedForTheProgramThatRuns) {
  EXPECT_EQ(status_of("$E run -- sh -c \"test -e /proc/self/fd/1\" >&-"), 1);
  EXPECT_EQ(status_of("$E run -- sh -c \"test -e /proc/self/fd/0\" <&-"), 1);
}

TEST(Streams, ThatAreClosedAreNoOutputFile) {
  EXPECT_EQ(status_of("GITHUB_ACTIONS=true $E diagnose " + healthy + " -o json=r.json 2>&- >&-"), 0);
  EXPECT_TRUE(read_whole(test_folder() + "/r.json").starts_with("{"));
}

TEST(OutputFiles, AreWholeOrAsTheyWere) {
  for (const char* format : {"json", "junit", "html"}) {
    EXPECT_EQ(status_of("rm -rf out; mkdir out; echo old > out/r; ulimit -f 1; $E diagnose " + healthy + " -o " +
                        format + "=out/r 2>err"),
              2);
    EXPECT_THAT(read_whole(test_folder() + "/err"), HasSubstr("out/r: cannot write: File too large"));
    EXPECT_EQ(read_whole(test_folder() + "/out/r"), "old\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(test_folder() + "/out"), {}), 1) << "something is left over";
  }
}

TEST(OutputFiles, AreWrittenThroughLinksAndKeepTheirMode) {
  EXPECT_EQ(status_of("echo old > target; chmod 640 target; ln -sf target link; ln -sf missing dangling\n"
                      "$E diagnose " +
                      healthy + " -o json=link -o json=dangling -o json=new"),
            0);
  for (const char* name : {"target", "missing", "new"})
    EXPECT_TRUE(read_whole(test_folder() + "/" + name).starts_with("{")) << name;
  EXPECT_TRUE(fs::is_symlink(test_folder() + "/link"));
  EXPECT_TRUE(fs::is_symlink(test_folder() + "/dangling"));
  EXPECT_EQ(fs::status(test_folder() + "/target").permissions(), fs::perms(0640));
  EXPECT_EQ(status_of("umask 027; touch as; $E diagnose " + healthy +
                      " -o json=is; test $(stat -c %a as) = $(stat -c %a is)"),
            0);
}

TEST(OutputFiles, ThatAreNoPlainFilesAreWrittenAsTheyStand) {
  EXPECT_EQ(status_of("ln -sf /dev/null null; $E diagnose " + healthy + " -o json=null -o junit=/dev/stdout >out"), 0);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_TRUE(fs::is_symlink(test_folder() + "/null"));
  EXPECT_THAT(read_whole(test_folder() + "/out"), HasSubstr("<testsuite"));
  EXPECT_THAT(run_envdoctor("diagnose " + healthy + " -o \"\"").err, HasSubstr("-o: the name of a file is missing"));
  EXPECT_EQ(status_of("mkdir -p folder; $E diagnose " + healthy + " -o json=folder 2>err"), 2);
  EXPECT_EQ(status_of("$E diagnose " + healthy + " -o json=>(cat >piped); sleep 0.2; grep -q schema piped"), 0);
}

TEST(OutputFiles, AreNotWrittenThroughALinkThatSomebodyElseLeftInASharedFolder) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make links of others";
  EXPECT_EQ(status_of("mkdir -p shared; chmod 1777 shared; echo old > target; ln -sf ../target shared/link\n"
                      "chown -h 65534 shared/link; $E diagnose " +
                      healthy + " -o shared/link 2>err"),
            2);
  EXPECT_THAT(read_whole(test_folder() + "/err"), HasSubstr("shared/link belongs to another user"));
  EXPECT_EQ(read_whole(test_folder() + "/target"), "old\n");
}

TEST(HostFolder, IsNewOrEmptyAndLeavesNothingWhereItFails) {
  EXPECT_EQ(status_of("mkdir full empty; echo old >full/file\n$E capture --quick --host-folder full 2>err"), 2);
  EXPECT_THAT(read_whole(test_folder() + "/err"), HasSubstr("--host-folder full: is no empty folder; name one"));
  EXPECT_EQ(status_of("ulimit -f 1; $E capture --quick --host-folder new 2>err"), 2);
  EXPECT_THAT(read_whole(test_folder() + "/err"), HasSubstr("cannot be written: EFBIG"));
  EXPECT_FALSE(fs::exists(test_folder() + "/new"));
  EXPECT_EQ(status_of("$E capture --quick --host-folder empty && test -f empty/snapshot.json"), 0);
}

}  // namespace
}  // namespace envdoctor::streams_test
