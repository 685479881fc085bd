#include <gtest/gtest.h>

#include <algorithm>

#include "probe/paste/log_reader.h"

namespace envdoctor::tool_readers_test {
namespace {

Snapshot read(std::string_view text) { return read_log(text, "paste.txt"); }

// The first symptom of this kind; null: none.
const Symptom* symptom(const Snapshot& snapshot, SymptomClass class_, const char* subject) {
  const auto& log = snapshot.log.or_empty();
  const auto found = std::ranges::find_if(log, [&](const Symptom& one) { return one.is({class_, subject}); });
  return found == log.end() ? nullptr : &*found;
}

using enum SymptomClass;

constexpr std::string_view gpu_line = "GPU 0: NVIDIA L4 (UUID: GPU-1c2d3e4f-1111-2222-3333-444455556666)\n";

TEST(Commands, TellAHostsGpuFromAContainerThatHasNone) {
  const std::string host = "kim@box:~$ nvidia-smi -L\n" + std::string(gpu_line);
  const std::string ask = "python -c \"import torch; print(torch.cuda.is_available())\"\nFalse\n";
  const Snapshot without = read(host + "kim@box:~$ docker run --rm torch " + ask);
  const Symptom* blind = symptom(without, missing, "gpu-in-container");
  ASSERT_NE(blind, nullptr);
  EXPECT_EQ(blind->detail("option"), "none");
  EXPECT_TRUE(blind->line.is(4));
  EXPECT_TRUE(blind->text.is("False"));
  const Snapshot with = read(host + "kim@box:~$ docker run --rm --gpus all torch " + ask);
  EXPECT_EQ(symptom(with, missing, "gpu-in-container")->detail("option"), "given");
  EXPECT_EQ(symptom(read(host + "kim@box:~$ " + ask), missing, "gpu-in-container"), nullptr) << "no container";
  EXPECT_EQ(symptom(read("$ docker run --rm torch " + ask), missing, "gpu-in-container"), nullptr) << "no host";
}

TEST(Commands, FollowAShellIntoItsContainerAndOutAgain) {
  const std::string start = "kim@box:~$ docker run -it torch bash\nroot@0a1b2c3d4e5f:/# nvidia-smi\n";
  const std::string missing_tool = "bash: nvidia-smi: command not found\n";
  EXPECT_NE(symptom(read(start + missing_tool + "root@0a1b2c3d4e5f:/# exit\nkim@box:~$ nvidia-smi -L\n" +
                         std::string(gpu_line)),
                    missing, "gpu-in-container"),
            nullptr);
  EXPECT_EQ(symptom(read(start + std::string(gpu_line) + "kim@box:~$ nvidia-smi\n" + missing_tool), missing,
                    "gpu-in-container"),
            nullptr);
}

TEST(Commands, MissAModuleOnlyWhereTheFilterWouldHaveShownIt) {
  EXPECT_NE(symptom(read("$ lsmod | grep amdgpu\n$ uname -r\n"), missing, "amdgpu-kernel-module"), nullptr);
  EXPECT_NE(symptom(read("$ lsmod | grep -i 'nvidia\\|nouveau'\nnouveau 2306048 4\n"), present, "nouveau-driver"),
            nullptr);
  EXPECT_EQ(symptom(read("$ lsmod | grep amdgpu\namdgpu 9916416 44\n"), missing, "amdgpu-kernel-module"), nullptr);
  EXPECT_EQ(symptom(read("$ lsmod | grep -v amdgpu\n$ uname -r\n"), missing, "amdgpu-kernel-module"), nullptr);
  EXPECT_EQ(symptom(read("$ lsmod | grep snd\n$ uname -r\n"), missing, "amdgpu-kernel-module"), nullptr);
  // What uses a module is loaded, too.
  const Snapshot users = read("Module                  Size  Used by\nttm 106496 1 amdgpu\ndrm 491520 3 ttm,amdgpu\n");
  ASSERT_TRUE(users.modules.get());
  EXPECT_TRUE(std::ranges::any_of(*users.modules.get(), [](const Module& one) { return one.name.is("amdgpu"); }));
}

TEST(Commands, ListDeviceNodesWithoutTheirModes) {
  const auto nodes = [](std::string_view text) {
    std::vector<std::string> paths;
    for (const DeviceNode& node : read(text).device_nodes.or_empty()) paths.push_back(node.path.or_empty());
    return paths;
  };
  using Paths = std::vector<std::string>;
  EXPECT_EQ(nodes("$ ls /dev/nvidia*\n/dev/nvidia0  /dev/nvidiactl\n"), (Paths{"/dev/nvidia0", "/dev/nvidiactl"}));
  EXPECT_EQ(nodes("kim@box:~$ ls /dev | grep nvidia\nnvidia0\nnvidia-uvm\nkim@box:~$ ls\nnvidia1\n"),
            (Paths{"/dev/nvidia0", "/dev/nvidia-uvm"}));
  EXPECT_EQ(nodes("$ ls /dev/dri\nby-path  card0  renderD128\n"), (Paths{"/dev/dri/card0", "/dev/dri/renderD128"}));
  EXPECT_TRUE(nodes("$ ls /dev/nvidia*\nls: cannot access '/dev/nvidia*': No such file or directory\n").empty());
  EXPECT_TRUE(nodes("$ ls /data\nnvidia0\n").empty());
  EXPECT_TRUE(nodes("$ docker run cuda ls /dev/nvidia0\n/dev/nvidia0\n").empty()) << "of a container";
}

TEST(Commands, CompareWhatDkmsBuiltWithTheKernelThatRuns) {
  const std::string built = "$ dkms status\nnvidia/550.90.07, 6.5.0-28-generic, x86_64: installed\n$ uname -r\n";
  const Snapshot other = read(built + "6.5.0-41-generic\n");
  ASSERT_NE(symptom(other, missing, "kernel-module"), nullptr);
  EXPECT_EQ(symptom(other, missing, "kernel-module")->detail("module"), "nvidia");
  EXPECT_EQ(symptom(read(built + "6.5.0-28-generic\n"), missing, "kernel-module"), nullptr);
}

TEST(Commands, TellWhatOnlyRootFinds) {
  const std::string none = "$ clinfo\nNumber of devices                                 0\n";
  EXPECT_NE(symptom(read(none + "$ sudo clinfo\nNumber of devices                                 1\n"), refused,
                    "clinfo-without-root"),
            nullptr);
  EXPECT_EQ(symptom(read(none + "$ sudo clinfo\nNumber of devices                                 0\n"), refused,
                    "clinfo-without-root"),
            nullptr);
}

TEST(SystemErrors, AreAboutTheLayerOfTheirPath) {
  const auto kind = [](std::string_view line) {
    const Snapshot snapshot = read(line);
    return snapshot.log.or_empty().empty() ? std::string() : snapshot.log.get()->back().subject.or_empty();
  };
  EXPECT_EQ(kind("OSError: [Errno 2] No such file or directory: '/dev/kfd'\n"), "kfd-node");
  EXPECT_EQ(kind("cannot open /dev/nvidia1: Input/output error\n"), "device-behind-node");
  EXPECT_EQ(kind("open(\"/dev/nvidiactl\", O_RDWR) = -1 EPERM (Operation not permitted)\n"), "device-node-by-cgroup");
  EXPECT_EQ(kind("OSError: [Errno 28] No space left on device: '/dev/shm/torch_1'\n"), "shared-memory");
  EXPECT_EQ(kind("PermissionError: [Errno 13] Permission denied: '/data/train'\n"), "");
}

TEST(SystemErrors, ForgetWhatWasOpenedLater) {
  const std::string first = "openat(AT_FDCWD, \"/dev/kfd\", O_RDWR) = -1 ENOENT (No such file or directory)\n";
  EXPECT_NE(symptom(read(first), missing, "kfd-node"), nullptr);
  EXPECT_EQ(symptom(read(first + "openat(AT_FDCWD, \"/dev/kfd\", O_RDWR) = 7\n"), missing, "kfd-node"), nullptr);
}

constexpr std::string_view traceback = R"(Traceback (most recent call last):
  File "/home/me/net/train.py", line 1, in <module>
    import torch
  File "/env/lib/python3.11/site-packages/torch/__init__.py", line 21, in <module>
    import tempfile
  File "/usr/lib/python3.11/tempfile.py", line 45, in <module>
    from random import Random as _Random
  File "/home/me/net/random.py", line 3, in <module>
    import torch.nn as nn
AttributeError: module 'torch' has no attribute 'nn'
)";

TEST(Traceback, LeadsThroughAFileInPlaceOfALibrarysModule) {
  const Symptom* own = nullptr;
  const Snapshot snapshot = read(traceback);
  ASSERT_NE(own = symptom(snapshot, hidden, "python-package"), nullptr);
  EXPECT_EQ(own->detail("module"), "random");
  EXPECT_TRUE(own->line.is(8));
  std::string installed(traceback);
  installed.replace(installed.find("/home/me/net/random.py"), 22, "/usr/lib/python3.11/random.py");
  EXPECT_EQ(symptom(read(installed), hidden, "python-package"), nullptr);
}

TEST(Traceback, NamesASystemLibraryThatAFrameworkNeeds) {
  const std::string frames =
      "Traceback (most recent call last):\n  File \"/env/lib/python3.8/site-packages/torch/__init__.py\", line 149, in "
      "_load_global_deps\n    ctypes.CDLL(lib_path)\n";
  const Snapshot snapshot =
      read(frames + "OSError: libopenblas.so.0: cannot open shared object file: No such file or directory\n");
  ASSERT_NE(symptom(snapshot, missing, "system-library"), nullptr);
  EXPECT_EQ(symptom(snapshot, missing, "system-library")->detail("framework"), "torch");
  EXPECT_EQ(symptom(read(frames + "OSError: libcudart.so.12: cannot open shared object file: No such file\n"), missing,
                    "system-library"),
            nullptr);
}

constexpr std::string_view topology =
    "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tSYS\t0-15,32-47\t0\n"
    "GPU1\tSYS\t X \t16-31,48-63\t1\n";

TEST(Topology, TellsAProcessFarFromEveryGpu) {
  const std::string table(topology.substr(0, topology.find("GPU1\tSYS")));
  EXPECT_NE(symptom(read(table + "pid 9's current affinity list: 16-31\n"), limited, "numa-distance"), nullptr);
  EXPECT_EQ(symptom(read(table + "pid 9's current affinity list: 8-31\n"), limited, "numa-distance"), nullptr);
  EXPECT_EQ(symptom(read(std::string(topology) + "pid 9's current affinity list: 16-31\n"), limited, "numa-distance"),
            nullptr);
}

TEST(Topology, TellsAGpuWithoutProcessorsNearIt) {
  EXPECT_NE(symptom(read("\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \tSYS\t0-15\t0\nGPU1\tSYS\t X \t\t1\n"),
                    limited, "cpus-near-gpu"),
            nullptr);
  EXPECT_EQ(symptom(read(topology), limited, "cpus-near-gpu"), nullptr);
}

TEST(Nvlink, IsDegradedWhereSomeLinksWork) {
  const std::string gpu = "GPU 0: Tesla V100-SXM2-16GB (UUID: GPU-1)\n\t Link 0: <inactive>\n";
  EXPECT_NE(symptom(read(gpu + "\t Link 1: 25.781 GB/s\n"), limited, "nvlink"), nullptr);
  EXPECT_EQ(symptom(read(gpu + "\t Link 1: <inactive>\n"), limited, "nvlink"), nullptr) << "there is no bridge";
}

TEST(MigInstances, NeedComputeInstances) {
  const std::string gpu =
      "| GPU instances:                       |\n|   0  MIG 3g.20gb          9        1          0:4     |\n";
  const Snapshot none = read(gpu + "No compute instances found: Not Found\n");
  EXPECT_NE(symptom(none, missing, "mig-instance"), nullptr);
  EXPECT_EQ(symptom(read(gpu + "| Compute instances:                    |\n"
                               "|   0      1       MIG 3g.20gb          2         0         0:3      |\n"),
                    missing, "mig-instance"),
            nullptr);
}

TEST(Bandwidth, OfALargeCopyIsTheLinks) {
  const auto text = [](std::string_view rate) {
    return " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n   Transfer Size "
           "(Bytes)\tBandwidth(GB/s)\n"
           "   32000000\t\t\t" +
           std::string(rate) + "\n";
  };
  EXPECT_EQ(symptom(read(text("0.8")), slow, "host-copy")->detail("gbps"), "0.8");
  EXPECT_EQ(symptom(read(text("24.9")), slow, "host-copy"), nullptr);
  EXPECT_EQ(symptom(read(text("many")), slow, "host-copy"), nullptr);
}

TEST(Bandwidth, DiffersBetweenTheSockets) {
  const auto run = [](std::string_view node, std::string_view rate) {
    return "$ numactl -N" + std::string(node) +
           " bandwidthTest\n Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n" +
           "   Transfer Size (Bytes)        Bandwidth(MB/s)\n   33554432                     " + std::string(rate) +
           "\n";
  };
  EXPECT_NE(symptom(read(run("0", "12150.7") + run("1", "3783.4")), limited, "numa-distance"), nullptr);
  EXPECT_EQ(symptom(read(run("0", "12150.7") + run("1", "11783.4")), limited, "numa-distance"), nullptr);
}

TEST(Docker, TellsAnEngineWithoutARuntimeForGpus) {
  EXPECT_NE(symptom(read(" Runtimes: io.containerd.runc.v2 runc\n Default Runtime: runc\n"), missing,
                    "engine-runtime-for-gpu"),
            nullptr);
  EXPECT_EQ(symptom(read(" Runtimes: nvidia runc\n"), missing, "engine-runtime-for-gpu"), nullptr);
  EXPECT_NE(symptom(read("INFO[0000] Found 0 CDI devices\n"), missing, "container-spec"), nullptr);
  EXPECT_EQ(symptom(read("INFO[0000] Found 3 CDI devices\n"), missing, "container-spec"), nullptr);
}

TEST(Docker, TellsAContainerWithoutADeviceRequest) {
  const std::string_view none = "            \"DeviceRequests\": null,\n";
  EXPECT_NE(symptom(read(none), missing, "device-request-of-container"), nullptr);
  EXPECT_EQ(symptom(read("            \"Runtime\": \"nvidia\",\n" + std::string(none)), missing,
                    "device-request-of-container"),
            nullptr);
}

TEST(Kubernetes, GivesThePodsLimitsAndTheNodesOffer) {
  const Snapshot pod =
      read("    Limits:\n      cpu:             1500m\n      memory:          2Gi\n      nvidia.com/gpu:  1\n");
  EXPECT_DOUBLE_EQ(*pod.host.get()->cgroup.get()->cpus.get(), 1.5);
  EXPECT_TRUE(pod.host.get()->cgroup.get()->memory_mib.is(2048));
  const std::string node =
      "Capacity:\n  nvidia.com/gpu:     8\n  pods:  110\nAllocatable:\n  pods:  110\n  nvidia.com/gpu:     ";
  EXPECT_EQ(symptom(read(node + "7\n"), lost, "gpu-of-kubernetes-node")->detail("allocatable"), "7");
  EXPECT_EQ(symptom(read(node + "8\n"), lost, "gpu-of-kubernetes-node"), nullptr);
  EXPECT_NE(symptom(read(node + "0\n"), missing, "gpu-of-kubernetes-node"), nullptr);
  EXPECT_EQ(read("Limits:\n  cpu: many\n  nvidia.com/gpu: x\n").host.get()->cgroup.get()->cpus.get(), nullptr);
}

TEST(SlurmNode, SaysWhyItIsDrained) {
  const std::string node = "NodeName=gpu07 Arch=x86_64\n   State=IDLE+DRAIN ThreadsPerCore=1\n";
  const Snapshot snapshot =
      read(node + "   Reason=gres/gpu count reported lower than configured (7 < 8) [slurm@2024-03-01]\n");
  ASSERT_NE(symptom(snapshot, lost, "gpu-of-slurm-node"), nullptr);
  EXPECT_EQ(symptom(snapshot, lost, "gpu-of-slurm-node")->detail("configured"), "8");
  EXPECT_EQ(symptom(read(node + "   Reason=kernel update [root@2024-03-01]\n"), lost, "gpu-of-slurm-node"), nullptr);
}

TEST(Vulkan, ListsTheProcessorAlone) {
  const std::string_view cpu = "\tdeviceType         = PHYSICAL_DEVICE_TYPE_CPU\n";
  EXPECT_NE(symptom(read(cpu), missing, "vulkan-gpu"), nullptr);
  EXPECT_EQ(
      symptom(read(std::string(cpu) + "\tdeviceType = PHYSICAL_DEVICE_TYPE_DISCRETE_GPU\n"), missing, "vulkan-gpu"),
      nullptr);
}

TEST(Lshw, GivesTheDisplayDevicesOfTheBus) {
  const Snapshot snapshot = read(
      "  *-display UNCLAIMED\n       product: GA104 [GeForce RTX 3070] [10DE:2484]\n       vendor: NVIDIA Corporation "
      "[10DE]\n"
      "       bus info: pci@0000:01:00.0\n");
  ASSERT_NE(snapshot.pci.get(), nullptr);
  EXPECT_TRUE(snapshot.pci.get()->front().vendor_id.is("10de"));
  EXPECT_TRUE(snapshot.pci.get()->front().device_id.is("2484"));
  EXPECT_EQ(snapshot.pci.get()->front().driver.outcome(), Outcome::absent);
  EXPECT_EQ(read("  *-display\n       product:\n").pci.get(), nullptr);
}

TEST(LoaderTrace, NamesTheFilesThatWereTaken) {
  const Snapshot snapshot = read("     55:\tcalling init: /usr/local/cuda/lib64/stubs/libcuda.so.1\n");
  ASSERT_NE(snapshot.libraries.get(), nullptr);
  EXPECT_TRUE(snapshot.libraries.get()->front().stub.is(true));
  EXPECT_EQ(read("     55:\tcalling init: /lib/libm.so.6\n").libraries.get(), nullptr);
  EXPECT_NE(symptom(read("ZE_LOADER_DEBUG_TRACE:Load Library of libze_intel_gpu.so.1 failed with libze_intel_gpu.so.1: "
                         "cannot open shared object file: No such file or directory\n"),
                    missing, "level-zero-driver"),
            nullptr);
}

TEST(Getfacl, LetsInWhomTheListNames) {
  const std::string list =
      "# file: dev/dri/renderD128\n# owner: root\n# group: render\nuser::rw-\nuser:ann:rw-\ngroup::rw-\nother::---\n";
  EXPECT_EQ(symptom(read("uid=1001(ann) gid=1001(ann) groups=1001(ann)\n" + list), refused, "render-node"), nullptr);
  EXPECT_NE(symptom(read("uid=1002(bob) gid=1002(bob) groups=1002(bob)\n" + list), refused, "render-node"), nullptr);
  EXPECT_EQ(symptom(read("uid=1002(bob) gid=1002(bob) groups=109(render)\n" + list), refused, "render-node"), nullptr);
  EXPECT_EQ(symptom(read("$ id -nG\nbob video\n" + list), refused, "render-node"), nullptr) << "bob may be ann";
  const std::string of_group = "# file: dev/kfd\n# owner: root\n# group: render\nuser::rw-\ngroup::rw-\nother::---\n";
  EXPECT_NE(symptom(read("$ id -nG\nbob video\n" + of_group), refused, "kfd-node"), nullptr);
  EXPECT_EQ(symptom(read("$ id -nG\nbob render\n" + of_group), refused, "kfd-node"), nullptr);
  EXPECT_EQ(symptom(read(list), refused, "render-node"), nullptr) << "nobody says who asks";
}

TEST(DevListing, TellsAFileWhereANodeShouldBe) {
  EXPECT_NE(symptom(read("---------- 1 root root 0 Jan 20 10:00 /dev/nvidia0\n"), mismatch, "file-in-place-of-node"),
            nullptr);
  EXPECT_EQ(
      symptom(read("crw-rw-rw- 1 root root 195, 0 Jan 20 10:00 /dev/nvidia0\n"), mismatch, "file-in-place-of-node"),
      nullptr);
  EXPECT_EQ(symptom(read("-rw-r--r-- 1 root root 0 Jan 20 10:00 nvidia.txt\n"), mismatch, "file-in-place-of-node"),
            nullptr);
}

TEST(Installs, NameTheCudaThatWasAskedFor) {
  const auto cuda = [](std::string_view line) {
    const Snapshot snapshot = read(line);
    const Symptom* found = symptom(snapshot, noted, "installed-for-cuda");
    return found ? found->detail("cuda") : "";
  };
  EXPECT_EQ(cuda("$ conda install pytorch torchvision cudatoolkit=10.2 -c pytorch\n"), "10.2");
  EXPECT_EQ(cuda("pip install torch --index-url https://download.pytorch.org/whl/cu124\n"), "12.4");
  EXPECT_EQ(cuda("pip install torch==2.1.0+cu118\n"), "11.8");
  EXPECT_EQ(cuda("pip install numpy+cu1\n"), "");
}

TEST(ToolReaders, TakeAnyText) {
  for (const std::string_view start :
       {"$ docker run ", "Traceback (most recent call last):", "# file: dev/", "*-display", "CPU Affinity GPU0",
        "Limits:", "NodeName=", "calling init: /", "Runtimes: ", "Host to Device Bandwidth",
        "compute instances: GPU instances:", "PHYSICAL_DEVICE_TYPE_", " <inactive> Link ", "$ sudo clinfo",
        "conda install torch cudatoolkit=", "----------"}) {
    for (const std::string& rest :
         {std::string(), std::string("\n\n:\n=\n"), std::string(3, '\0'), std::string(9000, ':'),
          std::string("\nFile \"\n\"\n  File \", line 1\n"), std::string("\n  user:\n::\n# file:\n")})
      EXPECT_NO_THROW((void)read(std::string(start) + rest)) << start;
  }
}

}  // namespace
}  // namespace envdoctor::tool_readers_test
