#include "checks/engine/stacks.h"

#include <gtest/gtest.h>

#include "tests/support/examples.h"

namespace envdoctor::engine_stacks_test {
namespace {

std::vector<GpuStack> ladders_of(const Snapshot& snapshot, const std::vector<Finding>& findings = {}) {
  return build_stacks(snapshot, gpus_of(snapshot), findings);
}

LayerState state(const GpuStack& gpu_stack, Layer layer) {
  return gpu_stack.layers.at(static_cast<std::size_t>(layer)).state;
}

TEST(GpuStack, OfAHealthyHostHoldsThroughRuntimeInBothStacks) {
  const auto stacks = ladders_of(example("healthy"));
  ASSERT_EQ(stacks.size(), 2U);
  EXPECT_EQ(stacks[0].stack, "cuda");
  EXPECT_TRUE(ok_through(stacks[0], Layer::runtime));
  EXPECT_TRUE(ok_through(stacks[1], Layer::compute));
  EXPECT_EQ(stacks[0].first_broken(), nullptr);
}

TEST(GpuStack, WithoutEvidenceIsUnknownNotBroken) {
  Snapshot snapshot;
  snapshot.pci = example("healthy").pci;
  const auto gpu_stack = ladders_of(snapshot).at(0);
  EXPECT_EQ(state(gpu_stack, Layer::hardware), LayerState::ok);
  EXPECT_EQ(state(gpu_stack, Layer::user_driver), LayerState::unknown);
  EXPECT_FALSE(ok_through(gpu_stack, Layer::runtime));
}

TEST(GpuStack, IsBrokenWhereAFindingStands) {
  Snapshot snapshot;
  snapshot.pci = example("healthy").pci;
  const std::vector<Finding> findings = {{.id = "driver.version-mismatch", .layer = Layer::user_driver}};
  const auto gpu_stack = ladders_of(snapshot, findings).at(0);
  ASSERT_NE(gpu_stack.first_broken(), nullptr);
  EXPECT_EQ(gpu_stack.first_broken()->layer, Layer::user_driver);
  EXPECT_EQ(gpu_stack.first_broken()->why, "driver.version-mismatch");
  EXPECT_EQ(state(gpu_stack, Layer::visibility), LayerState::unknown);
}

TEST(GpuStack, ALibraryThatWasFoundProvesNothingOfTheDriver) {
  Snapshot snapshot = example("healthy");
  snapshot.nvidia = {};
  snapshot.device_nodes = {};
  const auto gpu_stack = ladders_of(snapshot).at(0);
  EXPECT_EQ(state(gpu_stack, Layer::runtime), LayerState::ok);
  EXPECT_EQ(state(gpu_stack, Layer::user_driver), LayerState::unknown);
}

TEST(GpuStack, OfAmdHoldsUpToTheKernelDriverWhereThatListsTheGpu) {
  for (const bool addressed : {true, false}) {
    Snapshot snapshot;
    auto& devices = snapshot.rocm.fill().devices.fill();
    for (const char* address : {"0000:83:00.0", "0000:c3:00.0"}) {
      devices.push_back({.index = static_cast<std::int64_t>(devices.size()), .name = "AMD Instinct MI210"});
      if (addressed) devices.back().pci_address = address;
    }
    const auto stacks = ladders_of(snapshot);
    ASSERT_EQ(stacks.size(), 4U);
    for (const GpuStack& gpu_stack : stacks) {
      EXPECT_EQ(gpu_stack.name, "AMD Instinct MI210");
      EXPECT_EQ(state(gpu_stack, Layer::hardware), LayerState::ok);
      EXPECT_EQ(state(gpu_stack, Layer::kernel_driver), LayerState::ok);
      EXPECT_EQ(state(gpu_stack, Layer::device_node), LayerState::unknown);
    }
  }
}

TEST(GpuStack, AFindingBelowAProvedRungBreaksNothing) {
  const std::vector<Finding> findings = {{.id = "driver.permission", .layer = Layer::device_node}};
  EXPECT_EQ(ladders_of(example("healthy"), findings).at(0).first_broken(), nullptr);
}

TEST(GpuStack, WhatTheCudaDriverListsIsHardwareEvenIfTheBusShowsNone) {
  Snapshot snapshot = example("healthy");
  snapshot.pci = absent("no /sys/bus/pci");
  const auto stacks = ladders_of(snapshot);
  ASSERT_FALSE(stacks.empty());
  EXPECT_EQ(state(stacks[0], Layer::hardware), LayerState::ok);
}

TEST(GpuStack, OfAGpuThatIsNotGrantedDoesNotApplyFromVisibilityOn) {
  Snapshot snapshot = example("healthy");
  auto& pci = *snapshot.pci.get();
  pci.push_back(pci.front());
  pci.back().address = "0000:66:00.0";
  snapshot.host.get()->container = "kubernetes";
  const auto gpus = gpus_of(snapshot);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_TRUE(gpus[0].granted);
  EXPECT_FALSE(gpus[1].granted);
  const auto gpu_stack = ladders_of(snapshot).at(2);
  EXPECT_EQ(gpu_stack.subject, "gpu:0000:66:00.0");
  EXPECT_EQ(state(gpu_stack, Layer::hardware), LayerState::ok);
  EXPECT_EQ(state(gpu_stack, Layer::visibility), LayerState::not_applicable);
  EXPECT_EQ(gpu_stack.first_broken(), nullptr);
}

TEST(GpuStack, OfALibraryThatAnswersNonsenseIsUnknown) {
  const auto nonsense = [](auto change) {
    Snapshot snapshot = example("healthy");
    change(*snapshot.nvidia.get());
    const GpuStack cuda = ladders_of(snapshot).at(0);
    EXPECT_EQ(cuda.stack, "cuda");
    EXPECT_FALSE(ok_through(cuda, Layer::runtime));
    EXPECT_EQ(cuda.first_broken(), nullptr);
  };
  nonsense([](Nvidia& n) { n.cuda_driver_version = failed("cuDriverGetVersion answers -2147483648"); });
  nonsense([](Nvidia& n) {
    n.cuda_devices.get()->assign(1, {.ordinal = 0, .name = failed("cuDeviceGet: CUDA_ERROR_INVALID_DEVICE")});
  });
  nonsense([](Nvidia& n) { n.cuda_devices.get()->front().memory_total_mib = failed("the driver returns garbage"); });
}

TEST(GpuStack, AnOpenclFindingLeavesTheCudaLadderAlone) {
  const Gpu gpu{.address = "0000:65:00.0", .vendor = Vendor::nvidia};
  EXPECT_FALSE(concerns({.id = "opencl.no-icd"}, gpu, "cuda"));
  EXPECT_TRUE(concerns({.id = "opencl.no-icd"}, gpu, "opencl"));
  EXPECT_TRUE(concerns({.id = "visibility.empty"}, gpu, "opencl"));
  EXPECT_FALSE(concerns({.id = "driver.permission", .evidence = {{.path = "/rocm/devices"}}}, gpu, "cuda"));
}

}  // namespace
}  // namespace envdoctor::engine_stacks_test
