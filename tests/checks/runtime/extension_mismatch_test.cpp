#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_extension_mismatch_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "runtime.extension-mismatch";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Snapshot packages(const char* torch, const char* torchvision) {
  Snapshot report;
  report.torch = Torch{.version = torch};
  report.python.fill().packages = std::map<std::string, std::string>{{"torch", torch}, {"torchvision", torchvision}};
  return report;
}

TEST(RuntimeExtensionMismatch, ComparesTorchvisionWithItsTorch) {
  EXPECT_EQ(state_of(id, packages("2.4.1+cu121", "0.19.1+cu121")), "passed");
  EXPECT_EQ(state_of(id, packages("2.4.1+cu121", "0.19.1")), "passed") << "no tag says nothing";
  EXPECT_EQ(state_of(id, packages("2.4.1+cu121", "0.15.2")), "failed") << "another release";
  EXPECT_EQ(state_of(id, packages("2.4.1+cu121", "0.19.1+cpu")), "failed") << "for the CPU";
  EXPECT_EQ(state_of(id, packages("2.4.1+cu121", "0.19.1+cu118")), "failed") << "for another CUDA";
  EXPECT_EQ(state_of(id, packages("3.7.0", "0.99.1")), "passed") << "not recorded";
}

TEST(RuntimeExtensionMismatch, OwnsTheSymbolsThatExtensionsAskOfTorch) {
  const auto asks = [](const char* library) {
    return symptom_of({missing, "library-symbol"}, {{"library", library}, {"symbol", "_ZN3c105ErrorC2E"}});
  };
  EXPECT_EQ(state_of(id, with({asks("flash_attn_2_cuda.so")})), "failed");
  EXPECT_NE(state_of(id, with({asks("libtorch_cuda.so")})), "failed") << "two torches are mixed";
  EXPECT_EQ(state_of("python.broken-install", with({asks("libtorch_cuda.so")})), "failed");
}

TEST(RuntimeExtensionMismatch, IsNoneBesideATorchForTheCpu) {
  EXPECT_NE(state_of(id, with({symptom_of({mismatch, "torch-extension-version"}),
                               symptom_of({noted, "cpu-build"}, {{"built", "torch"}})})),
            "failed");
}

}  // namespace
}  // namespace envdoctor::runtime_extension_mismatch_test
