#include "checks/facts/gpus.h"

#include <gtest/gtest.h>

#include "checks/facts/facts.h"
#include "tests/support/builders.h"

namespace envdoctor::facts_gpus_test {
namespace {

TEST(Gpus, AManagementConsoleAndAVirtualFunctionDoNotCount) {
  EXPECT_FALSE(counts_as_gpu(pci_gpu("0000:03:00.0", "1a03", "2000", "ast")));
  EXPECT_TRUE(counts_as_gpu(pci_a100()));
  PciDevice function = pci_a100();
  function.physical_function = "0000:65:00.0";
  EXPECT_FALSE(counts_as_gpu(function));
  PciDevice bridge = pci_a100();
  bridge.class_ = "0680";
  EXPECT_FALSE(counts_as_gpu(bridge));
}

TEST(Gpus, ChipsFromBeforeGpusComputedDoNotCount) {
  PciDevice old = pci_gpu("0000:01:00.0", "10de", "", "nvidiafb");
  old.device_id = Text();
  old.name = "NV44 [GeForce 6200]";
  EXPECT_FALSE(counts_as_gpu(old));
  old.name = "G80 [GeForce 8800 GTX]";
  EXPECT_TRUE(counts_as_gpu(old));
  EXPECT_FALSE(counts_as_gpu(pci_gpu("0000:00:02.0", "8086", "0046", "i915")));
  EXPECT_TRUE(counts_as_gpu(pci_gpu("0000:00:02.0", "8086", "3e9b", "i915")));
}

TEST(Gpus, TheBusAndTheDriverSpeakOfTheSameCard) {
  Snapshot snapshot;
  snapshot.pci = std::vector{pci_a100("0000:65:00.0")};
  snapshot.nvidia.fill().devices = std::vector{nvml_a100(0, "00000000:65:00.0")};
  const auto gpus = gpus_of(snapshot);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].compute_capability, "8.0");
  EXPECT_EQ(gpus[0].nvml_index, 0);
  EXPECT_EQ(gpus[0].subject(), "gpu:0000:65:00.0");
}

TEST(Gpus, WithoutADriverTheChipTellsArchitectureAndCapability) {
  Snapshot snapshot;
  snapshot.pci = std::vector{pci_gpu("0000:65:00.0", "10de", "2330", absent("none"))};
  const auto gpus = gpus_of(snapshot);
  ASSERT_EQ(gpus.size(), 1U);
  EXPECT_EQ(gpus[0].chip, "GH100");
  EXPECT_EQ(gpus[0].compute_capability, "9.0");
}

TEST(Gpus, ABugReportMayNameThemWithoutAnAddress) {
  Snapshot snapshot;
  PciDevice device;
  device.vendor = "NVIDIA";
  device.name = "GeForce RTX 3080";
  snapshot.pci = std::vector{device};
  NvidiaDevice same;
  same.index = 0;
  same.name = "NVIDIA GeForce RTX 3080";
  snapshot.nvidia.fill().devices = std::vector{same};
  EXPECT_EQ(gpus_of(snapshot).size(), 1U);
}

TEST(Gpus, TheLastCardThatFailsToOpenOnBareMetalIsNotTakenForUngranted) {
  Snapshot snapshot;
  snapshot.host.fill().container = "none";
  snapshot.env.fill();
  snapshot.pci = std::vector{pci_a100("0000:65:00.0"), pci_a100("0000:66:00.0")};
  snapshot.nvidia.fill().devices = std::vector{nvml_a100()};
  for (const Gpu& gpu : gpus_of(snapshot)) EXPECT_TRUE(gpu.granted) << gpu.address;
}

TEST(Addresses, AreComparedInOneForm) {
  EXPECT_EQ(normal_address("00000000:AF:00.0"), "0000:af:00.0");
  EXPECT_EQ(normal_address("af:00.0"), "0000:af:00.0");
  EXPECT_EQ(normal_address("10000:e1:00.0"), "10000:e1:00.0");
}

}  // namespace
}  // namespace envdoctor::facts_gpus_test
