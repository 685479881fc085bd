// What a second snapshot may add to a first, and the entries of `sources` for it.
#include "evidence/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evidence/json.h"

namespace envdoctor::merge_test {
namespace {

using testing::Pair;
using testing::UnorderedElementsAre;

Snapshot from(const std::string& keys) {
  return snapshot_from_json(R"({"schema": "envdoctor.snapshot/1", )" + keys + "}", "test");
}

auto line(const char* pointer, std::int64_t number) {
  return Pair(pointer, TextSource{.source = "paste.txt", .line = number});
}

TEST(Merge, KeepsWhatTheHostSaysAndNoSourceOfWhatContradictsIt) {
  Snapshot host = from(R"("nvidia": {"kernel_driver_version": "550.54"}, "host": {"os": "Debian 12"})");
  Snapshot text =
      from(R"("nvidia": {"kernel_driver_version": "470.1", "cuda_driver_version": "11.4"}, "env": {"A": "1"})");
  set_sources(text, "paste.txt", 7);
  fill_in(host, text);
  EXPECT_TRUE(host.nvidia.get()->kernel_driver_version.is("550.54"));
  EXPECT_TRUE(host.nvidia.get()->cuda_driver_version.is("11.4"));
  ASSERT_TRUE(host.sources.get());
  EXPECT_THAT(*host.sources.get(), UnorderedElementsAre(line("/nvidia/cuda_driver_version", 7), line("/env", 7)));
}

TEST(Merge, NamesTheLaterTextForWhatTheFirstDidNotSay) {
  Snapshot first = from(R"("python": {"packages": {"A": "1"}}, "nvidia": {"kernel_driver_version": "550.54"})");
  Snapshot second = from(R"("python": {"packages": {"A": "2", "B/C": "3"}}, "nvidia": {"devices": []})");
  set_sources(first, "paste.txt", 1);
  set_sources(second, "paste.txt", 90);
  fill_in(first, second);
  EXPECT_THAT(*first.sources.get(),
              UnorderedElementsAre(line("/python/packages", 1), line("/python/packages/B~1C", 90),
                                   line("/nvidia/kernel_driver_version", 1), line("/nvidia/devices", 90)));
}

TEST(Merge, AddsNoVariableToAnEnvironmentThatIsKnownWhole) {
  Snapshot whole = from(R"("env": {"A": "1"})");
  const Snapshot other = from(R"("env": {"B": "2"})");
  fill_in(whole, other);
  EXPECT_EQ(whole.env.get()->size(), 1U);
  Snapshot some = from(R"("env": {"A": "1"}, "sources": {"/env/A": {"source": "paste.txt", "line": 1}})");
  fill_in(some, other);
  EXPECT_EQ(some.env.get()->size(), 2U);
}

TEST(Merge, OfTwoHostsHasNoSources) {
  Snapshot host = from(R"("nvidia": {"kernel_driver_version": "550.54"})");
  fill_in(host, from(R"("env": {})"));
  EXPECT_EQ(host.sources.outcome(), Outcome::not_probed);
}

TEST(Merge, SourcesAreWrittenAndReadBack) {
  Snapshot text = from(R"("env": {"A": "1"}, "log": [])");
  set_sources(text, "paste.txt", 3);
  EXPECT_THAT(*snapshot_from_json(to_json(text), "again").sources.get(), UnorderedElementsAre(line("/env", 3)));
}

TEST(FillIn, KeepsWhatATextSaysOtherwiseBesideTheField) {
  Snapshot host;
  host.nvidia.fill().kernel_driver_version = "550.54.14";
  Snapshot text;
  text.nvidia.fill().kernel_driver_version = "535.104.05";
  text.nvidia.fill().cuda_driver_version = "12.2";
  set_sources(text, "job.log", 7);
  fill_in(host, text);
  EXPECT_EQ(host.nvidia.get()->kernel_driver_version.or_empty(), "550.54.14");
  ASSERT_EQ(host.contradictions.or_empty().size(), 1U);
  const Contradiction& one = host.contradictions.get()->front();
  EXPECT_EQ(one.path.or_empty(), "/nvidia/kernel_driver_version");
  EXPECT_EQ(one.value.or_empty(), "535.104.05");
  EXPECT_EQ(one.source.or_empty(), "job.log");
  EXPECT_EQ(one.line.or_empty(), 7);
  Snapshot probe;
  probe.nvidia.fill().kernel_driver_version = "1.2";
  fill_in(host, probe);
  EXPECT_EQ(host.contradictions.or_empty().size(), 1U) << "only a text contradicts";
}

}  // namespace
}  // namespace envdoctor::merge_test
