// The verdict of 'verify': about the devices that kernels ran on.
#include <gtest/gtest.h>

#include "checks/engine/report.h"
#include "checks/engine/verdict.h"

namespace envdoctor::engine_verdict_devices_test {
namespace {

ComputeResult result(const char* device, const char* outcome = "same-bits") {
  return {.device = device, .kernel = "gemm", .precision = "fp32", .agreement = Agreement{.outcome = outcome}};
}

Report verdict_of(std::vector<ComputeResult> results, std::vector<ComputeNotRun> not_run = {},
                  bool host_asked = false) {
  Report report;
  report.options = {.of_devices = true, .host_asked = host_asked};
  report.snapshot.compute = std::move(results);
  report.snapshot.compute_not_run = std::move(not_run);
  reach_verdict_of_devices(report);
  return report;
}

TEST(VerdictOfDevices, IsPassWhereAGpuComputesRight) {
  const Report report = verdict_of({result("host"), result("cuda:0")});
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.verdict_why, "cuda:0 computes what it must");
}

TEST(VerdictOfDevices, SaysThatNoGpuWasAmongThem) {
  const Report report = verdict_of({result("opencl:PoCL/pthread")});
  EXPECT_EQ(report.verdict, Verdict::pass);
  EXPECT_EQ(report.verdict_why, "opencl:PoCL/pthread computes what it must; no GPU was looked at");
}

TEST(VerdictOfDevices, IsIncompleteWhereOnlyTheHostRanUnlessItWasAskedFor) {
  EXPECT_EQ(verdict_of({result("host")}).verdict, Verdict::incomplete);
  EXPECT_EQ(verdict_of({result("host")}, {}, true).verdict, Verdict::pass);
  EXPECT_EQ(verdict_of({}).verdict, Verdict::incomplete);
}

TEST(VerdictOfDevices, IsIncompleteWhereADeviceStoppedByItself) {
  const Report crashed =
      verdict_of({result("cuda:0")}, {{.device = "cuda:1", .kernel = "gemm", .why = "crash: ended by SIGSEGV"}});
  EXPECT_EQ(crashed.verdict, Verdict::incomplete);
  EXPECT_EQ(crashed.verdict_why, "cuda:1: crash: ended by SIGSEGV");
}

TEST(VerdictOfDevices, BearsWhatADeviceLacksAndLargerSizesThatTookTooLong) {
  EXPECT_EQ(verdict_of({result("cuda:0")}, {{.device = "cuda:0", .kernel = "map", .why = "missing: no fp64"},
                                            {.device = "cuda:1", .why = "busy: process 7 computes there"},
                                            {.device = "cuda:0", .kernel = "gemm", .why = "time: none was left"}})
                .verdict,
            Verdict::pass);
  // But no smaller size ran there.
  EXPECT_EQ(
      verdict_of({result("cuda:0")}, {{.device = "cuda:0", .kernel = "map", .why = "time: none was left"}}).verdict,
      Verdict::incomplete);
}

TEST(VerdictOfDevices, IsIncompleteWhereAResultIsMostlyZero) {
  const Report report = verdict_of({result("cuda:0"), result("cuda:0", "not-trustworthy")});
  EXPECT_EQ(report.verdict, Verdict::incomplete);
  EXPECT_EQ(report.verdict_why, "cuda:0: gemm gave mostly zero or one value, which proves nothing");
}

TEST(VerdictOfDevices, FollowsTheWorstFinding) {
  Report report;
  report.snapshot.compute = std::vector<ComputeResult>{result("cuda:0")};
  report.findings.push_back({.id = "compute.tf32", .severity = Severity::warning, .title = "narrow"});
  reach_verdict_of_devices(report);
  EXPECT_EQ(report.verdict, Verdict::warn);
  report.findings.push_back({.id = "compute.wrong-results", .severity = Severity::error, .title = "wrong"});
  reach_verdict_of_devices(report);
  EXPECT_EQ(report.verdict, Verdict::fail);
  EXPECT_EQ(report.verdict_why, "wrong");
}

TEST(VerdictOfDevices, MissesAPrecisionThatNeverRan) {
  const ComputeNotRun row = {.device = "cuda:0", .kernel = "gemm", .precision = "fp64", .why = "time: none was left"};
  EXPECT_EQ(verdict_of({result("cuda:0")}, {row}).verdict, Verdict::incomplete);
  ComputeResult smaller = result("cuda:0");
  smaller.precision = "fp64";
  EXPECT_EQ(verdict_of({result("cuda:0"), smaller}, {row}).verdict, Verdict::pass);
}

TEST(VerdictOfDevices, IsIncompleteWhereARateWasRefused) {
  ComputeResult refused = result("cuda:0");
  refused.rate = failed("rejected: 12024 GFLOP/s is 60 times what our own loop reaches on these cores");
  const Report report = verdict_of({refused});
  EXPECT_EQ(report.verdict, Verdict::incomplete);
  EXPECT_NE(report.verdict_why.find("12024 GFLOP/s"), std::string::npos);
}

TEST(VerdictOfDevices, IsIncompleteWhereAGpuIsListedAndNothingRanThere) {
  Report report;
  report.options = {.of_devices = true};
  report.snapshot.compute = std::vector<ComputeResult>{result("opencl:PoCL/pthread")};
  report.snapshot.opencl =
      Opencl{.platforms = std::vector<OpenclPlatform>{
                 {.name = "Vendor", .devices = std::vector<OpenclDevice>{{.name = "Card", .type = "gpu"}}}}};
  reach_verdict_of_devices(report);
  EXPECT_EQ(report.verdict, Verdict::incomplete);
  EXPECT_NE(report.verdict_why.find("opencl:Vendor/Card"), std::string::npos) << report.verdict_why;
  report.options.host_asked = true;  // the user chose
  reach_verdict_of_devices(report);
  EXPECT_EQ(report.verdict, Verdict::pass);
}

TEST(VerdictOfDevices, TakesWhatBurnsTheHostsCoresForNoGpu) {
  Report report;
  report.options = {.of_devices = true};
  ComputeResult row = result("opencl:Vendor/Card");
  row.host_cores = 3.9;
  report.snapshot.compute = std::vector<ComputeResult>{row};
  report.snapshot.opencl =
      Opencl{.platforms = std::vector<OpenclPlatform>{
                 {.name = "Vendor", .devices = std::vector<OpenclDevice>{{.name = "Card", .type = "gpu"}}}}};
  reach_verdict_of_devices(report);
  EXPECT_NE(report.verdict_why.find("computes on this host's cores"), std::string::npos) << report.verdict_why;
  EXPECT_NE(report.verdict_why.find("no GPU was looked at"), std::string::npos) << report.verdict_why;
}

}  // namespace
}  // namespace envdoctor::engine_verdict_devices_test
