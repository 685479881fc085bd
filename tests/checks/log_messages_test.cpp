// Single messages that name their cause, and what takes it back.
#include <gtest/gtest.h>

#include "tests/support/log_lines.h"

namespace envdoctor {
namespace {

struct Message {
  Line line;
  const char* id;
  Confidence sure;
};

const std::vector<Message> messages = {
    {{"cuda-count-failed", {{"number", "35"}}}, "driver.too-old", certain},
    {{"cuda-count-failed", {{"number", "802"}}}, "driver.fabric-manager", likely},
    {{"cuda-count-failed", {{"number", "804"}}}, "driver.compat-package", likely},
    {{"fabric-state"}, "driver.fabric-manager", likely},
    {{"device-node-missing", {{"node", "/dev/nvidia-uvm"}}}, "driver.device-nodes-missing", likely},
    {{"smi-not-found"}, "driver.not-installed", possible},
    {{"image-needs-driver"}, "driver.too-old", likely},
    {{"cuda-wanted-unavailable"}, "driver.unreachable", possible},
    {{"gpu-throttled"}, "hardware.power-or-thermal", likely},
    {{"xid", {{"code", "94"}}}, "hardware.ecc", likely},
    {{"xid", {{"code", "140"}}}, "hardware.ecc", likely},
    {{"xid", {{"code", "171"}}}, "hardware.ecc", likely},
    {{"xid", {{"code", "62"}}}, "driver.gpu-lost", likely},
    {{"xid", {{"code", "79"}}}, "driver.gpu-lost", certain},
    {{"xid", {{"code", "54"}}}, "hardware.power-or-thermal", likely},
    {{"xid", {{"code", "143"}}}, "driver.gpu-init-failed", likely},
    {{"capability-too-low"}, "runtime.arch-unsupported", likely},
    {{"gpu-symbol-version"}, "runtime.library-shadowed", likely},
    {{"cuda-runtime-not-found"}, "runtime.cuda-library-missing", likely},
    {{"import-broken"}, "python.broken-install", likely},
    {{"visible-changed-late"}, "visibility.set-too-late", possible},
    {{"memory-taken-at-start"}, "memory.occupied", likely},
    {{"cublas-not-initialized"}, "memory.out-of-memory", possible},
    {{"size-limit"}, "compute.size-limit", likely},
    {{"subnormals"}, "compute.denormals", likely},
    {{"tensors-on-cpu"}, "usage.detected-unused", likely},
    {{"tensors-on-two-gpus"}, "usage.wrong-gpu", likely},
    {{"input-bound"}, "usage.input-bound", likely},
    {{"too-many-threads"}, "cpu.oversubscribed", likely},
    {{"libstdcxx-too-old"}, "runtime.library-shadowed", possible},
    {{"kfd-missing"}, "driver.module-not-loaded", likely},
    {{"kfd-node-missing"}, "driver.module-not-loaded", likely},
    {{"hsa-init-failed"}, "driver.unreachable", possible},
    {{"nccl-connect-retried"}, "runtime.nccl", possible},
    {{"kernel-headers-missing"}, "driver.module-not-loaded", possible},
    {{"extension-mismatch"}, "python.broken-install", likely},
    {{"nan-produced"}, "compute.unstable", likely},
    {{"cuda-init-failed-app"}, "driver.unreachable", possible},
    {{"packages-twice"}, "python.duplicate-packages", likely},
    {{"library-missing", {{"library", "libnvidia-encode.so.1"}}}, "driver.libcuda-missing", likely},
    {{"opencl-none-registered"}, "opencl.no-icd", likely},
    {{"neo-aborted"}, "opencl.icd-broken", possible},
    {{"undefined-symbol", {{"symbol", "clSVMAlloc"}}}, "opencl.wrong-loader", likely},
    {{"undefined-symbol", {{"symbol", "clone_of_mine"}}}, "python.broken-install", possible},
    {{"undefined-symbol", {{"symbol", "_ZN3c104cuda9SetDeviceEi"}}}, "python.broken-install", likely},
    {{"undefined-symbol", {{"symbol", "_ZN5cudaq9SetDeviceEi"}}}, "runtime.library-shadowed", likely},
    {{"keras-backend", {{"backend", "Theano"}}}, "keras.backend-mismatch", likely},
    {{"channels-first-on-cpu"}, "keras.image-data-format", possible},
    {{"device-node-missing", {{"node", "/dev/nvidia0"}}}, "driver.device-nodes-missing", possible},
    {{"slurm-gpus-short", {{"have", "0"}}}, "driver.unreachable", possible},
    {{"container-no-smi"}, "visibility.container-hidden", possible},
    {{"container-no-driver-files"}, "driver.not-installed", possible},
    {{"sycl-device", {{"type", "cpu"}}}, "opencl.cpu-only", possible},
    {{"ldd-not-found", {{"library", "libigdgmm.so.12"}}}, "opencl.icd-broken", likely},
    {{"ldd-not-found", {{"library", "libcudart.so.12"}}}, "runtime.cuda-library-missing", possible},
};

TEST(LogMessages, NameTheirCauseAsSurelyAsTheyMay) {
  for (const Message& message : messages)
    EXPECT_EQ(ids(log_of({message.line})), (Found{{message.id, message.sure}})) << message.line.event;
}

TEST(LogMessages, AboutTheDriverMeanNothingWhereADeviceIsUsed) {
  for (const Line& line : std::vector<Line>{{"fabric-state"},
                                            {"device-node-missing", {{"node", "/dev/nvidia-uvm"}}},
                                            {"smi-not-found"},
                                            {"image-needs-driver"},
                                            {"keras-backend", {{"backend", "CNTK"}}},
                                            {"channels-first-on-cpu"},
                                            {"device-node-missing", {{"node", "/dev/nvidia0"}}},
                                            {"slurm-gpus-short", {{"have", "0"}}},
                                            {"container-no-smi"},
                                            {"container-no-driver-files"},
                                            {"sycl-device", {{"type", "cpu"}}},
                                            {"cuda-wanted-unavailable"},
                                            {"cuda-runtime-not-found"},
                                            {"hsa-init-failed"},
                                            {"ldd-not-found", {{"library", "libcudart.so.12"}}},
                                            {"cuda-count-failed", {{"number", "802"}}}})
    EXPECT_TRUE(ids(log_of({line, {"device-used-torch"}})).empty()) << line.event;
}

TEST(LogMessages, MeanWhatAFactBesideThemSays) {
  EXPECT_TRUE(ids(log_of({{"slurm-gpus-short", {{"have", "3"}}}})).empty())
      << "one of them is lost; nothing says which";
  EXPECT_TRUE(ids(log_of({{"sycl-device", {{"type", "cpu"}}}, {"sycl-device", {{"type", "gpu"}}}})).empty());
  EXPECT_TRUE(ids(log_of({{"cuda-device-refused"}})).empty()) << "the number may be too high";
  EXPECT_EQ(ids(log_of({{"cuda-device-refused"}, {"torch-cuda-unavailable"}})),
            ids(log_of({{"cuda-wanted-unavailable"}, {"torch-cuda-unavailable"}})));
}

TEST(LogMessages, OfAHintInLightningAreNoFinding) {
  EXPECT_TRUE(ids(log_of({{"input-bound", {{"program", "lightning"}}}})).empty());
}

TEST(LogMessages, AboutAMissingNodeDependOnWhichAndWhere) {
  const Line all = {"device-node-missing", {{"node", "/dev/nvidia*"}}};
  EXPECT_TRUE(ids(log_of({all})).empty());
  EXPECT_EQ(ids(in_docker(log_of({all}))), (Found{{"visibility.container-hidden", likely}}));
}

TEST(LogMessages, AboutAMissingLibraryMeanNothingWhereItIsNoneOfOurs) {
  EXPECT_TRUE(ids(log_of({{"ldd-not-found", {{"library", "libgtk-3.so.0"}}}})).empty());
}

TEST(LogMessages, AboutTheFabricManagerMeanNothingWithoutASwitch) {
  EXPECT_TRUE(ids(log_of({{"fabric-state"}, {"fabric-not-needed"}})).empty());
}

TEST(LogRocm, TellsAHiddenNodeFromAMissingModule) {
  const Line node = {"kfd-node-missing"}, loaded = {"rock-loaded"};
  EXPECT_EQ(ids(in_docker(log_of({loaded, node}))), (Found{{"visibility.container-hidden", likely}}));
  EXPECT_NE(findings(in_docker(log_of({loaded, node}))).at(0).fix.at(0).text.find("--device=/dev/kfd"),
            std::string::npos);
  EXPECT_EQ(ids(in_docker(log_of({{"kfd-missing"}, node}))), (Found{{"driver.module-not-loaded", likely}}));
  const Finding unloaded = findings(log_of({{"kfd-missing"}})).at(0);
  EXPECT_EQ(unloaded.title, "The kernel module amdgpu is not loaded");
  EXPECT_EQ(unloaded.fix.at(0).command.find("nvidia"), std::string::npos);
  EXPECT_EQ(ids(log_of({loaded, node})), (Found{{"driver.device-nodes-missing", likely}}));
  EXPECT_TRUE(ids(log_of({loaded})).empty());
}

TEST(LogXid, TellsAResetFromAGpuOffTheBus) {
  const auto found = [](const char* code) { return findings(log_of({{"xid", {{"code", code}}}})).at(0); };
  EXPECT_NE(found("79").title, found("119").title);
  EXPECT_NE(found("119").explanation.find("Xid 119: the GPU system processor"), std::string::npos);
  EXPECT_NE(found("119").fix.at(0).text.find("reset the GPU"), std::string::npos);
  EXPECT_NE(found("48").explanation.find("Xid 48"), std::string::npos);
  EXPECT_TRUE(findings(log_of({{"xid", {{"code", "13"}}}})).empty());
}

TEST(LogJax, TellsCudnnFromTheOtherLibraries) {
  const Line cudnn = {"jax-library-missing", {{"library", "cuDNN"}}};
  EXPECT_EQ(ids(log_of({cudnn})), (Found{{"runtime.cudnn-missing", likely}}));
  const Found both = ids(log_of({cudnn, {"jax-library-missing", {{"library", "cuBLAS"}}}}));
  EXPECT_TRUE(both.contains("runtime.cuda-library-missing"));
  Snapshot shadowed = log_of({cudnn});
  shadowed.env.fill()["LD_LIBRARY_PATH"] = "/usr/local/cuda-11.2/lib64";
  EXPECT_EQ(ids(shadowed), (Found{{"runtime.library-shadowed", likely}}));
}

TEST(LogPython, BlamesTheTorchForTheCpuAndNotTheExtensionBesideIt) {
  for (const char* event : {"conda-cpu-build", "cpu-only-build"})
    EXPECT_FALSE(
        ids(log_of({{"extension-mismatch"}, {event, {{"program", "torch"}}}})).contains("python.broken-install"))
        << event;
  EXPECT_TRUE(ids(log_of({{"extension-mismatch"}, {"conda-cpu-build", {{"program", "tensorflow"}}}}))
                  .contains("python.broken-install"));
}

TEST(LogRocm, LeavesAFailureOfHsaToWhatIsKnownOfTheNode) {
  EXPECT_EQ(ids(log_of({{"hsa-init-failed"}, {"kfd-no-permission"}})), (Found{{"driver.permission", certain}}));
}

TEST(LogRocm, TakesAnOldCardForTheCauseOnlyWhereRocmFails) {
  const Line old = {"kfd-unsupported"};
  EXPECT_EQ(ids(log_of({old})), (Found{{"runtime.rocm-arch-unsupported", possible}}));
  EXPECT_EQ(ids(log_of({old, {"hip-no-device"}}))["runtime.rocm-arch-unsupported"], likely);
  EXPECT_TRUE(ids(log_of({old, {"device-used-tensorflow"}})).empty());
}

TEST(LogLibraries, LeaveASymbolThatTheDriverLacksToTheDriver) {
  const Line symbol = {"undefined-symbol", {{"library", "/lib64/libcuda.so.1"}, {"symbol", "cuMemcpyBatchAsync"}}};
  EXPECT_EQ(ids(log_of({symbol, {"driver-too-old"}})), (Found{{"driver.too-old", certain}}));
  EXPECT_TRUE(ids(log_of({symbol})).contains("runtime.library-shadowed"));
}

TEST(LogMemory, TakesWhatTorchHoldsWhereTheProcessIsNotTold) {
  const auto with = [](const char* free, const char* allocated, const char* unallocated) {
    return ids(log_of({{"out-of-memory", {{"wanted", "0.10 GiB"}, {"total", "16.00 GiB"}, {"free", free}}, "torch"},
                       {"memory-parts", {{"allocated", allocated}, {"unallocated", unallocated}}}}));
  };
  EXPECT_EQ(with("0.50 GiB", "9.00 GiB", "5.50 GiB"), (Found{{"memory.fragmented", likely}}));
  EXPECT_EQ(with("0.50 GiB", "2.00 GiB", "0.10 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(with("0.50 GiB", "14.50 GiB", "0.10 GiB"), (Found{{"memory.out-of-memory", likely}}));
  EXPECT_EQ(with("0.50 GiB", "14.50 GiB", "0.15 GiB"), (Found{{"memory.out-of-memory", likely}})) << "idle, and little";
}

TEST(LogRocm, TakesAFaultInMemoryForForeignCodeOnlyWithASecondFact) {
  const Line fault = {"hsa-memory-fault"};
  EXPECT_TRUE(ids(log_of({fault})).empty());
  EXPECT_TRUE(ids(log_of({{"miopen-untuned"}})).empty());
  EXPECT_EQ(ids(log_of({fault, {"miopen-untuned"}})), (Found{{"runtime.rocm-arch-unsupported", possible}}));
  Snapshot overridden = log_of({fault});
  overridden.env.fill()["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0";
  EXPECT_EQ(ids(overridden), (Found{{"runtime.rocm-arch-unsupported", possible}}));
}

TEST(LogKernel, LeavesLinksAndDriversToTheBusWhereItIsKnown) {
  const Line narrow = {"pcie-narrow", {{"width", "x4"}}};
  EXPECT_EQ(ids(log_of({narrow})), (Found{{"hardware.pcie-degraded", likely}}));
  Snapshot known = log_of({narrow, {"nouveau-bound"}});
  known.pci = std::vector<PciDevice>{pci_a100()};
  EXPECT_EQ(ids(known), (Found{{"hardware.pcie-degraded", likely}})) << "the link is not known";
  known.pci.get()->front().link.fill().width = 16;
  EXPECT_TRUE(ids(known).empty());
}

TEST(LogOpencl, NamesTheLoaderTheFolderOrTheContainer) {
  const Line none = {"opencl-no-platform"};
  EXPECT_EQ(ids(log_of(
                {none, {"opencl-foreign-loader", {{"path", "/opt/conda/lib/libOpenCL.so.1"}}}}))["opencl.wrong-loader"],
            likely);
  EXPECT_FALSE(ids(log_of({{"opencl-foreign-loader", {{"path", "/opt/conda/lib/libOpenCL.so.1"}}}}))
                   .contains("opencl.wrong-loader"))
      << "a conda loader that finds its platforms is in order";
  EXPECT_EQ(ids(log_of({none, {"opencl-vendors-missing"}}))["opencl.no-icd"], likely);
  Snapshot working = in_docker(log_of({none}));
  EXPECT_FALSE(ids(working).contains("opencl.icd-missing-in-container"));
  working.nvidia.fill().devices = std::vector<NvidiaDevice>{nvml_a100()};
  EXPECT_EQ(ids(working)["opencl.icd-missing-in-container"], likely);
}

}  // namespace
}  // namespace envdoctor
