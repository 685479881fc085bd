#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::memory_shm_permission_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "memory.shm-permission";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(MemoryShmPermission, IsFoundWhereSharedMemoryIsRefused) {
  EXPECT_EQ(state_of(id, with({symptom_of({refused, "shared-memory"})})), "failed");
}

TEST(MemoryShmPermission, IsFoundByASemaphoreThatMayNotBeMade) {
  const Symptom call = symptom_of({noted, "semaphore-call"}), unnamed = symptom_of({refused, "unnamed-file"});
  EXPECT_EQ(state_of(id, with({call, unnamed})), "failed");
  EXPECT_EQ(state_of(id, with({unnamed})), "not-applicable") << "any file";
  EXPECT_EQ(state_of(id, with({call})), "not-applicable") << "another error";
}

}  // namespace
}  // namespace envdoctor::memory_shm_permission_test
