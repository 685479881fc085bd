// Random patterns, and lines generated to match them: where RE2 finds one, its words must be found too.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include <array>
#include <cctype>
#include <random>

#include "tests/support/stands_in.h"

namespace envdoctor::knowledge::random_patterns_test {
namespace {

struct Made {
  std::string pattern{};
  std::string text{};  // that it matches, mostly
};

class Maker {
 public:
  Made pattern() {
    Made all{.pattern = below(4) == 0 ? "(?i)" : ""};
    const int alternatives = 1 + below(2);
    for (int i = 0; i < alternatives; ++i) {
      const Made one = run(2, 2 + below(5));
      all.pattern += (i > 0 ? "|" : "") + one.pattern;
      if (i == 0 || below(2) == 0) all.text = one.text;
    }
    return all;
  }

  std::string line(std::string text) {
    for (char& c : text) {
      if (below(9) == 0 && std::isalpha(static_cast<unsigned char>(c)) != 0) c = static_cast<char>(c ^ 0x20);
    }
    if (below(2) == 0) text.insert(text.begin(), " ;a\xc9"[below(4)]);
    if (below(2) == 0) text += " ;aK"[below(4)];
    if (below(3) == 0 && !text.empty())
      text[static_cast<std::size_t>(below(static_cast<int>(text.size())))] = "ab;0 "[below(5)];
    return text;
  }

 private:
  int below(int end) { return std::uniform_int_distribution<int>(0, end - 1)(random_); }
  template <std::size_t N>
  const auto& one_of(const std::array<Made, N>& all) {
    return all[static_cast<std::size_t>(below(N))];
  }

  Made run(int depth, int items) {
    Made all;
    for (int i = 0; i < items; ++i) {
      const Made one = repeated(atom(depth));
      all.pattern += one.pattern;
      all.text += one.text;
    }
    return all;
  }

  Made atom(int depth) {
    static const std::array<Made, 5> words = {
        {{"word", "word"}, {"Word", "Word"}, {"abcd", "abcd"}, {"xyzzy", "xyzzy"}, {"a;b;", "a;b;"}}};
    static const std::array<Made, 12> characters = {{{"[ab]", "b"},
                                                     {"[^ab]", "c"},
                                                     {"\\d", "0"},
                                                     {"\\w", "a"},
                                                     {"\\W", ";"},
                                                     {"\\S", ";"},
                                                     {".", "a"},
                                                     {"[a-c;]", ";"},
                                                     {"\\x41", "A"},
                                                     {"[]x]", "]"},
                                                     {"\xe9", "\xe9"},
                                                     {"K", "K"}}};
    static const std::array<Made, 4> anchors = {{{"\\b", ""}, {"^", ""}, {"$", ""}, {"", ""}}};
    const int kind = below(depth > 0 ? 10 : 7);
    if (kind < 2) return one_of(words);
    if (kind < 6) return one_of(characters);
    return kind == 6 ? one_of(anchors) : group(depth);
  }

  Made group(int depth) {
    Made all{.pattern = below(5) == 0 ? "(?i:" : "(?:"};
    const int alternatives = 1 + below(3), chosen = below(alternatives);
    for (int i = 0; i < alternatives; ++i) {
      const Made one = run(depth - 1, 1 + below(3));
      all.pattern += (i > 0 ? "|" : "") + one.pattern;
      if (i == chosen) all.text = one.text;
    }
    all.pattern += ')';
    return all;
  }

  Made repeated(Made one) {
    static const std::array<const char*, 5> zero_or_more = {"?", "*", "{0,2}", "*?", "??"};
    static const std::array<const char*, 3> once_or_more = {"+", "{1,3}", "+?"};
    const bool plain = one.text.empty() || (one.text.size() > 1 && one.pattern[0] != '(');
    const int how = plain ? 9 : below(9);
    if (how < 2) one.pattern += zero_or_more[static_cast<std::size_t>(below(5))];
    if (how < 2 && below(2) == 0) one.text.clear();
    if (how == 2) one.pattern += once_or_more[static_cast<std::size_t>(below(3))];
    if (how == 3) one.pattern += "{2}";
    if (how == 3 || (how == 2 && below(2) == 0)) one.text += one.text;
    return one;
  }

  std::mt19937 random_{1};
};

TEST(RandomPatterns, AreFoundByTheirWordsWhereverTheyMatch) {
  Maker make;
  int lines = 0;
  for (int i = 0; i < 8'000; ++i) {
    const Made made = make.pattern();
    if (required_literals(made.pattern).empty()) continue;
    const RE2 expression(made.pattern, latin());
    ASSERT_TRUE(expression.ok()) << made.pattern;
    for (int j = 0; j < 4; ++j) {
      const std::string line = make.line(made.text);
      if (!RE2::PartialMatch(line, expression)) continue;
      ++lines;
      EXPECT_TRUE(found_by_its_words(made.pattern, expression, line)) << made.pattern << "\n" << line;
    }
  }
  EXPECT_GT(lines, 4'000);
}

}  // namespace
}  // namespace envdoctor::knowledge::random_patterns_test
