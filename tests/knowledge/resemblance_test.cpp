#include "knowledge/wordings/resemblance.h"

#include <gtest/gtest.h>

#include "knowledge/embedded_tables.h"
#include "knowledge/wordings/resemblance_index.h"

namespace envdoctor::knowledge::resemblance_test {
namespace {

Resemblance of(std::string_view text) {
  ResemblingWords words;
  words.line(text);
  return words.likeliest();
}

TEST(Resemblance, IsOfTheCauseWhoseWordsATextUses) {
  const Resemblance found = of("deploy resources reservations devices driver nvidia capabilities gpu docker container");
  EXPECT_TRUE(found.id.starts_with("visibility.container-")) << found.id;
  EXPECT_GT(found.share, 0.2);
  EXPECT_LE(found.share, 1.0);
  EXPECT_FALSE(found.words.empty());
  EXPECT_LE(found.words.size(), 5U);
}

TEST(Resemblance, CountsWordsWhateverTheirCapitalsAndNumbers) {
  const Resemblance one = of("DOCKER Container runtime nvidia sm_86"),
                    other = of("docker container RUNTIME Nvidia sm_90");
  EXPECT_EQ(one.id, other.id);
  EXPECT_DOUBLE_EQ(one.share, other.share);
}

// A build that didn't make the index anew after a change of the table is caught here.
TEST(Resemblance, IndexIsOfTheTable) {
  const std::string now = resemblance_index();
  EXPECT_EQ(bytes_of(embedded_index, "resemblance"), now);
  const ResemblanceIndex index(now);
  ASSERT_GT(index.words.size(), 1000U);
  for (std::uint32_t row = 0; row < index.words.size(); ++row)
    ASSERT_EQ(index.find(index.text(index.words[row])), row) << index.text(index.words[row]);
  EXPECT_EQ(index.find("qwxyz"), std::nullopt);
}

TEST(Resemblance, CountsKindsOfSymptomsAndShowsWordsOnly) {
  const auto shares = [](int times) {
    ResemblingWords words;
    words.line("docker container");
    for (int i = 0; i < times; ++i) words.symptom("missing", "container-toolkit");
    for (const std::string& word : words.likeliest().words) EXPECT_FALSE(word.starts_with('='));
    return words.likeliest().share;
  };
  EXPECT_NE(shares(0), shares(1));
  EXPECT_DOUBLE_EQ(shares(1), shares(2));
}

TEST(Resemblance, OfUnknownWordsIsNone) {
  EXPECT_EQ(of("").id, "");
  EXPECT_EQ(of("qwxyz 17 zzqqy").id, "");
}

TEST(Resemblance, LooksAtABoundedPartOfAText) {
  ResemblingWords words;
  const std::string filler(1 << 18, '-');
  words.line(filler);
  words.line("docker container");
  EXPECT_EQ(words.likeliest().id, "");
}

}  // namespace
}  // namespace envdoctor::knowledge::resemblance_test
