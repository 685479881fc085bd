#include "reports/text/kernel_tables.h"

#include <gmock/gmock.h>

#include <cmath>

namespace envdoctor::crossover_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

ComputeResult lstm(const std::string& device, std::int64_t hidden, double us, const std::string& variant) {
  return {.device = device,
          .kernel = std::string("lstm"),
          .precision = std::string("fp32"),
          .size = std::map<std::string, std::int64_t>{{"hidden", hidden}, {"inputs", hidden}, {"steps", 1}},
          .variant = variant,
          .time = ComputeTime{.median_ms = us * 1e-3}};
}

// A GPU with launches of 8 us that is twenty times as fast, and copies of 30 us; a CPU that takes hidden^2 / 1000 us.
Snapshot host_with_gpu() {
  Snapshot host;
  std::vector<ComputeResult> rows = {
      {.device = std::string("cuda:0"), .kernel = std::string("launch"), .time = ComputeTime{.median_ms = 0.008}}};
  for (std::int64_t hidden = 16; hidden <= 1024; hidden *= 2) {
    const double cpu_us = static_cast<double>(hidden * hidden) / 1000, gpu_us = 8 + cpu_us / 20;
    rows.push_back(lstm("host", hidden, cpu_us, "host"));
    rows.push_back(lstm("cuda:0", hidden, gpu_us, "gpu"));
    rows.push_back(lstm("cuda:0", hidden, gpu_us + 30, "gpu, with copies"));
  }
  host.compute = rows;
  return host;
}

TEST(Crossover, IsTheSizeFromWhichOnTheDeviceWins) {
  const std::vector<Crossover> found = crossovers(host_with_gpu());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].device, "cuda:0");
  EXPECT_EQ(found[0].from, 128);  // 16.4 against 8.8 us; at 64 4.1 against 8.2
  EXPECT_TRUE(found[0].copies_known);
  EXPECT_EQ(found[0].from_with_copies, 256);  // 65.5 against 41.3 us
  EXPECT_EQ(found[0].dominant, "copies");     // at 128: 30 of 38.8 us
  EXPECT_NEAR(found[0].dominant_share, 30 / 38.82, 0.001);
  const std::string text = crossover_text(host_with_gpu());
  EXPECT_THAT(text, HasSubstr("LSTM step, batch 1:"));
  EXPECT_THAT(text, HasSubstr("from hidden = 128; with copies"));
}

TEST(Crossover, IsNotTakenFromOneLuckySize) {
  Snapshot host = host_with_gpu();
  for (ComputeResult& row : *host.compute.get()) {
    // Slow at the largest size.
    if (row.device.is("cuda:0") && row.size.get() && row.size.get()->at("hidden") == 1024)
      row.time.get()->median_ms = 10.0;
  }
  const std::vector<Crossover> found = crossovers(host);
  EXPECT_EQ(found[0].from, 0);
  EXPECT_THAT(crossover_text(host), HasSubstr("not faster up to hidden = 1024"));
}

TEST(Crossover, NeedsALadderAndACpu) {
  EXPECT_THAT(crossovers({}), IsEmpty());
  Snapshot no_cpu = host_with_gpu();
  std::erase_if(*no_cpu.compute.get(), [](const ComputeResult& row) { return row.device.is("host"); });
  EXPECT_THAT(crossovers(no_cpu), IsEmpty());
  Snapshot few = host_with_gpu();
  few.compute.get()->resize(9);
  EXPECT_THAT(crossovers(few), IsEmpty());
}

TEST(Crossover, LeavesTheLargestRungForTheTable) {
  const Snapshot host = host_with_gpu();
  int shown = 0;
  for (const ComputeResult& row : *host.compute.get()) shown += is_minor_size(host, row) ? 0 : 1;
  EXPECT_EQ(shown, 3);  // the launch, and the largest on both devices
}

}  // namespace
}  // namespace envdoctor::crossover_test
