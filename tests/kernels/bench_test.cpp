// Speed is reported only for right and plausible results.
#include <gmock/gmock.h>

#include "kernels/bench/bench.h"
#include "tests/support/expect_correct.h"

namespace envdoctor::bench_test {
namespace {

using kernels::Device;
using kernels::Kernel;
using kernels::RunTime;
using testing::HasSubstr;

const Kernel& timed_kernel(std::string_view name) {
  return *std::ranges::find(kernels::timed_kernels(), name, &Kernel::name);
}

// The rows of one kernel, at a small size.
std::vector<ComputeResult> benched(Device& device, Device* host, const char* kernel, std::int64_t size) {
  Snapshot seen;
  kernels::bench_on(device, host, {&timed_kernel(kernel)},
                    {.effort = kernels::Effort::quick, .precisions = {kernels::Precision::fp32}, .size = size},
                    {.partial_result = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}});
  return *seen.compute.get();
}

// A device that computes as the host does and reports any given time.
class Dishonest : public Device {
 public:
  explicit Dishonest(std::function<RunTime(RunTime, int)> change_time, kernels::DeviceSpecs specs = {},
                     kernels::Fault fault = {})
      : real_(kernels::open_host({}, std::move(fault))), change_time_(std::move(change_time)) {
    facts_ = real_->facts();
    facts_.subject = "opencl:made up";
    facts_.backend = "opencl";
    facts_.specs = std::move(specs);
  }
  void is_gpu() { facts_.on_host_cores = false; }
  void build(const std::vector<const Kernel*>& kernels, const std::string& options) override {
    real_->build(kernels, options);
  }
  void load(const kernels::Plan& plan, const std::vector<kernels::Array>& inputs) override {
    real_->load(plan, inputs);
  }
  void poison() override { real_->poison(); }
  RunTime run(int times) override { return change_time_(real_->run(1), times); }
  kernels::Contents read(int buffer) override { return real_->read(buffer); }
  void send(int input, const kernels::Array& array) override { real_->send(input, array); }

 private:
  std::unique_ptr<Device> real_;
  std::function<RunTime(RunTime, int)> change_time_;
};

RunTime in_ms(double ms, int times) { return {.wall_ms = ms * times}; }

// What was timed here: on a machine that is busy elsewhere a rate may be refused, and then says why.
const ComputeRate* rate_unless_busy(const ComputeResult& row) {
  if (!row.rate.get()) {
    EXPECT_THAT(row.rate.why(), testing::EndsWith("the median says nothing"));
  }
  return row.rate.get();
}

TEST(Bench, TimesTheHostBesideTheDevice) {
  Dishonest device([](RunTime, int times) { return in_ms(0.5, times); });
  const auto host = kernels::open_host({});
  const std::vector<ComputeResult> rows = benched(device, host.get(), "triad", 10'000);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_TRUE(rows[0].device.is("opencl:made up"));
  EXPECT_TRUE(rows[1].device.is("host"));
  ASSERT_TRUE(rows[0].time.get()) << rows[0].time.why();
  EXPECT_DOUBLE_EQ(*rows[0].time.get()->median_ms.get(), 0.5);
  EXPECT_GE(*rows[0].time.get()->samples.get(), 15);
  EXPECT_DOUBLE_EQ(*rows[0].rate.get()->value.get(), 12 * 10'000 / 0.5e6);  // three streams of 4 bytes
  EXPECT_TRUE(rows[0].rate.get()->unit.is("GB/s"));
  if (const ComputeRate* rate = rate_unless_busy(rows[1])) {
    EXPECT_GT(*rate->value.get(), 0);
  }
}

TEST(Bench, GivesNoSpeedToWhatIsWrong) {
  Dishonest device([](RunTime, int times) { return in_ms(0.5, times); }, {},
                   [](const kernels::Step&, int buffer, std::span<std::byte> bytes) {
                     if (buffer == 0) bytes[bytes.size() / 2] ^= std::byte{0x10};
                   });
  const ComputeResult row = benched(device, nullptr, "triad", 10'000).front();
  EXPECT_TRUE(row.agreement.get()->outcome.is("outside"));
  EXPECT_FALSE(row.time.get());
  EXPECT_FALSE(row.rate.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("the result is wrong"));
}

TEST(Bench, GivesNoSpeedToWhatGoesWrongWhileItIsTimed) {
  int runs = 0;
  Dishonest device([](RunTime, int times) { return in_ms(0.5, times); }, {},
                   [&](const kernels::Step& step, int buffer, std::span<std::byte> bytes) {
                     if (step.function == "triad_fp32_host" && buffer == 0 && ++runs > 10) bytes[4] ^= std::byte{1};
                   });
  const ComputeResult row = benched(device, nullptr, "triad", 10'000).front();
  EXPECT_TRUE(row.agreement.get()->outcome.is("outside"));
  EXPECT_FALSE(row.rate.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("wrong during timing"));
}

TEST(Bench, RefusesARateBeyondTheDevicesPeak) {
  const kernels::DeviceSpecs h100 = {.clock_mhz = 1980, .units = 132, .nvidia_major = 9};  // 67 TFLOP/s
  // 2 * 128^3 operations: 4.2 MFLOP.
  Dishonest credible([](RunTime, int times) { return in_ms(1e-4, times); }, h100);
  credible.is_gpu();
  const ComputeResult fast = benched(credible, nullptr, "gemm", 128).front();
  ASSERT_TRUE(fast.rate.get()) << fast.rate.why();
  EXPECT_NEAR(*fast.share_of_peak.get(), 0.627, 0.001);
  Dishonest impossible([](RunTime, int times) { return in_ms(1e-5, times); }, h100);
  impossible.is_gpu();
  const ComputeResult row = benched(impossible, nullptr, "gemm", 128).front();
  EXPECT_FALSE(row.rate.get());
  EXPECT_FALSE(row.time.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("times the device's peak"));
}

TEST(Bench, RefusesARateThatTheseCoresCannotHave) {
  Dishonest device([](RunTime, int times) { return in_ms(1e-5, times); });  // 4.2 MFLOP: 400 TFLOP/s
  const ComputeResult row = benched(device, nullptr, "gemm", 128).front();
  EXPECT_FALSE(row.rate.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("times what our own loop reaches on these cores"));
}

TEST(Bench, RefusesATimeThatSaysNothing) {
  int calls = 0;
  Dishonest device([&](RunTime, int times) { return in_ms(++calls % 9 < 4 ? 40 : 1, times); });
  device.is_gpu();
  const ComputeResult row = benched(device, nullptr, "gemm", 64).front();
  EXPECT_FALSE(row.rate.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("the median says nothing"));
}

TEST(Bench, RefusesAClockThatStands) {
  Dishonest device([](RunTime, int) { return in_ms(0, 1); });
  const ComputeResult row = benched(device, nullptr, "triad", 1000).front();
  EXPECT_FALSE(row.rate.get());
  EXPECT_THAT(row.rate.why(), HasSubstr("clock did not advance"));
}

TEST(Bench, GivesGpusLongerChainsThanTheHost) {
  Dishonest device([](RunTime, int times) { return in_ms(0.5, times); });
  device.is_gpu();
  const auto host = kernels::open_host({});
  const std::vector<ComputeResult> rows = benched(device, host.get(), "fma-peak", 128);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].size.get()->at("rounds"), 8192);
  EXPECT_EQ(rows[1].size.get()->at("rounds"), 1280);
  EXPECT_DOUBLE_EQ(*rows[0].rate.get()->value.get(), 4.0 * 128 * 8192 / 0.5e6);
}

TEST(Bench, LeavesOutWhatItHasNoTimeFor) {
  const auto host = kernels::open_host({});
  Snapshot seen;
  kernels::bench_on(*host, nullptr, {&timed_kernel("triad")},
                    {.effort = kernels::Effort::quick, .limits = {.time = Milliseconds(0)}},
                    {.partial_result = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}});
  EXPECT_TRUE(seen.compute.get()->empty());
  ASSERT_EQ(seen.compute_not_run.get()->size(), 1U);
  EXPECT_THAT(*seen.compute_not_run.get()->front().why.get(), testing::StartsWith("time: "));
}

TEST(Bench, TimesCopiesApartOnADeviceWithoutThem) {
  Dishonest device([](RunTime, int times) { return in_ms(0.5, times); });
  const auto host = kernels::open_host({});
  const std::vector<ComputeResult> rows = benched(device, host.get(), "copy", 1 << 20);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0].device.is("host"));
  EXPECT_TRUE(rows[0].kernel.is("copy-device"));
  if (const ComputeRate* rate = rate_unless_busy(rows[0])) {
    EXPECT_TRUE(rate->unit.is("GB/s"));
  }
}

TEST(Bench, TimesLaddersWithTheirCopies) {
  Dishonest device([](RunTime, int times) { return in_ms(30, times); });
  Snapshot seen;
  kernels::bench_on(device, nullptr, {&timed_kernel("lstm")}, {.size = 8},
                    {.partial_result = [&](const Snapshot& part) { seen = part; }, .step = [](const std::string&) {}});
  // With --size the sweep is one problem.
  ASSERT_EQ(seen.compute.get()->size(), 2U) << describe(seen);
  EXPECT_TRUE(seen.compute.get()->at(0).variant.is("host, with copies"));
  EXPECT_TRUE(seen.compute.get()->at(0).time.get());
  EXPECT_FALSE(seen.compute.get()->at(0).rate.get());
  EXPECT_TRUE(seen.compute.get()->at(1).variant.is("host"));
}

TEST(Bench, ShowsASlowDeviceAsSlow) {
  Dishonest device([](RunTime, int times) { return in_ms(2000, times); });
  const auto host = kernels::open_host({});
  const std::vector<ComputeResult> rows = benched(device, host.get(), "gemm", 64);
  ASSERT_TRUE(rows[0].rate.get());
  if (const ComputeRate* rate = rate_unless_busy(rows[1])) {
    EXPECT_LT(*rows[0].rate.get()->value.get(), *rate->value.get() / 100);
  }
}

ComputeResult rated(const std::string& device, const std::string& kernel, double value, const std::string& unit) {
  return {.device = device,
          .kernel = kernel,
          .precision = std::string("fp32"),
          .time = ComputeTime{.median_ms = 1.0},
          .rate = ComputeRate{.value = value, .unit = unit}};
}

TEST(Bench, MeasuresDevicesOnHostCoresAgainstOurOwnLoops) {
  const std::vector<kernels::Target> targets = {{.subject = "opencl:cpu", .backend = "opencl", .is_cpu = true},
                                                {.subject = "cuda:0", .backend = "cuda"}};
  std::vector<ComputeResult> rows = {
      rated("host", "fma-peak", 200, "GFLOP/s"),       rated("host", "triad", 40, "GB/s"),
      rated("opencl:cpu", "gemm", 150, "GFLOP/s"),     rated("opencl:cpu", "reduce", 30, "GB/s"),
      rated("opencl:cpu", "fma-peak", 900, "GFLOP/s"), rated("cuda:0", "gemm", 900, "GFLOP/s")};
  kernels::set_host_core_shares(rows, targets);
  EXPECT_FALSE(rows[0].share_of_peak.get());  // not against itself
  EXPECT_DOUBLE_EQ(*rows[2].share_of_peak.get(), 0.75);
  EXPECT_THAT(*rows[2].peak_origin.get(), HasSubstr("our own fma-peak"));
  EXPECT_DOUBLE_EQ(*rows[3].share_of_peak.get(), 0.75);
  EXPECT_FALSE(rows[4].rate.get());
  EXPECT_THAT(rows[4].rate.why(), HasSubstr("4.5 times what our own loop reached"));
  EXPECT_TRUE(rows[5].rate.get());
  EXPECT_FALSE(rows[5].share_of_peak.get());
}

TEST(Bench, RunsOnPoclWithTheHostBesideIt) {
  const kernels::Target pocl = pocl_target();
  if (pocl.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  const Snapshot seen = kernels::bench(
      {pocl, host_target()}, {.effort = kernels::Effort::quick, .kernels = {"launch", "triad"}, .size = 100'000});
  const std::vector<ComputeResult>& rows = *seen.compute.get();
  ASSERT_EQ(rows.size(), 3U) << describe(seen);  // a launch on the host is a call
  for (const ComputeResult& row : rows) {
    // On a machine that is busy elsewhere, or where a sanitizer slows our own loop down.
    if (!row.time.get() &&
        (row.time.why().ends_with("says nothing") || row.time.why().find("our own loop") != std::string::npos))
      continue;
    ASSERT_TRUE(row.time.get()) << row.time.why();
    EXPECT_LE(*row.time.get()->low_ms.get(), *row.time.get()->median_ms.get());
    EXPECT_GE(*row.time.get()->high_ms.get(), *row.time.get()->median_ms.get());
  }
  expect_correct(seen);
}

TEST(Bench, CountsTheSameRoundsWithShortAndLongVectors) {
  const kernels::Target pocl = pocl_target();
  if (pocl.library.empty()) GTEST_SKIP() << "PoCL is not installed";
  for (const std::size_t vector_bytes : {32, 64}) {
    const Snapshot seen = kernels::bench({pocl}, {.effort = kernels::Effort::quick,
                                                  .kernels = {"fma-peak"},
                                                  .size = 100'000,
                                                  .variant = kernels::Variant::cpu,
                                                  .vector_bytes = vector_bytes});
    EXPECT_FALSE(seen.compute.get()->empty());
    expect_correct(seen);
  }
}

TEST(Bench, KnowsEveryKernelOfItsRoster) {
  for (const kernels::TimedProblem& problem : kernels::timed_problems()) {
    if (std::string_view(problem.kernel) == "copy") continue;
    const auto kernel = std::ranges::find(kernels::timed_kernels(), std::string_view(problem.kernel), &Kernel::name);
    ASSERT_NE(kernel, kernels::timed_kernels().end()) << problem.kernel;
    EXPECT_NE(std::ranges::find(kernel->precisions, problem.precision), kernel->precisions.end()) << problem.kernel;
    const std::vector<kernels::Sizes> sizes = kernel->sizes(problem.precision, kernels::Effort::quick);
    for (const auto& [name, value] : sizes.back())
      EXPECT_TRUE(problem.size.contains(name)) << problem.kernel << " " << name;
    EXPECT_EQ(sizes.back().size(), problem.size.size()) << problem.kernel;
  }
}

}  // namespace
}  // namespace envdoctor::bench_test
