// cpu.isa-missing, runtime.jit-slow, runtime.rocm-arch-unsupported and visibility.set-too-late from a host's facts.
#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::memory_framework_limits_test {

using enum SymptomClass;

namespace {

Snapshot with_cpu(std::vector<std::string> isa, const std::string& tensorflow) {
  Snapshot snapshot = plain_host();
  snapshot.cpu.fill().isa = std::move(isa);
  if (!tensorflow.empty()) snapshot.tensorflow.fill().version = tensorflow;
  return snapshot;
}

std::string isa_state(const Snapshot& snapshot) { return state_of("cpu.isa-missing", snapshot); }

TEST(CpuIsaMissing, ComparesTheCpuWithWhatThePackageNeeds) {
  EXPECT_EQ(isa_state(with_cpu({"sse2", "avx"}, "2.15.0")), "passed");
  EXPECT_EQ(isa_state(with_cpu({"sse2"}, "2.15.0")), "failed");
  EXPECT_EQ(isa_state(with_cpu({"sse2"}, "1.5")), "passed");
  EXPECT_EQ(isa_state(with_cpu({"sse2"}, "")), "not-applicable");
}

TEST(CpuIsaMissing, KnowsTheOneReleaseThatNeedsAvx2) {
  EXPECT_EQ(isa_state(with_cpu({"sse2", "avx"}, "2.4.0")), "failed");
  EXPECT_EQ(isa_state(with_cpu({"sse2", "avx"}, "2.4.1")), "passed");
}

TEST(CpuIsaMissing, DoesNotConcernOtherProcessorsNorHostsWithoutAFramework) {
  EXPECT_EQ(isa_state(plain_host()), "not-applicable");
  Snapshot arm = with_cpu({"asimd"}, "2.15.0");
  arm.host.fill().arch = "aarch64";
  EXPECT_EQ(isa_state(arm), "not-applicable");
}

Snapshot tensorflow_on(const std::string& version, const std::string& capability) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.pci = std::vector<PciDevice>{};
  for (NvidiaDevice& device : *snapshot.nvidia.get()->devices.get()) device.compute_capability = capability;
  for (CudaDevice& device : *snapshot.nvidia.get()->cuda_devices.get()) device.compute_capability = capability;
  snapshot.tensorflow.fill().version = version;
  return snapshot;
}

std::string jit_state(const Snapshot& snapshot) { return state_of("runtime.jit-slow", snapshot); }

TEST(RuntimeJitSlow, IsFoundWhereTheBuildsCudaIsOlderThanTheGpu) {
  EXPECT_EQ(jit_state(tensorflow_on("2.1.0", "8.6")), "failed");
  EXPECT_EQ(jit_state(tensorflow_on("2.1.0", "7.5")), "passed");
  EXPECT_EQ(jit_state(tensorflow_on("2.5.0", "8.9")), "passed") << "the same major version runs its machine code";
}

TEST(RuntimeJitSlow, LeavesBlackwellToTheOtherDiagnosis) {
  EXPECT_EQ(jit_state(tensorflow_on("2.15.0", "12.0")), "passed");
}

TEST(RuntimeJitSlow, IsUnknownOrNoMatterWithoutTheFacts) {
  EXPECT_EQ(jit_state(healthy_nvidia_host()), "not-applicable");
  Snapshot no_gpu = plain_host();
  no_gpu.tensorflow.fill().version = "2.1.0";
  EXPECT_EQ(jit_state(no_gpu), "unknown");
}

Snapshot rocm_on(const char* version, const char* gfx) {
  Snapshot snapshot = plain_host();
  snapshot.rocm.fill().devices = std::vector<RocmDevice>{{.index = 0, .gfx = gfx, .pci_address = "0000:03:00.0"}};
  snapshot.torch.fill().version = version;
  return snapshot;
}

std::string rocm_state(const Snapshot& snapshot) { return state_of("runtime.rocm-arch-unsupported", snapshot); }

TEST(RuntimeRocmArch, LooksForTheGpusTargetInThePackagesList) {
  EXPECT_EQ(rocm_state(rocm_on("2.2.1+rocm5.7", "gfx1030")), "passed");
  EXPECT_EQ(rocm_state(rocm_on("2.2.1+rocm5.7", "gfx1031")), "failed");
  EXPECT_EQ(rocm_state(rocm_on("2.2.1+cu121", "gfx1031")), "not-applicable");
  Snapshot nowhere = rocm_on("2.2.1+rocm5.7", "gfx1031");
  nowhere.rocm = absent("no KFD");
  EXPECT_EQ(rocm_state(nowhere), "unknown");
}

TEST(RuntimeRocmArch, TrustsAnOverrideAndDoubtsAnUnknownEnvironment) {
  Snapshot snapshot = rocm_on("2.2.1+rocm5.7", "gfx1031");
  EXPECT_EQ(answers_of("runtime.rocm-arch-unsupported", snapshot).findings.front().confidence, Confidence::likely);
  snapshot.env = Map<Text>();
  EXPECT_EQ(answers_of("runtime.rocm-arch-unsupported", snapshot).findings.front().confidence, Confidence::possible);
  snapshot.env.fill()["HSA_OVERRIDE_GFX_VERSION"] = std::string("10.3.0");
  EXPECT_EQ(rocm_state(snapshot), "passed");
}

TEST(RuntimeRocmArch, TakesTheTargetThatALogNames) {
  Snapshot snapshot = plain_host();
  snapshot.torch.fill().version = "2.2.1+rocm5.7";
  snapshot.log.fill().push_back(symptom_of({noted, "gpu-target"}, {{"gfx", "gfx1032"}}));
  EXPECT_EQ(rocm_state(snapshot), "failed");
}

Snapshot counting(const char* value, std::int64_t count) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = std::string(value);
  snapshot.torch.fill().device_count = count;
  return snapshot;
}

std::string late_state(const Snapshot& snapshot) { return state_of("visibility.set-too-late", snapshot); }

TEST(VisibilitySetTooLate, ComparesTheFrameworksCountWithTheVariable) {
  EXPECT_EQ(late_state(counting("0,1", 2)), "passed");
  EXPECT_EQ(late_state(counting("0,1", 1)), "passed") << "an entry may name nothing";
  EXPECT_EQ(late_state(counting("1", 7)), "failed");
}

TEST(VisibilitySetTooLate, NeedsTheVariableAndACount) {
  EXPECT_EQ(late_state(healthy_nvidia_host()), "not-applicable");
  Snapshot uncounted = counting("1", 7);
  uncounted.torch.fill().device_count = Number();
  EXPECT_EQ(late_state(uncounted), "unknown");
  uncounted.env = Map<Text>();
  EXPECT_EQ(late_state(uncounted), "unknown");
}

}  // namespace
}  // namespace envdoctor::memory_framework_limits_test
