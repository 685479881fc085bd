// Every Python environment under fixtures/environments, on a host with an NVIDIA card: the facts that are read from it,
// and the findings.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "checks/engine/report.h"
#include "evidence/json.h"
#include "probe/probes.h"
#include "tests/support/builders.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::environments_test {
namespace {

namespace fs = std::filesystem;

fs::path folder() { return fs::path(source_folder) / "fixtures" / "environments"; }

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (const auto& entry : fs::directory_iterator(folder())) all.push_back(entry.path().filename());
  std::ranges::sort(all);
  return all;
}

class Environment : public testing::TestWithParam<std::string> {};

TEST_P(Environment, IsReadAndJudgedAsItsStoryTells) {
  const fs::path here = folder() / GetParam();
  const auto files = open_files(here / "root");
  const Host host{.files = *files, .env = {}, .live = false};
  const GatherOptions options{.redact = false, .python = "/env"};
  Session session(host, options);
  probe_python(session);
  Snapshot snapshot = session.finish();
  expect_golden(here / "expected.json", to_json(snapshot));

  snapshot.pci = std::vector<PciDevice>{pci_a100()};
  const Report report = judge(snapshot, {.only = {"python", "keras", "runtime.cpu-only-build"}, .from_files = true});
  const std::string about = read_whole(here / "about.md");
  const auto at = about.find("\nfinds: ") + 8;
  const std::string wanted = about.substr(at, about.find('\n', at) - at);
  EXPECT_EQ(report.findings.empty() ? "none" : report.findings.front().id, wanted);
}

INSTANTIATE_TEST_SUITE_P(Environments, Environment, testing::ValuesIn(names()), [](const auto& one) {
  std::string name = one.param;
  std::ranges::replace_if(
      name, [](char c) { return c == '-' || c == '.'; }, '_');
  return name;
});

}  // namespace
}  // namespace envdoctor::environments_test
