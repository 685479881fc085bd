#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_gpu_init_failed_test {

namespace {

constexpr const char* id = "driver.gpu-init-failed";

std::string state(const Snapshot& snapshot) { return state_of("driver.gpu-init-failed", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.gpu-init-failed", snapshot); }

Snapshot not_listed() {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{};
  host.nvidia.fill().cuinit_error = "CUDA_ERROR_NO_DEVICE";
  host.nvidia.fill().cuda_devices = failed("cuInit");
  return host;
}

TEST(DriverGpuInitFailed, IsLikelyWhereTheModuleHoldsAGpuThatNvmlDoesNotList) {
  const Answers answers = answers_for(not_listed());
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::likely);
  EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/pci/0/driver", "/nvidia/devices"}));
}

TEST(DriverGpuInitFailed, IsLikelyWhereNodesOfALoadedModuleAnswerThatNoDeviceIsThere) {
  for (const char* error : {"EIO", "ENXIO", "ENODEV", "EACCES"}) {
    Snapshot host = not_listed();
    host.nvidia.fill().devices = failed("nvmlInit: NVML_ERROR_DRIVER_NOT_LOADED");
    host.nvidia.fill().nvml_error = "NVML_ERROR_DRIVER_NOT_LOADED";
    for (DeviceNode& node : *host.device_nodes.get()) {
      if (!node.path.is("/dev/nvidia0")) continue;
      node.accessible = false;
      node.error = std::string(error);
    }
    const Answers answers = answers_for(host);
    const Finding* finding = finding_of(answers, id);
    EXPECT_EQ(finding != nullptr, error != std::string("EACCES")) << error;
    if (finding) EXPECT_EQ(finding->confidence, Confidence::likely);
    if (finding) EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
    host.nvidia.fill().nvml_error = absent("NVML initialised");
    EXPECT_EQ(finding_of(answers_for(host), id), nullptr) << "NVML works: " << error;
  }
}

TEST(DriverGpuInitFailed, IsCertainByTheKernelLog) {
  Snapshot host = not_listed();
  host.log = std::vector<Symptom>{symptom_of({SymptomClass::failed, "nvidia-gpu-initialization"},
                                             {{"gpu", "0000:65:00.0"}, {"code", "0x22:0x56:884"}})};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
}

// A text that holds these lines and nothing else.
Snapshot text_of_lines(std::vector<Symptom> lines) {
  Snapshot host;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(DriverGpuInitFailed, IsPossibleWhereAProgramCouldNotOpenTheGpu) {
  const Symptom line = symptom_of({SymptomClass::failed, "any-gpu-start"}, {});
  const Answers answers = answers_of(id, text_of_lines({line}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  EXPECT_EQ(finding_of(answers_of(id, text_of_lines({line, symptom_of({SymptomClass::used, "gpu"}, {})})), id),
            nullptr);
}

TEST(DriverGpuInitFailed, ForgetsAFailedStartThatWasFollowedByAGoodOne) {
  Snapshot host = healthy_nvidia_host();
  host.log = std::vector<Symptom>{symptom_of({SymptomClass::failed, "nvidia-gpu-initialization"},
                                             {{"gpu", "0000:65:00.0"}, {"code", "0x22:0x56:884"}})};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverGpuInitFailed, IsSoundWhereEveryGpuIsListed) { EXPECT_EQ(state(healthy_nvidia_host()), "passed"); }

TEST(DriverGpuInitFailed, IsUnknownInAContainerAndForAUserWhoMayNotOpenTheNode) {
  EXPECT_EQ(state(in_docker(not_listed())), "unknown");
  Snapshot host = not_listed();
  host.device_nodes.fill().at(1) = closed_node(node_at("/dev/nvidia0", "root", 0, "0660"), "EACCES");
  EXPECT_EQ(state(host), "unknown");
}

TEST(DriverGpuInitFailed, SaysNothingOfAGpuThatWasNotGranted) {
  Snapshot pod = in_docker(healthy_nvidia_host());
  pod.pci.fill().push_back(pci_a100("0000:b3:00.0"));
  EXPECT_EQ(state(pod), "passed");
}

TEST(DriverGpuInitFailed, DoesNotApplyWithoutADriverOrAGpu) {
  EXPECT_EQ(state(plain_host()), "not-applicable");
  Snapshot host = plain_host();
  host.pci = std::vector<PciDevice>{pci_a100("0000:65:00.0", absent("no driver bound"))};
  EXPECT_EQ(state(host), "not-applicable");
}

TEST(DriverGpuInitFailed, IsUnknownWhereNvmlWasNotAsked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

}  // namespace
}  // namespace envdoctor::driver_gpu_init_failed_test
