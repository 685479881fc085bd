// Inputs that never start, never end, or are no files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/process.h"

namespace envdoctor::endless_input_test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

const std::string healthy = std::string(source_folder) + "/docs/examples/healthy.json";

std::string fifo() {
  const std::string path = test_folder() + "/p.toml";
  EXPECT_EQ(std::system(("rm -f " + path + "; mkfifo " + path).c_str()), 0);  // NOLINT: the test's own words
  return path;
}

TEST(EndlessInput, IsLeftAtTheTimeLimitByEveryCommandThatReads) {
  const std::string path = fifo();
  for (const std::string command :
       {"diagnose --log ", "fleet ", "show --expect ", "compare docs/examples/healthy.json "}) {
    const Ran ran = run_envdoctor("--timeout 1 " + command + path, "cd " + std::string(source_folder) + "; timeout 8");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.out + ran.err, ContainsRegex("p.toml:\\s+has no end within 1 s \\(--timeout\\)")) << command;
  }
  const Ran ran = run_envdoctor("--timeout 1 diagnose --log -", "yes | timeout 8");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("standard input: has no end within 1 s (--timeout)"));
}

TEST(EndlessInput, IsReadWholeWhereItsWriterComesLate) {
  const std::string path = fifo();
  const Ran ran =
      run_envdoctor("--timeout 5 diagnose " + path, "(sleep 0.5; cat " + healthy + "; sleep 0.5) >" + path + " & ");
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_EQ(run_envdoctor("diagnose -", "(sleep 0.5; cat " + healthy + ") |").status, 0);
}

TEST(EndlessOutput, IntoAPipeThatNobodyReadsIsLeftAtTheTimeLimit) {
  const std::string path = fifo();
  const Ran ran = run_envdoctor("--timeout 1 diagnose " + healthy + " -o json=" + path, "timeout 8");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("cannot write: nobody reads this pipe; start its reader, or allow more by --timeout"));
  const Ran late = run_envdoctor("--timeout 8 diagnose " + healthy + " -o json=" + path,
                                 "(sleep 0.5; cat " + path + " >" + path + ".read) & ");
  EXPECT_EQ(late.status, 0) << late.err;
}

TEST(EndlessWork, IsLeftAtTheTimeLimit) {
  const std::string folder = test_folder();
  for (const char* name : {"/a.npy", "/b.npy"}) {
    std::ofstream file(folder + name, std::ios::binary);
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }";
    header.resize(117, ' ');
    file << std::string("\x93NUMPY\x01\x00v\x00", 10) << header << '\n';
    file.close();
    std::filesystem::resize_file(folder + name, 128 + (std::uintmax_t{4} << 40U));
  }
  const Ran ran = run_envdoctor("--timeout 1 compare " + folder + "/a.npy " + folder + "/b.npy", "timeout 20");
  EXPECT_EQ(ran.status, 3) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("compare has not ended within 1 s"));
}

TEST(EndlessInput, OfADeviceIsRefused) {
  for (const char* command : {"diagnose ", "diagnose --log ", "script ", "visible "}) {
    const Ran ran = run_envdoctor(std::string(command) + "/dev/zero", "timeout 8");
    EXPECT_EQ(ran.status, 2) << command;
    EXPECT_THAT(ran.err, HasSubstr("/dev/zero: is a device; a file or a pipe is needed")) << command;
  }
  EXPECT_EQ(run_envdoctor("diagnose --log - </dev/zero", "timeout 8").status, 2);
  EXPECT_EQ(run_envdoctor("diagnose --log - </dev/null", "timeout 8").status, 3);
}

TEST(EndlessInput, InAFolderOfTablesIsRefused) {
  const std::string folder = test_folder() + "/tables";
  std::filesystem::create_directories(folder);
  EXPECT_EQ(std::system(("rm -f " + folder + "/*; mkfifo " + folder + "/gpu_arch.json").c_str()), 0);  // NOLINT
  const Ran ran = run_envdoctor("--knowledge " + folder + " list", "timeout 8");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("gpu_arch.json: is no file"));
}

}  // namespace
}  // namespace envdoctor::endless_input_test
