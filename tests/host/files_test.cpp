#include "host/files/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "host/files/capture_metadata.h"
#include "host/files/open_in_root.h"

namespace envdoctor::files_test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// A captured host in a folder of its own.
class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_(fs::path(testing::TempDir() + "/files." + std::to_string(getpid())).lexically_normal()) {
    fs::remove_all(folder_);
    fs::create_directories(folder_ + "/root");
    put("../secret", "outside");
  }
  ~FilesTest() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& content) const {
    const fs::path file = folder_ + "/root/" + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }
  void put_link(const std::string& path, const std::string& target) const {
    const fs::path file = folder_ + "/root/" + path;
    fs::create_directories(file.parent_path());
    fs::create_symlink(target, file);
  }
  void put_beside(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ + "/" + name) << content;
  }
  [[nodiscard]] std::unique_ptr<Files> files() const { return open_files(folder_ + "/root"); }

  std::string folder_;
};

TEST_F(FilesTest, ReadsAFileUnderItsRoot) {
  put("etc/os-release", "NAME=x\n");
  EXPECT_TRUE(files()->read("/etc/os-release").is("NAME=x\n"));
  EXPECT_TRUE(files()->read("etc//./os-release").is("NAME=x\n"));
  EXPECT_EQ(files()->root(), folder_ + "/root");
}

TEST_F(FilesTest, SaysAbsentOnlyOfWhatIsNotThere) {
  put("file", "x");
  for (const char* path : {"/none", "/none/below", "/file/below"}) {
    EXPECT_EQ(files()->read(path).outcome(), Outcome::absent) << path;
    EXPECT_EQ(files()->list(path).outcome(), Outcome::absent) << path;
    EXPECT_EQ(files()->link(path).outcome(), Outcome::absent) << path;
    EXPECT_EQ(files()->resolve(path).outcome(), Outcome::absent) << path;
    EXPECT_EQ(files()->status(path).outcome(), Outcome::absent) << path;
    EXPECT_EQ(files()->open_error(path).outcome(), Outcome::absent) << path;
  }
}

TEST_F(FilesTest, NeverLeavesItsRoot) {
  put_link("absolute", folder_ + "/secret");
  put_link("dots", "../../../../../../../../../../../../../../../../" + folder_ + "/secret");
  put_link("up", "../secret");
  put_link("folder/up", "../..");
  for (const char* path : {"/absolute", "/dots", "/up", "/../secret", "/../../secret", "/folder/up/secret"}) {
    EXPECT_EQ(files()->read(path).outcome(), Outcome::absent) << path;
  }
  put("secret", "inside");
  EXPECT_TRUE(files()->read("/up").is("inside"));
  EXPECT_TRUE(files()->read("/../secret").is("inside"));
  EXPECT_TRUE(files()->read("/folder/up/secret").is("inside"));
  EXPECT_TRUE(files()->resolve("/folder/up/up").is("/secret"));
}

TEST_F(FilesTest, FollowsAbsoluteLinksInsideItsRoot) {
  put("usr/lib/libx.so.1.2", "elf");
  put_link("usr/lib/libx.so.1", "/usr/lib/libx.so.1.2");
  put_link("lib", "usr/lib");
  EXPECT_TRUE(files()->read("/lib/libx.so.1").is("elf"));
  EXPECT_TRUE(files()->resolve("/lib/libx.so.1").is("/usr/lib/libx.so.1.2"));
  EXPECT_TRUE(files()->link("/lib/libx.so.1").is("/usr/lib/libx.so.1.2"));
  EXPECT_EQ(files()->link("/lib/libx.so.1.2").why(), "/lib/libx.so.1.2: EINVAL");
}

TEST_F(FilesTest, AreOpenedWithoutFollowingLinksWhereTheKernelDoesNotHelp) {
  put("a/b/file", "x");
  put_link("a/up", "../..");
  const Descriptor root(::open((folder_ + "/root").c_str(), O_PATH | O_DIRECTORY));
  EXPECT_TRUE(open_part_by_part(root.get(), "/a/b/file", O_RDONLY));
  EXPECT_TRUE(open_part_by_part(root.get(), "/", O_RDONLY | O_DIRECTORY));
  EXPECT_FALSE(open_part_by_part(root.get(), "/a/up/secret", O_RDONLY));
  EXPECT_FALSE(open_part_by_part(root.get(), "/a/up", O_RDONLY));
  EXPECT_FALSE(open_part_by_part(root.get(), "/none/file", O_RDONLY));
}

TEST_F(FilesTest, SurvivesLoopsOfLinksAndOverlongNames) {
  put_link("a", "b");
  put_link("b", "a");
  put_link("self", "self/self");
  EXPECT_EQ(files()->read("/a").why(), "/a: ELOOP");
  EXPECT_EQ(files()->read("/self").outcome(), Outcome::failed);
  EXPECT_EQ(files()->read("/" + std::string(5000, 'x')).outcome(), Outcome::failed);
  std::string deep;
  for (int i = 0; i < 3000; ++i) deep += "/x";
  EXPECT_NE(files()->read(deep).outcome(), Outcome::present);
  EXPECT_EQ(files()->read(std::string("/a\0b", 4)).outcome(), Outcome::failed);
}

TEST_F(FilesTest, DoesNotWaitForAFifoNorReadAFolder) {
  ASSERT_EQ(mkfifo((folder_ + "/root/fifo").c_str(), 0600), 0);
  EXPECT_EQ(files()->read("/fifo").why(), "/fifo: not a plain file");
  fs::create_directory(folder_ + "/root/folder");
  EXPECT_EQ(files()->read("/folder").why(), "/folder: EISDIR");
}

TEST_F(FilesTest, RefusesAFileLongerThanTheLimit) {
  put("file", std::string(1000, 'x'));
  EXPECT_EQ(files()->read("/file", 999).why(), "/file: longer than 999 bytes");
  EXPECT_TRUE(files()->read("/file", 1000).is(std::string(1000, 'x')));
  put("sparse", "");
  fs::resize_file(folder_ + "/root/sparse", 1ULL << 40);
  EXPECT_EQ(files()->read("/sparse").why(), "/sparse: longer than 1048576 bytes");
}

TEST_F(FilesTest, ListsNamesSorted) {
  put("d/b", "");
  put("d/a", "");
  EXPECT_TRUE(files()->list("/d").is({"a", "b"}));
  EXPECT_TRUE(files()->list("/").is({"d"}));
}

TEST_F(FilesTest, TakesDeviceNodesFromBesideTheRoot) {
  put_beside("nodes.txt",
             "# path kind mode uid gid major minor open-error\n"
             "/dev/nvidia0 char 0666 0 44 195 0 EPERM\n"
             "/dev/nvidiactl char 0600 0 0 195 255 -\n"
             "/dev/dri/render%20D128 char 0660 0 105 226 128 ?\n"
             "/usr/bin/tool file 0755 0 0 0 0 ?\n"
             "/empty folder 0700 7 8 0 0 ?\n");
  put_link("dev/link", "nvidia0");
  EXPECT_TRUE(files()->list("/dev").is({"dri", "link", "nvidia0", "nvidiactl"}));
  EXPECT_TRUE(files()->list("/dev/dri").is({"render D128"}));
  EXPECT_TRUE(files()->list("/empty").is({}));
  EXPECT_TRUE(files()->resolve("/dev/link").is("/dev/nvidia0"));
  const auto status = files()->status("/dev/link");
  ASSERT_NE(status.get(), nullptr);
  EXPECT_EQ(status.get()->kind, FileStatus::Kind::character_device);
  EXPECT_EQ(status.get()->mode, 0666U);
  EXPECT_EQ(status.get()->gid, 44U);
  EXPECT_EQ(status.get()->major, 195U);
  EXPECT_TRUE(files()->open_error("/dev/nvidia0").is("EPERM"));
  EXPECT_TRUE(files()->open_error("/dev/nvidiactl").is(""));
  EXPECT_EQ(files()->open_error("/dev/dri/render D128").outcome(), Outcome::failed);
  EXPECT_EQ(files()->read("/dev/nvidia0").why(), "/dev/nvidia0: not a plain file");
  EXPECT_EQ(files()->read("/usr/bin/tool").why(), "/usr/bin/tool: was not captured");
}

TEST_F(FilesTest, TakesErrorsFromBesideTheRoot) {
  put_beside("errors.txt", "/dev/kmsg EPERM\n/root EACCES\n");
  fs::create_directory(folder_ + "/root/root");
  EXPECT_EQ(files()->read("/dev/kmsg").why(), "/dev/kmsg: EPERM");
  EXPECT_EQ(files()->status("/dev/kmsg").outcome(), Outcome::failed);
  EXPECT_EQ(files()->list("/root").why(), "/root: EACCES");
  EXPECT_NE(files()->status("/root").get(), nullptr);
}

TEST_F(FilesTest, TrustsNothingWhereATextBesideTheRootIsBroken) {
  put("file", "x");
  put_beside("nodes.txt", "/dev/null char 0666 0 0 1 3 -\n/dev/nvidia0 chr 0666 0 0 195 0 -\n");
  EXPECT_EQ(files()->read("/file").why(), folder_ + "/nodes.txt: line 2 makes no sense");
}

TEST_F(FilesTest, FailsWhereTheRootIsNotThere) {
  const auto none = open_files(folder_ + "/no/root");
  EXPECT_EQ(none->read("/etc/os-release").outcome(), Outcome::failed);
  EXPECT_THAT(none->list("/dev").why(), HasSubstr("/no/root: ENOENT"));
}

TEST_F(FilesTest, ReadsLinesAndNumbers) {
  put("line", "  0x10de \nmore\n");
  put("empty", "\n");
  put("minus", "-1\n");
  put("text", "12 cows\n");
  put("large", "99999999999999999999");
  EXPECT_TRUE(read_line(*files(), "/line").is("0x10de"));
  EXPECT_TRUE(read_number(*files(), "/line").is(0x10de));
  EXPECT_TRUE(read_number(*files(), "/minus").is(-1));
  EXPECT_EQ(read_line(*files(), "/empty").outcome(), Outcome::failed);
  EXPECT_EQ(read_number(*files(), "/empty").outcome(), Outcome::failed);
  EXPECT_THAT(read_number(*files(), "/text").why(), HasSubstr("/text: not a number"));
  EXPECT_EQ(read_number(*files(), "/large").outcome(), Outcome::failed);
  EXPECT_EQ(read_number(*files(), "/none").outcome(), Outcome::absent);
}

TEST(LiveFiles, ReadProcAndSysWhichNameNoSize) {
  const auto files = open_files("/");
  EXPECT_NE(files->read("/proc/self/status").get(), nullptr);
  EXPECT_TRUE(files->resolve("/proc/self").is("/proc/" + std::to_string(getpid())));
  EXPECT_NE(files->link("/proc/self/exe").get(), nullptr);
  EXPECT_EQ(files->read("/dev/zero").why(), "/dev/zero: not a plain file");
  EXPECT_TRUE(files->open_error("/dev/null").is(""));
  EXPECT_EQ(files->open_error("/dev/no-such-device").outcome(), Outcome::absent);
}

TEST(LiveFiles, NameTheErrnoOfWhatMayNotBeRead) {
  if (getuid() == 0) GTEST_SKIP() << "nothing is forbidden to root";
  EXPECT_EQ(open_files("/")->read("/etc/shadow").why(), "/etc/shadow: EACCES");
  EXPECT_EQ(open_files("/")->list("/root").why(), "/root: EACCES");
}

TEST(CaptureMetadata, GivesBackWhatItWrote) {
  Node node{
      .status = {.kind = FileStatus::Kind::block_device, .mode = 04755, .uid = 1, .gid = 2, .major = 3, .minor = 4}};
  const std::string path = "/a b%\n\x7f/\xff";
  for (const auto& open_error :
       {std::optional<std::string>(), std::optional<std::string>(""), std::optional<std::string>("EIO")}) {
    node.open_error = open_error;
    const auto nodes = parse_nodes(node_line(path, node));
    ASSERT_NE(nodes.get(), nullptr) << nodes.why();
    ASSERT_EQ(nodes.get()->count(path), 1U);
    EXPECT_EQ(nodes.get()->at(path).open_error, open_error);
    EXPECT_EQ(node_line(path, nodes.get()->at(path)), node_line(path, node));
  }
  const auto errors = parse_file_errors(file_error_line(path, "a long\nreason"));
  ASSERT_NE(errors.get(), nullptr);
  EXPECT_EQ(errors.get()->at(path), "a long reason");
}

TEST(CaptureMetadata, KeepsAKnownOpenErrorWhenALaterLineHasNone) {
  const auto nodes = parse_nodes("/d char 0600 0 0 1 1 EPERM\n/d char 0666 0 0 1 1 ?\n");
  ASSERT_NE(nodes.get(), nullptr);
  EXPECT_EQ(nodes.get()->at("/d").open_error, "EPERM");
  EXPECT_EQ(nodes.get()->at("/d").status.mode, 0666U);
}

TEST(CaptureMetadata, NamesTheLineThatMakesNoSense) {
  for (const char* line : {"x", "/d", "/d char 0600 0 0 1 1", "/d char 0600 0 0 1 1 - -", "d char 0600 0 0 1 1 -",
                           "/d char 9 0 0 1 1 -", "/d char -1 0 0 1 1 -", "/%0 char 0 0 0 1 1 -",
                           "/%00 char 0 0 0 1 1 -", "/%zz char 0 0 0 1 1 -", "/d char 0600 99999999999 0 1 1 -"}) {
    EXPECT_EQ(parse_nodes("# good\n" + std::string(line) + "\n").why(), "line 2 makes no sense") << line;
  }
  EXPECT_EQ(parse_file_errors("/d \n").why(), "line 1 makes no sense");
}

}  // namespace
}  // namespace envdoctor::files_test
