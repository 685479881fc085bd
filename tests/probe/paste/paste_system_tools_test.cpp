#include <gtest/gtest.h>

#include "probe/paste/log_reader.h"

namespace envdoctor::paste_system_tools_test {
namespace {

Snapshot read(std::string_view text) { return read_log(text, "paste.txt"); }

TEST(ShownFiles, AreReadByTheirPath) {
  const Snapshot snapshot = read(
      "$ cat /sys/fs/cgroup/cpu.max\n250000 100000\n"
      "root@pod:/# cat /sys/fs/cgroup/kubepods/pod1/memory.max\n4294967296\n"
      "==> /proc/driver/nvidia/version <==\n"
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  550.54.15  Release Build  (x)  Tue Mar  5\n"
      "$ cat /sys/module/amdgpu/version\n6.7.0\n"
      "/opt/rocm/.info/version:6.1.2-115\n"
      "$ cat /etc/os-release\nNAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n\n");
  const Cgroup cgroup = snapshot.host.or_empty().cgroup.or_empty();
  EXPECT_TRUE(cgroup.cpus.is(2.5));
  EXPECT_TRUE(cgroup.memory_mib.is(4096));
  EXPECT_TRUE(snapshot.nvidia.or_empty().kernel_driver_version.is("550.54.15"));
  EXPECT_TRUE(snapshot.nvidia.or_empty().kernel_module_kind.is("open"));
  EXPECT_TRUE(snapshot.rocm.or_empty().kernel_driver_version.is("6.7.0"));
  EXPECT_TRUE(snapshot.rocm.or_empty().version.is("6.1.2"));
  EXPECT_TRUE(snapshot.host.or_empty().os.is("Debian GNU/Linux 12 (bookworm)"));
}

TEST(ShownFiles, WithoutALimitOrWithAnErrorSaySo) {
  EXPECT_EQ(read("$ cat /sys/fs/cgroup/cpu.max\nmax 100000\n").host.or_empty().cgroup.or_empty().cpus.outcome(),
            Outcome::absent);
  EXPECT_FALSE(
      read("$ cat /sys/fs/cgroup/cpu.max\ncat: /sys/fs/cgroup/cpu.max: No such file or directory\n").host.get());
  EXPECT_FALSE(read("$ cat /sys/module/nvidia/version /etc/os-release\n550.54.15\n").nvidia.get()) << "two files";
  EXPECT_FALSE(read("$ cat /sys/module/nvidia/version\n").nvidia.get());
}

constexpr std::string_view nodes =
    "$ ls -l /dev/nvidia* /dev/dri\n"
    "crw-rw---- 1 root video 195,   0 May  1 10:00 /dev/nvidia0\n"
    "crw-rw-rw- 1 root root  195, 255 May  1 10:00 /dev/nvidiactl\n"
    "crw-rw----+ 1 root render 226, 128 May  1 10:00 renderD128\n";

TEST(DeviceNodes, AreReadWithWhoMayOpenThem) {
  const auto list = read(nodes).device_nodes.or_empty();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_TRUE(list[0].path.is("/dev/dri/renderD128"));
  EXPECT_TRUE(list[1].path.is("/dev/nvidia0"));
  EXPECT_TRUE(list[1].mode.is("0660"));
  EXPECT_TRUE(list[1].group.is("video"));
  EXPECT_TRUE(list[1].major.is(195));
  EXPECT_FALSE(list[1].accessible.get()) << "nobody said who asked";
}

TEST(DeviceNodes, AreClosedToAUserOutsideTheirGroup) {
  const Snapshot snapshot = read(std::string(nodes) + "$ id\nuid=1001(ada) gid=1001(ada) groups=1001(ada),27(sudo)\n");
  const auto list = snapshot.device_nodes.or_empty();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_FALSE(list[0].accessible.get()) << "an access list may let the user in";
  EXPECT_TRUE(list[1].accessible.is(false));
  EXPECT_TRUE(list[1].error.is("EACCES"));
  EXPECT_FALSE(list[2].accessible.get()) << "that the mode lets one in proves nothing";
  EXPECT_EQ(snapshot.host.or_empty().user.or_empty().groups.or_empty(), (std::vector<std::int64_t>{27, 1001}));
  const auto member = read(std::string(nodes) + "uid=1001(ada) gid=1001(ada) groups=1001(ada),44(video)\n");
  EXPECT_FALSE(member.device_nodes.or_empty().at(1).accessible.get());
  EXPECT_TRUE(member.device_nodes.or_empty().at(1).gid.is(44));
}

TEST(DeviceNodes, OfOneFolderAreNoWholeList) {
  EXPECT_FALSE(read("crw-rw---- 1 root render 226, 128 May  1 10:00 /dev/dri/renderD128\n").device_nodes.get());
  EXPECT_FALSE(read("crw-rw-rw- 1 root root 1, 3 May  1 10:00 /dev/null\n").device_nodes.get());
}

TEST(Lsmod, IsTakenWhereItShowsADriverOrIsWhole) {
  std::string whole = "Module                  Size  Used by\n";
  for (int i = 0; i < 30; ++i) whole += "mod" + std::to_string(i) + "    16384  0\n";
  ASSERT_NE(read(whole).modules.get(), nullptr);
  EXPECT_TRUE(read(whole).modules.get()->empty());
  EXPECT_TRUE(read(whole + "nouveau   2306048  1\n").modules.or_empty().at(0).name.is("nouveau"));
  const auto few = read("nvidia_uvm 1540096 0\nnvidia 56717312 2 nvidia_uvm,nvidia_modeset\n").modules.or_empty();
  EXPECT_EQ(few.size(), 3U) << "nvidia_modeset uses nvidia";
  EXPECT_FALSE(read("Module                  Size  Used by\nsnd   16384  0\n").modules.get()) << "cut off or filtered";
  EXPECT_FALSE(read("nvidia 12 2\n").modules.get());
}

TEST(Limits, OfEachToolFillTheirFields) {
  const Snapshot snapshot = read(
      "$ ulimit -a\nmax locked memory           (kbytes, -l) 65536\nopen files                          (-n) 1024\n"
      "virtual memory              (kbytes, -v) unlimited\n"
      "Filesystem      Size  Used Avail Use% Mounted on\nshm              64M     0   64M   0% /dev/shm\n"
      "pid 41's current affinity list: 0-3,8\n"
      "CPU(s):                 64\nNUMA node(s):           2\nNUMA node0 CPU(s):      0-31\n"
      "available: 2 nodes (0-1)\n"
      "Mem:            62Gi       3.1Gi        55Gi       1.0Mi       4.2Gi        58Gi\n");
  const HostFacts host = snapshot.host.or_empty();
  EXPECT_TRUE(host.shm_mib.is(64));
  EXPECT_TRUE(host.ulimits.or_empty().memlock_mib.is(64));
  EXPECT_TRUE(host.ulimits.or_empty().open_files.is(1024));
  EXPECT_EQ(host.ulimits.or_empty().address_space_mib.outcome(), Outcome::absent);
  EXPECT_TRUE(snapshot.cpu.or_empty().allowed_cpus.is(5));
  EXPECT_TRUE(snapshot.cpu.or_empty().threads.is(64));
  EXPECT_TRUE(snapshot.cpu.or_empty().numa_nodes.is(2));
  EXPECT_TRUE(snapshot.memory.or_empty().total_mib.is(62 * 1024));
  EXPECT_TRUE(read("pid 7's current affinity mask: ff,0000000f\n").cpu.or_empty().allowed_cpus.is(12));
}

TEST(Limits, WithoutASenseAreNone) {
  EXPECT_FALSE(read("Mem: the model took 7 of 16 parts i i i i\n").memory.get());
  EXPECT_FALSE(read("current affinity list: none\ncurrent affinity mask: xyz\n").cpu.get());
  EXPECT_FALSE(read("tmpfs 7 8 9 twelve% /dev/shm\n").host.get());
}

TEST(LibraryLists, AreFoundWhereTheLoaderSaysSo) {
  const auto cache = read(
                         "\tlibcuda.so.1 (libc6,x86-64) => /usr/lib/x86_64-linux-gnu/libcuda.so.1\n"
                         "\tlibcuda.so.1 (libc6) => /usr/lib/i386-linux-gnu/libcuda.so.1\n"
                         "\tlibm.so.6 (libc6,x86-64) => /lib/x86_64-linux-gnu/libm.so.6\n")
                         .libraries.or_empty();
  ASSERT_EQ(cache.size(), 1U);
  EXPECT_TRUE(cache[0].path.is("/usr/lib/x86_64-linux-gnu/libcuda.so.1"));
  EXPECT_TRUE(cache[0].origin.is("ldcache"));
  const auto ldd = read(
                       "\tlibcudart.so.12 => /opt/cuda/lib64/libcudart.so.12 (0x00007f1200000000)\n"
                       "\tlibcudnn.so.9 => not found\n")
                       .libraries.or_empty();
  ASSERT_EQ(ldd.size(), 1U);
  EXPECT_TRUE(ldd[0].found.is(true));
}

TEST(ToolkitVersions, AreReadFromTheirCompilers) {
  const Snapshot nvcc =
      read("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 12.4, V12.4.131\n");
  ASSERT_EQ(nvcc.toolkits.or_empty().size(), 1U);
  EXPECT_TRUE(nvcc.toolkits.get()->front().version.is("12.4.131"));
  EXPECT_TRUE(read("HIP version  : 6.0.32830-d62f6a171\n").rocm.or_empty().hip_version.is("6.0.32830"));
  EXPECT_FALSE(read("Cuda compilation tools, release soon\n").toolkits.get());
}

TEST(LevelZeroLists, ListsOfItsToolsBecomeDevices) {
  const auto names = [](std::string_view text) {
    std::vector<std::string> found;
    for (const LevelZeroDevice& one : read(text).level_zero.or_empty().devices.or_empty())
      found.push_back(one.name.or_empty());
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(
      names("[opencl:cpu][opencl:0] Intel(R) OpenCL, Some CPU OpenCL 3.0 (Build 0) [2024.18]\n"
            "[level_zero:gpu][level_zero:0] Intel(R) oneAPI Unified Runtime over Level-Zero, Intel(R) Arc(TM) A770 "
            "Graphics 12.55.8 [1.3.29735]\n"),
      Names{"Intel(R) Arc(TM) A770 Graphics"});
  EXPECT_EQ(names("[ext_oneapi_level_zero:gpu:0] Intel(R) Level-Zero, Intel(R) UHD Graphics 770 1.3 [1.3.26241]\n"),
            Names{"Intel(R) UHD Graphics 770"});
  EXPECT_EQ(names("| 0         | Device Name: Intel(R) Data Center GPU Flex 170        |\n"
                  "|           | PCI BDF Address: 0000:4d:00.0                         |\n"),
            Names{"Intel(R) Data Center GPU Flex 170"});
  EXPECT_EQ(names("ONEAPI_DEVICE_SELECTOR=level_zero:gpu\n"), Names{});
}

TEST(DeviceNodes, AreReadInABugReportAndWithoutIt) {
  const auto list =
      read("*** ls: crw-rw-rw- 1 root root 195, 0 2024-05-01 10:00:00 +0000 /dev/nvidia0\n").device_nodes.or_empty();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_TRUE(list[0].path.is("/dev/nvidia0"));
  EXPECT_EQ(read("uid=1001(ada) gid=1001(ada) groups=1001(ada),44(video)\n")
                .host.or_empty()
                .user.or_empty()
                .groups.or_empty(),
            (std::vector<std::int64_t>{44, 1001}));
}

TEST(DriverPackages, TellTheLibrariesVersion) {
  const auto version = [](std::string_view text) {
    return read(text).nvidia.or_empty().userspace_driver_version.or_empty();
  };
  EXPECT_EQ(version("ii  libnvidia-compute-550:amd64   550.120-0ubuntu0.22.04.1  amd64  NVIDIA libcompute package\n"),
            "550.120");
  EXPECT_EQ(version("nvidia-driver-cuda-libs-550.54.15-1.el9.x86_64\n"), "550.54.15");
  EXPECT_EQ(version("rc  libnvidia-compute-535:amd64   535.183.01-0ubuntu1  amd64  removed\n"), "");
  EXPECT_EQ(version("ii  libnvidia-compute-535:amd64  535.183.01-0ubuntu1  amd64  x\n"
                    "ii  libnvidia-compute-550:amd64  550.120-0ubuntu1  amd64  x\n"),
            "")
      << "it is unknown which one is loaded";
}

TEST(PipShow, AndCondaTellVersions) {
  const Snapshot shown = read(
      "Name: torch\nVersion: 2.3.0+cpu\nSummary: Tensors\n---\nName: numpy\nVersion: 1.26.4\n"
      "Summary: Arrays\nName: odd\nVersion: none\nSummary: x\n");
  EXPECT_EQ(shown.python.or_empty().packages.or_empty(),
            (std::map<std::string, std::string>{{"numpy", "1.26.4"}, {"torch", "2.3.0+cpu"}}));
  EXPECT_TRUE(shown.torch.or_empty().version.is("2.3.0+cpu"));
  EXPECT_FALSE(read("Name: a\nVersion: 1.0\n---\nSummary: of another thing\n").python.get());
  EXPECT_TRUE(read("          conda version : 24.5.0\n   virtual packages : __cuda=12.2=0\n")
                  .nvidia.or_empty()
                  .cuda_driver_version.is("12.2"));
}

TEST(CondaList, TellsWhatPytorchWasBuiltFor) {
  const auto torch_of = [](const char* build) {
    return read(std::string("# packages in environment at /opt/c:\n#\npytorch   2.4.1   ") + build + "   pytorch\n")
        .torch.or_empty();
  };
  EXPECT_TRUE(torch_of("py3.11_cuda12.1_cudnn8.9.2_0").cuda_version.is("12.1"));
  EXPECT_TRUE(torch_of("cuda118_py311h5b0c2a5_300").cuda_version.is("11.8"));
  EXPECT_EQ(torch_of("py3.11_cpu_0").cuda_version.outcome(), Outcome::absent);
  EXPECT_EQ(torch_of("py3.11_0").cuda_version.outcome(), Outcome::not_probed);
}

constexpr std::string_view matrices =
    "Bidirectional P2P=Disabled Bandwidth Matrix (GB/s)\n   D\\D     0      1 \n     0 643.21  11.14 \n     1  11.20 "
    "644.01\n"
    "Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)\n   D\\D     0      1 \n     0 643.20   1.02 \n     1  25.20 "
    "644.01\n"
    "P2P=Enabled Latency (P2P Writes) Matrix (us)\n   GPU     0      1 \n     0   1.5   1.6\n";

TEST(PeerMatrices, TellWhereTheDirectWayIsTheSlowerOne) {
  const auto log = read(matrices).log.or_empty();
  ASSERT_EQ(log.size(), 1U);
  EXPECT_TRUE(log[0].is({SymptomClass::slow, "peer-copy"}));
  EXPECT_EQ(log[0].detail("with_gbps"), "1.02");
  EXPECT_EQ(log[0].detail("without_gbps"), "11.14");
  EXPECT_TRUE(log[0].line.is(1));
  EXPECT_TRUE(log[0].source.is("paste.txt"));
  std::string healthy(matrices);
  healthy.replace(healthy.find("  1.02"), 6, " 26.02");
  EXPECT_TRUE(read(healthy).log.or_empty().empty());
  EXPECT_TRUE(read("P2P=Enabled Bandwidth Matrix (GB/s)\n 0 1 x\n").log.or_empty().empty())
      << "nothing to compare with";
}

TEST(Pmon, ListsProcesses) {
  const auto processes = read(
                             "# gpu         pid   type     sm    mem    enc    dec    command\n"
                             "# Idx           #    C/G      %      %      %      %    name\n"
                             "    0       1234     C     50     10      -      -    python3\n"
                             "    1          -     -      -      -      -      -    -\n")
                             .nvidia.or_empty()
                             .processes.or_empty();
  ASSERT_EQ(processes.size(), 1U);
  EXPECT_TRUE(processes[0].pid.is(1234));
  EXPECT_TRUE(processes[0].name.is("python3"));
}

}  // namespace
}  // namespace envdoctor::paste_system_tools_test
