#include <gtest/gtest.h>

#include "checks/runtime/library_facts.h"
#include "tests/support/builders.h"

namespace envdoctor::runtime_cudnn_mismatch_test {

namespace {

const std::string id = "runtime.cudnn-mismatch";

SharedLibrary cudnn9(const std::string& version, const std::string& origin) {
  SharedLibrary row = library_at("libcudnn.so.9", "/" + origin + "/libcudnn.so.9", origin);
  row.version = version;
  return row;
}

Snapshot with(const std::vector<SharedLibrary>& copies) {
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.tensorflow.fill().version = "2.18.0";
  snapshot.tensorflow.fill().cudnn_version = "9.3.0";
  for (const SharedLibrary& copy : copies) snapshot.libraries.get()->push_back(copy);
  return snapshot;
}

TEST(RuntimeCudnnMismatch, IsSoundForTheSameOrALaterMinorVersion) {
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({cudnn9("9.3.0", "ldcache")})), "passed");
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({cudnn9("91900", "ldcache")})), "passed");
}

TEST(RuntimeCudnnMismatch, FindsAnOlderMinorVersion) {
  const Answers answers = answers_of("runtime.cudnn-mismatch", with({cudnn9("9.1.0", "ldcache")}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
  EXPECT_EQ(paths_of(*finding_of(answers, id)),
            (std::vector<std::string>{"/tensorflow/cudnn_version", "/libraries/2/version"}));
}

TEST(RuntimeCudnnMismatch, LetsTheEnvironmentsCopyWinOverTheSystemsButNotOverAVariables) {
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({cudnn9("9.1.0", "ldcache"), cudnn9("9.3.0", "pip")})), "passed");
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({cudnn9("9.3.0", "pip"), cudnn9("9.1.0", "LD_LIBRARY_PATH")})),
            "failed");
}

TEST(RuntimeCudnnMismatch, PassesOverCopiesOfAnotherMajorVersion) {
  SharedLibrary old = library_at("libcudnn.so.8", "/usr/lib/libcudnn.so.8");
  old.version = "8.9.2";
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({old, cudnn9("9.5.1", "pip")})), "passed");
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({old})), "unknown");
}

TEST(RuntimeCudnnMismatch, TakesAPackageOfTheEnvironmentForACopy) {
  Snapshot snapshot = with({});
  snapshot.python.fill().packages =
      std::map<std::string, std::string>{{"tensorflow", "2.18.0"}, {"nvidia-cudnn-cu12", "9.1.0.70"}};
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", snapshot), "failed");
}

TEST(RuntimeCudnnMismatch, DoesNotApplyWithoutAGpuOrASuchFramework) {
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", plain_host()), "not-applicable");
  Snapshot snapshot = healthy_nvidia_host();
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.4.1"}};
  snapshot.libraries.get()->push_back(cudnn9("9.0.0", "ldcache"));
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", snapshot), "not-applicable");
}

TEST(RuntimeCudnnMismatch, IsUnknownWithoutAVersionOrABuild) {
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", with({library_at("libcudnn.so.9", "/usr/lib/libcudnn.so.9")})),
            "unknown");
  EXPECT_EQ(state_of("runtime.cudnn-mismatch", Snapshot{}), "unknown");
}

TEST(CudnnVersionText, ReadsBothNumberForms) {
  EXPECT_EQ(cudnn_version_text("8902"), "8.9.2");
  EXPECT_EQ(cudnn_version_text("91900"), "9.19.0");
  EXPECT_EQ(cudnn_version_text("7103"), "7.1.3");
  EXPECT_EQ(cudnn_version_text("9.3.0"), "9.3.0");
  EXPECT_EQ(cudnn_version_text("8"), "8");
}

}  // namespace
}  // namespace envdoctor::runtime_cudnn_mismatch_test
