#include <gtest/gtest.h>

#include "probe/probes.h"
#include "tests/support/fake_files.h"

namespace envdoctor::modules_test {
namespace {

List<Module> modules_of(const FakeFiles& files) {
  const Host host{.files = files, .live = false};
  const GatherOptions options;
  Session session(host, options);
  probe_modules(session);
  return session.so_far().modules;
}

TEST(Modules, KeepOnlyThoseOfGpusWithTheirVersions) {
  FakeFiles files;
  files.texts["/proc/modules"] =
      "nvidia_uvm 4956160 0 - Live 0x0000000000000000 (POE)\n"
      "nvidia 56778752 2 nvidia_uvm, Live 0x0000000000000000 (POE)\n"
      "ext4 1130496 1 - Live 0x0000000000000000\n"
      "xe 3000000 0 - Loading 0x0000000000000000\n";
  files.texts["/sys/module/nvidia/version"] = "550.54.15\n";
  files.texts["/sys/module/nvidia/initstate"] = "live\n";
  files.texts["/sys/module/xe/initstate"] = "coming\n";
  const auto modules = modules_of(files);
  ASSERT_TRUE(modules.get());
  ASSERT_EQ(modules.get()->size(), 2U);
  EXPECT_TRUE(modules.get()->at(0).name.is("nvidia"));
  EXPECT_TRUE(modules.get()->at(0).version.is("550.54.15"));
  EXPECT_TRUE(modules.get()->at(1).name.is("nvidia_uvm"));
  EXPECT_EQ(modules.get()->at(1).version.outcome(), Outcome::absent);
}

TEST(Modules, BuiltIntoTheKernelAreSeenInSys) {
  FakeFiles files;
  files.texts["/proc/modules"] = "";
  files.texts["/sys/module/amdgpu/parameters/ppfeaturemask"] = "0xfff7bfff\n";
  const auto modules = modules_of(files);
  ASSERT_TRUE(modules.get());
  ASSERT_EQ(modules.get()->size(), 1U);
  EXPECT_TRUE(modules.get()->at(0).name.is("amdgpu"));
}

TEST(Modules, AreAbsentWhereASandboxShowsNone) {
  FakeFiles files;
  files.folders = {"/sys/module"};
  EXPECT_EQ(modules_of(files).outcome(), Outcome::absent);
}

TEST(Modules, AreFailedWhereTheListMayNotBeRead) {
  FakeFiles files;
  files.errors["/proc/modules"] = "EACCES";
  const auto modules = modules_of(files);
  EXPECT_EQ(modules.outcome(), Outcome::failed);
  EXPECT_NE(modules.why().find("EACCES"), std::string::npos);
}

TEST(Modules, AreNoneWhereNoneIsLoaded) {
  FakeFiles files;
  files.texts["/proc/modules"] = "ext4 1130496 1 - Live 0x0\n";
  const auto modules = modules_of(files);
  ASSERT_TRUE(modules.get());
  EXPECT_TRUE(modules.get()->empty());
}

}  // namespace
}  // namespace envdoctor::modules_test
