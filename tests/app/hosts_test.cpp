// Every host under fixtures/hosts, from its files to its reports: adding a folder adds a test.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "checks/engine/report.h"
#include "evidence/json.h"
#include "evidence/merge.h"
#include "probe/probes.h"
#include "reports/reports.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::hosts_test {
namespace {

namespace fs = std::filesystem;
const fs::path folder = fs::path(source_folder) / "fixtures" / "hosts";

std::vector<std::string> host_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) names.push_back(entry.path().filename());
  }
  std::ranges::sort(names);
  return names;
}

// What the vendors' libraries said was captured as sections; the rest is read from the captured files anew.
Snapshot replay(const fs::path& host_folder) {
  const fs::path sections = host_folder / "snapshot.json";
  Snapshot snapshot = snapshot_from_json(read_whole(sections), sections);
  std::map<std::string, std::string> env;
  if (const auto* known = snapshot.env.get()) {
    for (const auto& [name, value] : *known) {
      if (value.get()) env[name] = *value.get();
    }
  }
  const auto files = open_files(host_folder / "root");
  Snapshot read = gather({.files = *files, .env = env, .live = false}, {});
  read.probes = {};  // their times are of this machine
  fill_in(snapshot, read);
  return snapshot;
}

// The value of a line "key: value" of about.md.
std::string expected_of(const fs::path& host_folder, const std::string& key) {
  const std::string about = read_whole(host_folder / "about.md");
  const auto at = about.find("\n" + key + ": ");
  if (at == about.npos) return {};
  const auto begin = at + key.size() + 3;
  return about.substr(begin, about.find('\n', begin) - begin);
}

class CapturedHost : public testing::TestWithParam<std::string> {};

TEST_P(CapturedHost, GivesTheCauseThatItsStoryTells) {
  const fs::path host = folder / GetParam();
  const Report report = judge(replay(host), {.from_files = true, .tool_version = "test"});
  const auto root =
      std::ranges::find_if(report.findings, [](const Finding& f) { return f.root && f.severity != Severity::info; });
  EXPECT_EQ(root == report.findings.end() ? "none" : root->id, expected_of(host, "root"));
  EXPECT_EQ(text(report.verdict), expected_of(host, "verdict")) << report.verdict_why;
}

TEST_P(CapturedHost, ReadsAndReportsAsBefore) {
  const fs::path host = folder / GetParam();
  const Snapshot snapshot = replay(host);
  const Report report = judge(snapshot, {.from_files = true, .tool_version = "test"});
  expect_golden(host / "expected" / "snapshot.json", to_json(snapshot));
  expect_golden(host / "expected" / "report.txt", render_text(report, {}));
  expect_golden(host / "expected" / "report.json", render_json(report, {}));
}

INSTANTIATE_TEST_SUITE_P(Hosts, CapturedHost, testing::ValuesIn(host_names()), [](const auto& host) {
  std::string name = host.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

TEST(CapturedHosts, AreAtLeastSixteen) { EXPECT_GE(host_names().size(), 16U); }

}  // namespace
}  // namespace envdoctor::hosts_test
