#include "compare/fleet.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/builders.h"

#include "checks/engine/report.h"
#include "reports/reports.h"

namespace envdoctor::compare::fleet_test {
namespace {

using testing::IsEmpty;

std::string report_of(const Snapshot& snapshot) { return render_json(judge(snapshot, {}), {}); }

Fleet fleet_of(int count, const Snapshot& snapshot) {
  Fleet fleet;
  for (int i = 0; i < count; ++i) fleet.add(fmt::format("node{}", i), report_of(snapshot));
  return fleet;
}

TEST(Fleet, OfEqualHostsHasNoOddOneOut) {
  const FleetSummary summary = fleet_of(5, healthy_nvidia_host()).summary();
  EXPECT_EQ(summary.reports, 5);
  EXPECT_THAT(summary.outliers, IsEmpty());
  EXPECT_THAT(summary.damaged, IsEmpty());
}

TEST(Fleet, GroupsHostsByTheirRootFinding) {
  Fleet fleet = fleet_of(3, healthy_nvidia_host());
  fleet.add("sick1", report_of(plain_host()));
  fleet.add("sick2", report_of(plain_host()));
  const FleetSummary summary = fleet.summary();
  ASSERT_FALSE(summary.groups.empty());
  EXPECT_EQ(summary.groups[0].root, "hardware.no-gpu");
  EXPECT_EQ(summary.groups[0].severity, "error");
  EXPECT_EQ(summary.groups[0].hosts, (std::vector<std::string>{"sick1", "sick2"}));
}

Outlier only_outlier(const FleetSummary& summary) {
  EXPECT_EQ(summary.outliers.size(), 1U);
  return summary.outliers.empty() ? Outlier{} : summary.outliers[0];
}

TEST(Fleet, NamesTheHostWithAnotherDriver) {
  Fleet fleet = fleet_of(4, healthy_nvidia_host());
  Snapshot other = healthy_nvidia_host();
  other.nvidia.fill().cuda_driver_version = "12.2";
  fleet.add("odd", report_of(other));
  const Outlier outlier = only_outlier(fleet.summary());
  EXPECT_EQ(outlier.host, "odd");
  EXPECT_EQ(outlier.path, "/nvidia/cuda_driver_version");
  EXPECT_EQ(outlier.value, "12.2");
  EXPECT_EQ(outlier.usual, "12.4");
}

Snapshot with_width(std::int64_t lanes) {
  Snapshot host = healthy_nvidia_host();
  host.pci.fill()[0].link.fill().width = lanes;
  return host;
}

TEST(Fleet, NamesTheHostWithANarrowLink) {
  Fleet fleet = fleet_of(4, with_width(16));
  fleet.add("odd", report_of(with_width(8)));
  EXPECT_EQ(only_outlier(fleet.summary()).path, "/pci/0/link/width");
}

TEST(Fleet, SaysNothingWhereHalfTheHostsAreOneWayAndHalfTheOther) {
  Fleet fleet = fleet_of(2, with_width(16));
  for (const char* name : {"a", "b"}) fleet.add(name, report_of(with_width(8)));
  EXPECT_THAT(fleet.summary().outliers, IsEmpty());
}

ComputeResult timed(double rate, std::int64_t size = 1 << 20) {
  ComputeResult result;
  result.device = "cuda:0";
  result.kernel = "triad";
  result.precision = "fp32";
  result.size = std::map<std::string, std::int64_t>{{"n", size}};
  result.rate.fill().value = rate;
  result.rate.fill().unit = "GB/s";
  return result;
}

Snapshot with_results(std::vector<ComputeResult> results) {
  Snapshot host = healthy_nvidia_host();
  host.compute = std::move(results);
  return host;
}

Snapshot with_rate(double rate) { return with_results({timed(rate)}); }

TEST(Fleet, HoldsAKernelsRateAgainstMedianAndSpread) {
  Fleet fleet;
  for (int i = 0; i < 9; ++i) fleet.add(fmt::format("node{}", i), report_of(with_rate(1000 + i % 3)));
  fleet.add("slow", report_of(with_rate(700)));
  fleet.add("near", report_of(with_rate(960)));
  const Outlier outlier = only_outlier(fleet.summary());
  EXPECT_EQ(outlier.host, "slow");
  EXPECT_EQ(outlier.path, "/compute/triad fp32 n=1048576 cuda:0/rate");
}

TEST(Fleet, ComparesRatesOfEqualSizesAlone) {
  Fleet fleet;
  for (int i = 0; i < 9; ++i)
    fleet.add(fmt::format("node{}", i), report_of(with_results({timed(100 + i % 3, 64), timed(1000 + i % 3)})));
  fleet.add("slow", report_of(with_results({timed(100, 64), timed(101)})));
  const Outlier outlier = only_outlier(fleet.summary());
  EXPECT_EQ(outlier.host, "slow");
  EXPECT_EQ(outlier.path, "/compute/triad fp32 n=1048576 cuda:0/rate");
}

TEST(Fleet, ComparesWhatIsTimedWithCopiesApart) {
  const auto copied = [](double rate) {
    ComputeResult result = timed(rate);
    result.variant = "gpu, with copies";
    return result;
  };
  Fleet fleet;
  for (int i = 0; i < 9; ++i)
    fleet.add(fmt::format("node{}", i), report_of(with_results({timed(1000 + i), copied(100 + i % 3)})));
  fleet.add("slow", report_of(with_results({timed(1000), copied(10)})));
  EXPECT_EQ(only_outlier(fleet.summary()).path, "/compute/triad fp32 n=1048576 gpu, with copies cuda:0/rate");
}

TEST(Fleet, CallsNobodyOddWhereTwoKindsOfHostsAreMixed) {
  Fleet fleet;
  for (int i = 0; i < 10; ++i) fleet.add(fmt::format("node{}", i), report_of(with_rate(i < 6 ? 1000 + i : 2000 + i)));
  EXPECT_THAT(fleet.summary().outliers, IsEmpty());
}

TEST(Fleet, TellsTheVersionOfAReportThatItCannotRead) {
  Fleet fleet;
  fleet.add("newer", R"({"schema": "envdoctor.report/2", "verdict": "pass"})");
  ASSERT_EQ(fleet.summary().damaged.size(), 1U);
  EXPECT_THAT(fleet.summary().damaged[0].second, testing::HasSubstr("envdoctor.report/2"));
}

TEST(Fleet, SkipsDamagedFilesWithAllTheyHold) {
  const std::string whole = report_of(with_width(4));
  for (const std::string& damaged :
       {std::string(), std::string("{"), whole.substr(0, whole.size() - 3), std::string(100'000, '['),
        std::string("[1, 2]"), std::string("{\"schema\": \"envdoctor.report/2\"}"),
        std::string("{\"schema\": \"envdoctor.report/1\"}"), std::string("\x00\xff", 2)}) {
    Fleet fleet = fleet_of(4, with_width(16));
    fleet.add("bad", damaged);
    const FleetSummary summary = fleet.summary();
    EXPECT_EQ(summary.reports, 4);
    ASSERT_EQ(summary.damaged.size(), 1U) << damaged.substr(0, 50);
    EXPECT_EQ(summary.damaged[0].first, "bad");
    EXPECT_THAT(summary.outliers, IsEmpty());
  }
}

TEST(Fleet, TakesAReportCutAnywhereAsDamaged) {
  const std::string whole = report_of(healthy_nvidia_host());
  for (std::size_t size = 0; size + 2 < whole.size(); size += 97) {
    Fleet fleet;
    fleet.add("bad", std::string_view(whole).substr(0, size));
    EXPECT_EQ(fleet.summary().damaged.size(), 1U) << size;
  }
}

}  // namespace
}  // namespace envdoctor::compare::fleet_test
