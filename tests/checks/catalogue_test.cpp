#include <gtest/gtest.h>

#include <string_view>

#include "checks/check.h"

namespace envdoctor {
namespace {

TEST(Catalogue, EveryRowSaysWhatItClaimsAndWhatWouldDisproveIt) {
  ASSERT_GT(catalogue().size(), 90U);
  for (const Diagnosis& row : catalogue()) {
    const std::string_view id = row.id;
    EXPECT_NE(id.find('.'), std::string_view::npos) << id;
    EXPECT_FALSE(std::string_view(row.title).empty()) << id;
    EXPECT_FALSE(std::string_view(row.title).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row.claim).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row.disproof).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row.remedy).ends_with('.')) << id;
    EXPECT_EQ(diagnosis(id), &row) << id;
  }
}

TEST(Catalogue, KnowsNoIdThatHasNoRow) {
  EXPECT_EQ(diagnosis("driver.not"), nullptr);
  EXPECT_EQ(diagnosis("driver.not-installed-at-all"), nullptr);
  EXPECT_EQ(diagnosis(""), nullptr);
  EXPECT_EQ(diagnosis("zzz"), nullptr);
}

// A check that names an id without a row would throw when it finds something.
TEST(Catalogue, HasARowForEveryIdOfTheRoster) {
  for (const Check& check : all_checks()) {
    for (const char* id : check.ids) EXPECT_NE(diagnosis(id), nullptr) << id;
  }
}

}  // namespace
}  // namespace envdoctor
