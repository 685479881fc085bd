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

}  // namespace
}  // namespace envdoctor::engine_verdict_devices_test
