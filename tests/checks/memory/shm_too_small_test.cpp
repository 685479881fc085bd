#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::memory_shm_too_small_test {

namespace {

const std::string id = "memory.shm-too-small";

Snapshot container(const Number& mib) {
  Snapshot snapshot = in_docker(healthy_nvidia_host());
  snapshot.host.fill().shm_mib = mib;
  snapshot.python.fill().packages = std::map<std::string, std::string>{{"torch", "2.4.1"}};
  return snapshot;
}

TEST(MemoryShmTooSmall, IsSoundWhereTheContainerWasGivenMore) {
  EXPECT_EQ(state_of("memory.shm-too-small", container(8192)), "passed");
}

TEST(MemoryShmTooSmall, WarnsOfTheDefaultSizeWhereAFrameworkLoadsData) {
  const Answers answers = answers_of("memory.shm-too-small", container(64));
  ASSERT_NE(finding_of(answers, id), nullptr);
  EXPECT_EQ(finding_of(answers, id)->severity, Severity::warning);
  EXPECT_EQ(finding_of(answers, id)->confidence, Confidence::likely);
}

TEST(MemoryShmTooSmall, OnlyInformsWithoutAFramework) {
  Snapshot snapshot = container(64);
  snapshot.python.fill().packages = std::map<std::string, std::string>{};
  EXPECT_EQ(finding_of(answers_of("memory.shm-too-small", snapshot), id)->severity, Severity::info);
}

TEST(MemoryShmTooSmall, FindsAMissingOne) {
  EXPECT_EQ(state_of("memory.shm-too-small", container(absent("no /dev/shm"))), "failed");
}

TEST(MemoryShmTooSmall, DoesNotApplyOutsideContainers) {
  Snapshot snapshot = container(64);
  snapshot.host.fill().container = "none";
  EXPECT_EQ(state_of("memory.shm-too-small", snapshot), "not-applicable");
}

TEST(MemoryShmTooSmall, IsUnknownWhereNobodyMeasured) {
  EXPECT_EQ(state_of("memory.shm-too-small", container(Number())), "unknown");
  EXPECT_EQ(state_of("memory.shm-too-small", container(failed("statvfs: EACCES"))), "unknown");
  EXPECT_EQ(state_of("memory.shm-too-small", Snapshot{}), "unknown");
}

}  // namespace
}  // namespace envdoctor::memory_shm_too_small_test
