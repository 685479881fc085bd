#include <gtest/gtest.h>

#include "probe/os/device_nodes.h"
#include "probe/probes.h"
#include "tests/support/fake_files.h"

namespace envdoctor::device_nodes_test {
namespace {

FileStatus node(std::uint32_t major, std::uint32_t minor, std::uint32_t gid, std::uint32_t mode,
                std::uint32_t uid = 0) {
  return {
      .kind = FileStatus::Kind::character_device, .mode = mode, .uid = uid, .gid = gid, .major = major, .minor = minor};
}

FakeFiles host_with_nodes() {
  FakeFiles files;
  files.nodes["/dev/kfd"] = node(235, 0, 109, 0660);
  files.nodes["/dev/dri/renderD128"] = node(226, 128, 109, 0660);
  files.nodes["/dev/dri/card0"] = node(226, 0, 44, 0660);
  files.nodes["/dev/null"] = node(1, 3, 0, 0666);
  files.nodes["/dev/nvidia0"] = node(195, 0, 1000, 0666, 1000);
  files.nodes["/dev/nvidia-fs0"] = node(240, 0, 0, 0666);
  files.open_errors = {{"/dev/kfd", "EACCES"}, {"/dev/dri/renderD128", ""}};
  files.texts["/etc/group"] = "root:x:0:\nvideo:x:44:\nrender:x:109:someone\nsomeone:x:1000:\n";
  files.texts["/etc/passwd"] = "root:x:0:0:root:/root:/bin/sh\nsomeone:x:1000:1000::/home/someone:/bin/sh\n";
  files.texts["/proc/devices"] = "Character devices:\n  1 mem\n226 drm\n235 kfd\n\nBlock devices:\n195 no\n";
  return files;
}

std::vector<DeviceNode> nodes_of(const FakeFiles& files) {
  const Host host{.files = files, .live = false};
  const GatherOptions options;
  Session session(host, options);
  probe_device_nodes(session);
  return session.so_far().device_nodes.get() ? *session.so_far().device_nodes.get() : std::vector<DeviceNode>{};
}

TEST(DeviceNodes, AreListedByPathWithOwnerGroupAndMode) {
  const auto nodes = nodes_of(host_with_nodes());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_TRUE(nodes[0].path.is("/dev/dri/card0"));
  EXPECT_TRUE(nodes[1].path.is("/dev/dri/renderD128"));
  EXPECT_TRUE(nodes[1].group.is("render"));
  EXPECT_TRUE(nodes[1].owner.is("root"));
  EXPECT_TRUE(nodes[1].gid.is(109));
  EXPECT_TRUE(nodes[1].mode.is("0660"));
  EXPECT_TRUE(nodes[1].major.is(226));
  EXPECT_TRUE(nodes[1].minor.is(128));
}

TEST(DeviceNodes, SayWhichOneThisUserMayOpen) {
  const auto nodes = nodes_of(host_with_nodes());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_TRUE(nodes[1].accessible.is(true));
  EXPECT_EQ(nodes[1].error.outcome(), Outcome::absent);
  EXPECT_TRUE(nodes[2].path.is("/dev/kfd"));
  EXPECT_TRUE(nodes[2].accessible.is(false));
  EXPECT_TRUE(nodes[2].error.is("EACCES"));
}

TEST(DeviceNodes, OfDisplaysAreNotOpened) {
  const auto nodes = nodes_of(host_with_nodes());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_EQ(nodes[0].accessible.outcome(), Outcome::failed);
}

TEST(DeviceNodes, WithoutARegisteredMajorAreNotOpenedSinceThatLoadsModules) {
  const auto nodes = nodes_of(host_with_nodes());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_TRUE(nodes[3].path.is("/dev/nvidia0"));
  EXPECT_TRUE(nodes[3].accessible.is(false));
  EXPECT_TRUE(nodes[3].error.is("ENXIO"));
}

TEST(DeviceNodes, OfPeopleAreOwnedByANumber) {
  const auto nodes = nodes_of(host_with_nodes());
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_TRUE(nodes[3].owner.is("1000"));
  EXPECT_TRUE(nodes[3].group.is("1000"));
}

TEST(DeviceNodes, OfAHostWithoutAnyAreNone) {
  FakeFiles files;
  files.nodes["/dev/null"] = node(1, 3, 0, 0666);
  const Host host{.files = files, .live = true};
  const GatherOptions options;
  Session session(host, options);
  probe_device_nodes(session);
  ASSERT_TRUE(session.so_far().device_nodes.get());
  EXPECT_TRUE(session.so_far().device_nodes.get()->empty());
}

TEST(DeviceNodes, AreAskedForByOpeningWhereTheKernelListsNoMajors) {
  FakeFiles files = host_with_nodes();
  files.texts.erase("/proc/devices");
  files.open_errors["/dev/nvidia0"] = "EPERM";
  const auto nodes = nodes_of(files);
  ASSERT_EQ(nodes.size(), 4U);
  EXPECT_TRUE(nodes[3].error.is("EPERM"));
}

}  // namespace
}  // namespace envdoctor::device_nodes_test
