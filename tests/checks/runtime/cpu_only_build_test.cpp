#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_cpu_only_build_test {

namespace {

Snapshot beside_driver(const std::string& driver, const std::string& capability = "8.0") {
  Snapshot snapshot;
  NvidiaDevice device = nvml_a100(0, "0000:00:00.0");
  device.compute_capability = capability;
  snapshot.nvidia.fill().devices = std::vector<NvidiaDevice>{device};
  snapshot.nvidia.get()->kernel_driver_version = driver;
  return snapshot;
}

Snapshot torch_for_cpu(Snapshot snapshot, const std::string& version) {
  snapshot.torch.fill().version = version;
  snapshot.torch.get()->cuda_version = absent("built without CUDA");
  snapshot.torch.get()->cuda_available = false;
  return snapshot;
}

std::string last_fix(const Snapshot& snapshot) {
  const Answers answers = answers_of("runtime.cpu-only-build", snapshot);
  const Finding* finding = finding_of(answers, "runtime.cpu-only-build");
  return finding ? finding->fix.back().text : "";
}

TEST(RuntimeCpuOnlyBuild, NamesTheBuildOfTheSameReleaseThatTheDriverTakes) {
  const std::string fix = last_fix(torch_for_cpu(beside_driver("550.54.15"), "2.5.1+cpu"));
  EXPECT_NE(fix.find("\"torch==2.5.1+cu124\" --index-url https://download.pytorch.org/whl/cu124"), fix.npos) << fix;
  const std::string older = last_fix(torch_for_cpu(beside_driver("520.61.05"), "2.5.1+cpu"));
  EXPECT_NE(older.find("\"torch==2.5.1+cu118\""), older.npos) << older;
}

TEST(RuntimeCpuOnlyBuild, TakesTheCompanionsAlong) {
  Snapshot snapshot = torch_for_cpu(beside_driver("550.54.15"), "2.5.1+cpu");
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"torchvision", "0.20.1+cpu"}};
  const std::string fix = last_fix(snapshot);
  EXPECT_NE(fix.find("\"torch==2.5.1+cu124\" \"torchvision==0.20.1+cu124\" --index-url"), fix.npos) << fix;
}

TEST(RuntimeCpuOnlyBuild, NamesAnotherReleaseWhereNoneOfThisOneFits) {
  const std::string fix = last_fix(torch_for_cpu(beside_driver("470.57.02"), "2.9.0+cpu"));
  EXPECT_NE(fix.find("\"torch==2.7.*\" --index-url https://download.pytorch.org/whl/cu118"), fix.npos) << fix;
}

TEST(RuntimeCpuOnlyBuild, ReplacesThePackageThatSharesItsFolder) {
  Snapshot snapshot = beside_driver("550.54.15");
  snapshot.tensorflow.fill().physical_gpus = 0;
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"tensorflow-cpu", "2.15.0"}};
  snapshot.python.get()->executable = std::string("/venv/bin/python3");
  snapshot.python.get()->installer = std::string("pip");
  const Answers answers = answers_of("runtime.cpu-only-build", snapshot);
  const Finding* finding = finding_of(answers, "runtime.cpu-only-build");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->fix.back().command,
            "\"/venv/bin/python3\" -m pip uninstall --yes tensorflow-cpu && \"/venv/bin/python3\" -m pip install "
            "\"tensorflow[and-cuda]==2.15.*\"");
}

TEST(RuntimeCpuOnlyBuild, SaysWhereToLookIfTheDriverIsUnknown) {
  Snapshot snapshot;
  snapshot.torch.fill().version = std::string("2.5.1+cpu");
  const std::string fix = last_fix(snapshot);
  EXPECT_NE(fix.find("nvidia-smi"), fix.npos) << fix;
  snapshot.host.fill().platform = std::string("macos");
  EXPECT_EQ(last_fix(snapshot).find("nvidia-smi"), std::string::npos);
}

TEST(RuntimeCpuOnlyBuild, NamesNoBuildOfPytorchsIndexForAJetson) {
  Snapshot snapshot = torch_for_cpu(beside_driver("540.3.0"), "2.5.1+cpu");
  Symptom board;
  board.class_ = std::string("present");
  board.subject = std::string("jetson");
  snapshot.log = std::vector<Symptom>{board};
  const std::string fix = last_fix(snapshot);
  EXPECT_NE(fix.find("JetPack"), fix.npos) << fix;
  EXPECT_EQ(fix.find("download.pytorch.org"), fix.npos) << fix;
}

}  // namespace

}  // namespace envdoctor::runtime_cpu_only_build_test
