#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::library_packages_test {

namespace {

std::string package_named_for(const std::string& library, const std::string& torch = {}) {
  Snapshot snapshot;
  if (!torch.empty()) snapshot.torch.fill().version = torch;
  Symptom line;
  line.class_ = std::string("missing");
  line.subject = std::string("library");
  line.details["library"] = library;
  line.text = "ImportError: " + library + ": cannot open shared object file: No such file or directory";
  snapshot.log = std::vector<Symptom>{line};
  for (const char* id : {"runtime.cuda-library-missing", "runtime.cudnn-missing"}) {
    const Answers answers = answers_of(id, snapshot);
    if (const Finding* finding = finding_of(answers, id)) return finding->fix.back().text;
  }
  return "no finding";
}

TEST(LibraryPackages, AreThoseOfTheCudaThatTheNameTells) {
  EXPECT_NE(package_named_for("libcublas.so.12").find("PyPI's nvidia-cublas-cu12 holds"), std::string::npos);
  EXPECT_NE(package_named_for("libcudart.so.11.0").find("PyPI's nvidia-cuda-runtime-cu11 holds"), std::string::npos);
}

TEST(LibraryPackages, AreThoseOfTheFrameworksCudaWhereTheNameTellsNone) {
  EXPECT_NE(package_named_for("libcudnn_ops.so.9.1.0").find("\"nvidia-cudnn-cu12==9.*\" or \"nvidia-cudnn-cu13==9.*\""),
            std::string::npos);
  EXPECT_NE(package_named_for("libcudnn_ops.so.9.1.0", "2.5.1+cu124").find("PyPI's \"nvidia-cudnn-cu12==9.*\" holds"),
            std::string::npos);
}

TEST(LibraryPackages, AreNotNamedWhereNoneIsRecorded) {
  EXPECT_EQ(package_named_for("libamdhip64.so.6").find("PyPI"), std::string::npos);
  EXPECT_EQ(package_named_for("libcublas.so.10.0").find("PyPI"), std::string::npos);
}

}  // namespace

}  // namespace envdoctor::library_packages_test
