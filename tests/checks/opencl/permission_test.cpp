#include <gtest/gtest.h>

#include "tests/support/opencl_hosts.h"

namespace envdoctor::opencl_permission_test {

namespace {

const std::string id = "opencl.permission";

Snapshot registered(Snapshot snapshot) {
  snapshot = with_loader(std::move(snapshot));
  add_driver(snapshot, opencl_icd("intel.icd", "libigdrcl.so"), opencl_platform("Intel(R) OpenCL Graphics", {}));
  return snapshot;
}

Snapshot closed(const std::string& group, const std::string& error = "EACCES") {
  Snapshot snapshot = registered(intel_host());
  snapshot.device_nodes =
      std::vector<DeviceNode>{closed_node(node_at("/dev/dri/renderD128", group, 104, "0660"), error)};
  return snapshot;
}

TEST(OpenclPermission, IsSoundWhereANodeOpens) {
  EXPECT_EQ(state_of("opencl.permission", registered(intel_host())), "passed");
}

TEST(OpenclPermission, FindsAClosedNodeAndNamesItsGroup) {
  const Answers answers = answers_of("opencl.permission", closed("render"));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::error);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "sudo usermod -aG render \"$USER\"");
  EXPECT_EQ(paths_of(*finding_of(answers, id)), std::vector<std::string>{"/device_nodes/0/error"});
}

TEST(OpenclPermission, GivesTheGroupsNumberInAContainer) {
  const Answers answers = answers_of("opencl.permission", in_docker(closed("104")));
  EXPECT_NE(finding_of(answers, id)->fix.front().text.find("--group-add 104"), std::string::npos);
  EXPECT_EQ(finding_of(answers, id)->fix.front().command, "");
}

TEST(OpenclPermission, DoesNotApplyWhereNoSuchGpuOrDriverIsOrTheCgroupForbids) {
  EXPECT_EQ(state_of("opencl.permission", healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(state_of("opencl.permission", closed("render", "EPERM")), "not-applicable");
  Snapshot without_driver = closed("render");
  without_driver.opencl.fill().icds = std::vector<OpenclIcd>{};
  EXPECT_EQ(state_of("opencl.permission", without_driver), "not-applicable");
}

TEST(OpenclPermission, IsUnknownWhereNobodyTriedToOpenTheNodes) {
  Snapshot snapshot = registered(intel_host());
  snapshot.device_nodes = List<DeviceNode>();
  EXPECT_EQ(state_of("opencl.permission", snapshot), "unknown");
  EXPECT_EQ(state_of("opencl.permission", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::opencl_permission_test
