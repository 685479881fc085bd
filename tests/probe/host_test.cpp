#include <gtest/gtest.h>

#include "probe/os/os_facts.h"
#include "probe/probes.h"
#include "tests/support/fake_files.h"

namespace envdoctor::test {
namespace {

Text container_of(const FakeFiles& files, std::map<std::string, std::string> env = {}) {
  const Host host{.files = files, .env = std::move(env), .live = false};
  return read_container(host);
}

TEST(OsName, IsUnquotedAsAShellWould) {
  EXPECT_TRUE(os_name("NAME=x\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n").is("Debian GNU/Linux 12 (bookworm)"));
  EXPECT_TRUE(os_name("PRETTY_NAME='It is'\n").is("It is"));
  EXPECT_TRUE(os_name("PRETTY_NAME=\"a \\\"b\\\" \\$c\"\n").is("a \"b\" $c"));
  EXPECT_TRUE(os_name("PRETTY_NAME=Arch\r\n").is("Arch"));
}

TEST(OsName, FallsBackOnNameAndVersion) {
  EXPECT_TRUE(os_name("NAME=Alpine\nVERSION_ID=3.20\n").is("Alpine 3.20"));
  EXPECT_TRUE(os_name("NAME=Gentoo\nPRETTY_NAME=\"\"\n").is("Gentoo"));
}

TEST(OsName, OfAHostileFileIsFailedWithTheLine) {
  EXPECT_EQ(os_name("").outcome(), Outcome::failed);
  EXPECT_EQ(os_name("NAME=x\nPRETTY_NAME=\"never ends\n").why(), "line 2: unterminated quote");
  EXPECT_EQ(os_name("PRETTY_NAME=\"a\x1b[2J\"\n").outcome(), Outcome::failed);
  EXPECT_EQ(os_name("PRETTY_NAME=" + std::string(5000, 'a')).outcome(), Outcome::failed);
  EXPECT_EQ(os_name(std::string(300, '\0')).outcome(), Outcome::failed);
}

TEST(Os, FailureNamesTheFile) {
  FakeFiles files;
  files.texts["/etc/os-release"] = "PRETTY_NAME='";
  EXPECT_NE(read_os(files).why().find("/etc/os-release"), std::string::npos);
  EXPECT_EQ(read_os(FakeFiles{}).outcome(), Outcome::absent);
}

TEST(Platform, TellsWslFromLinux) {
  const FakeFiles files;
  EXPECT_TRUE(read_platform(files, std::string("5.15.167.4-microsoft-standard-WSL2")).is("wsl2"));
  EXPECT_TRUE(read_platform(files, std::string("4.4.0-19041-Microsoft")).is("wsl1"));
  EXPECT_TRUE(read_platform(files, std::string("6.8.0-1015-azure")).is("linux"));
  FakeFiles own_kernel;
  own_kernel.nodes["/dev/dxg"] = {};
  EXPECT_TRUE(read_platform(own_kernel, std::string("6.6.36")).is("linux"));
  own_kernel.texts["/proc/sys/fs/binfmt_misc/WSLInterop"] = "enabled\n";
  EXPECT_TRUE(read_platform(own_kernel, std::string("6.6.36")).is("wsl2"));
}

TEST(SecureBoot, IsReadFromTheFirmware) {
  FakeFiles files;
  const std::string path = "/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
  files.texts[path] = std::string("\x06\0\0\0\x01", 5);
  EXPECT_TRUE(read_secure_boot(files).is(true));
  files.texts[path] = std::string("\x06\0\0\0\0", 5);
  EXPECT_TRUE(read_secure_boot(files).is(false));
  files.texts[path] = "\x06";
  EXPECT_EQ(read_secure_boot(files).outcome(), Outcome::failed);
}

TEST(SecureBoot, IsAbsentWithoutEfiAndUnknownWhereTheFirmwareIsHidden) {
  FakeFiles files;
  files.folders = {"/sys/firmware"};
  EXPECT_EQ(read_secure_boot(files).outcome(), Outcome::failed);
  files.folders.insert("/sys/firmware/acpi");
  EXPECT_EQ(read_secure_boot(files).outcome(), Outcome::absent);
  files.texts["/sys/firmware/efi/fw_platform_size"] = "64\n";
  EXPECT_EQ(read_secure_boot(files).outcome(), Outcome::failed);
}

TEST(Container, IsToldByTheMarksOfItsRuntime) {
  FakeFiles docker;
  docker.texts["/.dockerenv"] = "";
  EXPECT_TRUE(container_of(docker).is("docker"));
  FakeFiles podman;
  podman.texts["/run/.containerenv"] = "engine=\"podman\"\n";
  EXPECT_TRUE(container_of(podman).is("podman"));
  FakeFiles singularity;
  singularity.texts["/.singularity.d/runscript"] = "";
  EXPECT_TRUE(container_of(singularity).is("singularity"));
  FakeFiles pod = docker;
  EXPECT_TRUE(container_of(pod, {{"KUBERNETES_SERVICE_HOST", "10.0.0.1"}}).is("kubernetes"));
  FakeFiles cgroup;
  cgroup.texts["/proc/self/cgroup"] = "0::/kubepods.slice/kubepods-burstable.slice/x\n";
  EXPECT_TRUE(container_of(cgroup).is("kubernetes"));
  FakeFiles lxc;
  lxc.texts["/proc/1/environ"] = std::string("TERM=linux\0container=lxc\0", 25);
  EXPECT_TRUE(container_of(lxc).is("lxc"));
}

TEST(Container, IsToldByMountsWhereAllElseIsHidden) {
  FakeFiles files;
  files.texts["/proc/self/cgroup"] = "0::/\n";
  files.texts["/proc/self/mountinfo"] =
      "100 90 0:50 / / rw,relatime - overlay overlay "
      "rw,lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/1\n"
      "101 100 259:1 /var/lib/kubelet/pods/1/etc-hosts /etc/hosts rw - ext4 /dev/root rw\n";
  EXPECT_TRUE(container_of(files).is("kubernetes"));
}

TEST(Container, IsNoneInAVirtualMachineMadeFromAnImage) {
  FakeFiles files;
  files.texts["/.dockerenv"] = "";
  files.texts["/proc/self/cgroup"] = "0::/\n";
  files.texts["/proc/self/mountinfo"] = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n";
  EXPECT_TRUE(container_of(files).is("docker")) << "the kernel's threads are not in sight";
  files.texts["/proc/2/comm"] = "kthreadd\n";
  EXPECT_TRUE(container_of(files).is("none"));
  files.texts["/proc/self/mountinfo"] = "27 1 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/x\n";
  EXPECT_TRUE(container_of(files).is("docker")) << "with the host's processes in sight";
}

TEST(Container, IsNoneOnAHostThatRunsSome) {
  FakeFiles files;
  files.texts["/proc/self/cgroup"] = "0::/user.slice/user-1000.slice\n";
  files.texts["/proc/self/mountinfo"] =
      "22 1 259:2 / / rw,relatime - ext4 /dev/nvme0n1p2 rw\n"
      "99 22 0:50 / /var/lib/docker/overlay2/1/merged rw - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/A\n"
      "98 22 0:51 / /var/lib/kubelet/pods/1/volumes/x rw - tmpfs tmpfs rw\n";
  EXPECT_TRUE(container_of(files).is("none"));
  EXPECT_EQ(container_of(FakeFiles{}).outcome(), Outcome::failed) << "nothing could be read";
}

TEST(Virtualization, IsToldByFirmwareClockOrProcessor) {
  FakeFiles files;
  EXPECT_EQ(read_virtualization(files).outcome(), Outcome::failed);
  files.texts["/proc/cpuinfo"] = "processor : 0\nflags\t\t: fpu hypervisor lm\n";
  EXPECT_TRUE(read_virtualization(files).is("unknown"));
  files.texts["/sys/devices/system/clocksource/clocksource0/available_clocksource"] = "tsc kvm-clock \n";
  EXPECT_TRUE(read_virtualization(files).is("kvm"));
  files.texts["/sys/class/dmi/id/sys_vendor"] = "VMware, Inc.\n";
  EXPECT_TRUE(read_virtualization(files).is("vmware"));
  files.texts["/proc/version"] = "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n";
  EXPECT_TRUE(read_virtualization(files).is("gvisor"));
}

TEST(Virtualization, IsNoneOnMetal) {
  FakeFiles files;
  files.texts["/proc/cpuinfo"] = "flags\t\t: fpu lm\n";
  EXPECT_TRUE(read_virtualization(files).is("none"));
  files.texts["/sys/class/dmi/id/sys_vendor"] = "Supermicro\n";
  files.texts["/sys/class/dmi/id/product_name"] = "AS -4124GS-TNR\n";
  EXPECT_TRUE(read_virtualization(files).is("none"));
  files.texts["/sys/class/dmi/id/sys_vendor"] = "Amazon EC2\n";
  files.texts["/sys/class/dmi/id/product_name"] = "p5.48xlarge\n";
  EXPECT_TRUE(read_virtualization(files).is("kvm"));
}

TEST(User, IsTheEffectiveOneWithAllGroups) {
  const auto user = parse_user("Name:\tx\nUid:\t1000\t0\t0\t0\nGid:\t1000\t1000\t1000\t1000\nGroups:\t109 44 1000 \n");
  ASSERT_TRUE(user.get());
  EXPECT_TRUE(user.get()->uid.is(0));
  EXPECT_TRUE(user.get()->groups.is({44, 109, 1000}));
  EXPECT_EQ(parse_user("Uid:\tx").outcome(), Outcome::failed);
  EXPECT_EQ(parse_user("").outcome(), Outcome::failed);
}

TEST(Ulimits, AreTheSoftOnes) {
  const auto limits = parse_ulimits(
      "Limit                     Soft Limit           Hard Limit           Units     \n"
      "Max processes             4096                 8192                 processes \n"
      "Max locked memory         67108864             unlimited            bytes     \n"
      "Max address space         unlimited            unlimited            bytes     \n");
  ASSERT_TRUE(limits.get());
  EXPECT_TRUE(limits.get()->memlock_mib.is(64));
  EXPECT_TRUE(limits.get()->processes.is(4096));
  EXPECT_EQ(limits.get()->address_space_mib.outcome(), Outcome::absent);
  EXPECT_EQ(limits.get()->open_files.outcome(), Outcome::failed);
}

Number shm_of(const FakeFiles& files) { return read_shm_mib({.files = files, .live = false}); }

TEST(Shm, IsTheSizeOfTheLastMount) {
  FakeFiles files;
  files.folders = {"/dev/shm/x", "/dev/shm"};
  files.texts["/proc/self/mountinfo"] =
      "25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw,size=24684084k\n"
      "26 24 0:24 / /dev/shm rw - tmpfs shm rw,size=65536k,inode64\n";
  EXPECT_TRUE(shm_of(files).is(64));
  files.texts["/proc/self/mountinfo"] = "25 24 0:23 / /dev/shm rw - tmpfs tmpfs rw\n";
  files.texts["/proc/meminfo"] = "MemTotal:       16777216 kB\n";
  EXPECT_TRUE(shm_of(files).is(8192)) << "a tmpfs without a size takes half the memory";
  files.texts["/proc/self/mountinfo"] = "25 24 8:1 / / rw - ext4 /dev/sda1 rw\n";
  EXPECT_EQ(shm_of(files).outcome(), Outcome::failed);
  EXPECT_EQ(shm_of(FakeFiles{}).outcome(), Outcome::absent);
}

TEST(HostProbe, OfAnEmptyRootClaimsNothing) {
  const FakeFiles files;
  const Host host{.files = files, .live = false};
  const GatherOptions options;
  Session session(host, options);
  probe_host(session);
  const auto* facts = session.so_far().host.get();
  ASSERT_TRUE(facts);
  EXPECT_FALSE(facts->kernel.get());
  EXPECT_FALSE(facts->platform.get());
  EXPECT_FALSE(facts->cgroup.get());
  EXPECT_FALSE(facts->arch.get());
}

}  // namespace
}  // namespace envdoctor::test
