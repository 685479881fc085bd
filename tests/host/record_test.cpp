#include "host/files/recording_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace envdoctor::record_test {
namespace {

namespace fs = std::filesystem;

class RecordTest : public testing::Test {
 protected:
  RecordTest() : folder_(testing::TempDir() + "/record." + std::to_string(getpid())) {
    fs::remove_all(folder_);
    const std::string pci = "host/root/sys/devices/pci0000:00/0000:01:00.0/";
    put(pci + "vendor", "0x10de\n");
    put(pci + "power/state", "on");
    put(pci + "config", std::string("\xde\x10\0\1", 4));
    put("host/root/etc/OpenCL/vendors/pocl.icd", "libpocl.so.2\n");
    put("host/root/home/alice/venv/pyvenv.cfg", "home = /home/alice/bin\n");
    put("host/root/large", std::string(2'000'000, 'x'));
    fs::create_directories(folder_ + "/host/root/empty");
    fs::create_directories(folder_ + "/host/root/sys/bus/pci/devices");
    fs::create_symlink("../../../devices/pci0000:00/0000:01:00.0",
                       folder_ + "/host/root/sys/bus/pci/devices/0000:01:00.0");
    fs::create_symlink("/sys/bus/pci", folder_ + "/host/root/pci");
    fs::create_symlink("nothing", folder_ + "/host/root/dangling");
    fs::create_symlink("/home/alice/venv", folder_ + "/host/root/venv");
    put("host/nodes.txt",
        "/dev/nvidia0 char 0660 0 44 195 0 EACCES\n/dev/null char 0666 0 0 1 3 -\n/dev/other char 0666 0 0 1 9 ?\n"
        "/etc/OpenCL/vendors/pocl.icd file 0644 7 8 0 0 ?\n");
    put("host/errors.txt", "/dev/kmsg EPERM\n/proc/secret EACCES\n");
  }
  ~RecordTest() override { fs::remove_all(folder_); }

  void put(const std::string& path, const std::string& content) const {
    const fs::path file = folder_ + "/" + path;
    fs::create_directories(file.parent_path());
    std::ofstream(file) << content;
  }

  std::string folder_;
};

template <class T>
std::string say(const Reading<T>& reading) {
  if (!reading.get()) return std::to_string(static_cast<int>(reading.outcome())) + " " + reading.why();
  if constexpr (std::is_same_v<T, std::string>) {
    return "= " + *reading.get();
  } else if constexpr (std::is_same_v<T, FileStatus>) {
    const FileStatus& s = *reading.get();
    return testing::PrintToString(
        std::vector<std::uint32_t>{static_cast<std::uint32_t>(s.kind), s.mode, s.uid, s.gid, s.major, s.minor});
  } else {
    return testing::PrintToString(*reading.get());
  }
}

// Everything one can ask, of everything there is and some that isn't.
std::vector<std::string> ask(const Files& files) {
  std::vector<std::string> answers;
  for (const char* path : {"/",
                           "/dev",
                           "/dev/nvidia0",
                           "/dev/null",
                           "/dev/kmsg",
                           "/proc/secret",
                           "/etc/OpenCL/vendors",
                           "/etc/OpenCL/vendors/pocl.icd",
                           "/pci/devices/0000:01:00.0/vendor",
                           "/pci/devices/0000:01:00.0/config",
                           "/pci/devices/0000:01:00.0",
                           "/pci",
                           "/sys/bus/pci/devices",
                           "/empty",
                           "/dangling",
                           "/none",
                           "/none/below",
                           "/large",
                           "/venv/pyvenv.cfg",
                           "/pci/devices/../../../empty",
                           "/etc/OpenCL/vendors/pocl.icd/below"}) {
    const std::string name = path;
    answers.push_back(name + " read " + say(files.read(path)));
    answers.push_back(name + " list " + say(files.list(path)));
    answers.push_back(name + " link " + say(files.link(path)));
    answers.push_back(name + " resolve " + say(files.resolve(path)));
    answers.push_back(name + " status " + say(files.status(path)));
    answers.push_back(name + " open " + say(files.open_error(path)));
  }
  return answers;
}

TEST_F(RecordTest, ReplaysEveryAnswerAsItWas) {
  const auto host = open_files(folder_ + "/host/root");
  RecordingFiles recording(*host, folder_ + "/kept");
  const auto before = ask(recording);
  EXPECT_EQ(before, ask(*host));
  EXPECT_EQ(recording.finish(), "");
  const auto after = ask(*open_files(folder_ + "/kept/root"));
  ASSERT_EQ(after.size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(after[i].substr(0, 300), before[i].substr(0, 300));
}

TEST_F(RecordTest, ReplaysEachQuestionAskedAlone) {
  const auto host = open_files(folder_ + "/host/root");
  const std::size_t count = ask(*host).size();
  const std::vector<std::string> paths = {"/dev",   "/dev/nvidia0", "/pci/devices/0000:01:00.0/vendor",
                                          "/empty", "/dangling",    "/proc/secret"};
  EXPECT_GT(count, paths.size());
  int number = 0;
  for (const std::string& path : paths) {
    const auto alone = [&](auto question) {
      const std::string folder = folder_ + "/kept" + std::to_string(++number);
      RecordingFiles recording(*host, folder);
      const std::string before = say(question(recording));
      EXPECT_EQ(say(question(*open_files(folder + "/root"))), before) << path;
    };
    alone([&](const Files& files) { return files.read(path); });
    alone([&](const Files& files) { return files.list(path); });
    alone([&](const Files& files) { return files.link(path); });
    alone([&](const Files& files) { return files.resolve(path); });
    alone([&](const Files& files) { return files.status(path); });
    alone([&](const Files& files) { return files.open_error(path); });
  }
}

TEST_F(RecordTest, KeepsWhatAChildAsked) {
  const auto host = open_files(folder_ + "/host/root");
  RecordingFiles recording(*host, folder_ + "/kept");
  const pid_t child = fork();
  if (child == 0) {
    (void)recording.open_error("/dev/nvidia0");
    (void)recording.read("/dev/kmsg");
    _exit(0);
  }
  waitpid(child, nullptr, 0);
  (void)recording.status("/dev/nvidia0");
  EXPECT_EQ(recording.finish(), "");
  const auto replay = open_files(folder_ + "/kept/root");
  EXPECT_TRUE(replay->open_error("/dev/nvidia0").is("EACCES"));
  EXPECT_EQ(replay->read("/dev/kmsg").why(), "/dev/kmsg: EPERM");
}

TEST_F(RecordTest, RedactsContentPathsAndLinks) {
  const auto host = open_files(folder_ + "/host/root");
  const auto hide = [](std::string text) {
    for (auto at = text.find("/home/alice"); at != std::string::npos; at = text.find("/home/alice"))
      text.replace(at, 11, "$HOME");
    return text;
  };
  RecordingFiles recording(
      *host, folder_ + "/kept",
      {.content = [&](const std::string&, const std::string& content) { return hide(content); }, .path = hide});
  EXPECT_TRUE(recording.read("/venv/pyvenv.cfg").is("home = /home/alice/bin\n"));
  (void)recording.status("/home/alice/venv");
  EXPECT_EQ(recording.finish(), "");
  const auto replay = open_files(folder_ + "/kept/root");
  EXPECT_TRUE(replay->read("/venv/pyvenv.cfg").is("home = $HOME/bin\n"));
  EXPECT_TRUE(replay->read("$HOME/venv/pyvenv.cfg").is("home = $HOME/bin\n"));
  EXPECT_EQ(replay->status("/home/alice/venv").outcome(), Outcome::absent);
}

TEST_F(RecordTest, CopiesATreeForLibrariesThatReadOnTheirOwn) {
  const auto host = open_files(folder_ + "/host/root");
  RecordingFiles recording(*host, folder_ + "/kept");
  read_tree(recording, "/sys/bus/pci",
            {.wanted = [](const std::string& path) { return path.find("power") == std::string::npos; },
             .follow_links = true});
  const std::string device = folder_ + "/kept/root/sys/bus/pci/devices/0000:01:00.0/";
  EXPECT_EQ(fs::file_size(device + "config"), 4U);
  EXPECT_TRUE(fs::exists(device + "vendor"));
  EXPECT_FALSE(fs::exists(device + "power/state"));
  EXPECT_TRUE(fs::is_symlink(folder_ + "/kept/root/sys/bus/pci/devices/0000:01:00.0"));
}

TEST_F(RecordTest, SaysWhatCouldNotBeWritten) {
  const auto host = open_files(folder_ + "/host/root");
  put("kept", "a file in the way");
  RecordingFiles recording(*host, folder_ + "/kept");
  EXPECT_TRUE(recording.read("/etc/OpenCL/vendors/pocl.icd").is("libpocl.so.2\n"));
  EXPECT_THAT(recording.finish(), testing::HasSubstr(folder_ + "/kept"));
}

TEST_F(RecordTest, TakesOnlyAFolderThatIsNewOrEmpty) {
  const auto host = open_files(folder_ + "/host/root");
  put("full/file", "the old one");
  fs::create_directories(folder_ + "/empty");
  fs::create_directory_symlink("empty", folder_ + "/link");
  EXPECT_EQ(why_not_new(folder_ + "/empty"), "");
  for (const std::string name : {"full", "link", "full/file"}) {
    RecordingFiles recording(*host, folder_ + "/" + name);
    (void)recording.read("/etc/OpenCL/vendors/pocl.icd");
    EXPECT_THAT(recording.finish(), testing::HasSubstr(name + ": is no empty folder")) << name;
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_ + "/full"), {}), 1);
  EXPECT_TRUE(fs::is_empty(folder_ + "/empty"));
}

TEST_F(RecordTest, WritesThroughNoLinkThatCameMeanwhile) {
  const auto host = open_files(folder_ + "/host/root");
  put("outside/pocl.icd", "the old one");
  const auto vendors = folder_ + "/kept/root/etc/OpenCL/vendors";
  for (const bool folder : {true, false}) {
    fs::remove_all(folder_ + "/kept");
    RecordingFiles recording(*host, folder_ + "/kept");
    fs::create_directories(fs::path(vendors).parent_path());
    if (!folder) fs::create_directories(vendors);
    const std::string outside = folder_ + "/outside";
    fs::create_symlink(folder ? outside : outside + "/pocl.icd", folder ? vendors : vendors + "/pocl.icd");
    (void)recording.read("/etc/OpenCL/vendors/pocl.icd");
    EXPECT_THAT(recording.finish(), testing::HasSubstr("vendors/pocl.icd: cannot be written"));
    EXPECT_TRUE(open_files(outside)->read("/pocl.icd").is("the old one"));
    EXPECT_FALSE(fs::exists(folder_ + "/kept")) << "what failed leaves nothing";
  }
}

TEST(RecordLive, ReplaysThisHost) {
  const std::string folder = testing::TempDir() + "/record_live." + std::to_string(getpid());
  const auto live = open_files("/");
  RecordingFiles recording(*live, folder);
  const auto question = [](const Files& files) {
    return std::vector<std::string>{say(files.read("/etc/os-release")), say(files.list("/dev")),
                                    say(files.status("/dev/null")),     say(files.open_error("/dev/null")),
                                    say(files.resolve("/bin/sh")),      say(files.read("/proc/version")),
                                    say(files.link("/etc/mtab")),       say(files.list("/sys/bus/pci/devices"))};
  };
  const auto before = question(recording);
  EXPECT_EQ(recording.finish(), "");
  EXPECT_EQ(question(*open_files(folder + "/root")), before);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace envdoctor::record_test
