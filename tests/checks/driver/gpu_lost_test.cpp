#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::driver_gpu_lost_test {

using enum SymptomClass;

namespace {

constexpr const char* id = "driver.gpu-lost";

std::string state(const Snapshot& snapshot) { return state_of("driver.gpu-lost", snapshot); }

Answers answers_for(const Snapshot& snapshot) { return answers_of("driver.gpu-lost", snapshot); }

TEST(DriverGpuLost, IsCertainWhereNvmlSaysSo) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices.fill().front().error = "NVML_ERROR_GPU_IS_LOST";
  const Answers answers = answers_for(host);
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->subject, "gpu:0000:65:00.0");
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/devices/0/error"});
}

TEST(DriverGpuLost, IsLikelyByXid79WhereTheGpuIsNoLongerListed) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 79, .gpu = "0000:65:00"}};
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(DriverGpuLost, IsNotCertainWhereSomebodyOnlyNamesTheXid) {
  Snapshot report;
  Symptom named = symptom_of({noted, "xid"}, {{"code", "79"}, {"told", "in the text"}}, "issue.txt");
  named.line = 1;
  report.log = std::vector<Symptom>{named};
  EXPECT_EQ(finding_of(answers_for(report), id)->confidence, Confidence::likely);
  Symptom logged = symptom_of({noted, "xid"}, {{"code", "79"}, {"gpu", "0000:41:00"}}, "issue.txt");
  logged.line = 2;
  report.log.get()->push_back(logged);
  const Answers both = answers_for(report);
  ASSERT_EQ(both.findings.size(), 1U) << "the kernel's line says the same, and where";
  EXPECT_EQ(both.findings[0].subject, "gpu:0000:41:00.0");
  EXPECT_EQ(both.findings[0].confidence, Confidence::certain);
}

// A text that holds these lines and nothing else.
Snapshot text_of_lines(std::vector<Symptom> lines) {
  Snapshot host;
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(DriverGpuLost, IsPossibleWhereSlurmCountsFewerAndNotNone) {
  const auto counted = [](const char* have) {
    return answers_of(id, text_of_lines({symptom_of({missing, "slurm-gpu"}, {{"have", have}})}));
  };
  const Answers some = counted("3");
  ASSERT_NE(finding_of(some, id), nullptr);
  EXPECT_EQ(finding_of(some, id)->confidence, Confidence::possible);
  EXPECT_EQ(finding_of(counted("0"), id), nullptr);
}

TEST(DriverGpuLost, OnlyWarnsOfALossThatIsOver) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 79, .gpu = "0000:65:00"}};
  const Answers answers = answers_for(host);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

TEST(DriverGpuLost, IsLikelyByAnyXidThatNeedsAReset) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 13, .gpu = "0000:65:00"}, {.code = 119, .gpu = "0000:65:00"}};
  EXPECT_EQ(state(host), "passed") << "it answers again";
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{};
  const Answers answers = answers_for(host);
  const Finding* finding = finding_of(answers, id);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding), std::vector<std::string>{"/nvidia/xid/1"});
  EXPECT_NE(finding->explanation.find("GSP"), std::string::npos);
  EXPECT_EQ(finding->fix.front().text.find("switch the machine off"), std::string::npos);
}

TEST(DriverGpuLost, TellsEachGpuByTheCodeThatSaysMost) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{};
  host.nvidia.fill().xid = std::vector<Xid>{
      {.code = 119, .gpu = "0000:65:00"}, {.code = 79, .gpu = "0000:65:00"}, {.code = 62, .gpu = "0000:66:00"}};
  const Answers answers = answers_for(host);
  ASSERT_EQ(answers.findings.size(), 2U);
  EXPECT_EQ(paths_of(answers.findings[0]), std::vector<std::string>{"/nvidia/xid/1"});
  EXPECT_EQ(paths_of(answers.findings[1]), std::vector<std::string>{"/nvidia/xid/2"});
}

TEST(DriverGpuLost, BelievesALogOfAHostThatIsNotKnownOtherwise) {
  Snapshot report;
  report.log = std::vector<Symptom>{symptom_of({lost, "gpu"}, {{"pci", "0000:0B:00.0"}}, "log.txt")};
  const Answers answers = answers_for(report);
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->subject, "gpu:0000:0b:00.0");
  EXPECT_EQ(finding_of(answers, id)->evidence.front().path, "log");
}

TEST(DriverGpuLost, IsSoundOnAHealthyHostWhateverOtherXidsAreLogged) {
  Snapshot host = healthy_nvidia_host();
  host.nvidia.fill().xid = std::vector<Xid>{{.code = 13, .gpu = "0000:65:00"}};
  EXPECT_EQ(state(host), "passed");
}

TEST(DriverGpuLost, IsUnknownWhereNvmlWasNotAsked) { EXPECT_EQ(state(Snapshot{}), "unknown"); }

TEST(DriverGpuLost, DoesNotApplyWithoutAnNvidiaGpu) { EXPECT_EQ(state(plain_host()), "not-applicable"); }

TEST(DriverGpuLost, TellsTheTwoLinesOfOneLossOnce) {
  Snapshot report;
  Symptom second = symptom_of({lost, "pci-device"}, {}, "dmesg.txt");
  second.line = 2;
  report.log =
      std::vector<Symptom>{symptom_of({noted, "xid"}, {{"code", "79"}, {"gpu", "0000:0B:00"}}, "dmesg.txt"), second};
  const Answers answers = answers_for(report);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].subject, "gpu:0000:0b:00.0");
  EXPECT_EQ(answers.findings[0].confidence, Confidence::certain);
  EXPECT_EQ(answers.findings[0].evidence.size(), 2U);
}

}  // namespace
}  // namespace envdoctor::driver_gpu_lost_test
