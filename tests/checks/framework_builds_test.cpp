#include <gtest/gtest.h>

#include "checks/check.h"

namespace envdoctor {

Check keras_backend_mismatch();
Check python_duplicate_packages();
Check runtime_cpu_only_build();

namespace {

Answers ask(Check check, const Snapshot& snapshot) {
  Answers answers;
  check.run(snapshot, answers);
  return answers;
}

CheckState state(const Answers& answers) {
  if (!answers.findings.empty()) return CheckState::found;
  return answers.results.empty() ? CheckState::unknown : answers.results.front().state;
}

Snapshot torch(const char* version, Text cuda, bool available) {
  Snapshot snapshot;
  snapshot.torch = Torch{.version = version, .cuda_version = std::move(cuda), .cuda_available = available};
  return snapshot;
}

Snapshot with_gpu(Snapshot snapshot) {
  snapshot.nvidia.fill().devices.fill().push_back({.index = 0, .name = "NVIDIA L4"});
  return snapshot;
}

TEST(CpuOnlyBuild, IsToldByTheTagOfTheVersion) {
  EXPECT_EQ(state(ask(runtime_cpu_only_build(), torch("2.4.1+cpu", {}, false))), CheckState::found);
}

TEST(CpuOnlyBuild, IsToldByABuildForNoCudaWhereAGpuIsKnown) {
  const Snapshot none = torch("2.4.1", absent("None"), false);
  EXPECT_EQ(state(ask(runtime_cpu_only_build(), with_gpu(none))), CheckState::found);
  EXPECT_NE(state(ask(runtime_cpu_only_build(), none)), CheckState::found);
  EXPECT_NE(state(ask(runtime_cpu_only_build(), with_gpu(torch("2.4.1+rocm6.1", absent("None"), false)))),
            CheckState::found);
}

TEST(CpuOnlyBuild, IsNotABuildThatWorksOrNamesItsCuda) {
  EXPECT_EQ(state(ask(runtime_cpu_only_build(), with_gpu(torch("2.4.1+cu121", "12.1", false)))), CheckState::sound);
  EXPECT_EQ(state(ask(runtime_cpu_only_build(), with_gpu(torch("2.4.1", {}, true)))), CheckState::sound);
}

TEST(CpuOnlyBuild, IsEveryTensorflowOnWindowsFrom211On) {
  const auto on = [](const char* platform, const char* version) {
    Snapshot snapshot;
    snapshot.host.fill().platform = platform;
    snapshot.tensorflow.fill().version = version;
    return state(ask(runtime_cpu_only_build(), with_gpu(snapshot)));
  };
  EXPECT_EQ(on("windows", "2.16.1"), CheckState::found);
  EXPECT_NE(on("windows", "2.10.1"), CheckState::found);
  EXPECT_NE(on("linux", "2.16.1"), CheckState::found);
}

TEST(CpuOnlyBuild, IsInformationWhereTheBusShowsNoGpu) {
  Snapshot snapshot = torch("2.4.1+cpu", {}, false);
  snapshot.pci.fill();
  const Answers answers = ask(runtime_cpu_only_build(), snapshot);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].severity, Severity::info);
}

TEST(CpuOnlyBuild, IsNotKnownWithoutAFramework) {
  EXPECT_EQ(state(ask(runtime_cpu_only_build(), {})), CheckState::not_applicable);
}

TEST(DuplicatePackages, AreTwoThatWriteOneFolder) {
  Snapshot snapshot;
  EXPECT_EQ(state(ask(python_duplicate_packages(), snapshot)), CheckState::unknown);
  auto& packages = snapshot.python.fill().packages.fill();
  packages["tensorflow"] = "1.15.0";
  EXPECT_EQ(state(ask(python_duplicate_packages(), snapshot)), CheckState::sound);
  packages["tensorflow_gpu"] = "1.15.0";
  EXPECT_EQ(state(ask(python_duplicate_packages(), snapshot)), CheckState::found);
}

TEST(KerasBackend, IsMismatchedWhereItRunsOnAnotherThanAsked) {
  Snapshot snapshot;
  EXPECT_EQ(state(ask(keras_backend_mismatch(), snapshot)), CheckState::not_applicable);
  snapshot.keras.fill().backend = "tensorflow";
  snapshot.env.fill();
  EXPECT_EQ(state(ask(keras_backend_mismatch(), snapshot)), CheckState::sound);
  snapshot.keras.fill().config_backend = "torch";
  EXPECT_EQ(state(ask(keras_backend_mismatch(), snapshot)), CheckState::found);
  snapshot.keras.fill().config_backend = "tensorflow";
  snapshot.env.fill()["KERAS_BACKEND"] = "jax";
  EXPECT_EQ(state(ask(keras_backend_mismatch(), snapshot)), CheckState::found);
  snapshot.env.fill()["KERAS_BACKEND"] = "tensorflow";
  EXPECT_EQ(state(ask(keras_backend_mismatch(), snapshot)), CheckState::sound);
}

}  // namespace
}  // namespace envdoctor
