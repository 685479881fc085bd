// Messages that say which version would fit: the fix names it, as pip takes it.
#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::versions_of_messages_test {

namespace {

// The fixes of a finding with this id in a log of this one line; "none": no finding.
std::string fix_for(const char* id, const char* class_, const char* subject, const std::string& text,
                    Snapshot snapshot = {}, const std::string& gfx = {}) {
  Symptom line;
  line.class_ = std::string(class_);
  line.subject = std::string(subject);
  line.text = text;
  if (!gfx.empty()) line.details["gfx"] = gfx;
  snapshot.log = std::vector<Symptom>{line};
  const Answers answers = answers_of(id, snapshot);
  const Finding* finding = finding_of(answers, id);
  if (!finding) return "none";
  std::string all;
  for (const Fix& fix : finding->fix) all += fix.text + "\n" + fix.command + "\n";
  return all;
}

bool has(const std::string& fix, const std::string& part) { return fix.find(part) != fix.npos; }

TEST(VersionsOfMessages, OfNumpyGoByWhichOfTheTwoIsOlder) {
  const auto numpy = [](const std::string& text) { return fix_for("python.numpy-abi", "mismatch", "numpy-abi", text); };
  EXPECT_TRUE(has(numpy("A module that was compiled using NumPy 1.x cannot be run in"), "\"numpy<2\""));
  EXPECT_TRUE(has(numpy("RuntimeError: module compiled against API version 0xe but this version of numpy is 0xd"),
                  "\"numpy>=1.20\""));
  EXPECT_TRUE(has(numpy("module compiled against ABI version 0x1000009 but this version of numpy is 0x2000000"),
                  "\"numpy<2\""));
  EXPECT_TRUE(has(numpy("module was compiled against NumPy C-API version 0x10 (NumPy 1.23) but the running NumPy has"),
                  "\"numpy>=1.23\""));
  const std::string size = "ValueError: numpy.dtype size changed, may indicate binary incompatibility. Expected ";
  EXPECT_TRUE(has(numpy(size + "96 from C header, got 88 from PyObject"), "\"numpy>=2\""));
  EXPECT_TRUE(has(numpy(size + "88 from C header, got 96 from PyObject"), "\"numpy<2\""));
  EXPECT_TRUE(has(numpy("ImportError: Numba needs NumPy 2.0 or less. Got NumPy 2.1."), "\"numpy<2.1\""));
  EXPECT_FALSE(has(numpy("ImportError: numpy.core.multiarray failed to import"), "pip install"));
}

TEST(VersionsOfMessages, OfProtobufGoByTheNameThatIsMissed) {
  const auto protobuf = [](const std::string& text) {
    return fix_for("python.protobuf-mismatch", "mismatch", "protobuf-version", text);
  };
  EXPECT_TRUE(has(protobuf("TypeError: Descriptors cannot be created directly."), "\"protobuf<3.21\""));
  EXPECT_TRUE(has(protobuf("ImportError: cannot import name 'builder' from 'google.protobuf.internal'"), ">=3.20"));
  EXPECT_TRUE(has(protobuf("AttributeError: 'MessageFactory' object has no attribute 'GetPrototype'"), "<6\""));
  EXPECT_TRUE(
      has(protobuf("VersionError: Detected incompatible Protobuf Gencode/Runtime versions when loading a.proto: "
                   "gencode 6.31.1 runtime 5.29.5."),
          "\"protobuf>=6.31.1\""));
  EXPECT_TRUE(
      has(protobuf("Detected mismatched Protobuf Gencode/Runtime major versions: gencode 5.28.3 runtime 6.31.0."),
          "\"protobuf>=5.28.3,<6\""));
}

TEST(VersionsOfMessages, OfPtxTellTheCompilerThatTakesIt) {
  const auto ptxas = [](const std::string& version) {
    return fix_for("runtime.libdevice-missing", "too-old", "ptxas",
                   "ptxas /tmp/k.ptx, line 5; fatal : Unsupported .version " + version + "; current version is '7.8'");
  };
  EXPECT_TRUE(has(ptxas("8.4"), "\"nvidia-cuda-nvcc-cu12>=12.4\""));
  EXPECT_TRUE(has(ptxas("8.7"), "\"nvidia-cuda-nvcc-cu12>=12.8\""));
  EXPECT_TRUE(has(ptxas("9.0"), "\"nvidia-cuda-nvcc>=13.0\""));
  EXPECT_FALSE(has(ptxas("6.3"), "pip install"));
}

TEST(VersionsOfMessages, OfLibnvJitLinkNameItsPackageAndItsFolder) {
  const std::string fix =
      fix_for("runtime.library-shadowed", "mismatch", "gpu-library-symbol-version",
              "ImportError: /v/lib/python3.11/site-packages/torch/lib/../../nvidia/cusparse/lib/libcusparse.so.12: "
              "undefined symbol: __nvJitLinkComplete_12_4, version libnvJitLink.so.12");
  EXPECT_TRUE(has(fix, " /v/lib/python3.11/site-packages/nvidia/nvjitlink/lib before it"));
  EXPECT_TRUE(has(fix, "\"nvidia-nvjitlink-cu12>=12.4\""));
}

TEST(VersionsOfMessages, OfAmdsTargetsNameTheOneWhoseCodeRuns) {
  const auto amd = [](const std::string& gfx, const std::string& path) {
    return fix_for("runtime.rocm-arch-unsupported", "missing", "hip-kernel-image",
                   "rocBLAS error: Cannot read " + path + "TensileLibrary.dat for GPU arch : " + gfx, {}, gfx);
  };
  EXPECT_TRUE(has(amd("gfx1032", "/opt/rocm/lib/rocblas/library/"), "HSA_OVERRIDE_GFX_VERSION=10.3.0 "));
  EXPECT_TRUE(has(amd("gfx1103", "/opt/rocm/lib/rocblas/library/"), "runs code for gfx1100"));
  EXPECT_TRUE(has(amd("gfx1032", "C:\\ROCm\\library\\"), "no effect on Windows"));
  EXPECT_FALSE(has(amd("gfx803", "/opt/rocm/lib/rocblas/library/"), "10.3.0"));
}

TEST(VersionsOfMessages, OfReleasesTellTheirNewestPython) {
  const auto wheel = [](const std::string& text) {
    return fix_for("python.version-unsupported", "unsupported", "wheel", text);
  };
  EXPECT_TRUE(
      has(wheel("ERROR: tensorflow-2.10.0-cp310-cp310-linux_x86_64.whl is not a supported wheel on this platform."),
          "TensorFlow 2.10 has wheels up to Python 3.10"));
  EXPECT_FALSE(
      has(wheel("ERROR: other-2.10.0-cp310-cp310-linux_x86_64.whl is not a supported wheel."), "up to Python"));
}

TEST(VersionsOfMessages, OfKerasAreThoseOfTheTensorflow) {
  Snapshot snapshot;
  snapshot.tensorflow.fill().version = "2.15.1";
  EXPECT_TRUE(has(fix_for("keras.version-mismatch", "mismatch", "keras-version",
                          "AttributeError: module 'keras' has no attribute '__internal__'", snapshot),
                  "\"keras==2.15.*\""));
  EXPECT_FALSE(has(fix_for("keras.version-mismatch", "mismatch", "keras-version",
                           "AttributeError: module 'keras' has no attribute '__internal__'"),
                   "pip install"));
}

TEST(VersionsOfMessages, OfDeviceNumbersTellHowManyThereAre) {
  Symptom line;
  line.class_ = std::string("missing");
  line.subject = std::string("gpu-index");
  line.text = "Attempting to deserialize object on CUDA device 4 but torch.cuda.device_count() is 2.";
  line.details = {{"ordinal", "4"}, {"count", "2"}};
  Snapshot snapshot;
  snapshot.log = std::vector<Symptom>{line};
  const Answers answers = answers_of("visibility.invalid-ordinal", snapshot);
  const Finding* finding = finding_of(answers, "visibility.invalid-ordinal");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->fix.front().text, "2 GPUs are visible here: use numbers from 0 to 1, or UUIDs.");
}

TEST(VersionsOfMessages, OfWindowsLibrariesNameMicrosoftsRuntime) {
  EXPECT_TRUE(
      has(fix_for("python.broken-install", "failed", "dll",
                  "OSError: [WinError 126] The specified module could not be found. Error loading \"fbgemm.dll\""),
          "vc_redist.x64.exe"));
  EXPECT_FALSE(
      has(fix_for("python.broken-install", "failed", "dll", "OSError: [WinError 1114] A DLL failed"), "vc_redist"));
}

}  // namespace

}  // namespace envdoctor::versions_of_messages_test
