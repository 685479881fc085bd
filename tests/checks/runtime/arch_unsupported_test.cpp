#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_arch_unsupported_test {

namespace {

const std::string id = "runtime.arch-unsupported";

NvidiaDevice gpu(std::int64_t index, const std::string& capability) {
  NvidiaDevice device = nvml_a100(index, "0000:0" + std::to_string(index) + ":00.0");
  device.uuid = "GPU-0000000" + std::to_string(index);
  device.compute_capability = capability;
  return device;
}

// As read from a report: GPUs and PyTorch's list.
Snapshot torch_on(const std::vector<std::string>& capabilities, const std::vector<std::string>& list) {
  Snapshot snapshot;
  snapshot.env = std::map<std::string, Text>{};
  std::vector<NvidiaDevice> devices;
  for (const std::string& capability : capabilities)
    devices.push_back(gpu(static_cast<std::int64_t>(devices.size()), capability));
  snapshot.nvidia.fill().devices = devices;
  snapshot.torch.fill().version = "2.7.0+cu128";
  snapshot.torch.fill().arch_list = list;
  return snapshot;
}

std::string state(const std::string& capability, const std::vector<std::string>& list) {
  return state_of("runtime.arch-unsupported", torch_on({capability}, list));
}

TEST(RuntimeArchUnsupported, LetsMachineCodeRunUpwardWithinAMajorVersion) {
  EXPECT_EQ(state("8.9", {"sm_80", "sm_86"}), "passed");
  EXPECT_EQ(state("6.1", {"sm_60"}), "passed");
  EXPECT_EQ(state("8.0", {"sm_86"}), "failed");
  EXPECT_EQ(state("9.0", {"sm_80", "sm_86"}), "failed");
  EXPECT_EQ(state("6.1", {"sm_50", "sm_70"}), "failed");
}

TEST(RuntimeArchUnsupported, LetsPtxRunOnEveryLaterGpu) {
  EXPECT_EQ(state("12.0", {"sm_80", "compute_90"}), "passed");
  EXPECT_EQ(state("6.1", {"sm_75", "compute_120"}), "failed");
}

TEST(RuntimeArchUnsupported, TakesTheSuffixForWhatItIs) {
  EXPECT_EQ(state("9.0", {"sm_90a"}), "passed");
  EXPECT_EQ(state("10.3", {"sm_100a"}), "failed");
  EXPECT_EQ(state("10.3", {"sm_100f"}), "passed");
}

TEST(RuntimeArchUnsupported, IsCertainWhereTheBuildItselfToldItsList) {
  const Answers answers = answers_of("runtime.arch-unsupported", torch_on({"12.0"}, {"sm_50", "sm_80", "sm_90"}));
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->severity, Severity::error);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->subject, "gpu:0000:00:00.0");
  EXPECT_EQ(paths_of(*finding), (std::vector<std::string>{"/torch/arch_list", "/nvidia/devices/0/compute_capability"}));
  EXPECT_EQ(finding->fix.front().text, "Install a build that was made for this GPU: CUDA 12.8 or later.");
}

TEST(RuntimeArchUnsupported, WarnsWhereAnotherGpuRuns) {
  const Answers answers = answers_of("runtime.arch-unsupported", torch_on({"8.0", "3.7"}, {"sm_80"}));
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].severity, Severity::warning);
}

TEST(RuntimeArchUnsupported, PassesOverAGpuThatAVariableHides) {
  Snapshot snapshot = torch_on({"8.0", "3.7"}, {"sm_80"});
  snapshot.env.fill()["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID";
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = "0";
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "passed");
}

TEST(RuntimeArchUnsupported, KnowsWhatAToolkitCanNotBuildFor) {
  Snapshot snapshot = torch_on({"6.1"}, {});
  snapshot.torch.fill().arch_list = List<std::string>();
  snapshot.torch.fill().cuda_version = "13.0";
  const Answers answers = answers_of("runtime.arch-unsupported", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_NE(finding_of(answers, id)->fix.front().text.find("12.9 at most"), std::string::npos);
}

TEST(RuntimeArchUnsupported, KnowsTensorflowsLowestCapability) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.tensorflow.fill().version = "2.16.1";
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "passed");
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{gpu(0, "3.7")};
  snapshot.nvidia.fill().cuda_devices = List<CudaDevice>();
  snapshot.pci = List<PciDevice>();
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "failed");
}

TEST(RuntimeArchUnsupported, IsOnlyPossibleWhereNothingButOldPtxIsLeftForANewGeneration) {
  Snapshot snapshot = torch_on({"12.0"}, {});
  snapshot.torch = Reading<Torch>();
  snapshot.tensorflow.fill().version = "2.20.0";
  const Answers answers = answers_of("runtime.arch-unsupported", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
}

TEST(RuntimeArchUnsupported, IsOnlyPossibleByTensorflowsBuildFilesAboveItsLowestCapability) {
  Snapshot snapshot = torch_on({"5.0"}, {});
  snapshot.torch = Reading<Torch>();
  snapshot.tensorflow.fill().version = "2.3.1";
  const Answers answers = answers_of("runtime.arch-unsupported", snapshot);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(RuntimeArchUnsupported, DoesNotApplyWithoutAGpuOrAFramework) {
  EXPECT_EQ(state_of("runtime.arch-unsupported", plain_host()), "not-applicable");
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"numpy", "2.1"}};
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "not-applicable");
}

TEST(RuntimeArchUnsupported, IsUnknownWithoutAListOrACapability) {
  EXPECT_EQ(state_of("runtime.arch-unsupported", healthy_nvidia_host()), "unknown");
  Snapshot snapshot = torch_on({"8.0"}, {"sm_80"});
  snapshot.nvidia.get()->devices.get()->front().compute_capability = failed("NVML_ERROR_UNKNOWN");
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "passed") << "known from the card's name";
  snapshot.nvidia.get()->devices.get()->front().name = "Graphics Device";
  EXPECT_EQ(state_of("runtime.arch-unsupported", snapshot), "unknown");
}

// A line of PyTorch, as it stands in a report.
std::string build_named_for(const std::string& sm) {
  Snapshot snapshot;
  Symptom line;
  line.class_ = std::string("unsupported");
  line.subject = std::string("gpu-architecture");
  line.program = std::string("torch");
  line.details["sm"] = sm;
  snapshot.log = std::vector<Symptom>{line};
  const Answers answers = answers_of(id, snapshot);
  const Finding* finding = finding_of(answers, id);
  return finding ? finding->fix.back().text : "";
}

TEST(RuntimeArchUnsupported, NamesABuildForWhatAProgramSaysOfTheGpu) {
  EXPECT_NE(build_named_for("120").find("pip install \"torch==2."), std::string::npos);
  EXPECT_NE(build_named_for("37").find("\"torch==2.5.*\" --index-url https://download.pytorch.org/whl/cu118"),
            std::string::npos)
      << build_named_for("37");
  EXPECT_EQ(build_named_for("35").find("pip install"), std::string::npos) << "no recorded build has code for it";
}

}  // namespace

}  // namespace envdoctor::runtime_arch_unsupported_test
