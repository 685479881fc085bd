// Single messages that name their cause, and facts that refute it.
#include <gtest/gtest.h>

#include "tests/support/log_lines.h"

namespace envdoctor::log_messages_test {

using enum SymptomClass;
namespace {

const std::vector<Message> messages = {
    {{{failed, "cuda-call"}, {{"code", "35"}}}, "driver.too-old", certain},
    {{{failed, "cuda-call"}, {{"code", "802"}}}, "driver.fabric-manager", likely},
    {{{failed, "cuda-call"}, {{"code", "804"}}}, "driver.compat-package", likely},
    {{{failed, "fabric-manager"}}, "driver.fabric-manager", likely},
    {{{missing, "device-node"}, {{"node", "/dev/nvidia-uvm"}}}, "driver.device-nodes-missing", likely},
    {{{missing, "nvidia-smi"}}, "driver.not-installed", possible},
    {{{too_old, "driver-for-image"}}, "driver.too-old", likely},
    {{{missing, "cuda"}}, "driver.unreachable", possible},
    {{{limited, "gpu-clock"}}, "hardware.power-or-thermal", likely},
    {{{noted, "xid"}, {{"code", "94"}}}, "hardware.ecc", likely},
    {{{noted, "xid"}, {{"code", "140"}}}, "hardware.ecc", likely},
    {{{noted, "xid"}, {{"code", "171"}}}, "hardware.ecc", likely},
    {{{noted, "xid"}, {{"code", "62"}}}, "driver.gpu-lost", likely},
    {{{noted, "xid"}, {{"code", "79"}}}, "driver.gpu-lost", certain},
    {{{noted, "xid"}, {{"code", "54"}}}, "hardware.power-or-thermal", likely},
    {{{noted, "xid"}, {{"code", "143"}}}, "driver.gpu-init-failed", likely},
    {{{ignored, "visible-devices"}}, "visibility.set-too-late", possible},
    {{{exhausted, "gpu-memory-at-start"}}, "memory.occupied", likely},
    {{{failed, "cublas"}}, "memory.out-of-memory", possible},
    {{{limited, "problem-size"}}, "compute.size-limit", likely},
    {{{lost, "subnormal-numbers"}}, "compute.denormals", likely},
    {{{mismatch, "tensor-devices"}}, "usage.detected-unused", possible},
    {{{mismatch, "gpus-of-tensors"}}, "usage.wrong-gpu", possible},
    {{{slow, "data-loading"}}, "usage.input-bound", likely},
    {{{exhausted, "threads"}}, "cpu.oversubscribed", likely},
    {{{missing, "amdgpu-kernel-module"}}, "driver.module-not-loaded", likely},
    {{{missing, "kfd-node"}}, "driver.module-not-loaded", likely},
    {{{failed, "hsa"}}, "driver.unreachable", possible},
    {{{missing, "kernel-headers"}}, "driver.module-not-loaded", possible},
    {{{wrong_result, "nan"}}, "compute.unstable", likely},
    {{{failed, "cuda-in-program"}}, "driver.unreachable", possible},
    {{{missing, "library"}, {{"library", "libnvidia-encode.so.1"}}}, "driver.libcuda-missing", possible},
    {{{missing, "device-node"}, {{"node", "/dev/nvidia0"}}}, "driver.device-nodes-missing", possible},
    {{{missing, "slurm-gpu"}, {{"have", "0"}}}, "driver.unreachable", possible},
    {{{missing, "nvidia-smi-in-container"}}, "visibility.container-hidden", possible},
};

TEST(LogMessages, NameTheirCauseAsSurelyAsTheyMay) { expect_causes(messages); }

TEST(LogMessages, AboutTheDriverMeanNothingWhereADeviceIsUsed) {
  for (const Line& line : std::vector<Line>{{{failed, "fabric-manager"}},
                                            {{missing, "device-node"}, {{"node", "/dev/nvidia-uvm"}}},
                                            {{missing, "nvidia-smi"}},
                                            {{too_old, "driver-for-image"}},
                                            {{missing, "device-node"}, {{"node", "/dev/nvidia0"}}},
                                            {{missing, "slurm-gpu"}, {{"have", "0"}}},
                                            {{missing, "nvidia-smi-in-container"}},
                                            {{missing, "driver-files-for-container"}},
                                            {{present, "sycl-device"}, {{"type", "cpu"}}},
                                            {{missing, "cuda"}},
                                            {{failed, "hsa"}},
                                            {{failed, "cuda-call"}, {{"code", "802"}}}})
    EXPECT_TRUE(ids(log_of({line, {{used, "gpu"}}})).empty()) << line.kind.subject;
}

TEST(LogMessages, MeanWhatAFactBesideThemSays) {
  EXPECT_EQ(ids(log_of({{{missing, "slurm-gpu"}, {{"have", "3"}}}})),
            (Found{{"driver.gpu-lost", Confidence::possible}}))
      << "one of them is lost";
  EXPECT_TRUE(
      ids(log_of({{{present, "sycl-device"}, {{"type", "cpu"}}}, {{present, "sycl-device"}, {{"type", "gpu"}}}}))
          .empty());
  EXPECT_TRUE(ids(log_of({{{refused, "cuda-device"}}})).empty()) << "the number may be too high";
  EXPECT_EQ(ids(log_of({{{refused, "cuda-device"}}, {{missing, "torch-cuda"}}})),
            ids(log_of({{{missing, "cuda"}}, {{missing, "torch-cuda"}}})));
}

TEST(LogMessages, AboutAMissingNodeDependOnWhichAndWhere) {
  const Line all = {{missing, "device-node"}, {{"node", "/dev/nvidia*"}}};
  EXPECT_TRUE(ids(log_of({all})).empty());
  EXPECT_EQ(ids(in_docker(log_of({all}))), (Found{{"visibility.container-hidden", likely}}));
}

TEST(LogMessages, AboutTheFabricManagerMeanNothingWithoutASwitch) {
  EXPECT_TRUE(ids(log_of({{{failed, "fabric-manager"}}, {{missing, "nvswitch"}}})).empty());
}

TEST(LogRocm, TellsAHiddenNodeFromAMissingModule) {
  const Line node = {{missing, "kfd-node"}}, loaded = {{present, "amdgpu-kernel-module"}};
  EXPECT_EQ(ids(in_docker(log_of({loaded, node}))), (Found{{"visibility.container-hidden", likely}}));
  EXPECT_NE(findings(in_docker(log_of({loaded, node}))).at(0).fix.at(0).text.find("--device=/dev/kfd"),
            std::string::npos);
  EXPECT_EQ(ids(in_docker(log_of({{{missing, "amdgpu-kernel-module"}}, node}))),
            (Found{{"driver.module-not-loaded", likely}}));
  const Finding unloaded = findings(log_of({{{missing, "amdgpu-kernel-module"}}})).at(0);
  EXPECT_EQ(unloaded.title, "The kernel module amdgpu is not loaded");
  EXPECT_EQ(unloaded.fix.at(0).command.find("nvidia"), std::string::npos);
  EXPECT_EQ(ids(log_of({loaded, node})), (Found{{"driver.device-nodes-missing", likely}}));
  EXPECT_TRUE(ids(log_of({loaded})).empty());
}

TEST(LogXid, TellsAResetFromAGpuOffTheBus) {
  const auto found = [](const char* code) { return findings(log_of({{{noted, "xid"}, {{"code", code}}}})).at(0); };
  EXPECT_NE(found("79").title, found("119").title);
  EXPECT_NE(found("119").explanation.find("Xid 119: the GPU system processor"), std::string::npos);
  EXPECT_NE(found("119").fix.at(0).text.find("Reset the GPU"), std::string::npos);
  EXPECT_NE(found("48").explanation.find("Xid 48"), std::string::npos);
  EXPECT_EQ(found("13").id, "usage.program-fault");
}

TEST(LogRocm, LeavesAFailureOfHsaToWhatIsKnownOfTheNode) {
  EXPECT_EQ(ids(log_of({{{failed, "hsa"}}, {{refused, "kfd-node"}}})), (Found{{"driver.permission", certain}}));
}

TEST(LogRocm, TakesAnOldCardForTheCauseOnlyWhereRocmFails) {
  const Line old = {{unsupported, "amd-gpu"}};
  EXPECT_EQ(ids(log_of({old})), (Found{{"runtime.rocm-arch-unsupported", possible}}));
  EXPECT_EQ(ids(log_of({old, {{missing, "hip-device"}}}))["runtime.rocm-arch-unsupported"], likely);
  EXPECT_TRUE(ids(log_of({old, {{used, "gpu"}}})).empty());
}

TEST(LogRocm, TakesAFaultInMemoryForForeignCodeOnlyWithASecondFact) {
  const Line fault = {{failed, "amd-gpu-memory-access"}};
  EXPECT_EQ(ids(log_of({fault})), (Found{{"usage.program-fault", possible}})) << "the program's own";
  EXPECT_TRUE(ids(log_of({{{missing, "miopen-database"}}})).empty());
  EXPECT_EQ(ids(log_of({fault, {{missing, "miopen-database"}}})),
            (Found{{"runtime.rocm-arch-unsupported", possible}, {"usage.program-fault", possible}}));
  Snapshot overridden = log_of({fault});
  overridden.env.fill()["HSA_OVERRIDE_GFX_VERSION"] = "10.3.0";
  EXPECT_EQ(ids(overridden), (Found{{"runtime.rocm-arch-unsupported", possible}, {"usage.program-fault", possible}}));
}

TEST(LogKernel, LeavesLinksAndDriversToTheBusWhereItIsKnown) {
  const Line narrow = {{limited, "pcie-width"}, {{"width", "x4"}}};
  EXPECT_EQ(ids(log_of({narrow})), (Found{{"hardware.pcie-degraded", likely}}));
  Snapshot known = log_of({narrow, {{present, "nouveau-driver"}}});
  known.pci = std::vector<PciDevice>{pci_a100()};
  EXPECT_EQ(ids(known), (Found{{"hardware.pcie-degraded", likely}})) << "the link is not known";
  known.pci.get()->front().link.fill().width = 16;
  EXPECT_TRUE(ids(known).empty());
}

}  // namespace
}  // namespace envdoctor::log_messages_test
