#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::cpu_messages_test {

using enum SymptomClass;
namespace {

TEST(CpuLimitsInALog, CountsWorkersAgainstWhatMayBeUsed) {
  Snapshot snapshot = log_of({{{exhausted, "cpu-cores"}, {{"suggested", "4"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"cpu.oversubscribed", possible}}));
  snapshot.cpu.fill().threads = 64;
  EXPECT_EQ(ids(snapshot), (Found{{"cpu.affinity-limited", possible}}));
  EXPECT_TRUE(ids(Snapshot{}).empty());
}

}  // namespace
}  // namespace envdoctor::cpu_messages_test
