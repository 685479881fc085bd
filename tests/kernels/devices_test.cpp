// The reference kernels on devices that compute correctly.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/expect_correct.h"

namespace envdoctor::devices_test {
namespace {

using kernels::Effort;
using kernels::Variant;
using kernels::verify;

TEST(HostDevice, ComputesEveryKernelRight) {
  const Snapshot snapshot =
      verify({host_target()},
             {.effort = Effort::full, .limits = {.time = Milliseconds(200'000)}, .whole = Milliseconds(300'000)});
  expect_correct(snapshot);
  for (const kernels::Kernel& kernel : kernels::all_kernels()) {
    EXPECT_TRUE(std::ranges::any_of(*snapshot.compute.get(), [&](const ComputeResult& row) {
      return row.kernel.is(kernel.name);
    })) << kernel.name;
  }
}

// What a host that lies does to every output, after every step.
struct Untruth {
  const char* name;
  void (*spoil)(std::span<std::byte> output);
};
constexpr auto some = std::byte{0x42};
const Untruth untruths[] = {
    {"OneElement",
     [](std::span<std::byte> bytes) { std::ranges::fill(bytes.subspan(bytes.size() / 2 & ~7U).first(4), some); }},
    {"TheEnd", [](std::span<std::byte> bytes) { std::ranges::fill(bytes.last(4), some); }},
    {"Zeros",
     [](std::span<std::byte> bytes) { std::ranges::fill(bytes.subspan(bytes.size() / 2 & ~7U), std::byte{0}); }},
};

class LyingHost : public testing::TestWithParam<Untruth> {};

TEST_P(LyingHost, IsFoundOutByEveryKernel) {
  // On a slow machine the search for the cause would end before it has tried everything.
  const kernels::VerifyOptions options{.effort = Effort::quick, .limits = {.time = Milliseconds(600'000)}};
  for (const kernels::Kernel& kernel : kernels::all_kernels()) {
    Snapshot seen;
    const kernels::Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                                     .step = [](const std::string&) {}};
    const auto outputs = kernel
                             .plan({.precision = kernel.precisions.front(),
                                    .size = kernel.sizes(kernel.precisions.front(), Effort::tiny).front()},
                                   Variant::host, {})
                             .outputs;
    const auto device = kernels::open_host({}, [&](const kernels::Step&, int buffer, std::span<std::byte> bytes) {
      if (std::ranges::find(outputs, buffer) != outputs.end()) GetParam().spoil(bytes);
    });
    kernels::verify_on(*device, {&kernel}, options, reporter);
    ASSERT_FALSE(seen.compute.get()->empty());
    for (const ComputeResult& row : *seen.compute.get()) {
      EXPECT_TRUE(row.agreement.get()->outcome.is("outside")) << describe(seen);
      EXPECT_TRUE(row.agreement.get()->cause.get()) << describe(seen);
    }
    kernels::verify_on(*kernels::open_host({}), {&kernel}, options, reporter);
    expect_correct(seen);
  }
}

INSTANTIATE_TEST_SUITE_P(Of, LyingHost, testing::ValuesIn(untruths), [](const auto& of) { return of.param.name; });

TEST(LyingHost, IsFoundOutWhereItWritesBesideABuffer) {
  const kernels::Kernel& triad =
      *std::ranges::find(kernels::all_kernels(), std::string_view("triad"), &kernels::Kernel::name);
  for (const bool before : {true, false}) {
    Snapshot seen;
    const kernels::Reporter reporter{.partial_result = [&](const Snapshot& part) { seen = part; },
                                     .step = [](const std::string&) {}};
    const auto device = kernels::open_host({}, [&](const kernels::Step&, int buffer, std::span<std::byte> bytes) {
      if (buffer == 1) *(before ? bytes.data() - 1 : bytes.data() + bytes.size()) = some;
    });
    kernels::verify_on(*device, {&triad}, {.effort = Effort::quick}, reporter);
    ASSERT_FALSE(seen.compute.get()->empty());
    for (const ComputeResult& row : *seen.compute.get())
      EXPECT_TRUE(row.agreement.get()->cause.is("out-of-bounds")) << describe(seen);
  }
}

class Pocl : public testing::TestWithParam<Variant> {};

// The two ways to write a kernel share reference and bound, and both must hold on one device.
TEST_P(Pocl, ComputesEveryKernelRight) {
  const kernels::Target pocl = pocl_target();
  if (pocl.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  const Snapshot snapshot =
      verify({pocl}, {.effort = Effort::quick, .variant = GetParam(), .limits = {.time = Milliseconds(200'000)}});
  expect_correct(snapshot);
  for (const kernels::Kernel& kernel : kernels::all_kernels()) {
    EXPECT_TRUE(std::ranges::any_of(*snapshot.compute.get(),
                                    [&](const ComputeResult& row) { return row.kernel.is(kernel.name); }))
        << kernel.name << "\n"
        << describe(snapshot);
  }
}

INSTANTIATE_TEST_SUITE_P(BothWays, Pocl, testing::Values(Variant::cpu, Variant::gpu),
                         [](const auto& way) { return std::string(kernels::text(way.param)); });

// Products are written for registers of either size.
TEST(Pocl, ComputesProductsRightWithShortAndLongVectors) {
  const kernels::Target pocl = pocl_target();
  if (pocl.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  for (const std::size_t vector_bytes : {32, 64}) {
    const Snapshot snapshot = verify({pocl}, {.effort = Effort::full,
                                              .kernels = {"gemm"},
                                              .variant = Variant::cpu,
                                              .repeat = 1,
                                              .limits = {.time = Milliseconds(200'000)},
                                              .vector_bytes = vector_bytes});
    EXPECT_GE(snapshot.compute.get()->size(), 7U) << describe(snapshot);
    expect_correct(snapshot);
  }
}

TEST(Verify, NamesADeviceThatCannotBeOpenedAndGoesOnWithOthers) {
  const kernels::Target gone = {.subject = "opencl:gone", .backend = "opencl", .library = "/no/such/driver.so"};
  const Snapshot snapshot = verify({gone, host_target()}, {.effort = Effort::tiny, .kernels = {"triad"}});
  ASSERT_FALSE(snapshot.compute_not_run.get()->empty()) << describe(snapshot);
  EXPECT_TRUE(snapshot.compute_not_run.get()->front().device.is("opencl:gone"));
  EXPECT_NE(snapshot.compute_not_run.get()->front().why.get()->find("/no/such/driver.so"), std::string::npos);
  EXPECT_FALSE(snapshot.compute.get()->empty());
}

TEST(Verify, IsReproducibleBySeed) {
  const kernels::VerifyOptions options{.effort = Effort::tiny, .kernels = {"dot"}, .seed = 5};
  EXPECT_EQ(verify({host_target()}, options), verify({host_target()}, options));
}

}  // namespace
}  // namespace envdoctor::devices_test
