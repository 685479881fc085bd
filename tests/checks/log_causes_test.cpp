#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/log_lines.h"

namespace envdoctor {
namespace {

TEST(LogCauses, NameTheSourceAndTheLineOfTheirEvidence) {
  const auto all = findings(log_of({{"benign"}, {"driver-library-mismatch"}}));
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].evidence.size(), 1U);
  EXPECT_EQ(all[0].evidence[0].path, "log");
  EXPECT_EQ(all[0].evidence[0].source, "train.log");
  EXPECT_EQ(all[0].evidence[0].line, 2);
}

TEST(LogCauses, HaveACatalogueRowForEveryRule) {
  for (const LogRules* rules : all_log_rules()) {
    for (const LogRule& rule : *rules) EXPECT_NE(diagnosis(rule.id), nullptr) << rule.id;
  }
}

TEST(LogCauses, AreNoneInALogOfADeviceThatWasUsed) {
  EXPECT_TRUE(ids(log_of({{"library-missing", {{"library", "libnvinfer.so.7"}}, "tensorflow"},
                          {"benign", {{"what", "NUMA node -1"}}},
                          {"cuda-no-device"},
                          {"device-used-tensorflow"}}))
                  .empty());
  EXPECT_TRUE(ids(Snapshot{}).empty());
}

TEST(LogCauses, GiveTheGroupForAMessageThatCoversMany) {
  EXPECT_EQ(ids(log_of({{"smi-no-driver"}})), (Found{{"driver.unreachable", possible}}));
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
  EXPECT_NE(fixes(log_of({{"smi-no-driver"}})).find("driver.module-not-loaded"), std::string::npos);
  EXPECT_NE(fixes(log_of({{"opencl-no-platform"}})).find("opencl.no-icd"), std::string::npos);
  EXPECT_NE(fixes(log_of({{"hip-no-device"}})).find("driver.permission"), std::string::npos);
  EXPECT_EQ(fixes(log_of({{"hip-no-device"}})).find("libcuda"), std::string::npos);
}

TEST(LogCauses, GiveTheCauseWhereASecondFactSeparatesIt) {
  EXPECT_EQ(ids(log_of({{"smi-no-driver"}, {"module-key-rejected"}})), (Found{{"driver.secure-boot", certain}}));
  EXPECT_EQ(ids(log_of({{"smi-no-driver"}, {"module-not-found"}})), (Found{{"driver.module-not-loaded", likely}}));
  EXPECT_EQ(ids(log_of({{"smi-no-devices"}, {"rm-init-failed"}})), (Found{{"driver.gpu-init-failed", certain}}));
  EXPECT_EQ(ids(log_of({{"rm-init-failed"}, {"gpu-off-bus"}})), (Found{{"driver.gpu-lost", certain}}));
}

TEST(LogDriverVersions, AreACompatibilityPackageOnlyInAContainerAndBetweenBranches) {
  const std::vector<Line> branches = {{"driver-versions-differ", {{"kernel", "450.51.05"}, {"library", "460.27.04"}}}};
  const std::vector<Line> patches = {{"driver-versions-differ", {{"kernel", "450.51.05"}, {"library", "450.80.02"}}}};
  EXPECT_EQ(ids(log_of(branches)), (Found{{"driver.version-mismatch", certain}}));
  EXPECT_EQ(ids(in_docker(log_of(branches))), (Found{{"driver.compat-package", likely}}));
  EXPECT_EQ(ids(in_docker(log_of(patches))), (Found{{"driver.version-mismatch", certain}}));
}

TEST(LogCuinit, ReadsTheCode) {
  EXPECT_EQ(ids(log_of({{"cuinit-failed", {{"code", "UNKNOWN ERROR (34)"}}}})),
            (Found{{"driver.libcuda-stub", certain}}));
  EXPECT_EQ(ids(log_of({{"cuinit-failed", {{"code", "CUDA_ERROR_NO_DEVICE"}}}})),
            (Found{{"driver.unreachable", possible}}));
  EXPECT_EQ(ids(log_of({{"cuinit-failed", {{"code", "UNKNOWN ERROR (303)"}}}, {"driver-kernel-version"}})),
            (Found{{"driver.libcuda-missing", likely}}));
  EXPECT_TRUE(ids(log_of({{"cuinit-failed", {{"code", "CUDA_ERROR_UNKNOWN"}}}, {"device-used-torch"}})).empty());
}

TEST(LogLibraries, BelongToTheirDiagnosis) {
  const auto missing = [](const char* library, const char* why = "") {
    return ids(log_of({{"library-missing", {{"library", library}, {"why", why}}}}));
  };
  EXPECT_EQ(missing("libcudnn.so.8"), (Found{{"runtime.cudnn-missing", certain}}));
  EXPECT_EQ(missing("libcublas.so.12"), (Found{{"runtime.cuda-library-missing", certain}}));
  EXPECT_EQ(missing("libcuda.so.1"), (Found{{"driver.libcuda-missing", likely}}));
  EXPECT_EQ(missing("libcuda.so"), (Found{{"driver.libcuda-linker-name", certain}}));
  EXPECT_EQ(missing("libOpenCL.so.1"), (Found{{"opencl.loader-missing", certain}}));
  EXPECT_TRUE(missing("libnvinfer.so.7").empty());
  EXPECT_TRUE(missing("libGL.so.1").empty());
}

TEST(LogLibraries, AreNamedByTheDependencyThatFailed) {
  const auto all = findings(log_of({{"library-missing",
                                     {{"library", "libcusparse.so.12"},
                                      {"why", "libnvJitLink.so.12: cannot open shared object file: No such file"}}}}));
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].subject, "library:libnvJitLink.so.12");
}

TEST(LogMemory, DoesTheSum) {
  const auto oom = [](const char* wanted, const char* total, const char* free, const char* own, const char* idle) {
    return ids(log_of({{"out-of-memory", {{"wanted", wanted}, {"total", total}, {"free", free}}, "torch"},
                       {"memory-parts", {{"process", own}, {"unallocated", idle}}}}));
  };
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "23.00 GiB", "0.10 GiB"),
            (Found{{"memory.out-of-memory", likely}}));
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "3.00 GiB", "0.10 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(oom("20.00 MiB", "24.00 GiB", "0.01 GiB", "3.00 GiB", "0.20 GiB"), (Found{{"memory.occupied", likely}}));
  EXPECT_EQ(oom("2.00 GiB", "24.00 GiB", "0.30 GiB", "23.00 GiB", "9.00 GiB"), (Found{{"memory.fragmented", likely}}));
}

TEST(LogMemory, TakesAFailedHandleForPreallocationOnlyWhereVersionsFit) {
  EXPECT_EQ(ids(log_of({{"cudnn-handle-failed"}})), (Found{{"memory.preallocated", possible}}));
  EXPECT_EQ(ids(log_of({{"cudnn-handle-failed"}, {"cudnn-versions-differ"}})),
            (Found{{"runtime.cudnn-mismatch", certain}}));
}

TEST(LogXid, TellsALostBoardFromAProgramsFault) {
  EXPECT_EQ(ids(log_of({{"xid", {{"code", "79"}}}})), (Found{{"driver.gpu-lost", certain}}));
  EXPECT_TRUE(ids(log_of({{"xid", {{"code", "31"}}}})).empty());
}

TEST(LogModules, TellAMissingFrameworkFromABrokenOne) {
  EXPECT_EQ(ids(log_of({{"module-missing", {{"module", "tensorflow"}}}})),
            (Found{{"python.wrong-environment", possible}}));
  EXPECT_EQ(ids(log_of({{"module-missing", {{"module", "tensorflow.python"}}}})),
            (Found{{"python.broken-install", likely}}));
  EXPECT_TRUE(ids(log_of({{"module-missing", {{"module", "requests"}}}})).empty());
}

TEST(LogModules, BlameKerasBackendWhereKerasWentToImportIt) {
  const Line missing = {"module-missing", {{"module", "tensorflow"}}};
  EXPECT_EQ(ids(log_of({{"keras-backend", {{"backend", "TensorFlow"}}}, missing}))["keras.backend-mismatch"], likely);
  EXPECT_FALSE(ids(log_of({{"keras-backend", {{"backend", "JAX"}}}, missing})).contains("keras.backend-mismatch"));
}

TEST(LogModules, SeeOneFolderInstalledTwiceInPipsConflicts) {
  const auto conflicts = [](const char* one, const char* other) {
    return ids(log_of({{"pip-conflict", {{"package", one}, {"needs", "numpy"}}},
                       {"pip-conflict", {{"package", other}, {"needs", "gast"}}}}));
  };
  EXPECT_EQ(conflicts("tensorflow-gpu", "tensorflow"), (Found{{"python.duplicate-packages", likely}}));
  EXPECT_TRUE(conflicts("tensorflow", "tensorflow").empty());
  EXPECT_TRUE(conflicts("tensorflow", "tensorflow-probability").empty());
}

// The roster's own check of benign lines.
std::vector<Finding> benign(const Snapshot& snapshot) {
  Answers answers;
  for (const Check& check : all_checks()) {
    if (check.ids.size() == 1 && std::string_view(check.ids[0]) == "benign.message") check.run(snapshot, answers);
  }
  return answers.findings;
}

TEST(LogBenign, IsToldOnceAndOnlyWhereNothingIsWrong) {
  const std::vector<Line> lines = {{"benign", {{"what", "NUMA node -1"}}},
                                   {"benign", {{"what", "NUMA node -1"}}},
                                   {"benign", {{"what", "TensorRT not found"}}}};
  const auto told = benign(log_of(lines));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].severity, Severity::info);
  EXPECT_EQ(told[0].evidence.size(), 2U);
  std::vector<Line> with_fault = lines;
  with_fault.push_back({"driver-library-mismatch"});
  EXPECT_TRUE(benign(log_of(with_fault)).empty());
  EXPECT_TRUE(benign(Snapshot{}).empty());
}

}  // namespace
}  // namespace envdoctor
