#include "knowledge/log_patterns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "knowledge/literals.h"

namespace envdoctor::knowledge {
namespace {

TEST(LogPatterns, EveryRowMatchesItsExampleWithItsFields) {
  ASSERT_FALSE(log_patterns().empty());
  for (const LogPattern& row : log_patterns()) {
    const std::vector<LogMatch> matches = match_log_line(row.example);
    const bool found = std::ranges::any_of(matches, [&row](const LogMatch& m) {
      return m.event == row.event && m.framework == row.framework && m.fields == row.fields;
    });
    EXPECT_TRUE(found) << row.id << ": " << row.example;
    if (!found) {
      for (const LogMatch& m : matches) {
        for (const auto& [name, value] : m.fields) ADD_FAILURE() << m.event << " " << name << "=" << value;
      }
    }
  }
}

TEST(LogPatterns, EveryRowHasWordsThatNarrowTheSearch) {
  std::set<std::string> ids;
  for (const LogPattern& row : log_patterns()) {
    EXPECT_FALSE(required_literals(row.pattern).empty()) << row.id;
    EXPECT_EQ(row.pattern.find(".*"), std::string::npos) << row.id;
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  }
}

TEST(LogPatterns, AreSilentOnProseAndOrdinaryLines) {
  for (const char* line :
       {"", "Epoch 3/10 loss: 0.5132 accuracy: 0.91", "I have a graphics card and want to train on it",
        "downloading the driver from the website", "step 100: 1.2 s/it, Error 5 of 7 files"}) {
    EXPECT_TRUE(match_log_line(line).empty()) << line << " -> " << match_log_line(line).front().event;
  }
}

TEST(RequiredLiterals, AreTheLongestSureRunOfEachAlternative) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(required_literals("Could (?:load|open) library '"), Words{" library '"});
  EXPECT_EQ(required_literals("(?i)Failed call|NVRM: Xid \\("), (Words{"failed call", "nvrm: xid ("}));
  EXPECT_EQ(required_literals("colou?rfully"), Words{"rfully"});
  EXPECT_EQ(required_literals("[0-9]+ abcd[ef]"), Words{" abcd"});
  EXPECT_EQ(required_literals("abcdx*"), Words{"abcd"});
  EXPECT_TRUE(required_literals("\\w+|long enough").empty());
}

TEST(LiteralSearch, FindsEveryWordThatOccurs) {
  const std::vector<std::string> words = {"he", "she", "hers", "his", "xyz"};
  const LiteralSearch search(words);
  std::set<std::uint32_t> hits;
  search.each("uSHErs", [&](std::uint32_t word) { hits.insert(word); });
  EXPECT_EQ(hits, (std::set<std::uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace envdoctor::knowledge
