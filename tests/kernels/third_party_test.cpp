// Installed third-party drivers: their faults must be found, and must not be caused by our kernels.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "tests/support/expect_correct.h"
#include "tests/support/process.h"

namespace envdoctor::third_party_test {
namespace {

using kernels::Effort;
using kernels::Variant;
using kernels::verify;
using testing::HasSubstr;
using testing::IsEmpty;

// A CI machine may be busy with much else.
constexpr Limits patient = {.time = Milliseconds(100'000)};

TEST(Rusticl, LosesLoopRoundsBeyond65535AndIsFoundOut) {
  const kernels::Target rusticl = rusticl_target();
  if (rusticl.library.empty()) GTEST_SKIP() << "rusticl is not installed";
  const Variable enabled("RUSTICL_ENABLE", "llvmpipe");
  const Snapshot snapshot = verify({rusticl}, {.effort = Effort::quick, .kernels = {"hash-chain"}, .limits = patient});
  const auto wrong = std::ranges::find_if(
      *snapshot.compute.get(), [](const ComputeResult& row) { return row.agreement.get()->outcome.is("outside"); });
  ASSERT_NE(wrong, snapshot.compute.get()->end()) << describe(snapshot);
  EXPECT_TRUE(wrong->agreement.get()->cause.is("size-limit")) << describe(snapshot);
  EXPECT_TRUE(wrong->limit.is(65535)) << describe(snapshot);
  EXPECT_TRUE(wrong->repeatable.is(true));
}

TEST(Rusticl, IsRightBelowItsLoopCap) {
  const kernels::Target rusticl = rusticl_target();
  if (rusticl.library.empty()) GTEST_SKIP() << "rusticl is not installed";
  const Variable enabled("RUSTICL_ENABLE", "llvmpipe");
  // The others take it minutes to compile.
  const std::vector<std::string> quick = {"triad", "pattern", "reduce", "dot", "scan", "gemv"};
  const Snapshot snapshot = verify({rusticl}, {.effort = Effort::tiny, .kernels = quick, .limits = patient});
  EXPECT_FALSE(snapshot.compute.get()->empty()) << describe(snapshot);
  expect_correct(snapshot);
}

// PoCL from version 5 on and Intel's runtime for CPUs (pip install intel-opencl-rt intel-cmplr-lib-rt), on processors
// with AVX-512 FP16; through OCL_ICD_VENDORS, if they aren't installed for all.
TEST(HalfPrecision, IsComputedRightByADriverThatHasIt) {
  bool seen = false;
  for (const char* icd : {"pocl.icd", "intel.icd", "intel64.icd"}) {
    const kernels::Target driver = {
        .subject = icd, .backend = "opencl", .library = driver_of(icd), .platform = icd, .is_cpu = true};
    if (driver.library.empty()) continue;
    const Snapshot snapshot =
        verify({driver}, {.effort = Effort::quick, .precisions = {kernels::Precision::fp16}, .limits = patient});
    expect_correct(snapshot);
    seen = seen || !snapshot.compute.get()->empty();
  }
  if (!seen) GTEST_SKIP() << "no driver here has fp16";
}

// Oclgrind interprets each work-item and watches every access, which takes it most of a minute. Its words go to a file.
class Oclgrind : public testing::TestWithParam<Variant> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(target.library)) GTEST_SKIP() << "Oclgrind is not installed";
  }
  std::string words(const kernels::VerifyOptions& options) {
    const std::string log = test_folder() + "/log";
    std::filesystem::remove(log);
    const Variable races("OCLGRIND_DATA_RACES", "1"), file("OCLGRIND_LOG", log);
    snapshot = verify({target}, options);
    return std::filesystem::exists(log) ? read_whole(log) : "";
  }
  kernels::VerifyOptions options() const {
    const Milliseconds time{400'000};
    return {.effort = Effort::tiny,
            .variant = GetParam(),
            .repeat = 1,
            .limits = {.time = time},
            .whole = time,
            .guard_bytes = 0};
  }
  kernels::Target target = {.subject = "opencl:oclgrind",
                            .backend = "opencl",
                            .library = "/usr/lib/oclgrind/liboclgrind-rt-icd.so",
                            .is_cpu = true};
  Snapshot snapshot{};
};

TEST_P(Oclgrind, SeesNoAccessBesideABufferAndNoRaceInAnyKernel) {
  EXPECT_THAT(words(options()), IsEmpty());
  EXPECT_FALSE(snapshot.compute.get()->empty()) << describe(snapshot);
  expect_correct(snapshot);
}

TEST_P(Oclgrind, WouldSeeARace) {
  if (GetParam() == Variant::cpu) GTEST_SKIP() << "those kernels have no barriers";
  kernels::VerifyOptions racy = options();
  racy.kernels = {"scan"};
  racy.build_options = "-Dbarrier(x)=";
  EXPECT_THAT(words(racy), HasSubstr("race"));
}

INSTANTIATE_TEST_SUITE_P(BothWays, Oclgrind, testing::Values(Variant::cpu, Variant::gpu),
                         [](const auto& way) { return std::string(kernels::text(way.param)); });

}  // namespace
}  // namespace envdoctor::third_party_test
