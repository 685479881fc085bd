#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::cpu_limits_test {

namespace {

const std::string quota = "cpu.cgroup-limited";
const std::string affinity = "cpu.affinity-limited";

Snapshot limited(const Real& cpus, const Number& memory_mib, std::int64_t allowed) {
  Snapshot snapshot = healthy_nvidia_host();
  Cgroup& cgroup = snapshot.host.fill().cgroup.fill();
  cgroup.cpus = cpus;
  cgroup.memory_mib = memory_mib;
  snapshot.cpu.fill().threads = 64;
  snapshot.cpu.fill().allowed_cpus = allowed;
  snapshot.memory.fill().total_mib = 515000;
  return snapshot;
}

const Missing no_limit = absent("no limit");

TEST(CpuLimits, IsSoundWithoutLimitsOrWithAFairShare) {
  const Answers answers =
      answers_of_all({"cpu.cgroup-limited", "cpu.affinity-limited"}, limited(no_limit, no_limit, 64));
  EXPECT_EQ(state_of(answers, quota), "passed");
  EXPECT_EQ(state_of(answers, affinity), "passed");
  EXPECT_EQ(state_of(quota, limited(4.0, 32768, 4)), "passed");
}

TEST(CpuLimits, WarnsOfTooLittleProcessorTimeOrMemory) {
  const Answers answers = answers_of_all({"cpu.cgroup-limited", "cpu.affinity-limited"}, limited(0.5, 2048, 64));
  const Finding* finding = finding_of(answers, quota);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::warning);
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/host/cgroup/cpus", "/host/cgroup/memory_mib"}));
  EXPECT_NE(finding->explanation.find("0.5 CPUs for 1 GPU and 2048 MiB of memory"), std::string::npos);
}

TEST(CpuLimits, CountsTheGpusThatAreToBeFed) {
  Snapshot snapshot = limited(6.0, no_limit, 6);
  std::vector<PciDevice> four;
  for (const char* address : {"0000:01:00.0", "0000:02:00.0", "0000:03:00.0", "0000:04:00.0"})
    four.push_back(pci_a100(address));
  snapshot.pci = four;
  snapshot.nvidia.fill().devices = List<NvidiaDevice>();
  snapshot.nvidia.fill().cuda_devices = List<CudaDevice>();
  EXPECT_EQ(state_of(quota, snapshot), "failed");
  EXPECT_EQ(state_of(affinity, snapshot), "failed");
}

TEST(CpuLimits, FindsAProcessBoundToOneCpu) {
  const Answers answers =
      answers_of_all({"cpu.cgroup-limited", "cpu.affinity-limited"}, limited(no_limit, no_limit, 1));
  ASSERT_NE(finding_of(answers, affinity), nullptr);
  EXPECT_EQ(finding_of(answers, affinity)->evidence.size(), 2U);
}

TEST(CpuLimits, OnlyInformsWithoutAGpuAndLeavesSmallMachinesAlone) {
  Snapshot snapshot = limited(0.5, no_limit, 1);
  snapshot.pci = std::vector<PciDevice>{};
  snapshot.nvidia = Reading<Nvidia>();
  EXPECT_EQ(finding_of(answers_of_all({"cpu.cgroup-limited", "cpu.affinity-limited"}, snapshot), quota)->severity,
            Severity::info);
  snapshot.cpu.fill().threads = 1;
  EXPECT_EQ(state_of(affinity, snapshot), "passed");
}

TEST(CpuLimits, DoesNotApplyWithoutACgroup) {
  Snapshot snapshot = limited(no_limit, no_limit, 64);
  snapshot.host.fill().cgroup = absent("no cgroup file system");
  EXPECT_EQ(state_of(quota, snapshot), "not-applicable");
}

TEST(CpuLimits, IsUnknownWhereLimitsWereNotRead) {
  Snapshot snapshot = limited(failed("cpu.max: EACCES"), no_limit, 64);
  snapshot.cpu.fill().allowed_cpus = failed("hwloc crashed");
  EXPECT_EQ(state_of(quota, snapshot), "unknown");
  EXPECT_EQ(state_of(affinity, snapshot), "unknown");
  EXPECT_EQ(state_of(quota, Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::cpu_limits_test
