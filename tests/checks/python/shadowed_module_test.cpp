#include <gtest/gtest.h>

#include "tests/support/builders.h"

namespace envdoctor::python_shadowed_module_test {

using enum SymptomClass;
namespace {

constexpr const char* id = "python.shadowed-module";

Snapshot with(std::vector<Symptom> lines, Snapshot host = {}) {
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].line = static_cast<std::int64_t>(i + 1);
  host.log = std::move(lines);
  return host;
}

Symptom frame(const char* file) {
  return symptom_of({noted, "file-named-as-package"}, {{"file", file}, {"module", "torch"}});
}

TEST(PythonShadowedModule, IsAFileOfOnesOwnInTheTraceback) {
  const Symptom half = symptom_of({hidden, "half-imported-package"}, {{"module", "torch"}});
  EXPECT_EQ(finding_of(answers_of(id, with({frame("/srv/job/torch.py"), half})), id)->confidence, Confidence::likely);
  EXPECT_EQ(finding_of(answers_of(id, with({half})), id)->confidence, Confidence::possible);
}

TEST(PythonShadowedModule, LeavesThePackagesOwnFiles) {
  const Symptom failing = symptom_of({failed, "python-import"});
  EXPECT_EQ(state_of(id, with({frame("/opt/venv/lib/python3.11/site-packages/keras/numpy.py"), failing})),
            "not-applicable");
  EXPECT_EQ(state_of(id, with({frame("/srv/job/torch.py")})), "not-applicable") << "nothing fails";
}

}  // namespace
}  // namespace envdoctor::python_shadowed_module_test
