#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/log_lines.h"

namespace envdoctor::log_causes_test {
namespace {

TEST(LogCauses, NameTheSourceAndTheLineOfTheirEvidence) {
  const auto all =
      findings(log_of({{{SymptomClass::harmless, "numa-node"}}, {{SymptomClass::mismatch, "driver-library-version"}}}));
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].evidence.size(), 1U);
  EXPECT_EQ(all[0].evidence[0].path, "log");
  EXPECT_EQ(all[0].evidence[0].source, "train.log");
  EXPECT_EQ(all[0].evidence[0].line, 2);
}

TEST(LogCauses, AreNoneInALogOfADeviceThatWasUsed) {
  EXPECT_EQ(ids(log_of({{{SymptomClass::missing, "library"}, {{"library", "libnvinfer.so.7"}}, "tensorflow"},
                        {{SymptomClass::harmless, "numa-node"}},
                        {{SymptomClass::missing, "cuda-device"}},
                        {{SymptomClass::used, "gpu"}}})),
            (Found{{"benign.message", certain}}));
  EXPECT_TRUE(ids(Snapshot{}).empty());
}

TEST(LogCauses, LeaveOutTheGpusThatOllamaPassesOverForAnother) {
  const Line amd = {{SymptomClass::missing, "hip-kernel-image"}, {}, "ollama"};
  const Line old = {{SymptomClass::unsupported, "compute-capability"}, {}, "ollama"};
  EXPECT_EQ(ids(log_of({amd})), (Found{{"runtime.rocm-arch-unsupported", likely}}));
  EXPECT_EQ(ids(log_of({old})), (Found{{"runtime.arch-unsupported", likely}}));
  EXPECT_TRUE(ids(log_of({amd, old, {{SymptomClass::used, "gpu"}}})).empty());
}

TEST(LogCauses, GiveTheGroupForAMessageThatCoversMany) {
  EXPECT_EQ(ids(log_of({{{SymptomClass::missing, "loaded-driver"}}})), (Found{{"driver.unreachable", possible}}));
}

TEST(LogCauses, GiveEachMemberOfAGroupTheCommandThatDecides) {
  const auto fixes = [](const Snapshot& snapshot) {
    std::string all;
    const auto found = findings(snapshot);
    for (const Fix& fix : found.at(0).fix) {
      EXPECT_FALSE(fix.command.empty()) << fix.text;
      all += fix.text;
    }
    return all;
  };
  EXPECT_NE(fixes(log_of({{{SymptomClass::missing, "loaded-driver"}}})).find("driver.module-not-loaded"),
            std::string::npos);
  EXPECT_NE(fixes(log_of({{{SymptomClass::missing, "opencl-platform"}}})).find("opencl.no-icd"), std::string::npos);
  EXPECT_NE(fixes(log_of({{{SymptomClass::missing, "hip-device"}}})).find("driver.permission"), std::string::npos);
  EXPECT_EQ(fixes(log_of({{{SymptomClass::missing, "hip-device"}}})).find("libcuda"), std::string::npos);
}

TEST(LogCauses, GiveTheCauseWhereASecondFactSeparatesIt) {
  EXPECT_EQ(
      ids(log_of({{{SymptomClass::missing, "loaded-driver"}}, {{SymptomClass::refused, "kernel-module-signature"}}})),
      (Found{{"driver.secure-boot", certain}}));
  EXPECT_EQ(ids(log_of({{{SymptomClass::missing, "loaded-driver"}}, {{SymptomClass::missing, "kernel-module"}}})),
            (Found{{"driver.module-not-loaded", likely}}));
  EXPECT_EQ(
      ids(log_of({{{SymptomClass::missing, "nvml-device"}}, {{SymptomClass::failed, "nvidia-gpu-initialization"}}})),
      (Found{{"driver.gpu-init-failed", certain}}));
  EXPECT_EQ(ids(log_of({{{SymptomClass::failed, "nvidia-gpu-initialization"}}, {{SymptomClass::lost, "pci-device"}}})),
            (Found{{"driver.gpu-lost", certain}}));
}

TEST(LogDriverVersions, AreACompatibilityPackageOnlyInAContainerAndBetweenBranches) {
  const std::vector<Line> branches = {
      {{SymptomClass::mismatch, "driver-version"}, {{"kernel", "450.51.05"}, {"library", "460.27.04"}}}};
  const std::vector<Line> patches = {
      {{SymptomClass::mismatch, "driver-version"}, {{"kernel", "450.51.05"}, {"library", "450.80.02"}}}};
  EXPECT_EQ(ids(log_of(branches)), (Found{{"driver.version-mismatch", certain}}));
  EXPECT_EQ(ids(in_docker(log_of(branches))), (Found{{"driver.compat-package", likely}}));
  EXPECT_EQ(ids(in_docker(log_of(patches))), (Found{{"driver.version-mismatch", certain}}));
}

TEST(LogCuinit, ReadsTheCode) {
  EXPECT_EQ(ids(log_of({{{SymptomClass::failed, "cuinit"}, {{"code", "UNKNOWN ERROR (34)"}}}})),
            (Found{{"driver.libcuda-stub", certain}}));
  EXPECT_EQ(ids(log_of({{{SymptomClass::failed, "cuinit"}, {{"code", "CUDA_ERROR_NO_DEVICE"}}}})),
            (Found{{"driver.unreachable", possible}}));
  EXPECT_EQ(ids(log_of({{{SymptomClass::failed, "cuinit"}, {{"code", "UNKNOWN ERROR (303)"}}},
                        {{SymptomClass::noted, "kernel-driver-version"}}})),
            (Found{{"driver.libcuda-missing", likely}}));
  EXPECT_TRUE(
      ids(log_of({{{SymptomClass::failed, "cuinit"}, {{"code", "CUDA_ERROR_UNKNOWN"}}}, {{SymptomClass::used, "gpu"}}}))
          .empty());
}

TEST(LogXid, TellsALostBoardFromAProgramsFault) {
  EXPECT_EQ(ids(log_of({{{SymptomClass::noted, "xid"}, {{"code", "79"}}}})), (Found{{"driver.gpu-lost", certain}}));
  EXPECT_EQ(ids(log_of({{{SymptomClass::noted, "xid"}, {{"code", "31"}}}})),
            (Found{{"usage.program-fault", possible}}));
}

std::vector<Finding> benign(const Snapshot& snapshot) { return answers_of("benign.message", snapshot).findings; }

TEST(LogBenign, IsToldOnceAndOnlyWhereNothingIsWrong) {
  const std::vector<Line> lines = {{{SymptomClass::harmless, "numa-node"}},
                                   {{SymptomClass::harmless, "numa-node"}},
                                   {{SymptomClass::harmless, "tensorrt"}}};
  const auto found = benign(log_of(lines));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].severity, Severity::info);
  EXPECT_EQ(found[0].evidence.size(), 2U);
  std::vector<Line> with_fault = lines;
  with_fault.push_back({{SymptomClass::mismatch, "driver-library-version"}});
  EXPECT_TRUE(benign(log_of(with_fault)).empty());
  EXPECT_TRUE(benign(Snapshot{}).empty());
}

}  // namespace
}  // namespace envdoctor::log_causes_test
