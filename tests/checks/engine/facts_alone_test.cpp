// A few facts of a machine, as a person states them, without any output: what they prove by themselves, and what they
// don't.
#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "evidence/json.h"

namespace envdoctor::facts_alone_test {
namespace {

// The first finding that is more than information; empty: none.
std::string first_root(const std::string& facts) {
  const Snapshot snapshot = snapshot_from_json(R"({"schema": "envdoctor.snapshot/1", )" + facts + "}", "facts");
  for (const Finding& finding : judge(snapshot, {}).findings) {
    if (finding.root && finding.severity != Severity::info) return finding.id;
  }
  return {};
}

TEST(FactsAlone, ShowWhichBuildFitsNoGpu) {
  EXPECT_EQ(first_root(R"("torch": {"version": "1.10.0", "cuda_version": "10.2"},
                          "nvidia": {"devices": [{"name": "NVIDIA GeForce RTX 4090"}]})"),
            "runtime.arch-unsupported");
  EXPECT_EQ(first_root(R"("torch": {"version": "1.10.0", "cuda_version": "10.2"},
                          "nvidia": {"devices": [{"name": "Tesla V100-SXM2-16GB"}]})"),
            "");
  EXPECT_EQ(first_root(R"("host": {"platform": "linux", "arch": "aarch64"},
                          "torch": {"version": "2.0.1+cu117"},
                          "nvidia": {"devices": [{"name": "GTX 1080", "compute_capability": "6.1"}]})"),
            "")
      << "nobody knows what a wheel of another machine holds";
}

TEST(FactsAlone, ShowABuildForTheCpu) {
  const std::string cpu = R"("python": {"packages": {"tensorflow-cpu": "2.8.0"}}, )";
  const std::string gpu = R"("nvidia": {"devices": [{"name": "RTX 3060"}]}, )";
  EXPECT_EQ(first_root(cpu + gpu + R"("tensorflow": {"version": "2.8.0", "physical_gpus": 0})"),
            "runtime.cpu-only-build");
  EXPECT_EQ(first_root(R"("python": {"packages": {"tensorflow-cpu": "2.8.0", "tensorflow-gpu": "2.8.0"}}, )" + gpu +
                       R"("tensorflow": {"version": "2.8.0", "built_with_cuda": true, "physical_gpus": 1})"),
            "");
  const std::string answers = R"("tensorflow": {"version": "2.11.0", "built_with_cuda": false, "physical_gpus": 0},
                                 "torch": {"cuda_available": true})";
  EXPECT_EQ(first_root(answers), "runtime.cpu-only-build") << "somebody asks why TensorFlow has none";
  EXPECT_EQ(first_root(answers + R"(, "pci": [])"), "") << "a probe that looked at the bus asks nothing";
}

TEST(FactsAlone, KeepACardWhoseIdStandsForItsName) {
  EXPECT_EQ(first_root(R"("pci": [{"address": "0000:00:04.0", "vendor": "10de", "name": "10de:1db1"}])"), "");
  EXPECT_EQ(first_root(R"("pci": [{"address": "0000:00:04.0", "vendor": "1013", "name": "1013:00b8"}])"),
            "hardware.no-gpu");
}

TEST(FactsAlone, ShowADriverThatIsOlderThanTheRelease) {
  const std::string old = R"("nvidia": {"kernel_driver_version": "390.77"}, )";
  EXPECT_EQ(first_root(old + R"("tensorflow": {"version": "1.13.1", "physical_gpus": 0})"), "driver.too-old");
  EXPECT_EQ(first_root(old + R"("tensorflow": {"version": "1.13.1", "physical_gpus": 1})"), "");
}

TEST(FactsAlone, ShowPackagesThatNoReleaseTakes) {
  const auto with = [](const std::string& package, const std::string& framework) {
    return first_root(R"("python": {"packages": {)" + package + "}}, " + framework);
  };
  EXPECT_EQ(with(R"("numpy": "2.0.1")", R"("torch": {"version": "2.2.0"})"), "python.numpy-abi");
  EXPECT_EQ(with(R"("numpy": "2.0.1")", R"("torch": {"version": "2.3.0"})"), "");
  EXPECT_EQ(with(R"("numpy": "1.26.4")", R"("torch": {"version": "2.2.0"})"), "");
  EXPECT_EQ(with(R"("protobuf": "4.21.1")", R"("tensorflow": {"version": "2.8.0"})"), "python.protobuf-mismatch");
  EXPECT_EQ(with(R"("protobuf": "3.19.6")", R"("tensorflow": {"version": "2.8.0"})"), "");
  EXPECT_EQ(with(R"("protobuf": "4.25.0")", R"("tensorflow": {"version": "2.15.0"})"), "");
}

TEST(FactsAlone, ShowReleasesThatDoNotBelongTogether) {
  const auto pair = [](const std::string& keras, const std::string& tensorflow) {
    return first_root(R"("keras": {"version": ")" + keras + R"("}, "tensorflow": {"version": ")" + tensorflow +
                      R"("})");
  };
  EXPECT_EQ(pair("2.4.3", "1.14.0"), "keras.version-mismatch");
  EXPECT_EQ(pair("2.11.0", "2.9.1"), "keras.version-mismatch");
  EXPECT_EQ(pair("2.9.0", "2.9.1"), "");
  EXPECT_EQ(pair("2.4.3", "2.4.0"), "");
  EXPECT_EQ(pair("3.3.3", "2.16.1"), "");
}

TEST(FactsAlone, ShowVariablesThatHideOrFilterTwice) {
  const std::string gpu = R"("nvidia": {"devices": [{"name": "Tesla T4"}]})";
  EXPECT_EQ(first_root(R"("jax": {"backend": "cpu"}, "env": {"JAX_PLATFORMS": "cpu"}, )" + gpu),
            "visibility.framework-hidden");
  EXPECT_EQ(first_root(R"("jax": {"backend": "gpu"}, "env": {"JAX_PLATFORMS": "cuda"}, )" + gpu), "");
  const std::string container = R"("host": {"container": "docker"}, "torch": {"device_count": 0}, )" + gpu;
  EXPECT_EQ(first_root(R"("env": {"NVIDIA_VISIBLE_DEVICES": "2", "CUDA_VISIBLE_DEVICES": "2"}, )" + container),
            "visibility.double-filter");
  EXPECT_NE(first_root(R"("env": {"NVIDIA_VISIBLE_DEVICES": "all", "CUDA_VISIBLE_DEVICES": "2"}, )" + container),
            "visibility.double-filter");
}

TEST(FactsAlone, AskNothingOfABuildForTheCpuBesideAnIntegratedGpu) {
  const std::string cpu = R"("torch": {"version": "2.2.0+cpu", "cuda_available": false}, )";
  EXPECT_EQ(first_root(cpu + R"("pci": [{"vendor": "Intel", "name": "UHD Graphics 630", "driver": "i915"}])"), "");
  EXPECT_EQ(first_root(cpu + R"("pci": [{"vendor": "NVIDIA", "name": "GeForce RTX 3060"}])"), "runtime.cpu-only-build");
}

TEST(FactsAlone, KnowGpusByTheirNames) {
  EXPECT_EQ(first_root(R"f("pci": [{"vendor": "NVIDIA Corporation", "name": "GT218 [GeForce 210] (rev a2)"}],
                          "nvidia": {"userspace_driver_version": "410.48", "nvml_error": "NVML_ERROR_DRIVER_NOT_LOADED"})f"),
            "driver.gpu-unsupported");
  EXPECT_EQ(first_root(R"("host": {"platform": "linux"}, "pci": [{"vendor": "AMD"}],
                          "opencl": {"platforms": [{"name": "rusticl", "devices": []}]})"),
            "opencl.rusticl-not-enabled");
}

TEST(FactsAlone, ShowInstancesThatNoProgramGets) {
  EXPECT_EQ(first_root(R"("env": {"CUDA_VISIBLE_DEVICES": "MIG-a,MIG-b"}, "torch": {"device_count": 1},
                          "nvidia": {"devices": [{"name": "A100", "mig": true}]})"),
            "visibility.mig-single-instance");
  EXPECT_EQ(first_root(R"("env": {"CUDA_VISIBLE_DEVICES": "MIG-a"}, "torch": {"device_count": 1},
                          "nvidia": {"devices": [{"name": "A100", "mig": true}]})"),
            "");
}

TEST(FactsAlone, ShowAModuleThatSecureBootMayHaveRefused) {
  const std::string unloaded = R"("modules": [], "nvidia": {"nvml_error": "NVML_ERROR_DRIVER_NOT_LOADED"}, )";
  EXPECT_EQ(first_root(unloaded + R"("host": {"platform": "linux", "secure_boot": true})"), "driver.secure-boot");
  EXPECT_NE(first_root(unloaded + R"("host": {"platform": "linux", "secure_boot": false})"), "driver.secure-boot");
}

}  // namespace
}  // namespace envdoctor::facts_alone_test
