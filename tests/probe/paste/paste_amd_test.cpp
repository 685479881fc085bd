#include <gtest/gtest.h>

#include "probe/paste/log_reader.h"

namespace envdoctor::paste_amd_test {
namespace {

Rocm read(std::string_view text) { return read_log(text, "smi.txt").rocm.or_empty(); }

const RocmDevice& device(const Rocm& rocm, std::size_t index) {
  static const RocmDevice none;
  const auto* devices = rocm.devices.get();
  return devices && index < devices->size() ? devices->at(index) : none;
}

TEST(RocmSmi, TableAndFieldsAreOneList) {
  const Rocm rocm = read(
      "======================= ROCm System Management Interface =======================\n"
      "================================= Concise Info =================================\n"
      "GPU  Temp   AvgPwr  SCLK    MCLK     Fan  Perf  PwrCap  VRAM%  GPU%\n"
      "0    35.0c  25.0W   500Mhz  96Mhz    0%   auto  203.0W   10%   0%\n"
      "1    36.0c  26.0W   500Mhz  96Mhz    0%   auto  203.0W   10%   0%\n"
      "============================= End of ROCm SMI Log ==============================\n"
      "Driver version: 6.7.0\n"
      "GPU[1]\t\t: Card series: \t\tRadeon Pro W6800\nGPU[1]\t\t: PCI Bus: 0000:43:00.0\n"
      "GPU[1]\t\t: VRAM Total Memory (B): 34342961152\nGPU[1]\t\t: get_volt_metric, Not supported\n");
  EXPECT_TRUE(rocm.kernel_driver_version.is("6.7.0"));
  ASSERT_EQ(rocm.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(rocm, 1).name.is("Radeon Pro W6800"));
  EXPECT_TRUE(device(rocm, 1).pci_address.is("0000:43:00.0"));
  EXPECT_TRUE(device(rocm, 1).memory_total_mib.is(32752));
}

TEST(RocmSmi, TablesOfNewerReleasesAreCounted) {
  EXPECT_EQ(
      read(
          "===== ROCm System Management Interface =====\n===== Concise Info =====\n"
          "Device  Node  IDs              Temp    Power  Partitions          SCLK  MCLK  Fan  Perf  PwrCap  VRAM%  "
          "GPU%\n"
          "0       1     0x744c,   62223  45.0°C  22.0W  N/A, N/A, 0         43Mhz 96Mhz 0%   auto  303.0W  1%     2%\n"
          "1       2     0x164e,   21443  N/A     35.2W  N/A, N/A, 0         N/A   1800Mhz 0% auto  N/A     3%     "
          "0%\n")
          .devices.or_empty()
          .size(),
      2U);
}

constexpr std::string_view json = R"json(
$ rocm-smi -a --json
{"card0": {"Device Name": "0x744c", "Card Series": "Radeon RX 7900 XTX", "GFX Version": "gfx1100",
           "PCI Bus": "0000:03:00.0", "VRAM Total Memory (B)": "25753026560"},
 "card1": {"Card series": "Navi 21", "PCI Bus": "0000:0A:00.0"},
 "system": {"Driver version": "6.8.5"}}
done
)json";

TEST(RocmSmiJson, IsReadWithWhatStandsAroundIt) {
  const Rocm rocm = read(json);
  EXPECT_TRUE(rocm.kernel_driver_version.is("6.8.5"));
  ASSERT_EQ(rocm.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(rocm, 0).name.is("Radeon RX 7900 XTX"));
  EXPECT_TRUE(device(rocm, 0).gfx.is("gfx1100"));
  EXPECT_TRUE(device(rocm, 1).pci_address.is("0000:0A:00.0"));
}

TEST(RocmSmiJson, IsReadUpToWhereItWasCutOff) {
  const Rocm rocm = read(json.substr(0, json.find("\"card1\"")));
  ASSERT_EQ(rocm.devices.or_empty().size(), 1U);
  EXPECT_TRUE(device(rocm, 0).memory_total_mib.is(24560));
}

TEST(AmdSmi, ListsOfEachKindAreRead) {
  const Rocm text = read(
      "AMDSMI Tool: 24.6.2+2b02a07 | AMDSMI Library version: 24.6.2.0 | ROCm version: 6.2.2\n"
      "GPU: 0\n    ASIC:\n        MARKET_NAME: AMD Instinct MI210\n        TARGET_GRAPHICS_VERSION: gfx90a\n"
      "    BUS:\n        BDF: 0000:83:00.0\n    DRIVER:\n        NAME: amdgpu\n        VERSION: 6.8.5\n"
      "    VRAM:\n        TYPE: HBM2E\n        SIZE: 65520 MB\n\nGPU: 1\n    BDF: 0000:c3:00.0\n");
  EXPECT_TRUE(text.version.is("6.2.2"));
  EXPECT_TRUE(text.kernel_driver_version.is("6.8.5"));
  ASSERT_EQ(text.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(text, 0).gfx.is("gfx90a"));
  EXPECT_TRUE(device(text, 0).memory_total_mib.is(65520));
  EXPECT_TRUE(device(text, 1).pci_address.is("0000:c3:00.0"));

  const Rocm table = read(
      "| AMD-SMI 26.0.0+37d158ab      amdgpu version: 6.14.14  ROCm version: 7.0.0    |\n"
      "| 0000:0c:00.0    AMD Instinct MI300X | 0 %      40 °C   0           140/750 W |\n"
      "|   0       0       7        SPX/NPS1 | 0 %        N/A           283/196592 MB |\n");
  EXPECT_TRUE(table.kernel_driver_version.is("6.14.14"));
  EXPECT_TRUE(device(table, 0).name.is("AMD Instinct MI300X"));

  for (const char* wrapped :
       {"[{\"gpu\": 0, \"asic\": {\"market_name\": \"AMD Radeon Pro\"}, \"bus\": {\"bdf\": \"0000:0d:00.0\"},"
        " \"vram\": {\"size\": {\"value\": 16368, \"unit\": \"MB\"}}}]\n",
        "{\"gpu_data\": [{\"gpu\": 0, \"asic\": {\"market_name\": \"AMD Radeon Pro\"},"
        " \"bus\": {\"bdf\": \"0000:0d:00.0\"}, \"vram\": {\"size\": {\"value\": 16368}}}]}\n"}) {
    const Rocm values = read(wrapped);
    EXPECT_TRUE(device(values, 0).name.is("AMD Radeon Pro")) << wrapped;
    EXPECT_TRUE(device(values, 0).pci_address.is("0000:0d:00.0")) << wrapped;
    EXPECT_TRUE(device(values, 0).memory_total_mib.is(16368)) << wrapped;
  }
}

TEST(AmdSmi, ANumberOfAnotherProgramIsNoGpu) {
  EXPECT_FALSE(read_log("GPU: 0\n  step: 4\nGPU: 1080\n", "x").rocm.get());
  EXPECT_FALSE(read_log("{\"gpu\": 0, \"loss\": 1.5}\n[1, {\"gpu\":0}, [[[[\n", "x").rocm.get());
}

TEST(Rocminfo, TellsWhereOnTheBusAnAgentIs) {
  const Rocm rocm = read(
      "HSA Agents\nAgent 1\n  Name:  AMD EPYC\n  Device Type:  CPU\n  BDFID:  0\n"
      "Agent 2\n  Name:  gfx90a\n  Marketing Name:  AMD Instinct MI210\n  Device Type:  GPU\n  BDFID:  33536\n"
      "Agent 3\n  Name:  gfx90a\n  Device Type:  GPU\n  BDFID:  0\n");
  ASSERT_EQ(rocm.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(rocm, 0).pci_address.is("0000:83:00.0"));
  EXPECT_FALSE(device(rocm, 1).pci_address.get());
}

}  // namespace
}  // namespace envdoctor::paste_amd_test
