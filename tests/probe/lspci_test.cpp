#include "probe/gpu/lspci.h"

#include <gtest/gtest.h>

namespace envdoctor::lspci_test {
namespace {

std::vector<PciDevice> devices_in(std::string_view text) {
  const auto devices = parse_lspci(text);
  return devices.get() ? *devices.get() : std::vector<PciDevice>{};
}

constexpr std::string_view verbose =
    "00:00.0 Host bridge [0600]: Intel Corporation Something [8086:1234]\n"
    "\tKernel driver in use: none_of_ours\n"
    "0000:65:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 PCIe] [10de:2331] (rev a1)\n"
    "\tControl: I/O- Mem+\n"
    "\tNUMA node: 1\n"
    "\tRegion 0: Memory at fc000000 (32-bit, non-prefetchable) [size=16M]\n"
    "\tRegion 1: Memory at 34000000000 (64-bit, prefetchable) [size=128G]\n"
    "\tRegion 5: I/O ports at 2000 [size=128]\n"
    "\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported\n"
    "\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)\n"
    "\t\tLnkSta2: Current De-emphasis Level: -3.5dB\n"
    "\t\tInitial VFs: 16, Total VFs: 16, Number of VFs: 2, Function Dependency Link: 00\n"
    "\tKernel driver in use: nvidia\n"
    "\tKernel modules: nouveau, nvidia\n"
    "\n"
    "66:00.0 Audio device [0403]: NVIDIA Corporation Device [10de:22ba] (rev a1)\n";

TEST(Lspci, ReadsAVerboseBlock) {
  const auto devices = devices_in(verbose);
  ASSERT_EQ(devices.size(), 1U);
  const PciDevice& gpu = devices[0];
  EXPECT_TRUE(gpu.address.is("0000:65:00.0"));
  EXPECT_TRUE(gpu.class_.is("0302"));
  EXPECT_TRUE(gpu.vendor_id.is("10de"));
  EXPECT_TRUE(gpu.device_id.is("2331"));
  EXPECT_TRUE(gpu.vendor.is("NVIDIA Corporation"));
  EXPECT_TRUE(gpu.name.is("GH100 [H100 PCIe]"));
  EXPECT_TRUE(gpu.driver.is("nvidia"));
  EXPECT_TRUE(gpu.numa_node.is(1));
  EXPECT_TRUE(gpu.bars_mib.is({16, 131072}));
  EXPECT_TRUE(gpu.virtual_functions.is(2));
  ASSERT_TRUE(gpu.link.get());
  EXPECT_TRUE(gpu.link.get()->speed_gtps.is(16));
  EXPECT_TRUE(gpu.link.get()->width.is(8));
  EXPECT_TRUE(gpu.link.get()->max_speed_gtps.is(32));
  EXPECT_TRUE(gpu.link.get()->max_width.is(16));
}

TEST(Lspci, PlainListSaysNothingOfDrivers) {
  const auto devices = devices_in("01:00.0 VGA compatible controller: Intel Corporation Some GPU\n");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].address.is("0000:01:00.0"));
  EXPECT_TRUE(devices[0].class_.is("0300"));
  EXPECT_TRUE(devices[0].vendor_id.is("8086"));
  EXPECT_EQ(devices[0].driver.outcome(), Outcome::not_probed);
  EXPECT_EQ(devices[0].link.outcome(), Outcome::not_probed);
}

TEST(Lspci, BlockWithoutADriverHasNone) {
  const auto devices = devices_in(
      "1b:00.0 Processing accelerators: Advanced Micro Devices, Inc. [AMD/ATI] Aqua [MI300X]\n"
      "        Subsystem: x\n"
      "        Kernel modules: amdgpu\n"
      "3d:00.0 Display controller [0380]: Advanced Micro Devices, Inc. [AMD/ATI] Y [1002:1114] (rev c2)\n");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_EQ(devices[0].driver.outcome(), Outcome::absent);
  EXPECT_TRUE(devices[0].class_.is("1200"));
  EXPECT_TRUE(devices[0].name.is("Aqua [MI300X]"));
  EXPECT_EQ(devices[1].driver.outcome(), Outcome::failed) << "the text may end too early";
}

TEST(Lspci, TakesALastBlockThatReachesItsCapabilitiesForWhole) {
  const std::string block =
      "03:00.0 VGA compatible controller: Matrox Electronics Systems Ltd. G200\n"
      "\tControl: I/O+ Mem+\n"
      "\tRegion 0: Memory at 91000000 (32-bit, prefetchable) [size=16M]\n";
  ASSERT_EQ(devices_in(block).size(), 1U);
  EXPECT_EQ(devices_in(block)[0].driver.outcome(), Outcome::failed) << "more may have followed";
  EXPECT_EQ(devices_in(block + "\tCapabilities: [dc] Power Management version 3\n")[0].driver.outcome(),
            Outcome::absent);
}

TEST(Lspci, TakesIdsFromADump) {
  const auto devices = devices_in(
      "01:00.0 VGA compatible controller: NVIDIA Corporation Thing (rev a1)\n"
      "\tKernel modules: nouveau\n"
      "00: de 10 A0 24 03 00 10 00 a1 00 00 03 00 00 80 00\n");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].vendor_id.is("10de"));
  EXPECT_TRUE(devices[0].device_id.is("24a0"));
}

TEST(Lspci, ReadsNumbersAndMachineReadableText) {
  const auto numbers = devices_in("01:00.0 0302: 10de:2331 (rev ff)\n");
  ASSERT_EQ(numbers.size(), 1U);
  EXPECT_TRUE(numbers[0].device_id.is("2331"));
  EXPECT_EQ(numbers[0].link.outcome(), Outcome::failed) << "the device answers nothing";
  const auto lines = devices_in(
      "Slot:\t0000:01:00.0\nClass:\tVGA compatible controller [0300]\nVendor:\tNVIDIA Corporation [10de]\n"
      "Device:\tAD102 [GeForce RTX 4090] [2684]\nDriver:\tnvidia\nNUMANode:\t0\n\n"
      "Slot:\t0000:02:00.0\nClass:\tAudio device\n");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_TRUE(lines[0].device_id.is("2684"));
  EXPECT_TRUE(lines[0].name.is("AD102 [GeForce RTX 4090]"));
  EXPECT_TRUE(lines[0].driver.is("nvidia"));
  EXPECT_TRUE(lines[0].numa_node.is(0));
}

TEST(Lspci, NamesWhatTheListDidNotKnow) {
  const auto devices = devices_in("01:00.0 3D controller [0302]: NVIDIA Corporation Device [10de:2330] (rev a1)\n");
  ASSERT_EQ(devices.size(), 1U);
  ASSERT_TRUE(devices[0].name.get());
  EXPECT_NE(devices[0].name.get()->find("H100"), std::string::npos);
}

TEST(Lspci, TakesTheNumberInANameForTheDevicesId) {
  const auto devices = devices_in("01:00.0 3D controller: NVIDIA Corporation Device 2330 (rev a1)\n");
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].vendor_id.is("10de"));
  EXPECT_TRUE(devices[0].device_id.is("2330"));
  EXPECT_NE(devices[0].name.or_empty().find("H100"), std::string::npos);
}

TEST(Lspci, ReadsItsQuotedForm) {
  const auto devices = devices_in(
      "65:00.0 \"3D controller [0302]\" \"NVIDIA Corporation [10de]\" \"GA100 [A100 PCIe 40GB] [20f1]\" -ra1 \"x\" "
      "\"y\"\n"
      "01:00.0 \"VGA compatible controller\" \"NVIDIA Corporation\" \"Device 2684\" -ra1 \"\" \"\"\n"
      "02:00.0 \"Ethernet controller\" \"Intel Corporation\" \"I350\"\n");
  ASSERT_EQ(devices.size(), 2U);
  EXPECT_TRUE(devices[0].device_id.is("2684"));
  EXPECT_TRUE(devices[0].class_.is("0300"));
  EXPECT_TRUE(devices[1].device_id.is("20f1"));
  EXPECT_TRUE(devices[1].vendor_id.is("10de"));
  EXPECT_TRUE(devices[1].name.is("GA100 [A100 PCIe 40GB]"));
  EXPECT_TRUE(devices[1].class_.is("0302"));
}

TEST(Lspci, OfSeveralRunsInOneTextIsPutTogether) {
  const std::string text = "65:00.0 3D controller: NVIDIA Corporation GH100 [H100 PCIe]\n" + std::string(verbose);
  const auto devices = devices_in(text);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_TRUE(devices[0].driver.is("nvidia"));
}

TEST(Lspci, SurvivesTornText) {
  for (std::size_t end = 0; end < verbose.size(); end += 7) parse_lspci(verbose.substr(0, end));
  for (std::size_t start = 0; start < verbose.size(); start += 7) parse_lspci(verbose.substr(start));
  EXPECT_EQ(parse_lspci("").outcome(), Outcome::not_probed);
  EXPECT_EQ(parse_lspci(std::string(10'000, '\xff')).outcome(), Outcome::not_probed);
  EXPECT_EQ(parse_lspci("00:00.0 Host bridge: x\n").outcome(), Outcome::not_probed);
}

TEST(Lspci, HeadersAreToldFromOtherLines) {
  EXPECT_TRUE(is_lspci_header("01:00.0 3D controller: x"));
  EXPECT_TRUE(is_lspci_header("10000:e1:00.0 Non-Volatile memory controller [0108]: x"));
  EXPECT_FALSE(is_lspci_header("12:00.5 somebody said: x"));
  EXPECT_FALSE(is_lspci_header("00: de 10 a0 24"));
}

}  // namespace
}  // namespace envdoctor::lspci_test
