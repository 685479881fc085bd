#include <gtest/gtest.h>

#include "probe/gpu/pci_devices.h"
#include "tests/support/fake_files.h"

namespace envdoctor::pci_test {
namespace {

constexpr const char* folder = "/sys/bus/pci/devices/0000:65:00.0/";

FakeFiles host_with_one_gpu() {
  FakeFiles files;
  const std::string at = folder;
  files.texts[at + "vendor"] = "0x10de\n";
  files.texts[at + "device"] = "0x2330\n";
  files.texts[at + "class"] = "0x030200\n";
  files.texts[at + "numa_node"] = "-1\n";
  files.texts[at + "current_link_speed"] = "16.0 GT/s PCIe\n";
  files.texts[at + "current_link_width"] = "8\n";
  files.texts[at + "max_link_speed"] = "32.0 GT/s PCIe\n";
  files.texts[at + "max_link_width"] = "16\n";
  files.texts[at + "sriov_numvfs"] = "0\n";
  files.texts[at + "resource"] =
      "0x0000021042000000 0x0000021042ffffff 0x000000000014220c\n"
      "0x0000020000000000 0x0000021fffffffff 0x000000000014220c\n"
      "0x0000000000001000 0x000000000000107f 0x0000000000040101\n"
      "0x0000000000000000 0x0000000000000000 0x0000000000000000\n";
  files.links[at + "driver"] = "../../../../bus/pci/drivers/nvidia";
  files.texts["/sys/bus/pci/devices/0000:01:00.0/class"] = "0x020000\n";
  return files;
}

TEST(PciBus, KeepsDisplaysAndAcceleratorsOnly) {
  const auto devices = gpus_on_bus(host_with_one_gpu());
  ASSERT_TRUE(devices.get()) << devices.why();
  ASSERT_EQ(devices.get()->size(), 1U);
  const PciDevice& gpu = devices.get()->at(0);
  EXPECT_TRUE(gpu.address.is("0000:65:00.0"));
  EXPECT_TRUE(gpu.vendor_id.is("10de"));
  EXPECT_TRUE(gpu.device_id.is("2330"));
  EXPECT_TRUE(gpu.class_.is("0302"));
}

TEST(PciBus, IsAbsentWhereASandboxHasNone) {
  FakeFiles files;
  files.folders.insert("/sys/bus/cpu");
  EXPECT_EQ(gpus_on_bus(files).outcome(), Outcome::absent);
}

TEST(PciBus, IsFailedWhereItIsHidden) {
  FakeFiles files;
  EXPECT_EQ(gpus_on_bus(files).why(), "/sys/bus is empty: sysfs is not mounted, or hidden");
  files.folders = {"/sys/bus/cpu", "/sys/bus/pci/devices"};
  ASSERT_TRUE(gpus_on_bus(files).get());
  EXPECT_TRUE(gpus_on_bus(files).get()->empty());
  files.texts["/proc/bus/pci/devices"] = "0008\t808637d0\t0\n";
  EXPECT_EQ(gpus_on_bus(files).why(), "/sys/bus/pci shows no device, and /proc/bus/pci/devices does");
}

TEST(PciBus, IsFailedWhereItMayNotBeListed) {
  FakeFiles files;
  files.errors["/sys/bus/pci/devices"] = "EACCES";
  EXPECT_EQ(gpus_on_bus(files).outcome(), Outcome::failed);
}

TEST(PciBus, IsFailedWhereADeviceMakesNoSense) {
  FakeFiles files = host_with_one_gpu();
  files.texts[std::string(folder) + "vendor"] = "\xff\xfe";
  EXPECT_EQ(gpus_on_bus(files).outcome(), Outcome::failed);
}

TEST(PciDetails, TellTheDriverTheLinkAndTheBars) {
  PciDevice gpu{.address = std::string("0000:65:00.0")};
  read_details(host_with_one_gpu(), gpu);
  EXPECT_TRUE(gpu.driver.is("nvidia"));
  EXPECT_EQ(gpu.numa_node.outcome(), Outcome::absent);
  EXPECT_EQ(gpu.physical_function.outcome(), Outcome::absent);
  EXPECT_TRUE(gpu.virtual_functions.is(0));
  EXPECT_TRUE(gpu.bars_mib.is({16, 131072}));
  ASSERT_TRUE(gpu.link.get());
  EXPECT_TRUE(gpu.link.get()->speed_gtps.is(16));
  EXPECT_TRUE(gpu.link.get()->width.is(8));
  EXPECT_TRUE(gpu.link.get()->max_speed_gtps.is(32));
  EXPECT_TRUE(gpu.link.get()->max_width.is(16));
}

TEST(PciDetails, OfADeviceWithoutDriverOrLinkAreAbsent) {
  FakeFiles files;
  PciDevice gpu{.address = std::string("0000:00:02.0")};
  read_details(files, gpu);
  EXPECT_EQ(gpu.driver.outcome(), Outcome::absent);
  EXPECT_EQ(gpu.link.outcome(), Outcome::absent);
}

TEST(PciDetails, OfAVirtualFunctionNameItsParent) {
  FakeFiles files;
  files.links["/sys/bus/pci/devices/0000:65:00.4/physfn"] = "../0000:65:00.0";
  PciDevice gpu{.address = std::string("0000:65:00.4")};
  read_details(files, gpu);
  EXPECT_TRUE(gpu.physical_function.is("0000:65:00.0"));
}

TEST(PciLink, IsUnknownWhereTheKernelSaysSo) {
  EXPECT_EQ(link_speed("Unknown").outcome(), Outcome::absent);
  EXPECT_EQ(link_speed("Unknown speed").outcome(), Outcome::absent);
  EXPECT_EQ(link_width("0").outcome(), Outcome::absent);
  EXPECT_EQ(link_width("255").outcome(), Outcome::absent);
}

TEST(PciLink, TakesEverySpeedTheKernelWrites) {
  EXPECT_TRUE(link_speed("2.5 GT/s PCIe").is(2.5));
  EXPECT_TRUE(link_speed("8 GT/s").is(8));
  EXPECT_TRUE(link_speed("64.0 GT/s PCIe").is(64));
  EXPECT_EQ(link_speed("fast").outcome(), Outcome::failed);
  EXPECT_EQ(link_speed("").outcome(), Outcome::failed);
  EXPECT_EQ(link_speed("nan GT/s").outcome(), Outcome::failed);
}

TEST(PciBars, OfATornFileAreFailedWithTheLine) {
  const auto sizes = bar_sizes_mib("0x0 0x0 0x0\n0x000002004");
  EXPECT_EQ(sizes.outcome(), Outcome::failed);
  EXPECT_NE(sizes.why().find("line 2"), std::string::npos);
}

constexpr std::string_view ids =
    "# a comment\n"
    "\n"
    "1002  Advanced Micro Devices, Inc. [AMD/ATI]\n"
    "\t2330  Not this one\n"
    "10de  NVIDIA Corporation\n"
    "\t2324  GH100 [H800]\n"
    "\t\t10de 2330  A subsystem\n"
    "# another comment\n"
    "\t2330  GH100 [H100 SXM5 80GB]\n"
    "10df  Emulex Corporation\n"
    "\t2331  Someone else's\n";

TEST(PciIds, AreFoundUnderTheirOwnVendor) {
  const PciNames names = pci_names(ids, "10de", "2330");
  EXPECT_TRUE(names.vendor.is("NVIDIA Corporation"));
  EXPECT_TRUE(names.device.is("GH100 [H100 SXM5 80GB]"));
}

TEST(PciIds, ThatAreNotListedAreAbsent) {
  const PciNames names = pci_names(ids, "10de", "2331");
  EXPECT_TRUE(names.vendor.is("NVIDIA Corporation"));
  EXPECT_EQ(names.device.outcome(), Outcome::absent);
  EXPECT_EQ(pci_names(ids, "8086", "2330").vendor.outcome(), Outcome::absent);
  EXPECT_EQ(pci_names("", "10de", "2330").vendor.outcome(), Outcome::absent);
  EXPECT_EQ(pci_names("\n10de  NVIDIA", "10de", "2330").device.outcome(), Outcome::absent);
}

}  // namespace
}  // namespace envdoctor::pci_test
