#include <gtest/gtest.h>

#include <string_view>

#include "checks/engine/diagnosis.h"

namespace envdoctor::engine_catalogue_test {
namespace {

TEST(Catalogue, EveryRowSaysWhatItClaimsAndWhatWouldDisproveIt) {
  ASSERT_GT(catalogue().size(), 90U);
  for (const Diagnosis* row : catalogue()) {
    const std::string_view id = row->id;
    EXPECT_NE(id.find('.'), std::string_view::npos) << id;
    EXPECT_FALSE(std::string_view(row->title).empty()) << id;
    EXPECT_FALSE(std::string_view(row->title).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row->claim).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row->disproof).ends_with('.')) << id;
    EXPECT_TRUE(std::string_view(row->remedy).ends_with('.')) << id;
    EXPECT_EQ(find_diagnosis(id), row) << id;
  }
}

TEST(Catalogue, KnowsNoIdThatHasNoRow) {
  EXPECT_EQ(find_diagnosis("driver.not"), nullptr);
  EXPECT_EQ(find_diagnosis("driver.not-installed-at-all"), nullptr);
  EXPECT_EQ(find_diagnosis(""), nullptr);
  EXPECT_EQ(find_diagnosis("zzz"), nullptr);
}

TEST(Catalogue, KnowsEveryConsequence) {
  for (const Diagnosis& row : roster()) {
    for (const char* id : row.explains) EXPECT_NE(find_diagnosis(id), nullptr) << row.id << " explains " << id;
  }
}

}  // namespace
}  // namespace envdoctor::engine_catalogue_test
