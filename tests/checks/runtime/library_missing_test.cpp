#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_library_missing_test {

namespace {

const std::string cuda = "runtime.cuda-library-missing";
const std::string cudnn = "runtime.cudnn-missing";

const std::vector<std::string> cuda12 = {"libcudart.so.12", "libcublas.so.12",   "libcublasLt.so.12",
                                         "libcufft.so.11",  "libcusolver.so.11", "libcusparse.so.12",
                                         "libcudnn.so.9"};

// TensorFlow 2.20 with every library it asks for, in the environment itself.
Snapshot with_tensorflow() {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.tensorflow.fill().version = "2.20.0";
  snapshot.python.fill().packages.fill()["tensorflow"] = "2.20.0";
  snapshot.python.fill().kind = "venv";
  snapshot.python.fill().executable = "/opt/env/bin/python";
  for (const std::string& soname : cuda12) {
    SharedLibrary row = library_missing(soname);  // the dynamic loader alone doesn't find it
    snapshot.libraries.get()->push_back(row);
    snapshot.libraries.get()->push_back(
        library_at(soname, "/opt/env/lib/python3.11/site-packages/nvidia/" + soname, "pip"));
  }
  return snapshot;
}

Snapshot without(const std::vector<std::string>& sonames) {
  Snapshot snapshot = with_tensorflow();
  for (const std::string& soname : sonames)
    std::erase_if(*snapshot.libraries.get(),
                  [&](const SharedLibrary& l) { return l.soname.is(soname) && l.found.is(true); });
  return snapshot;
}

TEST(RuntimeLibraryMissing, IsSoundWhereTheEnvironmentHoldsThemAll) {
  EXPECT_EQ(state_of(cuda, with_tensorflow()), "passed");
  EXPECT_EQ(state_of(cudnn, with_tensorflow()), "passed");
}

TEST(RuntimeLibraryMissing, IsSoundWhereTensorflowListsAGpu) {
  Snapshot snapshot = without(cuda12);
  snapshot.tensorflow.fill().physical_gpus = 1;
  EXPECT_EQ(state_of(cuda, snapshot), "passed");
}

TEST(RuntimeLibraryMissing, NamesWhatIsMissingAndHowToGetIt) {
  Snapshot snapshot = without({"libcublas.so.12", "libcufft.so.11"});
  snapshot.tensorflow.fill().physical_gpus = 0;
  const Answers answers = answers_of_all({"runtime.cuda-library-missing", "runtime.cudnn-missing"}, snapshot);
  const Finding* finding = finding_of(answers, cuda);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->confidence, Confidence::certain);
  EXPECT_EQ(finding->subject, "library:libcublas.so.12");
  EXPECT_NE(finding->explanation.find("libcublas.so.12, libcufft.so.11, which are not found"), std::string::npos);
  EXPECT_EQ(finding->fix.front().command, "\"/opt/env/bin/python\" -m pip install \"tensorflow[and-cuda]==2.20.0\"");
  EXPECT_EQ(state_of(answers, cudnn), "passed");
}

TEST(RuntimeLibraryMissing, FindsAMissingCudnnAlone) {
  const Answers answers =
      answers_of_all({"runtime.cuda-library-missing", "runtime.cudnn-missing"}, without({"libcudnn.so.9"}));
  ASSERT_NE(finding_of(answers, cudnn), nullptr);
  EXPECT_EQ(finding_of(answers, cudnn)->confidence, Confidence::likely);
  EXPECT_EQ(state_of(answers, cuda), "passed");
}

TEST(RuntimeLibraryMissing, BelievesAReportThatNamesALibraryWithoutTheBuild) {
  Snapshot snapshot;
  snapshot.libraries = std::vector<SharedLibrary>{library_at("libcudart.so.11.0", "/usr/lib/libcudart.so.11.0"),
                                                  library_missing("libcusolver.so.10")};
  const Answers answers = answers_of_all({"runtime.cuda-library-missing", "runtime.cudnn-missing"}, snapshot);
  ASSERT_NE(finding_of(answers, cuda), nullptr);
  EXPECT_EQ(finding_of(answers, cuda)->subject, "library:libcusolver.so.10");
  EXPECT_EQ(state_of(answers, cudnn), "unknown");
}

TEST(RuntimeLibraryMissing, DoesNotBlameAHostForLibrariesThatNothingAskedFor) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.4.1"}};
  snapshot.libraries.get()->push_back(library_missing("libcudart.so.11.0"));
  EXPECT_EQ(state_of(cuda, snapshot), "not-applicable");
  snapshot.python = Reading<Python>();
  snapshot.probes = std::map<std::string, ProbeStatus>{};
  EXPECT_EQ(state_of(cuda, snapshot), "unknown");
}

TEST(RuntimeLibraryMissing, DoesNotApplyWithoutAGpuOrToACpuBuild) {
  EXPECT_EQ(state_of(cuda, plain_host()), "not-applicable");
  Snapshot snapshot = without(cuda12);
  snapshot.tensorflow.fill().built_with_cuda = false;
  EXPECT_EQ(state_of(cudnn, snapshot), "not-applicable");
}

TEST(RuntimeLibraryMissing, IsUnknownWhereNobodyLookedForALibrary) {
  Snapshot snapshot = with_tensorflow();
  std::erase_if(*snapshot.libraries.get(), [](const SharedLibrary& l) { return l.soname.is("libcufft.so.11"); });
  EXPECT_EQ(state_of(cuda, snapshot), "unknown");
  snapshot.libraries = failed("timeout");
  EXPECT_EQ(state_of(cudnn, snapshot), "unknown");
}

}  // namespace
}  // namespace envdoctor::runtime_library_missing_test
