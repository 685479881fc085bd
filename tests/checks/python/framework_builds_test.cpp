#include <gtest/gtest.h>

#include "tests/support/builders.h"

#include "checks/engine/diagnosis.h"

namespace envdoctor::python_framework_builds_test {

namespace {

Answers ask(const std::vector<std::string>& ids, const Snapshot& snapshot) { return answers_of_all(ids, snapshot); }

CheckState state(const Answers& answers) {
  if (!answers.findings.empty()) return CheckState::failed;
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
  EXPECT_EQ(state(ask({"runtime.cpu-only-build"}, torch("2.4.1+cpu", {}, false))), CheckState::failed);
}

TEST(CpuOnlyBuild, IsToldByABuildForNoCudaWhereAGpuIsKnown) {
  const Snapshot none = torch("2.4.1", absent("None"), false);
  EXPECT_EQ(state(ask({"runtime.cpu-only-build"}, with_gpu(none))), CheckState::failed);
  EXPECT_NE(state(ask({"runtime.cpu-only-build"}, none)), CheckState::failed);
  EXPECT_NE(state(ask({"runtime.cpu-only-build"}, with_gpu(torch("2.4.1+rocm6.1", absent("None"), false)))),
            CheckState::failed);
}

TEST(CpuOnlyBuild, IsNotABuildThatWorksOrNamesItsCuda) {
  EXPECT_EQ(state(ask({"runtime.cpu-only-build"}, with_gpu(torch("2.4.1+cu121", "12.1", false)))), CheckState::passed);
  EXPECT_EQ(state(ask({"runtime.cpu-only-build"}, with_gpu(torch("2.4.1", {}, true)))), CheckState::passed);
}

TEST(CpuOnlyBuild, IsEveryTensorflowOnWindowsFrom211On) {
  const auto on = [](const char* platform, const char* version) {
    Snapshot snapshot;
    snapshot.host.fill().platform = platform;
    snapshot.tensorflow.fill().version = version;
    return state(ask({"runtime.cpu-only-build"}, with_gpu(snapshot)));
  };
  EXPECT_EQ(on("windows", "2.16.1"), CheckState::failed);
  EXPECT_NE(on("windows", "2.10.1"), CheckState::failed);
  EXPECT_NE(on("linux", "2.16.1"), CheckState::failed);
}

TEST(CpuOnlyBuild, IsInformationWhereTheBusShowsNoGpu) {
  Snapshot snapshot = torch("2.4.1+cpu", {}, false);
  snapshot.pci.fill();
  const Answers answers = ask({"runtime.cpu-only-build"}, snapshot);
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings[0].severity, Severity::info);
}

TEST(CpuOnlyBuild, IsNotKnownWithoutAFramework) {
  EXPECT_EQ(state(ask({"runtime.cpu-only-build"}, {})), CheckState::not_applicable);
}

TEST(DuplicatePackages, AreTwoThatWriteOneFolder) {
  Snapshot snapshot;
  EXPECT_EQ(state(ask({"python.duplicate-packages"}, snapshot)), CheckState::unknown);
  auto& packages = snapshot.python.fill().packages.fill();
  packages["tensorflow"] = "1.15.0";
  EXPECT_EQ(state(ask({"python.duplicate-packages"}, snapshot)), CheckState::passed);
  packages["tensorflow_gpu"] = "1.15.0";
  EXPECT_EQ(state(ask({"python.duplicate-packages"}, snapshot)), CheckState::failed);
}

TEST(KerasBackend, IsMismatchedWhereItRunsOnAnotherThanAsked) {
  Snapshot snapshot;
  EXPECT_EQ(state(ask({"keras.backend-mismatch", "keras.legacy-missing"}, snapshot)), CheckState::not_applicable);
  snapshot.keras.fill().backend = "tensorflow";
  snapshot.env.fill();
  EXPECT_EQ(state(ask({"keras.backend-mismatch", "keras.legacy-missing"}, snapshot)), CheckState::passed);
  snapshot.keras.fill().config_backend = "torch";
  EXPECT_EQ(state(ask({"keras.backend-mismatch", "keras.legacy-missing"}, snapshot)), CheckState::failed);
  snapshot.keras.fill().config_backend = "tensorflow";
  snapshot.env.fill()["KERAS_BACKEND"] = "jax";
  EXPECT_EQ(state(ask({"keras.backend-mismatch", "keras.legacy-missing"}, snapshot)), CheckState::failed);
  snapshot.env.fill()["KERAS_BACKEND"] = "tensorflow";
  EXPECT_EQ(state(ask({"keras.backend-mismatch", "keras.legacy-missing"}, snapshot)), CheckState::passed);
}

}  // namespace
}  // namespace envdoctor::python_framework_builds_test
