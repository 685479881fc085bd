#include <gtest/gtest.h>

#include "tests/support/builders.h"
#include "tests/support/log_lines.h"

namespace envdoctor::log_placement_test {

using enum SymptomClass;
namespace {

TEST(LogModules, BlameTheEnvironmentWhereItsListHoldsThePackage) {
  Snapshot snapshot = log_of({{{missing, "python-module"}, {{"module", "torch"}}}});
  EXPECT_EQ(ids(snapshot), (Found{{"python.wrong-environment", possible}}));
  snapshot.python.fill().packages.fill()["torch"] = "2.4.1";
  EXPECT_EQ(ids(snapshot), (Found{{"python.wrong-environment", likely}}));
}

}  // namespace
}  // namespace envdoctor::log_placement_test
