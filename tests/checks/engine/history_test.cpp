#include <gtest/gtest.h>

#include <algorithm>

#include "checks/engine/report.h"
#include "tests/support/builders.h"

namespace envdoctor::history_test {

using enum SymptomClass;
namespace {

Symptom at_line(std::int64_t line, Symptom symptom) {
  symptom.line = line;
  return symptom;
}

Snapshot fell_off_and_started(bool answers) {
  Snapshot report;
  report.log = std::vector<Symptom>{at_line(3, symptom_of({lost, "pci-device"}, {}, "kern.log")),
                                    at_line(9, symptom_of({noted, "system-start"}, {}, "kern.log"))};
  if (answers) report.nvidia = Nvidia{.devices = std::vector<NvidiaDevice>{{.index = 0, .name = "NVIDIA L4"}}};
  return report;
}

bool claims(const Snapshot& snapshot, std::string_view id) {
  const Report report = judge(snapshot, {.from_files = true});
  return std::ranges::any_of(report.findings, [&](const Finding& f) { return f.id == id; });
}

TEST(History, IsWhatTheKernelSaidBeforeAStartAfterWhichTheDriverAnswers) {
  EXPECT_FALSE(claims(fell_off_and_started(true), "driver.gpu-lost"));
  EXPECT_TRUE(claims(fell_off_and_started(false), "driver.gpu-lost")) << "nothing shows that it is over";
}

TEST(History, LeavesOtherTextsAndLaterLines) {
  Snapshot later = fell_off_and_started(true);
  later.log.get()->front().line = 12;
  EXPECT_TRUE(claims(later, "driver.gpu-lost"));
  Snapshot other = fell_off_and_started(true);
  other.log.get()->front().source = "other.log";
  EXPECT_TRUE(claims(other, "driver.gpu-lost"));
}

}  // namespace
}  // namespace envdoctor::history_test
