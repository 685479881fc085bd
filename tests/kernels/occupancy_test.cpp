#include "kernels/devices/targets.h"

#include <gtest/gtest.h>

namespace envdoctor::kernels::occupancy_test {
namespace {

using Use = Occupancy::Use;

// Two cards; NVML sees no processes and no load.
struct OccupancyOfACard : testing::Test {
  Snapshot host{};
  const Target second = {.subject = "cuda:1", .backend = "cuda", .gpu = "0000:b1:00.0"};
  void SetUp() override {
    Nvidia& nvidia = host.nvidia.fill();
    nvidia.devices = std::vector<NvidiaDevice>{
        {.index = 0, .pci_address = "0000:65:00.0", .utilization_percent = 0},
        {.index = 1, .pci_address = "0000:b1:00.0", .utilization_percent = 0},
    };
    nvidia.processes = std::vector<NvidiaProcess>{};
  }
  Nvidia& nvidia() { return *host.nvidia.get(); }
};

TEST_F(OccupancyOfACard, IsFreeWhereNobodyComputesOnIt) {
  EXPECT_EQ(occupancy_of(second, host).use, Use::free);
  // On the other card only.
  nvidia().processes = std::vector<NvidiaProcess>{{.pid = 4711, .gpu = 0}};
  EXPECT_EQ(occupancy_of(second, host).use, Use::free);
}

TEST_F(OccupancyOfACard, IsBusyWhereAProcessComputesThere) {
  nvidia().processes = std::vector<NvidiaProcess>{{.pid = 4711, .gpu = 1}};
  const Occupancy found = occupancy_of(second, host);
  EXPECT_EQ(found.use, Use::busy);
  EXPECT_EQ(found.why, "process 4711 uses it");
}

TEST_F(OccupancyOfACard, IsBusyUnderLoadThatNoListedProcessMakes) {
  nvidia().devices.get()->at(1).utilization_percent = 80;
  EXPECT_EQ(occupancy_of(second, host).why, "its load is 80 %");
  nvidia().devices.get()->at(1).utilization_percent = 5;  // a desktop's own
  EXPECT_EQ(occupancy_of(second, host).use, Use::free);
}

TEST_F(OccupancyOfACard, IsUnknownWhereNvmlDoesNotSay) {
  nvidia().devices.get()->at(1).utilization_percent = failed("NVML_ERROR_NOT_SUPPORTED");
  EXPECT_EQ(occupancy_of(second, host).use, Use::unknown);
  EXPECT_EQ(occupancy_of(second, {}).use, Use::unknown);
  EXPECT_EQ(occupancy_of({.subject = "cuda:1", .backend = "cuda"}, host).use, Use::unknown);  // no address
  SetUp();
  nvidia().processes = failed("not looked");
  EXPECT_EQ(occupancy_of(second, host).use, Use::unknown);
}

TEST_F(OccupancyOfACard, IsNoQuestionForACpu) {
  EXPECT_EQ(occupancy_of({.subject = "host", .backend = "host", .is_cpu = true}, {}).use, Use::free);
}

}  // namespace
}  // namespace envdoctor::kernels::occupancy_test
