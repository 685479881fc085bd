#include <gtest/gtest.h>

#include "probe/os/cpu_info.h"
#include "probe/os/topology.h"
#include "tests/support/fake_files.h"

namespace envdoctor::cpu_test {
namespace {

TEST(CpuInfo, TellsModelAndTheInstructionSetsThatMatter) {
  const Cpu cpu = parse_cpuinfo(
      "processor\t: 0\nmodel\t\t: 85\nmodel name\t: Some Xeon\nflags\t\t: fpu avx2 sse4_1 avx avx512f rtm amx_tile "
      "avx2\n");
  EXPECT_TRUE(cpu.model.is("Some Xeon"));
  EXPECT_TRUE(cpu.isa.is({"amx_tile", "avx", "avx2", "avx512f", "sse4_1"}));
}

TEST(CpuInfo, NamesArmCoresByTheirNumbers) {
  const Cpu cpu =
      parse_cpuinfo("processor\t: 0\nFeatures\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n");
  EXPECT_TRUE(cpu.model.is("Arm Neoverse-V2"));
  EXPECT_TRUE(cpu.isa.is({"asimd", "sve"}));
}

TEST(CpuInfo, OfATornTextClaimsNothing) {
  const Cpu cpu = parse_cpuinfo("proce");
  EXPECT_EQ(cpu.model.outcome(), Outcome::failed);
  EXPECT_EQ(cpu.isa.outcome(), Outcome::absent);
}

TEST(MemInfo, IsInMib) {
  const Memory memory = parse_meminfo("MemTotal:       16777216 kB\nMemFree: 1 kB\nMemAvailable:    8388608 kB\n");
  EXPECT_TRUE(memory.total_mib.is(16384));
  EXPECT_TRUE(memory.available_mib.is(8192));
  EXPECT_EQ(parse_meminfo("MemTotal: lots\n").total_mib.outcome(), Outcome::failed);
  EXPECT_EQ(parse_meminfo("").available_mib.outcome(), Outcome::failed);
}

TEST(CpuList, TakesRangesAndNothingElse) {
  EXPECT_TRUE(cpu_list("0-2,8\n").is({0, 1, 2, 8}));
  EXPECT_TRUE(cpu_list("").is({}));
  EXPECT_EQ(cpu_list("3-1").outcome(), Outcome::failed);
  EXPECT_EQ(cpu_list("0-99999999999").outcome(), Outcome::failed);
  EXPECT_EQ(cpu_list("a").outcome(), Outcome::failed);
}

FakeFiles two_packages() {
  FakeFiles files;
  files.texts["/sys/devices/system/cpu/online"] = "0-3\n";
  for (int cpu = 0; cpu < 4; ++cpu) {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    files.texts[folder + "physical_package_id"] = std::to_string(cpu / 2) + "\n";
    files.texts[folder + "core_id"] = "0\n";
  }
  files.folders = {"/sys/devices/system/node/node0", "/sys/devices/system/node/node1",
                   "/sys/devices/system/node/power"};
  return files;
}

TEST(CpuCount, IsTakenFromSysfs) {
  const Cpu cpu = count_cpus(two_packages(), absent("no cpuinfo"));
  EXPECT_TRUE(cpu.threads.is(4));
  EXPECT_TRUE(cpu.cores.is(2));
  EXPECT_TRUE(cpu.sockets.is(2));
  EXPECT_TRUE(cpu.numa_nodes.is(2));
}

TEST(CpuCount, FallsBackOnCpuinfoAndSaysWhatThatLeavesOut) {
  const Cpu cpu = count_cpus(FakeFiles{}, std::string("processor\t: 0\n\nprocessor\t: 1\n"));
  EXPECT_TRUE(cpu.threads.is(2));
  EXPECT_EQ(cpu.sockets.outcome(), Outcome::failed);
  EXPECT_EQ(cpu.cores.outcome(), Outcome::failed);
  EXPECT_EQ(count_cpus(FakeFiles{}, failed("EACCES")).threads.outcome(), Outcome::failed);
}

TEST(GpuPath, ListsTheBridgesFromTheRootDown) {
  FakeFiles files = two_packages();
  const std::string device = "/sys/bus/pci/devices/0000:65:00.0";
  files.links[device] = "../../../devices/pci0000:60/0000:60:01.0/0000:61:00.0/0000:65:00.0";
  files.texts[device + "/local_cpulist"] = "2-3\n";
  const std::vector<PciDevice> gpus{{.address = std::string("0000:65:00.0"), .numa_node = 1}};
  const auto paths = gpu_paths(files, gpus);
  ASSERT_TRUE(paths.get());
  ASSERT_EQ(paths.get()->size(), 1U);
  EXPECT_TRUE(paths.get()->at(0).bridges.is({"0000:60:01.0", "0000:61:00.0"}));
  EXPECT_TRUE(paths.get()->at(0).package.is(1));
  EXPECT_TRUE(paths.get()->at(0).numa_node.is(1));
  files.texts[device + "/local_cpulist"] = "0-3\n";
  EXPECT_EQ(gpu_paths(files, gpus).get()->at(0).package.outcome(), Outcome::absent);
}

TEST(GpuPath, IsUnknownWhereTheBusIs) {
  EXPECT_EQ(gpu_paths(FakeFiles{}, failed("EACCES")).outcome(), Outcome::failed);
  EXPECT_EQ(gpu_paths(FakeFiles{}, {}).outcome(), Outcome::not_probed);
}

}  // namespace
}  // namespace envdoctor::cpu_test
