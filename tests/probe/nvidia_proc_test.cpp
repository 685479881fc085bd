#include "probe/gpu/nvidia_driver.h"

#include <gtest/gtest.h>

#include "tests/support/fake_files.h"

namespace envdoctor::nvidia_proc_test {
namespace {

constexpr const char* proprietary =
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
    "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n";
constexpr const char* open_kind =
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build  (dvs-builder@U22)  Thu Jan "
    "23\n";
constexpr const char* information =
    "Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 300\nGPU UUID: \t GPU-01234567-89ab-cdef-0123-456789abcdef\n"
    "Bus Location: \t 0000:65:00.0\nDevice Minor: \t 3\n";

TEST(NvidiaProc, TellsVersionAndKindOfTheKernelDriver) {
  EXPECT_TRUE(nvrm_version(proprietary).is("535.104.05"));
  EXPECT_TRUE(nvrm_kind(proprietary).is("proprietary"));
  EXPECT_TRUE(nvrm_version(open_kind).is("570.86.15"));
  EXPECT_TRUE(nvrm_kind(open_kind).is("open"));
  EXPECT_EQ(nvrm_version("").outcome(), Outcome::failed);
  EXPECT_EQ(nvrm_version("NVRM version: none . .. 5. .5\n").outcome(), Outcome::failed);
  EXPECT_EQ(nvrm_kind("\xff\n").outcome(), Outcome::failed);
}

TEST(NvidiaProc, ListsTheGpusTheDriverHolds) {
  FakeFiles files;
  files.texts["/proc/driver/nvidia/version"] = proprietary;
  files.texts["/proc/driver/nvidia/gpus/0000:65:00.0/information"] = information;
  files.errors["/proc/driver/nvidia/gpus/0000:66:00.0/information"] = "EIO";
  files.texts["/proc/driver/nvidia/gpus/0000:66:00.0/registry"] = "";
  const Nvidia nvidia = read_nvidia_proc(files);
  ASSERT_TRUE(nvidia.proc_gpus.get());
  ASSERT_EQ(nvidia.proc_gpus.get()->size(), 2U);
  const NvidiaProcGpu& gpu = nvidia.proc_gpus.get()->at(0);
  EXPECT_TRUE(gpu.address.is("0000:65:00.0"));
  EXPECT_TRUE(gpu.model.is("NVIDIA H100 80GB HBM3"));
  EXPECT_TRUE(gpu.uuid.is("GPU-01234567-89ab-cdef-0123-456789abcdef"));
  EXPECT_TRUE(gpu.minor.is(3));
  EXPECT_EQ(nvidia.proc_gpus.get()->at(1).model.outcome(), Outcome::failed);
}

TEST(NvidiaProc, OfAGpuNotYetStartedHasNoUuid) {
  const auto gpu = parse_gpu_information("Model: \t Unknown\nGPU UUID: \t GPU-\?\?\?\?\?\?\?\?-\?\?\?\?\n");
  EXPECT_EQ(gpu.uuid.outcome(), Outcome::absent);
  EXPECT_EQ(gpu.minor.outcome(), Outcome::absent);
}

TEST(NvidiaProc, WithoutADriverIsAbsent) {
  const Nvidia nvidia = read_nvidia_proc(FakeFiles{});
  EXPECT_EQ(nvidia.kernel_driver_version.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia.proc_gpus.outcome(), Outcome::absent);
  EXPECT_EQ(nvidia.nvswitch.outcome(), Outcome::absent);
  FakeFiles module_only;
  module_only.texts["/sys/module/nvidia/version"] = "550.54.15\n";
  EXPECT_TRUE(read_nvidia_proc(module_only).kernel_driver_version.is("550.54.15"));
}

FakeFiles host_with_nvswitch() {
  FakeFiles files;
  files.texts["/sys/bus/pci/devices/0000:c0:00.0/vendor"] = "0x10de\n";
  files.texts["/sys/bus/pci/devices/0000:c0:00.0/class"] = "0x068000\n";
  files.texts["/proc/2/comm"] = "kthreadd\n";
  return files;
}

TEST(NvSwitch, IsFoundOnTheBus) {
  EXPECT_TRUE(read_nvidia_proc(host_with_nvswitch()).nvswitch.is(true));
  FakeFiles without = host_with_nvswitch();
  without.texts["/sys/bus/pci/devices/0000:c0:00.0/class"] = "0x030200\n";
  EXPECT_TRUE(read_nvidia_proc(without).nvswitch.is(false));
  EXPECT_EQ(read_nvidia_proc(without).fabric_manager_running.outcome(), Outcome::absent);
}

TEST(NvSwitch, IsFoundByItsNodes) {
  FakeFiles files;
  files.nodes["/dev/nvidia-nvswitch0"] = {};
  EXPECT_TRUE(read_nvidia_proc(files).nvswitch.is(true));
}

TEST(FabricManager, IsFoundByItsShortenedName) {
  FakeFiles files = host_with_nvswitch();
  EXPECT_TRUE(read_nvidia_proc(files).fabric_manager_running.is(false));
  files.texts["/proc/4711/comm"] = "nv-fabricmanage\n";
  EXPECT_TRUE(read_nvidia_proc(files).fabric_manager_running.is(true));
}

TEST(FabricManager, IsUnknownWhereOtherProcessesAreHidden) {
  FakeFiles files = host_with_nvswitch();
  files.texts.erase("/proc/2/comm");
  files.texts["/proc/1/comm"] = "bash\n";
  EXPECT_EQ(read_nvidia_proc(files).fabric_manager_running.outcome(), Outcome::failed);
}

}  // namespace
}  // namespace envdoctor::nvidia_proc_test
