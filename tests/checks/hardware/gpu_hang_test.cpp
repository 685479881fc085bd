#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::hardware_gpu_hang_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.gpu-hang";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(HardwareGpuHang, IsLikelyByTheWatchdogsWords) {
  const Answers answers = answers_of(id, with({symptom_of({crashed, "gpu"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(HardwareGpuHang, StandsBehindAGpuThatIsGone) {
  const Answers answers = answers_of(id, with({symptom_of({crashed, "gpu"}), symptom_of({lost, "amd-gpu"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::possible);
}

}  // namespace
}  // namespace envdoctor::hardware_gpu_hang_test
