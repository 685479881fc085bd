#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::runtime_engine_mismatch_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "runtime.engine-mismatch";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

TEST(RuntimeEngineMismatch, IsCertainWhereTensorRtNamesBothSides) {
  const Symptom line = symptom_of({mismatch, "tensorrt-engine"}, {{"needs", "compute 8.6"}, {"found", "compute 8.9"}});
  EXPECT_EQ(finding_of(answers_of(id, with({line})), id)->confidence, Confidence::certain);
  EXPECT_EQ(finding_of(answers_of(id, with({symptom_of({mismatch, "tensorrt-engine"})})), id)->confidence,
            Confidence::likely);
  EXPECT_EQ(state_of(id, healthy_nvidia_host()), "not-applicable");
}

}  // namespace
}  // namespace envdoctor::runtime_engine_mismatch_test
