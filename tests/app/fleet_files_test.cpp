// A fleet's reports, some of which can't be read, or have impossible content.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>

#include "evidence/json.h"
#include "reports/reports.h"
#include "tests/support/process.h"

namespace envdoctor::fleet_files_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
namespace fs = std::filesystem;

std::string report_of(const Snapshot& snapshot) { return render_json(judge(snapshot, {}), {}); }

Snapshot healthy_host() {
  return snapshot_from_json(read_whole(source_folder + std::string("/docs/examples/healthy.json")), "healthy");
}

std::string with_verdict(const std::string& verdict) {
  std::string report = report_of(healthy_host());
  const std::string usual = R"("verdict": "pass")";
  const std::size_t at = report.find(usual);
  EXPECT_NE(at, report.npos);
  return report.replace(at, usual.size(), "\"verdict\": " + verdict);
}

Ran fleet_with(const std::string& report) {
  fs::create_directory(test_folder() + "/fleet");
  write_file_here("fleet/well.json", report_of(healthy_host()));
  write_file_here("fleet/other.json", report);
  return run_envdoctor("fleet " + test_folder() + "/fleet");
}

TEST(FleetOfFiles, FailsWithAReportThatFailedForAReasonItDoesNotName) {
  const Ran ran = fleet_with(with_verdict("\"fail\""));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("fail on 1 host\n           other.json"));
}

TEST(FleetOfFiles, NamesAReportWhoseVerdictIsNone) {
  for (const char* verdict : {"\"FAIL\"", "\"ok\"", "\"\"", "true", "0", "null", "[\"pass\"]", "{\"is\": \"pass\"}"}) {
    const Ran ran = fleet_with(with_verdict(verdict));
    EXPECT_EQ(ran.status, 3) << verdict;
    EXPECT_THAT(ran.out, AllOf(HasSubstr("Skipped, 1 damaged\n  other.json: at /verdict: "))) << verdict;
  }
}

TEST(FleetOfFiles, IsJudgedBesideAFolderAndALinkThatCannotBeRead) {
  const std::string folder = test_folder() + "/fleet";
  fs::create_directories(folder + "/rack");
  write_file_here("fleet/rack/well.json", report_of(healthy_host()));
  fs::create_symlink("loop.json", folder + "/loop.json");
  // Deeper than a path can name.
  const std::string step(250, 'd');
  for (int depth = 0, at = open(folder.c_str(), O_RDONLY); depth < 20; ++depth) {
    mkdirat(at, step.c_str(), 0700);
    const int next = openat(at, step.c_str(), O_RDONLY);
    close(at);
    at = next;
  }
  const Ran ran = run_envdoctor("fleet " + folder);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("1 reports: 1 pass"), HasSubstr("Skipped, 2 damaged"), HasSubstr("  loop.json:"),
                             HasSubstr(step + "/" + step), HasSubstr("cannot list: File name too long")));
  EXPECT_EQ(std::system(("rm -rf " + folder).c_str()), 0);
}

TEST(FleetOfFiles, NamesTheHostWithAnotherVersionOfAnything) {
  const std::string folder = test_folder() + "/fleet";
  fs::create_directories(folder);
  Snapshot host = healthy_host();
  HostFacts& facts = host.host.fill();
  facts.kernel = "5.15.0-113-generic";
  facts.os = "Ubuntu 22.04.4 LTS";
  facts.virtualization = facts.container = "none";
  host.modules = std::vector<Module>{{"amdgpu", "6.7.0"}};
  for (int i = 0; i < 5; ++i) write_file_here("fleet/node" + std::to_string(i) + ".json", report_of(host));
  facts.kernel = "6.8.0-1-generic";
  facts.os = "Rocky Linux 9.4";
  facts.virtualization = "kvm";
  facts.container = "docker";
  host.modules = std::vector<Module>{{"amd_pmf", {}}, {"amdgpu", "6.8.5"}};
  write_file_here("fleet/odd.json", report_of(host));
  const Ran ran = run_envdoctor("fleet " + folder);
  for (const char* value : {"6.8.0-1-generic", "Rocky Linux 9.4", "kvm", "docker", "6.8.5"})
    EXPECT_THAT(ran.out, HasSubstr(std::string("    ") + value + " on odd.json")) << value;
}

}  // namespace
}  // namespace envdoctor::fleet_files_test
