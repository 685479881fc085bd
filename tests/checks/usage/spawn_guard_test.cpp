#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::usage_spawn_guard_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "usage.spawn-guard";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(UsageSpawnGuard, IsPythonsOwnWord) {
  const Answers answers = answers_of(id, with({symptom_of({missing, "main-guard"})}));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::certain);
  EXPECT_EQ(state_of(id, healthy_nvidia_host()), "nothing");
}

}  // namespace
}  // namespace envdoctor::usage_spawn_guard_test
