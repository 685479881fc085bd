#include "probe/paste/paste_reports.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "probe/paste/log_reader.h"

namespace envdoctor::log_reports_test {
namespace {

Snapshot read(std::string_view text) { return read_log(text, "report.txt"); }

TEST(LogReportKinds, AreThoseThatKnowledgeHasWordsOf) {
  const auto& kinds = log_report_kinds();
  for (const auto& [name, words] : knowledge::report_words()) {
    if (name == "transcript") continue;  // lines here and there, and no report
    EXPECT_TRUE(name == "words of failure" ||
                std::ranges::any_of(kinds, [&name = name](const LogReportKind& kind) { return name == kind.name; }))
        << name;
    for (const std::string& word : words) EXPECT_GE(word.size(), 4U) << "too short to be searched for";
  }
}

constexpr std::string_view collect_env = R"(some words before
Collecting environment information...
PyTorch version: 2.4.1+cu121
Is debug build: False
CUDA used to build PyTorch: 12.1
OS: Debian GNU/Linux 12 (bookworm) (x86_64)
Python version: 3.11.2 (main, May  2 2024, 11:59:08) [GCC 12.2.0] (64-bit runtime)
Python platform: Linux-6.1.0-21-amd64-x86_64-with-glibc2.36
Is CUDA available: False
CUDA runtime version: Could not collect
GPU models and configuration:
GPU 0: NVIDIA L4
GPU 1: NVIDIA L4

Nvidia driver version: 470.199.02
cuDNN version: Could not collect
Versions of relevant libraries:
[pip3] numpy==1.26.4
[pip3] torch==2.4.1+cu121
)";

TEST(CollectEnv, BecomesTheSectionsItSpeaksOf) {
  const Snapshot snapshot = read(collect_env);
  ASSERT_NE(snapshot.torch.get(), nullptr);
  EXPECT_TRUE(snapshot.torch.get()->version.is("2.4.1+cu121"));
  EXPECT_TRUE(snapshot.torch.get()->cuda_version.is("12.1"));
  EXPECT_TRUE(snapshot.torch.get()->cuda_available.is(false));
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  EXPECT_TRUE(snapshot.nvidia.get()->kernel_driver_version.is("470.199.02"));
  ASSERT_NE(snapshot.nvidia.get()->devices.get(), nullptr);
  ASSERT_EQ(snapshot.nvidia.get()->devices.get()->size(), 2U);
  EXPECT_TRUE(snapshot.nvidia.get()->devices.get()->at(1).name.is("NVIDIA L4"));
  ASSERT_NE(snapshot.host.get(), nullptr);
  EXPECT_TRUE(snapshot.host.get()->platform.is("linux"));
  EXPECT_TRUE(snapshot.host.get()->os.is("Debian GNU/Linux 12"));
  ASSERT_NE(snapshot.python.get(), nullptr);
  EXPECT_TRUE(snapshot.python.get()->version.is("3.11.2"));
  EXPECT_EQ(snapshot.python.get()->packages.get()->at("numpy"), "1.26.4");
}

TEST(CollectEnv, SaysNothingOfWhatItCouldNotCollect) {
  const Snapshot snapshot = read(
      "PyTorch version: 2.4.1\nCUDA used to build PyTorch: None\nIs CUDA available: False\n"
      "GPU models and configuration: No CUDA\nNvidia driver version: No CUDA\n");
  ASSERT_NE(snapshot.torch.get(), nullptr);
  EXPECT_EQ(snapshot.torch.get()->cuda_version.outcome(), Outcome::absent);
  EXPECT_EQ(snapshot.nvidia.get(), nullptr);
}

TEST(CollectEnv, IsReadBehindTimeStampsAndQuoteMarks) {
  const Snapshot snapshot = read("> > PyTorch version: 1.13.1\n> > CUDA used to build PyTorch: 11.7\n");
  ASSERT_NE(snapshot.torch.get(), nullptr);
  EXPECT_TRUE(snapshot.torch.get()->cuda_version.is("11.7"));
}

constexpr std::string_view smi = R"(
+---------------------------------------------------------------------------------------+
| NVIDIA-SMI 535.54.03              Driver Version: 535.54.03    CUDA Version: 12.2     |
|-----------------------------------------+----------------------+----------------------+
|   0  NVIDIA A100-SXM4-40GB          On  | 00000000:07:00.0 Off |                    0 |
| N/A   31C    P0              52W / 400W |  30012MiB / 40960MiB |      0%      Default |
|                                         |                      |             Disabled |
+-----------------------------------------+----------------------+----------------------+
|   1  NVIDIA A100-SXM4-40GB          Off | 00000000:0A:00.0 Off |                    0 |
| N/A   31C    P0              52W / 400W |      4MiB / 40960MiB |      0%   E. Process |
|                                         |                      |              Enabled |
+-----------------------------------------+----------------------+----------------------+
| Processes:                                                                            |
|  GPU   GI   CI        PID   Type   Process name                            GPU Memory |
|        ID   ID                                                             Usage      |
|=======================================================================================|
|    0   N/A  N/A      4242      C   /opt/app/bin/trainer                      30000MiB |
+---------------------------------------------------------------------------------------+
)";

TEST(NvidiaSmi, TableBecomesDevicesAndProcesses) {
  const Snapshot snapshot = read(smi);
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  const Nvidia& nvidia = *snapshot.nvidia.get();
  EXPECT_TRUE(nvidia.kernel_driver_version.is("535.54.03"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.2"));
  ASSERT_NE(nvidia.devices.get(), nullptr);
  ASSERT_EQ(nvidia.devices.get()->size(), 2U);
  const NvidiaDevice& first = nvidia.devices.get()->at(0);
  EXPECT_TRUE(first.name.is("NVIDIA A100-SXM4-40GB"));
  EXPECT_TRUE(first.pci_address.is("00000000:07:00.0"));
  EXPECT_TRUE(first.memory_total_mib.is(40960));
  EXPECT_TRUE(first.memory_free_mib.is(40960 - 30012));
  EXPECT_TRUE(first.compute_mode.is("default"));
  EXPECT_TRUE(first.mig.is(false));
  EXPECT_TRUE(nvidia.devices.get()->at(1).mig.is(true));
  EXPECT_TRUE(nvidia.devices.get()->at(1).compute_mode.is("exclusive_process"));
  ASSERT_NE(nvidia.processes.get(), nullptr);
  ASSERT_EQ(nvidia.processes.get()->size(), 1U);
  EXPECT_TRUE(nvidia.processes.get()->at(0).name.is("trainer"));
  EXPECT_TRUE(nvidia.processes.get()->at(0).memory_mib.is(30000));
}

TEST(NvidiaSmi, HeaderWithoutACudaVersionSaysNothingOfIt) {
  const Snapshot snapshot = read("| NVIDIA-SMI 470.82.01    Driver Version: 470.82.01    CUDA Version: ERR!     |\n");
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  EXPECT_EQ(snapshot.nvidia.get()->cuda_driver_version.outcome(), Outcome::not_probed);
  EXPECT_EQ(snapshot.nvidia.get()->devices.outcome(), Outcome::not_probed);
}

TEST(NvidiaSmi, ListGivesDevicesAndMigSlices) {
  const Snapshot snapshot = read(
      "GPU 0: NVIDIA A100-PCIE-40GB (UUID: GPU-11111111-2222-3333-4444-555555555555)\n"
      "  MIG 1g.5gb      Device  0: (UUID: MIG-11111111-2222-3333-4444-555555555556)\n");
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  ASSERT_NE(snapshot.nvidia.get()->devices.get(), nullptr);
  const NvidiaDevice& device = snapshot.nvidia.get()->devices.get()->at(0);
  EXPECT_TRUE(device.uuid.is("GPU-11111111")) << "redacted";
  EXPECT_TRUE(device.mig.is(true));
  ASSERT_NE(device.mig_devices.get(), nullptr);
}

TEST(Clinfo, RawFormIsRead) {
  const Snapshot snapshot = read(
      "#PLATFORMS                 1\n  CL_PLATFORM_NAME         Portable Computing Language\n"
      "  CL_PLATFORM_VERSION      OpenCL 3.0 PoCL 5.0\n\n"
      "[POCL/*]     CL_PLATFORM_NAME          Portable Computing Language\n[POCL/*]   #DEVICES     1\n"
      "[POCL/0]     CL_DEVICE_NAME            cpu-haswell\n[POCL/0]     CL_DRIVER_VERSION   5.0\n"
      "[POCL/0]     CL_DEVICE_TYPE            CL_DEVICE_TYPE_CPU\n");
  const auto& platforms = snapshot.opencl.or_empty().platforms.or_empty();
  ASSERT_EQ(platforms.size(), 1U);
  EXPECT_TRUE(platforms[0].version.is("OpenCL 3.0 PoCL 5.0"));
  ASSERT_EQ(platforms[0].devices.or_empty().size(), 1U);
  EXPECT_TRUE(platforms[0].devices.get()->front().type.is("cpu"));
  EXPECT_TRUE(platforms[0].devices.get()->front().driver_version.is("5.0"));
  EXPECT_TRUE(read("#PLATFORMS   0\n").opencl.or_empty().platforms.get());
}

TEST(PackageLists, AreReadInEachForm) {
  const auto packages = [](std::string_view text) {
    const Snapshot snapshot = read(text);
    const Python* python = snapshot.python.get();
    return python && python->packages.get() ? *python->packages.get() : std::map<std::string, std::string>();
  };
  using Map = std::map<std::string, std::string>;
  EXPECT_EQ(packages("numpy==1.26.4\ntorch==2.4.1+cpu\n"), (Map{{"numpy", "1.26.4"}, {"torch", "2.4.1+cpu"}}));
  EXPECT_EQ(
      packages("Package    Version\n---------- -------\nkeras      3.1.0\njax        0.4.30\n\nprose 1 here too\n"),
      (Map{{"keras", "3.1.0"}, {"jax", "0.4.30"}}));
  EXPECT_EQ(packages("# packages in environment at /opt/env:\n#\n# Name  Version  Build  Channel\n"
                     "tensorflow  2.12.0  mkl_py39_0  defaults\n"),
            (Map{{"tensorflow", "2.12.0"}}));
  EXPECT_TRUE(packages("if a==b then\nx == 3\n").empty());
}

constexpr std::string_view clinfo = R"(Number of platforms                               2
  Platform Name                                   Portable Computing Language
  Platform Vendor                                 The pocl project
  Platform Version                                OpenCL 3.0 PoCL 3.1

  Platform Name                                   rusticl
  Platform Vendor                                 Mesa/X.org
  Platform Version                                OpenCL 3.0

  Platform Name                                   Portable Computing Language
Number of devices                                 1
  Device Name                                     cpu-haswell
  Device Type                                     CPU

  Platform Name                                   rusticl
Number of devices                                 0

NULL platform behavior
  clGetPlatformInfo(NULL, CL_PLATFORM_NAME, ...)  Portable Computing Language
)";

TEST(Clinfo, BecomesPlatformsAndDevices) {
  const Snapshot snapshot = read(clinfo);
  ASSERT_NE(snapshot.opencl.get(), nullptr);
  ASSERT_NE(snapshot.opencl.get()->platforms.get(), nullptr);
  const auto& platforms = *snapshot.opencl.get()->platforms.get();
  ASSERT_EQ(platforms.size(), 2U);
  EXPECT_TRUE(platforms[0].vendor.is("The pocl project"));
  ASSERT_NE(platforms[0].devices.get(), nullptr);
  EXPECT_TRUE(platforms[0].devices.get()->at(0).type.is("cpu"));
  ASSERT_NE(platforms[1].devices.get(), nullptr);
  EXPECT_TRUE(platforms[1].devices.get()->empty());
}

TEST(Clinfo, ShortListGivesNamesOnly) {
  const Snapshot snapshot = read("Platform #0: Clover\n `-- Device #0: AMD Radeon\nPlatform #1: rusticl\n");
  ASSERT_NE(snapshot.opencl.get(), nullptr);
  const auto& platforms = *snapshot.opencl.get()->platforms.get();
  ASSERT_EQ(platforms.size(), 2U);
  EXPECT_TRUE(platforms[0].devices.get()->at(0).name.is("AMD Radeon"));
  EXPECT_EQ(platforms[1].devices.get(), nullptr);
}

TEST(Clinfo, NoPlatformIsAnEmptyList) {
  const Snapshot snapshot = read("Number of platforms                               0\n");
  ASSERT_NE(snapshot.opencl.get(), nullptr);
  ASSERT_NE(snapshot.opencl.get()->platforms.get(), nullptr);
  EXPECT_TRUE(snapshot.opencl.get()->platforms.get()->empty());
}

TEST(Rocminfo, TakesTheAgentsThatAreGpus) {
  const Snapshot snapshot = read(
      "HSA Agents\n*******\nAgent 1\n  Name:                    Some CPU\n  Device Type:             CPU\n"
      "Agent 2\n  Name:                    gfx1100\n  Marketing Name:          Radeon RX 7900 XTX\n"
      "  Device Type:             GPU\n");
  ASSERT_NE(snapshot.rocm.get(), nullptr);
  ASSERT_EQ(snapshot.rocm.get()->devices.get()->size(), 1U);
  EXPECT_TRUE(snapshot.rocm.get()->devices.get()->at(0).gfx.is("gfx1100"));
}

TEST(BuildInfo, TellsACpuBuild) {
  const Snapshot snapshot = read("OrderedDict([('cpu_compiler', '/usr/bin/clang'), ('is_cuda_build', False)])\n");
  ASSERT_NE(snapshot.tensorflow.get(), nullptr);
  EXPECT_TRUE(snapshot.tensorflow.get()->built_with_cuda.is(false));
  const Snapshot gpu = read("{'cuda_version': '11.8', 'cudnn_version': '8', 'is_cuda_build': True}\n");
  EXPECT_TRUE(gpu.tensorflow.get()->cuda_version.is("11.8"));
}

TEST(JaxInfo, TellsVersionsAndTheBackend) {
  const Snapshot snapshot =
      read("jax:    0.4.33\njaxlib: 0.4.33\nnumpy:  1.26.4\njax.devices (1 total, 1 local): [CpuDevice(id=0)]\n");
  ASSERT_NE(snapshot.jax.get(), nullptr);
  EXPECT_TRUE(snapshot.jax.get()->version.is("0.4.33"));
  EXPECT_TRUE(snapshot.jax.get()->backend.is("cpu"));
}

TEST(EnvironmentDump, IsTakenOnlyWhole) {
  const Snapshot whole = read("SHELL=/bin/bash\nHOME=/root\nPATH=/usr/bin\nCUDA_VISIBLE_DEVICES=\nEDITOR=vi\n");
  ASSERT_NE(whole.env.get(), nullptr);
  EXPECT_EQ(whole.env.get()->size(), 1U);
  EXPECT_TRUE(whole.env.get()->at("CUDA_VISIBLE_DEVICES").is(""));
  EXPECT_EQ(read("PATH=/usr/bin\nCUDA_VISIBLE_DEVICES=1 python x.py\n").env.get(), nullptr);
}

TEST(LogReports, NameTheirFirstLineAsTheSourceOfWhatTheyFill) {
  const Snapshot snapshot = read("\n\n\n\n\n\n" + std::string(collect_env));
  ASSERT_NE(snapshot.sources.get(), nullptr);
  const auto& sources = *snapshot.sources.get();
  EXPECT_EQ(sources.at("/torch/version"), (TextSource{.source = "report.txt", .line = 9}));
  EXPECT_EQ(sources.at("/nvidia/kernel_driver_version").line, 9);
  EXPECT_FALSE(sources.contains("/log"));
}

TEST(LogReports, SurviveTextThatOnlyBeginsLikeAReport) {
  for (const LogReportKind& kind : log_report_kinds()) {
    for (const std::string& text :
         {std::string(), std::string("\n\n"), std::string(5000, '|'),
          std::string("PyTorch version\n| NVIDIA-SMI \nGPU 0: "),
          std::string("Number of platforms\nPlatform #\nDevice Name\n-- Device #0"), std::string("Agent \nName:"),
          std::string("'is_cuda_build'\njaxlib:\n==\n=\n"), std::string(3, '\0')}) {
      (void)kind.parse(text);
    }
  }
  EXPECT_FALSE(log_report_kinds().empty());
}

TEST(LspciReport, IsReadInTheMiddleOfALog) {
  const Snapshot snapshot = read(
      "training failed, this is the machine:\n"
      "> 0000:65:00.0 3D controller [0302]: NVIDIA Corporation GA100 [A100 PCIe 40GB] [10de:20f1] (rev a1)\n"
      "> \tSubsystem: NVIDIA Corporation Device [10de:145f]\n"
      "> \tKernel driver in use: nouveau\n"
      "> \tKernel modules: nouveau\n"
      "Epoch 1\n");
  ASSERT_NE(snapshot.pci.get(), nullptr);
  ASSERT_EQ(snapshot.pci.get()->size(), 1U);
  EXPECT_TRUE(snapshot.pci.get()->front().driver.is("nouveau"));
  EXPECT_EQ(read("12:00.5 somebody said: hello\n").pci.outcome(), Outcome::not_probed);
}

TEST(LspciReport, IsReadInItsMachineReadableForm) {
  const Snapshot snapshot = read(
      "Slot:\t01:00.0\nClass:\tVGA compatible controller [0300]\nVendor:\tNVIDIA Corporation [10de]\n"
      "Device:\tAD102 [GeForce RTX 4090] [2684]\nDriver:\tnvidia\n");
  ASSERT_NE(snapshot.pci.get(), nullptr);
  EXPECT_TRUE(snapshot.pci.get()->front().device_id.is("2684"));
}

TEST(CpuinfoReport, GivesTheInstructionSets) {
  const Snapshot snapshot = read("model name\t: Some CPU @ 2.6GHz\nflags\t\t: fpu sse sse2 ssse3 avx f16c\n");
  ASSERT_NE(snapshot.cpu.get(), nullptr);
  ASSERT_NE(snapshot.cpu.get()->isa.get(), nullptr);
  const auto& isa = *snapshot.cpu.get()->isa.get();
  EXPECT_NE(std::ranges::find(isa, "avx"), isa.end());
  EXPECT_EQ(std::ranges::find(isa, "avx2"), isa.end());
  EXPECT_EQ(read("Flags:   fpu sse2 avx avx2\n").cpu.outcome(), Outcome::present);
}

TEST(NvidiaSmi, IsReadWhereItsHeaderWasCutOff) {
  const Snapshot snapshot = read(
      "|   0  NVIDIA L4           On   | 00000000:07:00.0 Off |                  N/A |\n"
      "| N/A   46C    P0    N/A /  N/A |  20000MiB / 23034MiB |      2%      Default |\n");
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  ASSERT_NE(snapshot.nvidia.get()->devices.get(), nullptr);
  EXPECT_TRUE(snapshot.nvidia.get()->devices.get()->front().memory_free_mib.is(3034));
}

constexpr std::string_view query = R"(
==============NVSMI LOG==============

Timestamp                                 : Mon Jan  6 10:00:00 2025
Driver Version                            : 550.54.15
CUDA Version                              : 12.4

Attached GPUs                             : 2
GPU 00000000:07:00.0
    Product Name                          : NVIDIA A100-SXM4-40GB
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Disabled
        Pending                           : Disabled
    GPU UUID                              : GPU-3f2504e0-4f89-11d3-9a0c-0305e82c3301
    PCI
        GPU Link Info
            PCIe Generation
                Max                       : 4
                Current                   : 1
            Link Width
                Max                       : 16x
                Current                   : 8x
    Clocks Event Reasons
        Idle                              : Not Active
        SW Power Cap                      : Not Active
        HW Slowdown                       : Active
            HW Thermal Slowdown           : Active
            HW Power Brake Slowdown       : Not Active
    FB Memory Usage
        Total                             : 40960 MiB
        Reserved                          : 600 MiB
        Used                              : 10 MiB
        Free                              : 40350 MiB
    BAR1 Memory Usage
        Total                             : 65536 MiB
        Free                              : 65530 MiB
    Compute Mode                          : Exclusive_Process
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            DRAM Uncorrectable            : 2
        Aggregate
            DRAM Uncorrectable            : 9
    Remapped Rows
        Correctable Error                 : 0
        Pending                           : Yes
        Remapping Failure Occurred        : No
    Fabric
        State                             : In Progress
        Status                            : N/A
GPU 00000000:0A:00.0
    Product Name                          : NVIDIA A100-SXM4-40GB
)";

TEST(NvidiaSmiQuery, ReadsEveryGpu) {
  const Snapshot snapshot = read(query);
  ASSERT_NE(snapshot.nvidia.get(), nullptr);
  const Nvidia& nvidia = *snapshot.nvidia.get();
  EXPECT_TRUE(nvidia.kernel_driver_version.is("550.54.15"));
  EXPECT_TRUE(nvidia.cuda_driver_version.is("12.4"));
  ASSERT_NE(nvidia.devices.get(), nullptr);
  ASSERT_EQ(nvidia.devices.get()->size(), 2U);
  const NvidiaDevice& gpu = nvidia.devices.get()->front();
  EXPECT_TRUE(gpu.pci_address.is("00000000:07:00.0"));
  EXPECT_TRUE(gpu.mig.is(false));
  EXPECT_TRUE(gpu.memory_total_mib.is(40960)) << "not that of BAR1";
  EXPECT_TRUE(gpu.memory_free_mib.is(40350));
  EXPECT_TRUE(gpu.compute_mode.is("exclusive_process"));
  EXPECT_TRUE(gpu.throttle_reasons.is({"hw_slowdown", "hw_thermal"}));
  EXPECT_TRUE(gpu.fabric_state.is("in_progress"));
  ASSERT_NE(gpu.link.get(), nullptr);
  EXPECT_TRUE(gpu.link.get()->width.is(8));
  ASSERT_NE(gpu.ecc.get(), nullptr);
  EXPECT_TRUE(gpu.ecc.get()->uncorrected.is(2)) << "the volatile ones only";
  EXPECT_TRUE(gpu.ecc.get()->remap_pending.is(true));
}

}  // namespace
}  // namespace envdoctor::log_reports_test
