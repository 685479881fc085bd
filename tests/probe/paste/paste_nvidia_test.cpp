#include <gtest/gtest.h>

#include "probe/paste/log_reader.h"

namespace envdoctor::paste_nvidia_test {
namespace {

Nvidia read(std::string_view text) { return read_log(text, "smi.txt").nvidia.or_empty(); }

const NvidiaDevice& device(const Nvidia& nvidia, std::size_t index) {
  static const NvidiaDevice none;
  const auto* devices = nvidia.devices.get();
  return devices && index < devices->size() ? devices->at(index) : none;
}

constexpr std::string_view xml = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
	<driver_version>550.90.07</driver_version>
	<cuda_version>12.4</cuda_version>
	<attached_gpus>2</attached_gpus>
	<gpu id="00000000:3B:00.0">
		<product_name>NVIDIA L4</product_name>
		<persistence_mode>Enabled</persistence_mode>
		<mig_mode><current_mig>N/A</current_mig></mig_mode>
		<mig_devices>None</mig_devices>
		<uuid>GPU-12345678-0000-0000-0000-000000000000</uuid>
		<pci><pci_gpu_link_info>
			<pcie_gen><max_link_gen>4</max_link_gen><current_link_gen>1</current_link_gen></pcie_gen>
			<link_widths><max_link_width>16x</max_link_width><current_link_width>8x</current_link_width></link_widths>
		</pci_gpu_link_info></pci>
		<clocks_event_reasons>
			<clocks_event_reason_gpu_idle>Active</clocks_event_reason_gpu_idle>
			<clocks_event_reason_hw_thermal_slowdown>Active</clocks_event_reason_hw_thermal_slowdown>
		</clocks_event_reasons>
		<fb_memory_usage><total>23034 MiB</total><used>34 MiB</used><free>22565 MiB</free></fb_memory_usage>
		<compute_mode>Exclusive_Process</compute_mode>
		<ecc_errors>
			<volatile><sram_correctable>0</sram_correctable><dram_correctable>7</dram_correctable>
				<dram_uncorrectable>2</dram_uncorrectable></volatile>
			<aggregate><dram_uncorrectable>900</dram_uncorrectable></aggregate>
		</ecc_errors>
		<remapped_rows><remapped_row_pending>Yes</remapped_row_pending>
			<remapped_row_failure>No</remapped_row_failure></remapped_rows>
		<processes><process_info><pid>77</pid><type>C</type><process_name>/usr/bin/trainer &amp; co</process_name>
			<used_memory>30 MiB</used_memory></process_info></processes>
	</gpu>
	<gpu id="00000000:5E:00.0">
		<product_name>NVIDIA L4</product_name>
		<processes></processes>
	</gpu>
</nvidia_smi_log>
)";

TEST(NvidiaSmiXml, FillsWhatTheDriverTells) {
  const Nvidia nvidia = read(xml);
  EXPECT_TRUE(nvidia.kernel_driver_version.is("550.90.07"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.4"));
  ASSERT_EQ(nvidia.devices.or_empty().size(), 2U);
  const NvidiaDevice& first = device(nvidia, 0);
  EXPECT_TRUE(first.pci_address.is("00000000:3B:00.0"));
  EXPECT_TRUE(first.memory_total_mib.is(23034));
  EXPECT_TRUE(first.memory_free_mib.is(22565));
  EXPECT_TRUE(first.compute_mode.is("exclusive_process"));
  EXPECT_TRUE(first.persistence.is(true));
  EXPECT_EQ(first.mig.outcome(), Outcome::not_probed);
  const Ecc& ecc = first.ecc.or_empty();
  EXPECT_TRUE(ecc.corrected.is(7));
  EXPECT_TRUE(ecc.uncorrected.is(2)) << "the aggregate is the card's whole life";
  EXPECT_TRUE(ecc.remap_pending.is(true));
  EXPECT_TRUE(ecc.remap_failed.is(false));
  EXPECT_TRUE(first.link.or_empty().width.is(8));
  EXPECT_TRUE(first.link.or_empty().max_speed_gtps.is(16.0));
  EXPECT_EQ(first.throttle_reasons.or_empty(), std::vector<std::string>{"hw_thermal"});
  ASSERT_EQ(nvidia.processes.or_empty().size(), 1U);
  EXPECT_TRUE(nvidia.processes.get()->front().pid.is(77));
  EXPECT_TRUE(nvidia.processes.get()->front().gpu.is(0));
}

TEST(NvidiaSmiXml, IsReadUpToWhereItWasCutOff) {
  const std::string half(xml.substr(0, xml.find("<compute_mode>")));
  const Nvidia nvidia = read(half);
  ASSERT_EQ(nvidia.devices.or_empty().size(), 1U);
  EXPECT_TRUE(device(nvidia, 0).memory_free_mib.is(22565));
}

TEST(NvidiaSmiXml, GrowsByNoEntitiesAndNoDepth) {
  std::string bomb = "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\">]>\n<nvidia_smi_log>\n";
  bomb += "<gpu id=\"0\"><product_name>&b;</product_name>\n";
  for (int i = 0; i < 100'000; ++i) bomb += "<a>\n";
  const Nvidia nvidia = read(bomb);
  ASSERT_EQ(nvidia.devices.or_empty().size(), 1U);
  EXPECT_LE(device(nvidia, 0).name.or_empty().size(), 10U);
}

constexpr std::string_view query = R"(==============NVSMI LOG==============

KMD Version                               : 610.20.01
CUDA UMD Version                          : 13.3

Attached GPUs                             : 1
GPU 00000000:65:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    MIG Mode
        Current                           : Enabled
        Pending                           : Enabled
    MIG Device
        Index                             : 1
        ECC Errors
            Volatile
                SRAM Uncorrectable        : 40
        FB Memory Usage
            Total                         : 9984 MiB
    Minor Number                          : 3
    FB Memory Usage
        Total                             : 81559 MiB
        Free                              : 80000 MiB
    Compute Mode                          : Prohibited
    ECC Errors
        Volatile
            DRAM Correctable              : 5
            DRAM Uncorrectable            : 0
        Aggregate
            DRAM Correctable              : 5000
    Clocks Event Reasons
        HW Slowdown                       : Not Active
            HW Power Brake Slowdown       : Active
    Processes                             : None
)";

TEST(NvidiaSmiQuery, KeepsWhatASliceHasApartFromTheGpu) {
  const Nvidia nvidia = read(query);
  EXPECT_TRUE(nvidia.kernel_driver_version.is("610.20.01"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("13.3"));
  const NvidiaDevice& gpu = device(nvidia, 0);
  EXPECT_TRUE(gpu.memory_total_mib.is(81559));
  EXPECT_TRUE(gpu.ecc.or_empty().uncorrected.is(0));
  EXPECT_TRUE(gpu.ecc.or_empty().corrected.is(5));
  EXPECT_TRUE(gpu.compute_mode.is("prohibited"));
  EXPECT_EQ(gpu.throttle_reasons.or_empty(), std::vector<std::string>{"hw_power_brake"});
  ASSERT_EQ(gpu.mig_devices.or_empty().size(), 1U);
  EXPECT_TRUE(gpu.mig_devices.get()->front().memory_total_mib.is(9984));
  ASSERT_NE(nvidia.processes.get(), nullptr);
  EXPECT_TRUE(nvidia.processes.get()->empty());
}

TEST(NvidiaSmiQuery, IsReadWhereTheIndentationWasLost) {
  std::string flat;
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = query.find('\n', at);
    std::string_view line = query.substr(at, end - at);
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    flat.append(line).push_back('\n');
    at = end + 1;
  }
  const Nvidia nvidia = read(flat);
  EXPECT_TRUE(device(nvidia, 0).memory_free_mib.is(80000));
  EXPECT_TRUE(device(nvidia, 0).ecc.or_empty().corrected.is(5));
}

TEST(NvidiaSmi, TableTellsErrorsSlicesAndThatNothingRuns) {
  const Nvidia nvidia = read(R"(
| NVIDIA-SMI 610.20.01           KMD Version: 610.20.01     CUDA UMD Version: 13.3     |
|   0  NVIDIA H100 80GB HBM3 ...      On  |   00000000:65:00.0 Off |                    2 |
| N/A   31C    P0             52W / 700W  |    30MiB / 81559MiB    |      0%      Default |
|                                         |                        |              Enabled |
| MIG devices:                                                                            |
|  0    7   0   0  |              15MiB /  9984MiB    | 16      0 |  1   0    1    0    1 |
|  0    9   0   1  |              15MiB / 19968MiB    | 26      0 |  1   0    1    0    1 |
| Processes:                                                                              |
|  No running processes found                                                             |
)");
  EXPECT_TRUE(nvidia.kernel_driver_version.is("610.20.01"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("13.3"));
  const NvidiaDevice& gpu = device(nvidia, 0);
  EXPECT_TRUE(gpu.ecc.or_empty().uncorrected.is(2));
  EXPECT_TRUE(gpu.memory_total_mib.is(81559));
  ASSERT_EQ(gpu.mig_devices.or_empty().size(), 2U);
  EXPECT_TRUE(gpu.mig_devices.get()->at(1).memory_total_mib.is(19968));
  ASSERT_NE(nvidia.processes.get(), nullptr);
  EXPECT_TRUE(nvidia.processes.get()->empty());
}

TEST(NvidiaSmi, MigModeWithoutSlicesIsAnEmptyList) {
  const Nvidia nvidia = read(
      "| NVIDIA-SMI 550.90.07      Driver Version: 550.90.07    CUDA Version: 12.4     |\n"
      "|   0  NVIDIA A100-PCIE-40GB          On  | 00000000:65:00.0 Off |                   On |\n"
      "|                                         |                      |              Enabled |\n"
      "| MIG devices:                                                                          |\n"
      "|  No MIG devices found                                                                 |\n");
  ASSERT_NE(device(nvidia, 0).mig_devices.get(), nullptr);
  EXPECT_TRUE(device(nvidia, 0).mig_devices.get()->empty());
}

// The table comes first and cuts the name; -q behind it knows more of the same GPU.
TEST(NvidiaSmi, ASecondReportOfOneGpuAddsToTheFirst) {
  const Nvidia nvidia = read(
      "| NVIDIA-SMI 550.90.07      Driver Version: 550.90.07    CUDA Version: 12.4     |\n"
      "|   0  NVIDIA RTX 6000 Ada Gene...    On  | 00000000:17:00.0 Off |                  Off |\n"
      "|   1  NVIDIA RTX 6000 Ada Gene...    On  | 00000000:65:00.0 Off |                  Off |\n"
      "==============NVSMI LOG==============\nDriver Version           : 550.90.07\n"
      "GPU 00000000:65:00.0\n    Product Name               : NVIDIA RTX 6000 Ada Generation\n"
      "    Remapped Rows\n        Pending                : Yes\n");
  ASSERT_EQ(nvidia.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(nvidia, 0).name.is("NVIDIA RTX 6000 Ada Gene..."));
  EXPECT_EQ(device(nvidia, 0).ecc.outcome(), Outcome::not_probed);
  EXPECT_TRUE(device(nvidia, 1).name.is("NVIDIA RTX 6000 Ada Generation"));
  EXPECT_TRUE(device(nvidia, 1).ecc.or_empty().remap_pending.is(true));
}

TEST(NvidiaSmiCsv, IsReadByItsHeader) {
  const Nvidia nvidia = read(
      "index, name, driver_version, memory.total [MiB], memory.free [MiB], compute_cap, pcie.link.width.current\n"
      "0, Tesla V100-SXM2-16GB, 535.183.01, 16384 MiB, 400 MiB, 7.0, 16\n"
      "1, Tesla V100-SXM2-16GB, 535.183.01, 16384 MiB, [Unknown Error], 7.0, 8\n\nand, so, on\n"
      "pid, process_name, used_gpu_memory [MiB]\n4711, /opt/app/python3, 15001 MiB\n");
  EXPECT_TRUE(nvidia.kernel_driver_version.is("535.183.01"));
  ASSERT_EQ(nvidia.devices.or_empty().size(), 2U);
  EXPECT_TRUE(device(nvidia, 0).memory_free_mib.is(400));
  EXPECT_TRUE(device(nvidia, 0).compute_capability.is("7.0"));
  EXPECT_EQ(device(nvidia, 1).memory_free_mib.outcome(), Outcome::not_probed);
  EXPECT_TRUE(device(nvidia, 1).link.or_empty().width.is(8));
  ASSERT_EQ(nvidia.processes.or_empty().size(), 1U);
  EXPECT_TRUE(nvidia.processes.get()->front().name.is("python3"));
  EXPECT_TRUE(nvidia.processes.get()->front().memory_mib.is(15001));
}

TEST(NvidiaSmiCsv, MayBeginWithTheTime) {
  const Nvidia nvidia = read(
      "timestamp, name, pci.bus_id, ecc.errors.uncorrected.volatile.total\n"
      "2024/05/01 12:00:00.000, Tesla T4, 00000000:00:1E.0, 3\n");
  EXPECT_TRUE(device(nvidia, 0).pci_address.is("00000000:00:1E.0"));
  EXPECT_TRUE(device(nvidia, 0).ecc.or_empty().uncorrected.is(3));
}

TEST(NvidiaSmiCsv, OtherTablesAreNone) {
  EXPECT_FALSE(read_log("epoch, loss, name\n1, 2, 3\n", "x").nvidia.get());
  EXPECT_FALSE(read_log("name, then the index of it, or the uuid\n0, 1, 2\n", "x").nvidia.get());
  EXPECT_FALSE(read_log("index, name, driver_version\nNo devices were found\n", "x").nvidia.get());
}

TEST(PastedSmi, TellsTheLoadAndThatNobodyIsListed) {
  const std::string head =
      "| NVIDIA-SMI 418.67       Driver Version: 418.67       CUDA Version: 10.1     |\n"
      "|   0  Tesla V100-SXM2...  Off  | 00000000:0A:00.0 Off |                    0 |\n"
      "| N/A   34C    P0    41W / 300W |  13204MiB / 16130MiB |     97%      Default |\n"
      "| Processes:                                                       GPU Memory |\n"
      "|=============================================================================|\n";
  const std::string row = "|    0      4021      C   python3                                    12901MiB |\n";
  const std::string end = "+-----------------------------------------------------------------------------+\n";
  const Snapshot none = read_log(head + end, "x"), one = read_log(head + row + end, "x");
  EXPECT_TRUE(none.nvidia.get()->devices.get()->front().utilization_percent.is(97));
  ASSERT_TRUE(none.nvidia.get()->processes.get());
  EXPECT_TRUE(none.nvidia.get()->processes.get()->empty());
  EXPECT_EQ(one.nvidia.get()->processes.get()->size(), 1U);
  EXPECT_FALSE(read_log(head, "x").nvidia.get()->processes.get()) << "the table was cut off";
}

}  // namespace
}  // namespace envdoctor::paste_nvidia_test
