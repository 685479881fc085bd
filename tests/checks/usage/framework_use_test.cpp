// usage.wrong-gpu, usage.device-config-too-late, usage.rnn-generic-kernel, keras.mixed-keras and
// keras.image-data-format, from frameworks' answers: passed, failed, absent, unknown.
#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "tests/support/builders.h"

namespace envdoctor::usage_framework_use_test {

namespace {

// Two cards; PyTorch's first device is the one with this UUID.
Snapshot choosing(const char* variable, const char* uuid) {
  Snapshot snapshot = healthy_nvidia_host();
  auto& cards = *snapshot.nvidia.get()->devices.get();
  cards[0].uuid = std::string("GPU-aaaaaaaa");
  NvidiaDevice second = cards[0];
  second.uuid = std::string("GPU-bbbbbbbb");
  cards.push_back(second);
  snapshot.env.fill()["CUDA_VISIBLE_DEVICES"] = std::string(variable);
  snapshot.torch.fill().devices = std::vector<TorchDevice>{{.ordinal = 0, .uuid = std::string(uuid)}};
  return snapshot;
}

std::string wrong_gpu(const Snapshot& snapshot) { return state_of("usage.wrong-gpu", snapshot); }

TEST(UsageWrongGpu, ComparesTheCardThatTorchGotWithTheOneThatWasNamed) {
  EXPECT_EQ(wrong_gpu(choosing("1", "GPU-bbbbbbbb")), "passed");
  EXPECT_EQ(wrong_gpu(choosing("1", "GPU-aaaaaaaa")), "failed");
  const Answers answers = answers_of("usage.wrong-gpu", choosing("1", "GPU-aaaaaaaa"));
  EXPECT_EQ(answers.findings.front().confidence, Confidence::certain);
}

TEST(UsageWrongGpu, ConcernsNobodyWhoNamesNoNumber) {
  EXPECT_EQ(wrong_gpu(healthy_nvidia_host()), "not-applicable");
  EXPECT_EQ(wrong_gpu(choosing("-1", "GPU-aaaaaaaa")), "not-applicable");
  EXPECT_EQ(wrong_gpu(choosing("GPU-bbbbbbbb", "GPU-bbbbbbbb")), "not-applicable");
}

TEST(UsageWrongGpu, IsUnknownWhereTheCardIsNotTold) {
  EXPECT_EQ(wrong_gpu(choosing("1", "GPU-cccccccc")), "unknown");
  Snapshot unasked = choosing("1", "GPU-aaaaaaaa");
  unasked.torch = {};
  EXPECT_EQ(wrong_gpu(unasked), "unknown");
  unasked.env = {};
  EXPECT_EQ(wrong_gpu(unasked), "unknown");
}

std::string config(const Flag& growth, std::int64_t gpus = 1) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.tensorflow.fill().physical_gpus = gpus;
  snapshot.tensorflow.fill().memory_growth = growth;
  return state_of("usage.device-config-too-late", snapshot);
}

TEST(UsageDeviceConfigTooLate, IsWhatTensorflowSaysRightAfterItsImport) {
  EXPECT_EQ(config(Flag(false)), "passed");
  EXPECT_EQ(config(failed("RuntimeError: Physical devices cannot be modified after being initialized")), "failed");
  EXPECT_EQ(config(failed("ValueError: Memory growth cannot differ between GPU devices")), "unknown");
  EXPECT_EQ(config(Flag()), "unknown");
  EXPECT_EQ(config(Flag(), 0), "not-applicable");
  EXPECT_EQ(state_of("usage.device-config-too-late", plain_host()), "not-applicable");
}

Snapshot computed(const char* kernel, const char* outcome, const char* cause = "", const char* mode = "") {
  Snapshot snapshot = healthy_nvidia_host();
  ComputeResult result{.device = std::string("framework:tensorflow/GPU:0"),
                       .backend = std::string("framework"),
                       .kernel = std::string(kernel),
                       .precision = std::string("fp32")};
  result.agreement.fill().outcome = std::string(outcome);
  if (*cause) result.agreement.fill().cause = std::string(cause);
  if (*mode) result.mode = std::string(mode);
  snapshot.compute.fill().push_back(result);
  return snapshot;
}

std::string rnn(const Snapshot& snapshot) { return state_of("usage.rnn-generic-kernel", snapshot); }

TEST(UsageRnnGenericKernel, IsToldByTheLstmThatRan) {
  EXPECT_EQ(rnn(computed("lstm", "within-bound", "", "cuDNN")), "passed");
  EXPECT_EQ(rnn(computed("lstm", "within-bound", "", "without cuDNN")), "failed");
  EXPECT_EQ(rnn(computed("lstm", "within-bound")), "not-applicable") << "on the CPU nothing is said of cuDNN";
  EXPECT_EQ(rnn(computed("gemm", "within-bound")), "unknown");
  EXPECT_EQ(rnn(healthy_nvidia_host()), "unknown");
}

TEST(ComputeByAFramework, IsFiledUnderTheCardItRanOn) {
  const Answers answers = answers_of("compute.wrong-results", computed("gemm", "outside", "unnamed"));
  ASSERT_EQ(answers.findings.size(), 1U);
  EXPECT_EQ(answers.findings.front().subject, "gpu:0000:65:00.0");
  EXPECT_EQ(answers.findings.front().title, "The framework gives wrong results on this device");
}

TEST(ComputeByAFramework, MayBeTf32AndMayVaryWithoutAnybodysFault) {
  const Answers narrow = answers_of("compute.tf32", computed("gemm", "outside", "tf32-inputs"));
  EXPECT_EQ(narrow.findings.front().severity, Severity::info);
  Snapshot varying = computed("conv2d", "within-bound", "nondeterministic");
  varying.compute.get()->front().repeatable = false;
  EXPECT_EQ(answers_of("compute.nondeterministic", varying).findings.front().severity, Severity::info);
}

TEST(ComputeByAFramework, NamesTheLibraryWithoutWhichItIsRight) {
  const Answers answers = answers_of("compute.wrong-results", computed("conv2d", "outside", "cudnn"));
  EXPECT_EQ(answers.findings.front().title, "cuDNN gives wrong results");
}

TEST(VerdictOfDevices, CountsAFrameworksGpuAsAGpu) {
  const Report report = judge(computed("gemm", "within-bound"), {.of_devices = true});
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.verdict_why.find("no GPU"), std::string::npos) << report.verdict_why;
  Snapshot cpu = computed("gemm", "within-bound");
  cpu.compute.get()->front().device = std::string("framework:tensorflow/CPU:0");
  EXPECT_NE(judge(cpu, {.of_devices = true}).verdict_why.find("no GPU"), std::string::npos);
}

ComputeResult timed(const char* device, std::int64_t steps, double ms) {
  return {.device = std::string(device),
          .backend = std::string("framework"),
          .kernel = std::string("lstm"),
          .precision = std::string("fp32"),
          .size = std::map<std::string, std::int64_t>{{"hidden", 64}, {"inputs", 64}, {"steps", steps}},
          .flops = 1e5 * static_cast<double>(steps),
          .time = ComputeTime{.median_ms = ms, .low_ms = 0.9 * ms, .high_ms = 1.1 * ms}};
}

// The GPU takes 2 ms whatever the size, the CPU 0.1 ms a step.
Snapshot race(const std::vector<std::int64_t>& steps) {
  Snapshot snapshot = healthy_nvidia_host();
  auto& rows = snapshot.compute.fill();
  for (const std::int64_t n : steps) {
    rows.push_back(timed("framework:torch/cuda:0", n, 2));
    rows.push_back(timed("framework:torch/cpu", n, 0.1 * static_cast<double>(n)));
  }
  return snapshot;
}

TEST(UsageCpuFaster, TellsFromWhichSizeOnTheGpuWins) {
  const Answers answers = answers_of("usage.cpu-faster", race({64, 1, 8}));
  ASSERT_EQ(answers.findings.size(), 1U);
  const Finding& finding = answers.findings.front();
  EXPECT_EQ(finding.subject, "gpu:0000:65:00.0");
  EXPECT_NE(finding.explanation.find("steps=8 the CPU is faster: 0.8 ms against 2 ms"), std::string::npos);
  EXPECT_NE(finding.explanation.find("steps=64 on the GPU is faster"), std::string::npos) << finding.explanation;
}

TEST(UsageCpuFaster, TellsNothingWhereTheGpuWinsOrItIsADraw) {
  EXPECT_EQ(state_of("usage.cpu-faster", race({32, 64})), "passed");
  EXPECT_EQ(state_of("usage.cpu-faster", race({19})), "passed") << "the intervals overlap";
  const Answers never = answers_of("usage.cpu-faster", race({1, 2}));
  EXPECT_NE(never.findings.front().explanation.find("at no size"), std::string::npos);
  EXPECT_EQ(judge(race({1}), {.of_devices = true}).findings.size(), 1U) << "bench reports it";
}

TEST(UsageCpuFaster, NeedsBothTimes) {
  EXPECT_EQ(state_of("usage.cpu-faster", healthy_nvidia_host()), "unknown");
  Snapshot one = race({1});
  one.compute.get()->pop_back();
  EXPECT_EQ(state_of("usage.cpu-faster", one), "unknown");
  Snapshot other = race({1});
  other.compute.get()->back().device = std::string("framework:jax/cpu:0");
  EXPECT_EQ(state_of("usage.cpu-faster", other), "unknown");
}

Snapshot keras_set(const char* legacy_variable, const char* keras, const char* tf_keras) {
  Snapshot snapshot = plain_host();
  if (*legacy_variable) snapshot.env.fill()["TF_USE_LEGACY_KERAS"] = std::string(legacy_variable);
  snapshot.keras.fill().version = std::string(keras);
  snapshot.keras.fill().tf_keras_version = *tf_keras ? Text(tf_keras) : Text(absent("tf-keras is not installed"));
  return snapshot;
}

std::string mixed(const Snapshot& snapshot) { return state_of("keras.mixed-keras", snapshot); }

TEST(KerasMixed, IsPossibleWhereTheVariableMakesTwoKeras) {
  EXPECT_EQ(mixed(keras_set("1", "3.5.0", "2.17.0")), "failed");
  EXPECT_EQ(mixed(keras_set("", "3.5.0", "2.17.0")), "passed");
  EXPECT_EQ(mixed(keras_set("1", "3.5.0", "")), "passed") << "that is keras.legacy-missing";
  EXPECT_EQ(mixed(keras_set("1", "2.15.0", "2.15.0")), "passed");
  EXPECT_EQ(mixed(plain_host()), "not-applicable");
  Snapshot unread = keras_set("1", "3.5.0", "2.17.0");
  unread.env = {};
  EXPECT_EQ(mixed(unread), "unknown");
}

Snapshot channels_first(std::int64_t gpus, const Flag& onednn) {
  Snapshot snapshot = plain_host();
  snapshot.keras.fill().backend = std::string("tensorflow");
  snapshot.keras.fill().image_data_format = std::string("channels_first");
  snapshot.tensorflow.fill().physical_gpus = gpus;
  snapshot.tensorflow.fill().onednn = onednn;
  return snapshot;
}

std::string format(const Snapshot& snapshot) { return state_of("keras.image-data-format", snapshot); }

TEST(KerasImageDataFormat, NeedsAGpuOrOneDnn) {
  EXPECT_EQ(format(channels_first(0, Flag(false))), "failed");
  EXPECT_EQ(format(channels_first(1, Flag(false))), "passed");
  EXPECT_EQ(format(channels_first(0, Flag(true))), "passed");
  EXPECT_EQ(format(channels_first(0, Flag())), "unknown");
  Snapshot last = channels_first(0, Flag(false));
  last.keras.fill().image_data_format = std::string("channels_last");
  EXPECT_EQ(format(last), "passed");
  last.keras.fill().image_data_format = absent("no keras.json");
  EXPECT_EQ(format(last), "passed");
  last.keras.fill().image_data_format = {};
  EXPECT_EQ(format(last), "unknown");
  EXPECT_EQ(format(plain_host()), "not-applicable");
}

TEST(KerasImageDataFormat, LeavesOtherBackendsAlone) {
  Snapshot snapshot = channels_first(0, Flag(false));
  snapshot.keras.fill().backend = std::string("torch");
  EXPECT_EQ(format(snapshot), "passed");
}

}  // namespace
}  // namespace envdoctor::usage_framework_use_test
