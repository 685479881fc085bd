// The checks of Python environments, each on a healthy, a broken, an absent and an unknown one.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "checks/facts/version_range.h"
#include "tests/support/builders.h"

namespace envdoctor::python_checks_test {

namespace {

// An environment with TensorFlow, everything looked at and in order; nothing imported.
Snapshot tensorflow_environment() {
  Snapshot s = plain_host();
  Python& python = s.python.fill();
  python.executable = "/venv/bin/python3";
  python.version = "3.11.7";
  python.prefix = "/venv";
  python.packages =
      std::map<std::string, std::string>{{"tensorflow", "2.15.1"}, {"numpy", "1.26.4"}, {"keras", "2.15.0"}};
  python.written_twice.fill();
  python.damage.fill();
  python.kernels.fill();
  python.requirements = std::vector<PackageRequirement>{
      {.by = "tensorflow", .name = "numpy", .range = "<2.0.0,>=1.23.5", .installed = "1.26.4"},
      {.by = "tensorflow", .name = "protobuf", .range = "!=4.21.0,<5.0.0dev,>=3.20.3", .installed = "4.25.9"},
      {.by = "tensorflow", .name = "keras", .range = "<2.16,>=2.15.0", .installed = "2.15.0"}};
  Tensorflow& tensorflow = s.tensorflow.fill();
  tensorflow.version = "2.15.1";
  tensorflow.wheel_tag = "cp311-cp311-manylinux_2_17_x86_64";
  s.keras.fill().version = "2.15.0";
  return s;
}

Snapshot imported(Snapshot s) {
  s.tensorflow.fill().import_error = absent("it imports");
  return s;
}

TEST(VersionRange, IsReadAsPackagesWriteIt) {
  EXPECT_TRUE(in_range("1.26.4", "<2.0.0,>=1.23.5").is(true));
  EXPECT_TRUE(in_range("2.0.1", "<2.0.0,>=1.23.5").is(false));
  EXPECT_TRUE(in_range("2.4.1+cu121", "==2.4.1").is(true));
  EXPECT_TRUE(in_range("5.0.0", "<5.0.0dev").is(false));
  EXPECT_TRUE(in_range("3.9.4", "~=3.9.0").is(true));
  EXPECT_TRUE(in_range("3.10.0", "~=3.9.0").is(false));
  EXPECT_TRUE(in_range("0.0.50.3", "==0.0.50.*").is(true));
  EXPECT_TRUE(in_range("4.21.0", "!=4.21.0").is(false));
  EXPECT_TRUE(in_range("1.0", "").is(true));
  EXPECT_EQ(in_range("1.0", "newest").outcome(), Outcome::failed);
}

TEST(NumpyAbi, IsSoundWhereTheRangeIsMet) {
  EXPECT_EQ(state_of("python.numpy-abi", tensorflow_environment()), "passed");
}

TEST(NumpyAbi, IsBrokenUnderANumpyTwo) {
  Snapshot s = tensorflow_environment();
  s.python.fill().requirements.fill()[0].installed = "2.0.1";
  const Answers quick = answers_of_all({"python.numpy-abi", "python.protobuf-mismatch", "keras.version-mismatch"}, s);
  ASSERT_NE(finding_of(quick, "python.numpy-abi"), nullptr);
  EXPECT_EQ(finding_of(quick, "python.numpy-abi")->confidence, Confidence::likely);
  s.tensorflow.fill().import_error = "ImportError: numpy.core.umath failed to import";
  const Answers asked = answers_of_all({"python.numpy-abi", "python.protobuf-mismatch", "keras.version-mismatch"}, s);
  EXPECT_EQ(finding_of(asked, "python.numpy-abi")->confidence, Confidence::certain);
  EXPECT_EQ(finding_of(asked, "python.numpy-abi")->severity, Severity::error);
  const Answers works =
      answers_of_all({"python.numpy-abi", "python.protobuf-mismatch", "keras.version-mismatch"}, imported(s));
  EXPECT_EQ(finding_of(works, "python.numpy-abi")->severity, Severity::warning);
}

TEST(NumpyAbi, IsKnownOfReleasesThatSetNoBound) {
  Snapshot s = tensorflow_environment();
  s.tensorflow.fill().version = "2.14.0";
  s.python.fill().requirements.fill()[0] = {
      .by = "tensorflow", .name = "numpy", .range = ">=1.23.5", .installed = "2.0.1"};
  s.python.fill().packages.fill()["numpy"] = "2.0.1";
  EXPECT_EQ(state_of("python.numpy-abi", s), "failed");
  EXPECT_EQ(state_of("python.numpy-abi", imported(s)), "passed");
}

TEST(NumpyAbi, IsNotAskedWhereNoFrameworkIs) {
  Snapshot s = tensorflow_environment();
  s.python.fill().requirements.fill().clear();
  s.tensorflow = {};
  EXPECT_EQ(state_of("python.numpy-abi", s), "not-applicable");
  EXPECT_EQ(state_of("python.numpy-abi", plain_host()), "unknown");
}

TEST(ProtobufMismatch, IsFoundOutsideTheRange) {
  Snapshot s = tensorflow_environment();
  EXPECT_EQ(state_of("python.protobuf-mismatch", s), "passed");
  s.python.fill().requirements.fill()[1].installed = "5.28.0";
  EXPECT_EQ(state_of("python.protobuf-mismatch", s), "failed");
  EXPECT_EQ(state_of("python.protobuf-mismatch", plain_host()), "unknown");
}

TEST(KerasVersion, IsMismatchedBesideAnOlderTensorflow) {
  Snapshot s = imported(tensorflow_environment());
  EXPECT_EQ(state_of("keras.version-mismatch", s), "passed");
  s.python.fill().requirements.fill()[2].installed = "3.5.0";
  EXPECT_EQ(finding_of(answers_of_all({"python.numpy-abi", "python.protobuf-mismatch", "keras.version-mismatch"}, s),
                       "keras.version-mismatch")
                ->severity,
            Severity::error);
  s.tensorflow.fill().training_on = "CPU:0";  // it trains all the same
  EXPECT_EQ(finding_of(answers_of_all({"python.numpy-abi", "python.protobuf-mismatch", "keras.version-mismatch"}, s),
                       "keras.version-mismatch")
                ->severity,
            Severity::warning);
}

TEST(BrokenInstall, IsSoundWhereItImports) {
  EXPECT_EQ(state_of("python.broken-install", imported(tensorflow_environment())), "passed");
}

TEST(BrokenInstall, IsNotCalledSoundUnasked) {
  EXPECT_EQ(state_of("python.broken-install", tensorflow_environment()), "unknown");
  EXPECT_EQ(state_of("python.broken-install", plain_host()), "unknown");
}

TEST(BrokenInstall, IsToldByMissingFiles) {
  Snapshot s = tensorflow_environment();
  s.python.fill().damage = std::vector<PackageDamage>{
      {.package = "tensorflow", .what = "files-missing", .path = "/venv/x/tensorflow/__init__.py"}};
  const Answers answers = answers_of("python.broken-install", s);
  ASSERT_NE(finding_of(answers, "python.broken-install"), nullptr);
  EXPECT_EQ(finding_of(answers, "python.broken-install")->severity, Severity::error);
  EXPECT_EQ(finding_of(answers_of("python.broken-install", imported(s)), "python.broken-install")->severity,
            Severity::warning);
  s.python.fill().damage.fill()[0].package = "some-tool";
  EXPECT_EQ(state_of("python.broken-install", imported(s)), "passed");
  s.python.fill().damage.fill()[0] = {.package = "~ensorflow", .what = "leftover", .path = "/venv/x/~ensorflow"};
  EXPECT_EQ(finding_of(answers_of("python.broken-install", imported(s)), "python.broken-install")->severity,
            Severity::info);
}

TEST(BrokenInstall, IsToldByAnImportThatRaisesOrCrashesAndNotByOneThatHangs) {
  Snapshot s = tensorflow_environment();
  s.tensorflow.fill().import_error = "ImportError: x";
  EXPECT_EQ(state_of("python.broken-install", s), "failed");
  s.tensorflow.fill().import_error = failed("tensorflow: ended by SIGSEGV in import tensorflow");
  EXPECT_EQ(state_of("python.broken-install", s), "failed");
  s.tensorflow.fill().import_error = failed("tensorflow: no answer within 60 s in import tensorflow");
  EXPECT_EQ(state_of("python.broken-install", s), "unknown");
}

TEST(BrokenInstall, IsToldByAJaxlibThatDoesNotFitOrIsMissing) {
  Snapshot s = plain_host();
  s.python.fill().damage.fill();
  s.jax.fill().version = "0.6.0";
  s.python.fill().requirements = std::vector<PackageRequirement>{
      {.by = "jax", .name = "jaxlib", .range = "<=0.6.0,>=0.5.3", .installed = "0.4.30"}};
  EXPECT_EQ(state_of("python.broken-install", s), "failed");
  s.python.fill().requirements.fill()[0].installed = absent("not installed");
  EXPECT_EQ(state_of("python.broken-install", s), "failed");
  s.python.fill().requirements.fill()[0].installed = "0.6.0";
  EXPECT_EQ(state_of("python.broken-install", s), "unknown");
}

TEST(BrokenInstall, IsTheEmptyPackageThatTensorflowGpuBecame) {
  Snapshot s = plain_host();
  s.python.fill().damage.fill();
  s.tensorflow.fill().version = "2.12.0";
  s.tensorflow.fill().package = "tensorflow-gpu";
  EXPECT_EQ(state_of("python.broken-install", s), "unknown") << "it may be a full one";
  s.tensorflow.fill().wheel_tag = "cp37-cp37m-linux_x86_64";
  EXPECT_EQ(state_of("python.broken-install", s), "unknown");
  s.tensorflow.fill().wheel_tag = "py3-none-any";
  EXPECT_EQ(state_of("python.broken-install", s), "failed");
  s.tensorflow.fill().built_with_cuda = true;
  EXPECT_EQ(state_of("python.broken-install", s), "unknown");
}

TEST(WrittenTwice, IsToldByTheListsOfFilesNotByNames) {
  Snapshot s = tensorflow_environment();
  s.python.fill().packages.fill()["tensorflow_cpu"] = "2.15.1";
  EXPECT_EQ(state_of("python.duplicate-packages", s), "passed");
  s.python.fill().written_twice =
      std::vector<WrittenTwice>{{.folder = "tensorflow",
                                 .packages = std::vector<std::string>{"tensorflow 2.15.1", "tensorflow-cpu 2.15.1"},
                                 .winner = "tensorflow-cpu 2.15.1"}};
  const Answers answers = answers_of("python.duplicate-packages", s);
  ASSERT_NE(finding_of(answers, "python.duplicate-packages"), nullptr);
  EXPECT_EQ(finding_of(answers, "python.duplicate-packages")->confidence, Confidence::certain);
}

TEST(WrongEnvironment, IsToldByANotebookOfAnotherPython) {
  Snapshot s = tensorflow_environment();
  EXPECT_EQ(state_of("python.wrong-environment", s), "passed");
  PythonPlace& kernel = s.python.fill().notebook.fill();
  kernel.prefix = "/venv";
  EXPECT_EQ(state_of("python.wrong-environment", s), "passed");
  kernel.prefix = "/usr";
  EXPECT_EQ(finding_of(answers_of_all({"python.wrong-environment", "python.version-unsupported"}, s),
                       "python.wrong-environment")
                ->severity,
            Severity::warning);
  EXPECT_EQ(state_of("python.wrong-environment", plain_host()), "unknown");
}

TEST(WrongEnvironment, IsLikelyWhereAKernelLacksTheFramework) {
  Snapshot s = tensorflow_environment();
  PythonPlace kernel{.name = "python3", .executable = "/usr/bin/python3", .prefix = "/usr"};
  kernel.frameworks.fill();
  s.python.fill().kernels.fill().push_back(kernel);
  EXPECT_EQ(finding_of(answers_of_all({"python.wrong-environment", "python.version-unsupported"}, s),
                       "python.wrong-environment")
                ->confidence,
            Confidence::likely);
  s.python.fill().kernels.fill()[0].frameworks.fill().emplace_back("tensorflow 2.15.1");
  EXPECT_EQ(state_of("python.wrong-environment", s), "passed");
}

TEST(PythonVersion, IsUnsupportedWhereTheWheelIsForAnother) {
  Snapshot s = tensorflow_environment();
  EXPECT_EQ(state_of("python.version-unsupported", s), "passed");
  s.python.fill().version = "3.12.1";
  EXPECT_EQ(state_of("python.version-unsupported", s), "failed");
  s.tensorflow.fill().wheel_tag = "cp39-abi3-manylinux_2_17_x86_64";
  EXPECT_EQ(state_of("python.version-unsupported", s), "passed");
  EXPECT_EQ(state_of("python.version-unsupported", plain_host()), "unknown");
}

TEST(PythonVersion, IsUnsupportedWhereKerasWaitsForATensorflowThatIsNotMade) {
  Snapshot s = plain_host();
  s.python.fill().version = "3.99.0";
  s.python.fill().packages = std::map<std::string, std::string>{{"keras", "3.9.0"}};
  s.keras.fill().version = "3.9.0";
  EXPECT_EQ(state_of("python.version-unsupported", s), "failed");
  s.python.fill().version = "3.11.2";
  EXPECT_EQ(state_of("python.version-unsupported", s), "passed");
}

TEST(KerasBackend, IsMissingWhereKerasIsToldToUseWhatIsNotInstalled) {
  Snapshot s = tensorflow_environment();
  s.keras.fill().version = "3.9.0";
  s.keras.fill().backend = "tensorflow";
  EXPECT_EQ(state_of("keras.backend-mismatch", s), "passed");
  s.env.fill()["KERAS_BACKEND"] = "torch";
  const Answers answers = answers_of_all({"keras.backend-mismatch", "keras.legacy-missing"}, s);
  ASSERT_NE(finding_of(answers, "keras.backend-mismatch"), nullptr);
  EXPECT_EQ(finding_of(answers, "keras.backend-mismatch")->severity, Severity::error);
  s.keras.fill().version = "2.15.0";  // it doesn't read the variable
  s.env.fill().clear();
  EXPECT_EQ(state_of("keras.backend-mismatch", s), "passed");
}

// Anyone may have published a package of the misspelt name: never suggest to install it.
TEST(KerasBackend, ThatDoesNotExistIsNeverToBeInstalled) {
  Snapshot s = tensorflow_environment();
  s.keras.fill().version = "3.9.0";
  for (const char* unknown : {"tensorfow", "theano", "cntk"}) {
    s.env.fill()["KERAS_BACKEND"] = unknown;
    const Answers answers = answers_of_all({"keras.backend-mismatch", "keras.legacy-missing"}, s);
    const Finding* found = finding_of(answers, "keras.backend-mismatch");
    ASSERT_NE(found, nullptr) << unknown;
    EXPECT_NE(found->explanation.find("Keras takes tensorflow, jax, torch"), std::string::npos) << found->explanation;
    for (const Fix& fix : found->fix) EXPECT_EQ((fix.text + fix.command).find("nstall"), std::string::npos) << fix.text;
  }
}

// What is missing here is in the environment that the person activated: nothing is to be installed.
TEST(KerasBackend, IsThereInTheEnvironmentThatIsActivated) {
  Snapshot s = tensorflow_environment();
  s.keras.fill().version = "3.9.0";
  s.env.fill()["KERAS_BACKEND"] = "torch";
  s.python.get()->activated = PythonPlace{.prefix = "/other", .frameworks = std::vector<std::string>{"torch 2.9.1"}};
  const Answers answers = answers_of_all({"keras.backend-mismatch", "keras.legacy-missing"}, s);
  const Finding* found = finding_of(answers, "keras.backend-mismatch");
  ASSERT_NE(found, nullptr);
  EXPECT_NE(found->explanation.find("VIRTUAL_ENV names /other"), std::string::npos) << found->explanation;
  ASSERT_EQ(found->fix.size(), 1U);
  EXPECT_EQ(found->fix.front().command, ". \"/other/bin/activate\"");
}

TEST(KerasBackend, MayOutrankItsFileByTheVariable) {
  Snapshot s = tensorflow_environment();
  s.keras.fill().version = "3.9.0";
  s.keras.fill().config_backend = "tensorflow";
  s.torch.fill().version = "2.9.1";
  s.env.fill()["KERAS_BACKEND"] = "torch";
  s.keras.fill().backend = "torch";
  EXPECT_EQ(state_of("keras.backend-mismatch", s), "passed");
}

TEST(KerasLegacy, IsMissingWhereItIsAskedForAndNotInstalled) {
  Snapshot s = tensorflow_environment();
  EXPECT_EQ(state_of("keras.legacy-missing", s), "not-applicable");
  s.env.fill()["TF_USE_LEGACY_KERAS"] = "1";
  EXPECT_EQ(state_of("keras.legacy-missing", s), "passed");  // 2.15 has Keras 2
  s.tensorflow.fill().version = "2.17.0";
  EXPECT_EQ(state_of("keras.legacy-missing", s), "failed");
  s.python.fill().packages.fill()["tf_keras"] = "2.17.0";
  EXPECT_EQ(state_of("keras.legacy-missing", s), "passed");
  s.python.fill().packages = {};
  EXPECT_EQ(state_of("keras.legacy-missing", s), "unknown");
}

Snapshot with_gpu_in_tensorflow() {
  Snapshot s = imported(tensorflow_environment());
  Tensorflow& tensorflow = s.tensorflow.fill();
  tensorflow.physical_gpus = 1;
  tensorflow.visible_gpus = 1;
  tensorflow.placement = "GPU:0";
  tensorflow.placement_under_gpu = "GPU:0";
  tensorflow.variables_on = "GPU:0";
  tensorflow.training_on = "GPU:0";
  return s;
}

TEST(DetectedUnused, IsFoundWhereWorkStaysOnTheCpu) {
  Snapshot s = with_gpu_in_tensorflow();
  for (const char* id : {"usage.detected-unused", "usage.op-has-no-gpu-kernel", "visibility.framework-hidden"})
    EXPECT_EQ(state_of(id, s), "passed") << id;
  s.tensorflow.fill().training_on = "CPU:0";
  EXPECT_EQ(state_of("usage.detected-unused", s), "failed");
  s.tensorflow.fill().placement_under_gpu = "CPU:0";
  EXPECT_EQ(state_of("usage.op-has-no-gpu-kernel", s), "failed");
  s.tensorflow.fill().visible_gpus = 0;
  EXPECT_EQ(state_of("visibility.framework-hidden", s), "failed");
}

TEST(DetectedUnused, IsNotAskedWithoutAGpuAndNotKnownUnasked) {
  Snapshot s = with_gpu_in_tensorflow();
  s.tensorflow.fill().physical_gpus = 0;
  EXPECT_EQ(state_of("usage.detected-unused", s), "not-applicable");
  EXPECT_EQ(state_of("usage.detected-unused", tensorflow_environment()), "unknown");
  EXPECT_EQ(state_of("usage.detected-unused", plain_host()), "not-applicable");
}

TEST(IsaMissing, IsToldByAnIllegalInstruction) {
  Snapshot s = imported(tensorflow_environment());
  EXPECT_EQ(state_of("cpu.isa-missing", s), "passed");
  s.tensorflow.fill().import_error = failed("tensorflow: ended by SIGILL in import tensorflow");
  EXPECT_EQ(finding_of(answers_of("cpu.isa-missing", s), "cpu.isa-missing")->confidence, Confidence::likely);
  s.cpu.fill().isa = std::vector<std::string>{"sse4_2"};
  EXPECT_EQ(finding_of(answers_of("cpu.isa-missing", s), "cpu.isa-missing")->confidence, Confidence::certain);
  EXPECT_EQ(state_of("cpu.isa-missing", plain_host()), "not-applicable");
  EXPECT_EQ(state_of("cpu.isa-missing", tensorflow_environment()), "unknown");
}

// What a framework that was asked here prints of a missing driver is no fault of a host without GPUs, which has its own
// finding, hardware.no-gpu.
TEST(AskedFrameworks, DoNotMakeAGpulessHostSick) {
  Snapshot s = imported(tensorflow_environment());
  const auto ids = [&s] {
    std::set<std::string> all;
    for (const Finding& finding : answers_of_all({}, s).findings) all.insert(finding.id);
    return all;
  };
  const std::set<std::string> without_log = ids();
  EXPECT_EQ(without_log, std::set<std::string>{"hardware.no-gpu"});
  const std::string source = "standard error of tensorflow";
  s.log = std::vector<Symptom>{symptom_of({SymptomClass::failed, "cuinit"}, {{"code", "UNKNOWN ERROR (303)"}}, source),
                               symptom_of({SymptomClass::missing, "cuda-libraries"}, {}, source),
                               symptom_of({SymptomClass::exhausted, "gpu-memory"}, {}, source)};
  EXPECT_EQ(ids(), without_log);
  for (Symptom& event : *s.log.get()) event.source = "train.log";
  EXPECT_NE(ids(), without_log);
  s.log = std::vector<Symptom>{symptom_of({SymptomClass::mismatch, "numpy-abi"}, {}, source)};
  EXPECT_TRUE(ids().contains("python.numpy-abi"));
}

TEST(Oversubscribed, IsMoreThreadsThanCpus) {
  Snapshot s = plain_host();
  EXPECT_EQ(state_of("cpu.oversubscribed", s), "unknown");
  s.cpu.fill().allowed_cpus = 4;
  EXPECT_EQ(state_of("cpu.oversubscribed", s), "passed");
  s.env.fill()["OMP_NUM_THREADS"] = "64";
  EXPECT_EQ(state_of("cpu.oversubscribed", s), "failed");
  s.env.fill()["OMP_NUM_THREADS"] = "4";
  EXPECT_EQ(state_of("cpu.oversubscribed", s), "passed");
  s.host.fill().cgroup.fill().cpus = 1.0;
  EXPECT_EQ(state_of("cpu.oversubscribed", s), "failed");
}

}  // namespace
}  // namespace envdoctor::python_checks_test
