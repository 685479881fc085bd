#include "checks/facts/fitting_build.h"

#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::fitting_build_test {
namespace {

TEST(FittingBuild, NamesWhatTheBuildFitsAndItsTable) {
  Snapshot host;
  host.nvidia.fill().kernel_driver_version = "470.199.02";
  host.python.fill().executable = "/opt/venv/bin/python";
  const auto fix = fitting_build(host, "torch");
  ASSERT_TRUE(fix.has_value());
  EXPECT_NE(fix->text.find("driver 470.199.02"), std::string::npos) << fix->text;
  EXPECT_NE(fix->text.find("pytorch.json"), std::string::npos) << fix->text;
  EXPECT_NE(fix->command.find("https://download.pytorch.org/whl/cu118"), std::string::npos) << fix->command;
}

TEST(FittingBuild, SaysNothingWhereNothingIsKnown) {
  EXPECT_FALSE(fitting_build({}, "torch").has_value());
  EXPECT_FALSE(fitting_build(healthy_nvidia_host(), "keras").has_value());
  Snapshot python;
  python.python.fill().version = "3.8.10";
  EXPECT_FALSE(fitting_build(python, "tensorflow").has_value());
  EXPECT_TRUE(fitting_build(python, "tensorflow", true).has_value());
}

TEST(FittingBuild, StandsInTheFixOfADriverThatIsTooOld) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia = Nvidia{.kernel_driver_version = "470.199.02"};
  host.torch = Torch{.version = "2.8.0+cu128", .cuda_version = "12.8", .cuda_available = false};
  const Answers answers = answers_of("driver.too-old", host);
  const Finding* finding = finding_of(answers, "driver.too-old");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->fix.back().text.find("newest PyTorch"), std::string::npos) << finding->fix.back().text;
}

TEST(FittingBuild, IsVllmsWhereItIsInUse) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia = Nvidia{.kernel_driver_version = "550.54.14"};
  host.torch = Torch{.version = "2.11.0+cu130", .cuda_version = "13.0", .cuda_available = false};
  host.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.11.0"}, {"vllm", "0.22.1"}};
  const Answers answers = answers_of("driver.too-old", host);
  const Finding* finding = finding_of(answers, "driver.too-old");
  ASSERT_NE(finding, nullptr);
  const std::string& text = finding->fix.back().text;
  EXPECT_NE(text.find("newest vLLM"), std::string::npos) << text;
  EXPECT_NE(text.find("with PyTorch 2.10 for CUDA 12.8 (vllm.json, "), std::string::npos) << text;
}

Snapshot flash_attention(const char* torch, const char* python) {
  Snapshot host;
  host.host = HostFacts{.platform = "linux", .arch = "x86_64"};
  host.torch = Torch{.version = torch};
  host.python = Python{.executable = "/opt/venv/bin/python", .version = python};
  Symptom line = symptom_of({SymptomClass::mismatch, "torch-extension-version"});
  line.text = "ModuleNotFoundError: No module named 'flash_attn_2_cuda'";
  host.log = std::vector<Symptom>{line};
  return host;
}

TEST(FittingBuild, NamesTheWheelOfFlashAttention) {
  const Answers answers = answers_of("runtime.extension-mismatch", flash_attention("2.8.0+cu128", "3.12.3"));
  const Finding* finding = finding_of(answers, "runtime.extension-mismatch");
  ASSERT_NE(finding, nullptr);
  const Fix& fix = finding->fix.back();
  EXPECT_NE(fix.text.find("ready wheel for PyTorch 2.8 and CUDA 12"), std::string::npos) << fix.text;
  EXPECT_NE(fix.command.find("torch2.8cxx11abiTRUE-cp312-cp312-linux_x86_64.whl"), std::string::npos) << fix.command;
}

TEST(FittingBuild, SaysWhereFlashAttentionHasNoWheel) {
  const Answers answers = answers_of("runtime.extension-mismatch", flash_attention("2.13.0+cu130", "3.12.3"));
  const Fix& fix = finding_of(answers, "runtime.extension-mismatch")->fix.back();
  EXPECT_NE(fix.text.find("No ready wheel"), std::string::npos) << fix.text;
  EXPECT_NE(fix.text.find("flash_attention.json, "), std::string::npos) << fix.text;
  EXPECT_TRUE(fix.command.empty());
}

TEST(FittingBuild, SaysThatNoFlashAttentionTakesAnOldGpu) {
  Snapshot host;
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{{.index = 0, .name = "Tesla T4", .compute_capability = "7.5"}};
  Symptom line = symptom_of({SymptomClass::unsupported, "compute-capability"});
  line.text = "RuntimeError: FlashAttention only supports Ampere GPUs or newer.";
  host.log = std::vector<Symptom>{line};
  const Answers answers = answers_of("runtime.arch-unsupported", host);
  const Finding* finding = finding_of(answers, "runtime.arch-unsupported");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->fix.back().text.find("it needs 8.0"), std::string::npos) << finding->fix.back().text;
}

}  // namespace
}  // namespace envdoctor::fitting_build_test
