#include <gtest/gtest.h>

#include <algorithm>

#include "checks/engine/report.h"
#include "tests/support/builders.h"

namespace envdoctor::undetermined_test {

using enum SymptomClass;
namespace {

Snapshot text_of(std::vector<TextLine> notable, std::vector<Symptom> symptoms = {}) {
  Snapshot report;
  report.log = std::move(symptoms);
  report.texts =
      std::vector<ReadText>{{.source = "job.log", .lines = std::int64_t{212}, .notable = std::move(notable)}};
  return report;
}

TextLine line(std::int64_t number, std::string text) { return {.line = number, .text = std::move(text)}; }

std::optional<Undetermined> of(const Snapshot& snapshot) { return judge(snapshot, {.from_files = true}).undetermined; }

TEST(Undetermined, SaysWhatStandsThereAndAsksOneCommand) {
  const auto result = of(text_of({line(200, "RuntimeError: the CUDA kernel did something odd")}));
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->lines, 212);
  ASSERT_EQ(result->decisive.size(), 1U);
  EXPECT_EQ(result->decisive[0].source, "job.log");
  EXPECT_EQ(result->decisive[0].line, 200);
  EXPECT_EQ(result->next_command, "nvidia-smi");
  EXPECT_FALSE(result->missing.empty());
}

TEST(Undetermined, AsksForWhatIsNotKnownYet) {
  Snapshot report = text_of({line(9, "RuntimeError: torch could not do it")});
  report.nvidia = Nvidia{.devices = std::vector<NvidiaDevice>{nvml_a100()}};
  EXPECT_EQ(of(report)->next_command, "python -m torch.utils.collect_env");
  EXPECT_EQ(of(text_of({line(9, "hipErrorOdd: rocm says no, error")}))->next_command, "rocminfo");
  EXPECT_EQ(of(text_of({line(9, "clGetDeviceInfo failed: OpenCL error")}))->next_command, "clinfo");
  EXPECT_EQ(of(text_of({line(9, "docker: Error response from daemon: something")}))->next_command,
            "docker run --rm --gpus all ubuntu nvidia-smi");
  EXPECT_EQ(of(text_of({line(9, "Error: the frobnicator is out")}))->next_command, "envdoctor check");
}

TEST(Undetermined, AsksForTheErrorOfAFrameworkThatFindsNoGpu) {
  Snapshot report = text_of({});
  report.torch = Torch{.version = "2.3.0+cu121", .cuda_version = "12.1", .cuda_available = false};
  EXPECT_FALSE(of(report).has_value()) << "no GPU is known";
  report.nvidia = Nvidia{.devices = std::vector<NvidiaDevice>{nvml_a100()}};
  report.sources = std::map<std::string, TextSource>{{"/torch/cuda_available", {.source = "job.log", .line = 7}}};
  const auto result = of(report);
  ASSERT_TRUE(result.has_value());
  ASSERT_EQ(result->decisive.size(), 1U);
  EXPECT_EQ(result->decisive[0].value, "/torch/cuda_available = false");
  EXPECT_EQ(result->decisive[0].line, 7);
  EXPECT_EQ(result->next_command, "python -c \"import torch; torch.zeros(1, device='cuda')\"");
  report.torch.fill().cuda_available = true;
  EXPECT_FALSE(of(report).has_value());
}

TEST(Undetermined, NamesWhatFactsRuleOut) {
  Snapshot report = healthy_nvidia_host();
  report.texts = text_of({line(3, "RuntimeError: odd")}).texts;
  const auto result = of(report);
  ASSERT_TRUE(result.has_value());
  EXPECT_NE(std::ranges::find(result->excluded, "driver.version-mismatch"), result->excluded.end());
}

TEST(Undetermined, IsSilentWhereACauseWasFoundOrNothingFailed) {
  EXPECT_FALSE(of(text_of({})).has_value());
  EXPECT_FALSE(of(Snapshot{}).has_value());
  EXPECT_FALSE(of(text_of({line(3, "CUDA out of memory")}, {symptom_of({exhausted, "gpu-memory"})})).has_value());
}

Snapshot complaint_of(std::vector<TextLine> complaints, std::vector<std::string> about = {}) {
  Snapshot report;
  report.texts = std::vector<ReadText>{
      {.source = "job.log", .lines = std::int64_t{12}, .complaints = std::move(complaints), .about = std::move(about)}};
  return report;
}

TEST(Undetermined, AsksAboutAComplaintThatHoldsNoWordOfFailure) {
  const auto slow = of(complaint_of({line(2, "Why is my GeForce so slow?")}));
  ASSERT_TRUE(slow.has_value());
  EXPECT_EQ(slow->decisive[0].value, "Why is my GeForce so slow?");
  EXPECT_EQ(slow->next_command, "nvidia-smi dmon -s put -c 20");
  EXPECT_EQ(of(complaint_of({line(2, "The results on the 3090 are totally different.")}))->next_command,
            "envdoctor verify");
  EXPECT_EQ(of(complaint_of({line(2, "The second GPU is not used by cuda:0")}))->next_command, "envdoctor visible");
}

TEST(Undetermined, AsksWithTheToolThatTheTextIsAbout) {
  const std::vector<TextLine> lines = {line(2, "It doesn't work.")};
  EXPECT_EQ(of(complaint_of(lines, {"opencv*", "cuda*"}))->next_command,
            "python -c \"import cv2; print(cv2.getBuildInformation())\"");
  EXPECT_EQ(of(complaint_of(lines, {"fabric manager"}))->next_command, "journalctl -b -u nvidia-fabricmanager");
  EXPECT_EQ(of(complaint_of(lines, {"radeon*", "slow"}))->next_command, "amd-smi monitor");
}

TEST(Undetermined, PrefersTheLinesOfFailureToComplaints) {
  Snapshot report = complaint_of({line(1, "Why does it stop?")});
  report.texts.get()->front().notable = std::vector<TextLine>{line(9, "RuntimeError: clGetDeviceInfo is odd")};
  ASSERT_EQ(of(report)->decisive.size(), 1U);
  EXPECT_EQ(of(report)->decisive[0].line, 9);
}

TEST(Undetermined, LeavesOutLinesThatAreKnownToBeHarmless) {
  Symptom harmless = symptom_of({SymptomClass::harmless, "an index, not a count"}, {}, "job.log");
  harmless.line = 3;
  EXPECT_FALSE(of(text_of({line(3, "could not find a NUMA node")}, {harmless})).has_value());
}

}  // namespace
}  // namespace envdoctor::undetermined_test
