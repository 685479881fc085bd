#include "knowledge/wordings/resemblance.h"

#include <gtest/gtest.h>

#include <set>

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
  const Resemblance found =
      of("docker error response from daemon could not select device driver nvidia container capabilities gpu");
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

Resemblance of_lines(const std::vector<std::string>& lines) {
  ResemblingWords words;
  for (const std::string& line : lines) words.line(line);
  return words.likeliest();
}

TEST(Resemblance, CountsEqualLinesOnce) {
  EXPECT_DOUBLE_EQ(of_lines({"docker container", "docker container"}).share, of_lines({"docker container"}).share);
}

TEST(Resemblance, GivesWordsOfALineThatComplainsAWeightOfTheirOwn) {
  const Resemblance apart = of_lines({"error", "nccl peer"}), together = of_lines({"error nccl peer"});
  EXPECT_NE(apart.share, together.share);
  for (const std::string& word : together.words) EXPECT_FALSE(word.starts_with('!'));
  EXPECT_EQ(std::set<std::string>(together.words.begin(), together.words.end()).size(), together.words.size());
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
