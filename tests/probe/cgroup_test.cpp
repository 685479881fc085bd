#include "probe/os/os_facts.h"

#include <gtest/gtest.h>

#include "tests/support/fake_files.h"

namespace envdoctor::cgroup_test {
namespace {

Cgroup cgroup_of(const FakeFiles& files) {
  const auto cgroup = read_cgroup(files);
  EXPECT_TRUE(cgroup.get()) << cgroup.why();
  return cgroup.get() ? *cgroup.get() : Cgroup{};
}

FakeFiles v2() {
  FakeFiles files;
  files.texts["/proc/self/cgroup"] = "0::/a.slice/b.scope\n";
  files.texts["/proc/self/mountinfo"] = "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n";
  files.texts["/sys/fs/cgroup/cgroup.controllers"] = "cpu memory\n";
  return files;
}

TEST(Cgroup, Version2TakesTheTightestLimitOnTheWayUp) {
  FakeFiles files = v2();
  files.texts["/sys/fs/cgroup/a.slice/b.scope/cpu.max"] = "max 100000\n";
  files.texts["/sys/fs/cgroup/a.slice/cpu.max"] = "250000 100000\n";
  files.texts["/sys/fs/cgroup/a.slice/b.scope/memory.max"] = "8589934592\n";
  files.texts["/sys/fs/cgroup/a.slice/memory.max"] = "max\n";
  const Cgroup cgroup = cgroup_of(files);
  EXPECT_TRUE(cgroup.version.is(2));
  EXPECT_TRUE(cgroup.cpus.is(2.5));
  EXPECT_TRUE(cgroup.memory_mib.is(8192));
  EXPECT_EQ(cgroup.devices.outcome(), Outcome::absent);
}

TEST(Cgroup, WithoutAnyLimitFileHasNoLimit) {
  const Cgroup cgroup = cgroup_of(v2());
  EXPECT_EQ(cgroup.cpus.outcome(), Outcome::absent);
  EXPECT_EQ(cgroup.memory_mib.outcome(), Outcome::absent);
}

TEST(Cgroup, ThatCannotBeSeenIsNotCalledUnlimited) {
  FakeFiles files = v2();
  files.texts.erase("/sys/fs/cgroup/cgroup.controllers");
  EXPECT_EQ(cgroup_of(files).cpus.outcome(), Outcome::failed);
  files.texts["/proc/self/mountinfo"] = "";
  EXPECT_EQ(cgroup_of(files).memory_mib.outcome(), Outcome::failed);
}

TEST(Cgroup, ThatMayNotBeReadIsFailed) {
  FakeFiles files = v2();
  files.texts["/sys/fs/cgroup/a.slice/memory.max"] = "1073741824\n";
  files.errors["/sys/fs/cgroup/a.slice/b.scope/memory.max"] = "EACCES";
  EXPECT_EQ(cgroup_of(files).memory_mib.outcome(), Outcome::failed);
}

TEST(Cgroup, Version1InAContainerIsReadAtTheMountsTop) {
  FakeFiles files;
  files.texts["/proc/self/cgroup"] =
      "12:devices:/docker/abc\n8:memory:/docker/abc\n4:cpu,cpuacct:/docker/abc\n1:name=systemd:/docker/abc\n";
  files.texts["/proc/self/mountinfo"] =
      "40 31 0:30 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n"
      "41 31 0:31 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"
      "42 31 0:32 /docker/abc /sys/fs/cgroup/devices ro - cgroup cgroup rw,devices\n";
  files.texts["/sys/fs/cgroup/cpu,cpuacct/cgroup.clone_children"] = "0\n";
  files.texts["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us"] = "150000\n";
  files.texts["/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us"] = "100000\n";
  files.texts["/sys/fs/cgroup/memory/memory.limit_in_bytes"] = "9223372036854771712\n";
  files.texts["/sys/fs/cgroup/devices/devices.list"] = "c 1:3 rwm\nc 195:* rwm\n";
  const Cgroup cgroup = cgroup_of(files);
  EXPECT_TRUE(cgroup.version.is(1));
  EXPECT_TRUE(cgroup.cpus.is(1.5));
  EXPECT_EQ(cgroup.memory_mib.outcome(), Outcome::absent);
  EXPECT_TRUE(cgroup.devices.is({"c 1:3 rwm", "c 195:* rwm"}));
}

TEST(Cgroup, Version1WithoutAQuotaHasNoCpuLimit) {
  FakeFiles files;
  files.texts["/proc/self/cgroup"] = "4:cpu:/job\n";
  files.texts["/proc/self/mountinfo"] = "40 31 0:30 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n";
  files.texts["/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us"] = "-1\n";
  files.texts["/sys/fs/cgroup/cpu/job/cgroup.clone_children"] = "0\n";
  EXPECT_EQ(cgroup_of(files).cpus.outcome(), Outcome::absent);
  files.texts["/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us"] = "50000\n";
  files.texts["/sys/fs/cgroup/cpu/job/cpu.cfs_period_us"] = "0\n";
  EXPECT_EQ(cgroup_of(files).cpus.outcome(), Outcome::failed);
}

TEST(Cgroup, PathThatLeavesItsNamespaceIsMetAtTheTop) {
  FakeFiles files = v2();
  files.texts["/proc/self/cgroup"] = "0::/../../etc\n";
  files.texts["/sys/fs/cgroup/memory.max"] = "1073741824\n";
  EXPECT_TRUE(cgroup_of(files).memory_mib.is(1024));
}

TEST(Cgroup, CpuMaxTakesNothingElse) {
  EXPECT_EQ(cpu_max("max 100000").outcome(), Outcome::absent);
  EXPECT_TRUE(cpu_max("50000 100000").is(0.5));
  EXPECT_EQ(cpu_max("").outcome(), Outcome::failed);
  EXPECT_EQ(cpu_max("0 0").outcome(), Outcome::failed);
  EXPECT_EQ(cpu_max("lots").outcome(), Outcome::failed);
}

TEST(Cgroup, IsAbsentOnAKernelWithoutAny) { EXPECT_EQ(read_cgroup(FakeFiles{}).outcome(), Outcome::absent); }

}  // namespace
}  // namespace envdoctor::cgroup_test
