#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::usage_graph_pinned_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "usage.graph-pinned";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

const Symptom on_gpu = symptom_of({missing, "tensorflow-device"}, {{"spec", "/device:GPU:1"}});
const Symptom loaded = symptom_of({noted, "graph-import"});

TEST(UsageGraphPinned, NeedsASavedGraphAndAGpuThatIsNotHere) {
  EXPECT_EQ(state_of(id, with({loaded, on_gpu})), "failed");
  EXPECT_EQ(state_of(id, with({on_gpu})), "not-applicable");
  EXPECT_EQ(state_of(id, with({loaded, symptom_of({missing, "tensorflow-device"}, {{"spec", "/device:TPU:0"}})})),
            "not-applicable");
}

}  // namespace
}  // namespace envdoctor::usage_graph_pinned_test
