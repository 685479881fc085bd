#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_access_denied_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.access-denied";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(DriverAccessDenied, IsFoundWhereTheModeLetsInAndOpeningIsRefused) {
  Snapshot host = plain_host();
  host.device_nodes = std::vector<DeviceNode>{closed_node(node_at("/dev/nvidiactl"), "EACCES")};
  EXPECT_EQ(state_of(id, host), "failed");
  EXPECT_NE(state_of("driver.permission", host), "failed") << "no mode or group helps there";
}

TEST(DriverAccessDenied, LeavesNodesThatTheirModeCloses) {
  Snapshot host = plain_host();
  host.device_nodes = std::vector<DeviceNode>{closed_node(node_at("/dev/nvidiactl", "video", 44, "0660"), "EACCES")};
  EXPECT_EQ(state_of(id, host), "passed");
  EXPECT_EQ(state_of("driver.permission", host), "failed");
}

TEST(DriverAccessDenied, TakesAPolicysOwnWords) {
  EXPECT_EQ(state_of(id, with({symptom_of({refused, "device-by-policy"}, {{"policy", "AppArmor"}})})), "failed");
  const Symptom sandbox = symptom_of({present, "device-sandbox"});
  EXPECT_EQ(state_of(id, with({sandbox})), "failed");
  EXPECT_NE(state_of(id, with({sandbox, symptom_of({used, "gpu"})})), "failed") << "the unit works";
}

}  // namespace
}  // namespace envdoctor::driver_access_denied_test
