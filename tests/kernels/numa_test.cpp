#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "kernels/devices/numa.h"

namespace envdoctor::kernels::numa_test {
namespace {

TEST(HostNodes, AreReadAsTheKernelListsThem) {
  const cpu_set_t set = cpus_of("0-2,8");
  EXPECT_EQ(CPU_COUNT(&set), 4);
  EXPECT_TRUE(CPU_ISSET(8, &set));
  EXPECT_FALSE(CPU_ISSET(3, &set));
  for (const char* nonsense : {"", "x", "-", "1-x", "99999999"}) {
    const cpu_set_t none = cpus_of(nonsense);
    EXPECT_LE(CPU_COUNT(&none), 1) << nonsense;
  }
}

TEST(HostNodes, AreThoseWithProcessorsForUs) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "nodes";
  for (const auto& [node, cpus] : {std::pair{"node1", "0-1023"}, {"node0", "0-1023"}, {"node2", ""}}) {
    std::filesystem::create_directories(folder / node);
    std::ofstream(folder / node / "cpulist") << cpus << "\n";
  }
  std::filesystem::create_directories(folder / "power");
  const std::vector<NumaNode> nodes = numa_nodes(folder);
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(nodes[0].index, 0);
  EXPECT_EQ(nodes[1].index, 1);
  EXPECT_TRUE(numa_nodes("/no/such/folder").empty());
}

TEST(HostNodes, HoldAThreadOnlyAsLongAsTheyAreAsked) {
  const std::vector<NumaNode> nodes = numa_nodes();
  if (nodes.empty()) GTEST_SKIP() << "no nodes here";
  cpu_set_t before, inside, after;
  sched_getaffinity(0, sizeof(before), &before);
  {
    const NodeAffinity there(nodes.front());
    sched_getaffinity(0, sizeof(inside), &inside);
    EXPECT_TRUE(CPU_EQUAL(&inside, &nodes.front().cpus));
  }
  sched_getaffinity(0, sizeof(after), &after);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

}  // namespace
}  // namespace envdoctor::kernels::numa_test
