#include <gmock/gmock.h>

#include "reports/text/kernel_tables.h"

namespace envdoctor::speed_test {
namespace {

using testing::HasSubstr;
using testing::Not;

ComputeResult row(const std::string& device, double ms, double rate) {
  return {.device = device,
          .kernel = std::string("gemm"),
          .precision = std::string("fp32"),
          .size = std::map<std::string, std::int64_t>{{"k", 512}, {"m", 512}, {"n", 512}},
          .time = ComputeTime{.median_ms = ms, .low_ms = 0.95 * ms, .high_ms = 1.05 * ms, .samples = 15},
          .rate = ComputeRate{.value = rate, .unit = std::string("GFLOP/s")}};
}

Snapshot host_with_pocl() {
  Snapshot host;
  host.opencl.fill().platforms = std::vector<OpenclPlatform>{
      {.name = std::string("PoCL"),
       .devices = std::vector<OpenclDevice>{{.name = std::string("cpu"), .type = std::string("cpu")}}}};
  return host;
}

TEST(Speed, IsComparedWithTheFastestOfTheHostsCpuDevices) {
  Snapshot host = host_with_pocl();
  host.compute =
      std::vector<ComputeResult>{row("cuda:0", 0.1, 2684), row("opencl:PoCL/cpu", 2, 134), row("host", 8, 33.6)};
  const std::string text = speed_text(host);
  EXPECT_THAT(text, HasSubstr("    gemm fp32          k=m=n=512          100 us   5 % 2684 GFLOP/s          20\n"));
  EXPECT_THAT(text, HasSubstr("    gemm fp32          k=m=n=512            2 ms   5 %  134 GFLOP/s           1\n"));
  EXPECT_THAT(text, HasSubstr("    gemm fp32          k=m=n=512            8 ms   5 % 33.6 GFLOP/s        0.25\n"));
}

TEST(Speed, OfMoreRoundsIsComparedByOperation) {
  const auto peak = [](const std::string& device, double ms, std::int64_t rounds) {
    ComputeResult result = row(device, ms, 1);
    result.kernel = std::string("fma-peak");
    result.size = std::map<std::string, std::int64_t>{{"n", 1000}, {"rounds", rounds}};
    result.flops = 4000.0 * static_cast<double>(rounds);
    return result;
  };
  Snapshot host;
  host.compute = std::vector<ComputeResult>{peak("cuda:0", 1, 8192), peak("host", 10, 256)};
  EXPECT_THAT(speed_text(host), HasSubstr("         320\n"));  // 32 times the work in a tenth of the time
}

TEST(Speed, KeepsToEightyColumnsWhateverTheSize) {
  Snapshot host;
  ComputeResult result = row("host", 1, 1);
  result.size = std::map<std::string, std::int64_t>{{"channels", 64}, {"filters", 64}, {"height", 56}, {"width", 56}};
  host.compute = std::vector<ComputeResult>{result};
  const std::string text = speed_text(host);
  EXPECT_THAT(text, HasSubstr("    gemm fp32          channels=filters=64 height=width=56\n" + std::string(40, ' ') +
                              "    1 ms"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(Speed, IsNotComparedWithoutACpu) {
  Snapshot host;
  host.compute = std::vector<ComputeResult>{row("cuda:0", 0.1, 2684)};
  EXPECT_THAT(speed_text(host), HasSubstr("2684 GFLOP/s\n"));
}

TEST(Speed, ShowsTheShareOfAPeakWithItsOrigin) {
  Snapshot host;
  ComputeResult result = row("cuda:0", 0.1, 2684);
  result.share_of_peak = 0.5;
  result.peak_origin = std::string("2 x 132 x 128 x 1980 MHz (CU_DEVICE_ATTRIBUTE_CLOCK_RATE)");
  host.compute = std::vector<ComputeResult>{result};
  EXPECT_THAT(speed_text(host), HasSubstr("2684 GFLOP/s  50 %\n"));
  EXPECT_THAT(speed_text(host), HasSubstr("peak: 2 x 132 x 128 x 1980 MHz (CU_DEVICE_ATTRIBUTE_CLOCK_RATE)\n"));
}

TEST(Speed, TellsWhyThereIsNone) {
  Snapshot host;
  ComputeResult result = row("cuda:0", 0.1, 2684);
  result.time = failed("refused: 2.68e+06 GFLOP/s is 40 times what the device can do");
  result.rate = failed("refused: 2.68e+06 GFLOP/s is 40 times what the device can do");
  host.compute = std::vector<ComputeResult>{result};
  EXPECT_THAT(speed_text(host), HasSubstr("refused: 2.68e+06 GFLOP/s is 40 times"));
  EXPECT_THAT(speed_text(host), Not(HasSubstr("100 us")));
}

TEST(Speed, IsNothingWhereNothingWasTimed) {
  EXPECT_EQ(speed_text({}), "");
  Snapshot host;
  ComputeResult verified = row("host", 1, 1);
  verified.time = {};
  verified.rate = {};
  host.compute = std::vector<ComputeResult>{verified};
  EXPECT_EQ(speed_text(host), "");
}

}  // namespace
}  // namespace envdoctor::speed_test
