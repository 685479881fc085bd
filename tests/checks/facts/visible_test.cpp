#include "checks/facts/visible.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::facts_visible_test {
namespace {

// Two different cards; CUDA puts the second one first.
Snapshot mixed_host() {
  Snapshot snapshot = healthy_nvidia_host();
  NvidiaDevice old = nvml_a100(0, "0000:17:00.0");
  old.name = "Tesla T4";
  old.uuid = "GPU-11111111";
  old.compute_capability = "7.5";
  CudaDevice old_in_cuda = cuda_a100(1, "0000:17:00.0");
  old_in_cuda.name = "Tesla T4";
  old_in_cuda.uuid = "GPU-11111111";
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:17:00.0", "10de", "1eb8", "nvidia"), pci_a100()};
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{old, nvml_a100(1)};
  snapshot.nvidia.fill().cuda_devices = std::vector<CudaDevice>{cuda_a100(0), old_in_cuda};
  return snapshot;
}

Snapshot with_env(Snapshot snapshot, const std::string& name, const std::string& value) {
  snapshot.env.fill()[name] = value;
  return snapshot;
}

Snapshot unheard(Snapshot snapshot) {
  snapshot.nvidia.fill().cuda_devices = failed("not asked");
  return snapshot;
}

std::vector<std::string> uuids(const VisibleList& list) {
  std::vector<std::string> all;
  for (const VisibleDevice& device : list.devices) all.push_back(device.uuid);
  return all;
}

TEST(VisibleToCuda, SaysWhatEachDeviceIs) {
  const VisibleList list = visible_to_cuda(healthy_nvidia_host());
  ASSERT_EQ(list.devices.size(), 1U);
  EXPECT_TRUE(list.observed);
  EXPECT_EQ(list.unknown, "");
  EXPECT_EQ(describe(0, list.devices[0]), "device 0 = GPU-3f2a1b4c at 65:00.0");
  EXPECT_TRUE(list.hidden.empty());
}

TEST(VisibleToCuda, FollowsCudasOwnOrderWhereItWasAsked) {
  EXPECT_EQ(uuids(visible_to_cuda(mixed_host())), (std::vector<std::string>{"GPU-3f2a1b4c", "GPU-11111111"}));
  EXPECT_FALSE(visible_to_cuda(mixed_host()).order_guessed);
}

TEST(VisibleToCuda, GuessesTheOrderOfDifferentGpusOnlyWhereCudaWasNotAsked) {
  const VisibleList guessed = visible_to_cuda(unheard(with_env(mixed_host(), "CUDA_VISIBLE_DEVICES", "0")));
  EXPECT_EQ(uuids(guessed), std::vector<std::string>{"GPU-3f2a1b4c"});
  EXPECT_TRUE(guessed.order_guessed);
  Snapshot by_bus = with_env(mixed_host(), "CUDA_VISIBLE_DEVICES", "0");
  const VisibleList list = visible_to_cuda(unheard(with_env(by_bus, "CUDA_DEVICE_ORDER", "PCI_BUS_ID")));
  EXPECT_EQ(uuids(list), std::vector<std::string>{"GPU-11111111"});
  EXPECT_FALSE(list.order_guessed);
}

TEST(VisibleToCuda, TellsWhyADeviceIsMissing) {
  const VisibleList list = visible_to_cuda(unheard(with_env(mixed_host(), "CUDA_VISIBLE_DEVICES", "1,7,0")));
  EXPECT_EQ(uuids(list), std::vector<std::string>{"GPU-11111111"});
  ASSERT_EQ(list.hidden.size(), 1U);
  EXPECT_EQ(list.hidden[0].device.uuid, "GPU-3f2a1b4c");
  EXPECT_EQ(list.hidden[0].by, "CUDA_VISIBLE_DEVICES");
  EXPECT_EQ(list.hidden[0].why, "CUDA_VISIBLE_DEVICES: entry 2, \"7\", is a number that no device has");
  ASSERT_EQ(list.filters.size(), 1U);
  EXPECT_EQ(list.filters[0].effect, "leaves 1 of 2");
}

TEST(VisibleToCuda, IsUnknownWhereNobodyLooked) {
  Snapshot nothing;
  EXPECT_EQ(visible_to_cuda(nothing).unknown, "/env/CUDA_VISIBLE_DEVICES: not looked at");
  nothing.env = std::map<std::string, Text>{};
  EXPECT_EQ(visible_to_cuda(nothing).unknown, "/nvidia/devices: not looked at");
}

Snapshot two_radeons() {
  Snapshot snapshot = plain_host();
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "1002", "740f", "amdgpu"),
                                        pci_gpu("0000:83:00.0", "1002", "740f", "amdgpu")};
  RocmDevice one, two;
  one.name = two.name = "MI210";
  one.unique_id = "0123456789abcdef";
  two.unique_id = "fedcba9876543210";
  one.pci_address = "0000:03:00.0";
  two.pci_address = "0000:83:00.0";
  snapshot.rocm.fill().devices = std::vector<RocmDevice>{one, two};
  return snapshot;
}

TEST(VisibleToRocm, CountsWithTheSecondVariableWhatTheFirstLeft) {
  const Snapshot first = with_env(two_radeons(), "ROCR_VISIBLE_DEVICES", "1");
  EXPECT_EQ(uuids(visible_to_rocm(first)), std::vector<std::string>{"GPU-fedcba9876543210"});
  EXPECT_EQ(uuids(visible_to_rocm(with_env(first, "HIP_VISIBLE_DEVICES", "0"))),
            std::vector<std::string>{"GPU-fedcba9876543210"});
  const VisibleList none = visible_to_rocm(with_env(first, "HIP_VISIBLE_DEVICES", "1"));
  EXPECT_TRUE(none.devices.empty());
  ASSERT_EQ(none.filters.size(), 2U);
  EXPECT_EQ(none.filters[1].effect, "leaves 0 of 1");
  ASSERT_EQ(none.hidden.size(), 2U);
  EXPECT_EQ(none.hidden[0].by, "ROCR_VISIBLE_DEVICES");
  EXPECT_EQ(none.hidden[1].by, "HIP_VISIBLE_DEVICES");
}

TEST(VisibleToRocm, TakesCudaVisibleDevicesWhereHipsOwnIsMissing) {
  EXPECT_EQ(uuids(visible_to_rocm(with_env(two_radeons(), "CUDA_VISIBLE_DEVICES", "1"))),
            std::vector<std::string>{"GPU-fedcba9876543210"});
}

TEST(VisibleToLevelZero, ListsWhatTheMaskLeftAndNamesTheRest) {
  Snapshot snapshot = with_env(plain_host(), "ZE_AFFINITY_MASK", "1");
  snapshot.pci = std::vector<PciDevice>{pci_gpu("0000:03:00.0", "8086", "56a0", "i915"),
                                        pci_gpu("0000:83:00.0", "8086", "56a0", "i915")};
  LevelZeroDevice device;
  device.name = "Arc A770";
  device.type = "gpu";
  device.pci_address = "0000:83:00.0";
  snapshot.level_zero.fill().devices = std::vector<LevelZeroDevice>{device};
  const VisibleList list = visible_to_level_zero(snapshot);
  ASSERT_EQ(list.devices.size(), 1U);
  ASSERT_EQ(list.hidden.size(), 1U);
  EXPECT_EQ(list.hidden[0].device.address, "0000:03:00.0");
  EXPECT_EQ(list.hidden[0].by, "ZE_AFFINITY_MASK");
}

TEST(VisibleLists, HoldsOneListForEachStackThatConcernsTheHost) {
  EXPECT_TRUE(visible_lists(plain_host()).empty());
  ASSERT_EQ(visible_lists(mixed_host()).size(), 1U);
  EXPECT_EQ(visible_lists(mixed_host())[0].stack, "cuda");
  EXPECT_EQ(visible_lists(two_radeons())[0].stack, "rocm");
}

}  // namespace
}  // namespace envdoctor::facts_visible_test
