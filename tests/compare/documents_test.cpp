#include "compare/documents.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/builders.h"

namespace envdoctor::compare::documents_test {
namespace {

using knowledge::Changes;

Comparison compared(const Snapshot& a, const Snapshot& b) { return compare_snapshots({a, b}, {"a.json", "b.json"}); }

const Difference* at(const Comparison& comparison, const std::string& path) {
  const auto found = std::ranges::find(comparison.differences, path, &Difference::path);
  return found == comparison.differences.end() ? nullptr : &*found;
}

TEST(Compare, AHostWithItselfFindsNothing) {
  const Comparison same = compared(healthy_nvidia_host(), healthy_nvidia_host());
  EXPECT_THAT(same.differences, testing::IsEmpty());
  EXPECT_FALSE(same.results_may_differ());
  EXPECT_FALSE(same.results_unknown());
}

TEST(Compare, AnotherDriverMayChangeResults) {
  Snapshot other = healthy_nvidia_host();
  other.nvidia.fill().kernel_driver_version = "535.104.05";
  const Comparison comparison = compared(healthy_nvidia_host(), other);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].path, "/nvidia/kernel_driver_version");
  EXPECT_EQ(comparison.differences[0].changes, Changes::results);
  EXPECT_EQ(comparison.differences[0].values[1].text, "535.104.05");
  EXPECT_TRUE(comparison.results_may_differ());
}

TEST(Compare, ANarrowerLinkChangesSpeedAlone) {
  Snapshot one = healthy_nvidia_host(), other = healthy_nvidia_host();
  one.pci.fill()[0].link.fill().width = 16;
  other.pci.fill()[0].link.fill().width = 8;
  const Comparison comparison = compared(one, other);
  ASSERT_NE(at(comparison, "/pci/0/link/width"), nullptr);
  EXPECT_EQ(at(comparison, "/pci/0/link/width")->changes, Changes::speed);
  EXPECT_FALSE(comparison.results_may_differ());
}

TEST(Compare, AVariableThatIsNotSetIsKnownNotToBe) {
  Snapshot other = healthy_nvidia_host();
  other.env.fill()["NVIDIA_TF32_OVERRIDE"] = "0";
  const Comparison comparison = compared(healthy_nvidia_host(), other);
  ASSERT_NE(at(comparison, "/env/NVIDIA_TF32_OVERRIDE"), nullptr);
  EXPECT_EQ(at(comparison, "/env/NVIDIA_TF32_OVERRIDE")->values[0], (ShownValue{true, "none"}));
  EXPECT_TRUE(comparison.results_may_differ());
}

TEST(Compare, WhatOneHostDidNotLookAtIsNotCalledAlike) {
  Snapshot other = healthy_nvidia_host();
  other.torch.fill().version = "2.5.1";
  const Comparison comparison = compared(healthy_nvidia_host(), other);
  EXPECT_FALSE(comparison.results_may_differ());
  EXPECT_TRUE(comparison.results_unknown());
}

TEST(Compare, AMemberThatOneLacksIsToldOnce) {
  Snapshot other = healthy_nvidia_host();
  other.libraries.fill().push_back(library_at("libcudnn.so.9", "/usr/lib/libcudnn.so.9"));
  const Comparison comparison = compared(healthy_nvidia_host(), other);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].path, "/libraries/libcudnn.so.9");
  EXPECT_EQ(comparison.differences[0].values[0], (ShownValue{true, "none"}));
  EXPECT_EQ(comparison.differences[0].changes, Changes::results);
}

TEST(Compare, ASectionThatOneCouldNotReadIsToldOnce) {
  Snapshot other = healthy_nvidia_host();
  other.nvidia = failed("timeout");
  const Comparison comparison = compared(healthy_nvidia_host(), other);
  ASSERT_EQ(comparison.differences.size(), 1U);
  EXPECT_EQ(comparison.differences[0].path, "/nvidia");
  EXPECT_FALSE(comparison.results_may_differ());
  EXPECT_TRUE(comparison.results_unknown());
}

TEST(Compare, AnotherOrderOfLibrariesIsNoDifference) {
  Snapshot other = healthy_nvidia_host();
  std::ranges::reverse(other.libraries.fill());
  EXPECT_THAT(compared(healthy_nvidia_host(), other).differences, testing::IsEmpty());
}

TEST(Compare, WhatChangesFromMomentToMomentIsNotTold) {
  Snapshot other = healthy_nvidia_host();
  other.nvidia.fill().devices.fill()[0].temperature_c = 77;
  other.memory.fill().available_mib = 5;
  EXPECT_EQ(at(compared(healthy_nvidia_host(), other), "/nvidia/devices/0/temperature_c"), nullptr);
}

ComputeResult gemm(const char* outcome, double max_ulp) {
  ComputeResult result;
  result.device = "cuda:0";
  result.kernel = "gemm";
  result.precision = "fp32";
  result.size = std::map<std::string, std::int64_t>{{"k", 1024}};
  result.agreement.fill().outcome = outcome;
  result.agreement.fill().max_ulp = max_ulp;
  return result;
}

Bits bits(const ComputeResult& a, const ComputeResult& b) {
  Snapshot one, other;
  one.compute = std::vector<ComputeResult>{a};
  other.compute = std::vector<ComputeResult>{b};
  const auto kernels = compare_kernels({one, other});
  EXPECT_EQ(kernels.size(), 1U);
  return kernels.empty() ? Bits::not_known : kernels[0].bits;
}

TEST(CompareKernels, TellSameBitsFromWithinAndOutsideTheBound) {
  EXPECT_EQ(bits(gemm("same-bits", 0), gemm("same-bits", 0)), Bits::same);
  EXPECT_EQ(bits(gemm("same-bits", 0), gemm("within-bound", 3)), Bits::within_bound);
  EXPECT_EQ(bits(gemm("within-bound", 3), gemm("within-bound", 3)), Bits::same);
  EXPECT_EQ(bits(gemm("within-bound", 3), gemm("outside", 900)), Bits::outside);
  EXPECT_EQ(bits(gemm("same-bits", 0), gemm("not-trustworthy", 0)), Bits::not_known);
}

ComputeResult on(const char* device, ComputeResult result) {
  result.device = device;
  return result;
}

// `verify` writes a row for the host beside each device's: these are not held against each other.
TEST(CompareKernels, HoldDevicesOfOneNameAgainstEachOther) {
  const auto document = [](double gpu, double host) {
    Snapshot one;
    one.compute =
        std::vector<ComputeResult>{on("cuda:0", gemm("within-bound", gpu)), on("host", gemm("within-bound", host))};
    return one;
  };
  EXPECT_EQ(compare_kernels({document(3, 5), document(3, 5)})[0].bits, Bits::same);
  EXPECT_EQ(compare_kernels({document(3, 5), document(5, 3)})[0].bits, Bits::within_bound);
  Snapshot shaky = document(3, 5);
  shaky.compute.fill()[0].repeatable = false;
  EXPECT_EQ(compare_kernels({shaky, shaky})[0].bits, Bits::within_bound);
}

TEST(Compare, TellsOnceWhatSevenMoreGpusBring) {
  Snapshot many = healthy_nvidia_host();
  for (int i = 1; i < 8; ++i)
    many.nvidia.fill().cuda_devices.fill().push_back(cuda_a100(i, fmt::format("0000:{}0:00.0", i)));
  const std::string text = text_of(compare_snapshots({healthy_nvidia_host(), many}, {"a", "b"}));
  EXPECT_THAT(text, testing::HasSubstr("/nvidia/cuda_devices/* (7 alike)\n    A none\n    B there\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("/nvidia/cuda_devices/1")));
}

TEST(CompareKernels, ARunThatOneHostLacksIsNotKnown) {
  Snapshot one, other;
  one.compute = std::vector<ComputeResult>{gemm("same-bits", 0)};
  EXPECT_EQ(compare_kernels({one, other})[0].bits, Bits::not_known);
}

// A processor through OpenCL and the host itself: each is set beside itself, not beside the other.
TEST(CompareKernels, SetsEachDeviceBesideItself) {
  Snapshot one;
  ComputeResult fused = gemm("within-bound", 3), plain = gemm("within-bound", 5);
  fused.device = "opencl:cpu";
  fused.mode = "fused";
  plain.device = "host";
  plain.mode = "not fused";
  one.compute = std::vector<ComputeResult>{fused, plain};
  EXPECT_EQ(compare_kernels({one, one})[0].bits, Bits::same);
  EXPECT_THAT(text_of(compared(one, one)), testing::HasSubstr("No known difference."));
  Snapshot other = one;
  other.compute.get()->back().agreement.get()->max_ulp = 7;
  EXPECT_EQ(compare_kernels({one, other})[0].bits, Bits::within_bound);
  EXPECT_EQ(compare_kernels({one, other})[0].why, "");
  other.compute.get()->back().mode = "fused";
  EXPECT_EQ(compare_kernels({one, other})[0].why, "arithmetic: fused / not fused");
}

Snapshot wrong_at(const char* when, const char* card, std::int64_t place, const char* bits) {
  Snapshot host;
  host.captured.fill().at = when;
  host.nvidia.fill().devices = std::vector<NvidiaDevice>{{.uuid = std::string(card)}};
  ComputeResult result = on("cuda:0", gemm("outside", 900));
  Agreement& agreement = result.agreement.fill();
  agreement.wrong = 1;
  agreement.elements = 4096;
  agreement.pattern = "one bit of one word";
  agreement.samples = std::vector<ComputeSample>{{place, std::string(bits), std::string("0x3f800000")}};
  host.compute = std::vector<ComputeResult>{result};
  return host;
}

TEST(Compare, TellsTheHistoryOfAPlaceThatIsWrongAgain) {
  const Snapshot first = wrong_at("2026-11-20T08:00:00Z", "GPU-01234567", 8311, "0x3fc00000");
  const Snapshot again = wrong_at("2026-11-23T08:00:00Z", "GPU-01234567", 8311, "0x3fc00000");
  const std::string text = text_of(compared(first, again));
  for (const char* words : {"element 8311 was wrong in 2 runs, with the same bits each time", "stays on one card",
                            "A 2026-11-20T08:00:00Z: wrong, 1 of 4096", "B 2026-11-23T08:00:00Z: wrong"})
    EXPECT_THAT(text, testing::HasSubstr(words));
  EXPECT_THAT(json_of(compared(first, again)), testing::HasSubstr("8311"));

  const Snapshot other_card = wrong_at("2026-11-23T08:00:00Z", "GPU-76543210", 8311, "0x3fe00000");
  const auto faults = recurring_faults({first, other_card});
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults[0].cards, Cards::other);
  EXPECT_FALSE(faults[0].same_bits);
}

TEST(Compare, CallsNothingWrongAgainThatWasWrongElsewhereOrInOneRun) {
  const Snapshot first = wrong_at("2026-11-20T08:00:00Z", "GPU-01234567", 8311, "0x3fc00000");
  EXPECT_THAT(recurring_faults({first, first}), testing::IsEmpty());  // one run, saved twice
  EXPECT_THAT(recurring_faults({first, wrong_at("2026-11-23T08:00:00Z", "GPU-01234567", 12, "0x3fc00000")}),
              testing::IsEmpty());
  Snapshot right = first;
  right.captured.fill().at = "2026-11-23T08:00:00Z";
  right.compute.fill()[0].agreement.fill().outcome = "within-bound";
  EXPECT_THAT(recurring_faults({first, right}), testing::IsEmpty());
}

TEST(DifferenceRows, FitByStep) {
  EXPECT_TRUE(knowledge::path_fits("/pci/*/link/**", "/pci/0/link/width"));
  EXPECT_FALSE(knowledge::path_fits("/pci/*/link/**", "/pci/0/0/link/width"));
  EXPECT_TRUE(knowledge::path_fits("/libraries/libcudnn**", "/libraries/libcudnn.so.9/version"));
  EXPECT_TRUE(knowledge::path_fits("/env/TF_ENABLE_*", "/env/TF_ENABLE_ONEDNN_OPTS"));
  EXPECT_FALSE(knowledge::path_fits("/env/XLA", "/env/XLA_FLAGS"));
  EXPECT_EQ(knowledge::difference_at("/libraries/libcudnn.so.9/version")->changes, Changes::results);
}

Snapshot timed(double host_ms, double low_ms, double high_ms) {
  Snapshot host;
  host.compute =
      std::vector<ComputeResult>{{.device = std::string("host"),
                                  .kernel = std::string("gemm"),
                                  .precision = std::string("fp32"),
                                  .size = std::map<std::string, std::int64_t>{{"k", 64}, {"m", 64}, {"n", 64}},
                                  .time = ComputeTime{.median_ms = host_ms, .low_ms = low_ms, .high_ms = high_ms}},
                                 {.device = std::string("host"),
                                  .kernel = std::string("triad"),
                                  .precision = std::string("fp32"),
                                  .time = failed("refused: what it says")}};
  return host;
}

TEST(CompareSpeed, IsTheRatioToTheFirst) {
  const Comparison twice = compared(timed(2, 1.9, 2.1), timed(1, 0.9, 1.1));
  ASSERT_EQ(twice.speeds.size(), 1U);  // what was refused has no speed
  EXPECT_EQ(twice.speeds[0].kernel, "gemm fp32 k=m=n=64");
  EXPECT_DOUBLE_EQ(twice.speeds[0].ratios[1], 2);
  EXPECT_TRUE(twice.speeds[0].clear[1]);
  EXPECT_DOUBLE_EQ(median_ratio(twice.speeds, "host", 1), 2);
  EXPECT_FALSE(twice.results_may_differ());
  EXPECT_THAT(text_of(twice), testing::HasSubstr("gemm fp32 k=m=n=64                           B 2\n"));
}

TEST(CompareSpeed, MayBeChanceWhereIntervalsOverlap) {
  const Comparison noise = compared(timed(2, 1.5, 2.5), timed(1.8, 1.4, 2.2));
  EXPECT_FALSE(noise.speeds[0].clear[1]);
  EXPECT_THAT(text_of(noise), testing::HasSubstr("B 1.11 ~\n"));
}

TEST(CompareSpeed, IsNotKnownOfWhatOneDidNotTime) {
  const Comparison one = compared(timed(2, 1.9, 2.1), {});
  EXPECT_EQ(one.speeds[0].ratios[1], 0);
  EXPECT_THAT(text_of(one), testing::HasSubstr("B -\n"));
  EXPECT_THAT(json_of(one), testing::HasSubstr("null"));
}

}  // namespace
}  // namespace envdoctor::compare::documents_test
