#include "knowledge/embedded_tables.h"
#include "knowledge/wordings/pattern_index.h"
#include "knowledge/wordings/wordings.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <memory>
#include <set>

#include "knowledge/table_rows.h"
#include "tests/support/stands_in.h"

namespace envdoctor::knowledge::log_patterns_test {
namespace {

TEST(LogPatterns, EveryRowMatchesItsExampleWithItsFields) {
  ASSERT_FALSE(wordings().empty());
  for (const LogPattern& row : wordings()) {
    const std::vector<LogMatch> matches = match_log_line(row.example);
    const bool found = std::ranges::any_of(matches, [&row](const LogMatch& m) {
      auto said = m.details;
      if (row.fields.contains("code")) said["code"] = m.code;
      // A row that looks its code up may take class and subject from there.
      const bool kind = row.class_.empty() ? !m.class_.empty() : m.class_ == row.class_ && m.subject == row.subject;
      return kind && m.program == row.program && said == row.fields;
    });
    EXPECT_TRUE(found) << row.id << ": " << row.example;
    if (!found) {
      for (const LogMatch& m : matches) {
        for (const auto& [name, value] : m.details)
          ADD_FAILURE() << m.class_ << " " << m.subject << " " << name << "=" << value;
      }
    }
  }
}

TEST(LogPatterns, EveryRowHasWordsThatNarrowTheSearch) {
  std::set<std::string> ids;
  for (const LogPattern& row : wordings()) {
    EXPECT_FALSE(required_literals(row.pattern).empty()) << row.id;
    EXPECT_EQ(row.pattern.find(".*"), std::string::npos) << row.id;
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
  }
}

TEST(LogPatterns, AreSilentOnProseAndOrdinaryLines) {
  for (const char* line :
       {"", "Epoch 3/10 loss: 0.5132 accuracy: 0.91", "I have a graphics card and want to train on it",
        "downloading the driver from the website", "step 100: 1.2 s/it, Error 5 of 7 files"}) {
    EXPECT_TRUE(match_log_line(line).empty()) << line << " -> " << match_log_line(line).front().subject;
  }
}

std::vector<std::string> words_of(std::string_view pattern) {
  std::vector<std::string> words;
  for (const Literal& one : required_literals(pattern)) words.push_back(one.word);
  return words;
}

TEST(RequiredLiterals, AreASureRunOfEachForm) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of("Could (?:load|open) library '"), (Words{"Could load library '", "Could open library '"}));
  EXPECT_EQ(words_of("(?i)Failed call|NVRM: Xid \\("), (Words{"Failed call", "NVRM: Xid ("}));
  EXPECT_EQ(words_of("colou?rfully"), (Words{"colourfully", "colorfully"}));
  EXPECT_EQ(words_of("[0-9]+ abcd[ef]"), Words{" abcd"});
  EXPECT_EQ(words_of("abcdx*"), Words{"abcd"});
  EXPECT_EQ(words_of("abcd[0-9]+longer"), Words{"longer"});
  EXPECT_EQ(words_of("ab(?:cd)+ef[0-9]longest"), Words{"longest"}) << "repeated: a gap";
  EXPECT_EQ(words_of("some letters [0-9]+: a: b:"), Words{": a: b:"}) << "signs are rarer than letters";
  EXPECT_EQ(words_of("Could not open the [a-z]+ unfortunate library"), Words{"Could not open the "})
      << "it starts with it";
  EXPECT_EQ(words_of("letters(?:[0-9]|[a-z])"), Words{"letters"}) << "two forms with one word";
  EXPECT_TRUE(words_of("\\w+|long enough").empty());
}

TEST(RequiredLiterals, LeaveAGroupOutThatWouldMakeTooManyForms) {
  std::string seventeen = "word";
  for (char c = 'a'; c < 'a' + 17; ++c) seventeen += c == 'a' ? "(?:a" : std::string("|") + c;
  EXPECT_EQ(words_of(seventeen + ")"), std::vector<std::string>{"word"});
  EXPECT_EQ(words_of("word(?:1|2)(?:3|4)(?:5|6)(?:7|8)(?:9|0)").size(), 16U);
}

TEST(RequiredLiterals, StandGroupsOfAnyDepth) {
  EXPECT_TRUE(words_of("word" + std::string(1 << 20, '(')).empty()) << "what may follow isn't known";
  EXPECT_EQ(words_of("word" + std::string(99, '(') + "s" + std::string(99, ')')), std::vector<std::string>{"words"});
}

TEST(RequiredLiterals, AreNotGuessedFromWhatIsNotKnown) {
  for (const char* pattern : {R"(words\p{Greek}more)", R"(words\x{41}more)", R"(words\Q.more)", R"(words\101more)"})
    EXPECT_TRUE(words_of(pattern).empty()) << pattern;
  EXPECT_EQ(words_of("word[[:digit:]]others"), std::vector<std::string>{"others"});
  EXPECT_EQ(words_of("word[^[:alpha:][:digit:]_]others"), std::vector<std::string>{"others"});
  EXPECT_EQ(words_of("\\Awords\\z"), std::vector<std::string>{"words"});
  EXPECT_EQ(words_of("word\\x41others"), std::vector<std::string>{"others"});
}

TEST(RequiredLiterals, TellHowFarAMatchReachesAroundThem) {
  const auto only = [](std::string_view pattern) { return required_literals(pattern).at(0); };
  EXPECT_EQ(only("[ab]{2,5}x?words[0-9]{5}\\b"), (Literal{.word = "xwords",
                                                          .before = 5,
                                                          .after = 5,
                                                          .in_front = characters_of("[ab]"),
                                                          .behind = characters_of("[0-9]")}));
  EXPECT_EQ(only("^ +words").before, Literal::far);
  EXPECT_EQ(only("words[^]a]*?!").after, Literal::far + 1);
  EXPECT_EQ(only("words(?P<name>[0-9]{3})(?:[a]|[b]c(?:d|efg)?)").after, 3 + 5U);
  EXPECT_EQ(only("Pl\\(ain"), (Literal{.word = "Pl(ain", .whole = true}));
  EXPECT_EQ(only("(?i)Plain"), (Literal{.word = "Plain", .whole = true, .fold = true}));
  EXPECT_TRUE(only("words(?: there)?").whole);
  EXPECT_FALSE(only("words\\b").whole);
}

TEST(RequiredLiterals, KnowWhereCapitalsMayBeOthers) {
  const auto literals = required_literals("Plain|(?i)plain too|third one");
  EXPECT_FALSE(literals.at(0).fold);
  EXPECT_TRUE(literals.at(1).fold) << "from there on";
  EXPECT_TRUE(literals.at(2).fold);
  EXPECT_FALSE(required_literals("Plain (?i:words) here").at(0).whole);
  EXPECT_FALSE(required_literals("Plain (?i)words here").at(0).whole);
}

TEST(RequiredLiterals, NameOtherRunsOfWhichOneMustBeThere) {
  using Runs = std::vector<std::string>;
  using Sets = std::vector<Runs>;
  const auto sets = [](std::string_view pattern) { return required_literals(pattern).at(0).also; };
  const auto also = [&sets](std::string_view pattern) { return sets(pattern).empty() ? Runs{} : sets(pattern)[0]; };
  EXPECT_EQ(also("load library [^ ]+: no such file"), Runs{"load library "});
  EXPECT_EQ(also("abc[0-9]the longest run[0-9]abcde"), Runs{"abcde"});
  EXPECT_EQ(also("abcde[0-9]the longest run[0-9]abc"), Runs{"abcde"}) << "what was the longest before";
  EXPECT_EQ(also("one thing[0-9](?:other|thing)"), (Runs{"other", "thing"}));
  EXPECT_EQ(also("one thing[0-9](?:other)?"), Runs{}) << "one form has none";
  EXPECT_EQ(also("(?i)one thing[0-9]Other Thing"), Runs{"one thing"}) << "to be read in small letters";
  EXPECT_EQ(also("(?i)caf\xe9[0-9]one longer thing"), Runs{}) << "whose capitals are not known here";
  EXPECT_EQ(sets("abc[0-9]the longest run[0-9]abcde"), (Sets{{"abcde"}, {"abc"}}));
  EXPECT_EQ(sets("one thing[0-9](?:more|other){1,2}"), (Sets{{"more", "other"}})) << "not written out";
  EXPECT_EQ(sets("one thing[0-9](?:more|other){0,2}"), Sets{});
  EXPECT_EQ(sets("one thing[0-9](?:(?:more|other){1,2})?"), Sets{});
}

TEST(PairsOfLine, AreThoseOfTheLineAtHandInAnyMixtureOfCapitals) {
  PairsOfLine pairs;
  pairs.take("Loss: 1.5");
  EXPECT_TRUE(pairs.may_hold("LOSS: 1"));
  EXPECT_TRUE(pairs.may_hold("x")) << "a run without a pair";
  EXPECT_FALSE(pairs.may_hold("loss 1"));
  for (int i = 0; i < 300; ++i) {
    pairs.take("another");
    ASSERT_FALSE(pairs.may_hold("loss")) << i;
  }
}

std::string listed(const Characters& characters) {
  std::string all;
  for (std::size_t c = 0; c < characters.size(); ++c) {
    if (characters[c]) all += static_cast<char>(c);
  }
  return characters.all() ? "any" : all;
}

TEST(RequiredLiterals, KnowWhatMustFollowThem) {
  const auto behind = [](std::string_view pattern) { return listed(required_literals(pattern).at(0).behind); };
  EXPECT_EQ(behind("words[ab]+!"), "ab");
  EXPECT_EQ(behind("words\\d{2}"), "0123456789");
  EXPECT_EQ(behind("words(?:[0-3]|[2-5][a-z])"), "012345") << "one or the other";
  EXPECT_EQ(behind("words[0-3]?[a-c]*!"), "!0123abc") << "what may be left out and what comes then";
  EXPECT_EQ(behind("words(?:ab|[c-e]?x)*!"), "!acdex");
  EXPECT_EQ(behind("words(?:a[0-9]|bc){2}"), "ab");
  EXPECT_EQ(behind("words\\b[ ;]"), " ;");
  EXPECT_EQ(behind("(?i)words[!k]"), "!Kk");
  for (const char* open :
       {"words", "words[0-9]*", "words[0-9]{0,2}", "words[0-9]?", "words\\b", "words$", "words(?:[a]|)"})
    EXPECT_EQ(behind(open), "any") << open;
}

TEST(RequiredLiterals, KnowWhatMustStandInFrontOfThem) {
  const auto in_front = [](std::string_view pattern) { return listed(required_literals(pattern).at(0).in_front); };
  EXPECT_EQ(in_front("a[xy]+words"), "xy");
  EXPECT_EQ(in_front("a[xy]*words"), "axy");
  EXPECT_EQ(in_front("a[xy][uv]words"), "uv");
  EXPECT_EQ(in_front("a[xy][uv]?words"), "uvxy");
  EXPECT_EQ(in_front("(?:ab|[c-e]f?)+words"), "bcdef");
  EXPECT_EQ(in_front("(?:[;,]|[ ;])words"), " ,;");
  for (const char* open : {"words", "[xy]*words", "^words", "(?:^|[ ;])words", "\\bwords"})
    EXPECT_EQ(in_front(open), "any") << open;
}

// RE2 itself is asked, of every character.
TEST(CharactersOf, AreThoseThatTheExpressionMatches) {
  for (const char* expression :
       {"a",         "\\.",   ".",           "\\d",          "\\D",       "\\w",           "\\W",    "\\s",
        "\\S",       "\\n",   "\\t",         "\\x41",        "\\xff",     "[abc]",         "[^abc]", "[a-f0-9]",
        "[]a]",      "[^]a]", "[a-]",        "[-a]",         "[\\]\\-^]", "[\\x00-\\x1f]", "[\\w.]", "[^\\s:]",
        "[\\d\\-x]", "[+--]", "[[:digit:]]", "[^[:digit:]]", "[\\101]"}) {
    const RE2 one(expression, latin());
    ASSERT_TRUE(one.ok()) << expression;
    Characters expected;
    for (int c = 0; c < 256; ++c) {
      const char character = static_cast<char>(c);
      expected[static_cast<std::size_t>(c)] = RE2::FullMatch({&character, 1}, one);
    }
    EXPECT_EQ(listed(characters_of(expression)), listed(expected)) << expression;
  }
  for (const char* unknown : {"[\\p{Greek}]", "[a", "[\\x4]", "\\", ""})
    EXPECT_TRUE(characters_of(unknown).all()) << unknown;
}

TEST(RequiredLiterals, KnowWhetherTheyAreNearTheStart) {
  const auto at_start = [](std::string_view pattern) { return required_literals(pattern).at(0).at_start; };
  EXPECT_TRUE(at_start("^ {0,4}words"));
  EXPECT_FALSE(at_start("(?:^|[0-9])words")) << "one form has no start";
  EXPECT_FALSE(at_start("(?:^ *)?words")) << "it may be left out";
  EXPECT_FALSE(at_start("words"));
}

TEST(LiteralSearch, FindsEveryWordWhereverItStands) {
  const std::string tables =
      LiteralSearch::tables({{"shed", true}, {"HERs", true}, {"ushers", true}, {"xyzw", true}, {"SHErs"}, {"hers"}});
  std::string_view rest = tables;
  const LiteralSearch search(rest);
  EXPECT_TRUE(rest.empty());
  std::set<std::pair<std::uint32_t, std::size_t>> hits;
  search.each("uSHErs sHeD shed she", [&](std::uint32_t word, std::size_t at) { hits.emplace(word, at); });
  EXPECT_EQ(hits, (std::set<std::pair<std::uint32_t, std::size_t>>{{0, 7}, {0, 12}, {1, 2}, {2, 0}, {4, 1}}));
}

TEST(PatternIndex, InTheProgramIsTheOneThatOurTableGives) {
  const std::string_view built = bytes_of(embedded_index, "wordings");
  EXPECT_TRUE(built == pattern_index());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(built.data()) % 8, 0U);
}

// Whatever surrounds a line's words must not hide them, and what isn't there must not be found.
TEST(LogPatterns, AreFoundInTheMiddleOfALongLine) {
  for (const LogPattern& row : wordings()) {
    if (row.pattern.find_first_of("^$") != std::string::npos) continue;
    const std::string line = std::string(3000, '~') + ' ' + row.example + ' ' + std::string(3000, '~');
    const std::vector<LogMatch> matches = match_log_line(line);
    EXPECT_TRUE(std::ranges::any_of(matches, [&row](const LogMatch& m) {
      return row.class_.empty() || (m.class_ == row.class_ && m.subject == row.subject);
    })) << row.id;
  }
}

std::string with_other_digits(std::string line) {
  for (char& c : line)
    if (c >= '0' && c <= '9') c = static_cast<char>('0' + (c - '0' + 3) % 10);
  return line;
}

// A second, slow implementation: every expression asked of the whole line. One matcher keeps what it found in lines
// that differ in their digits only; each line must be judged by its own digits.
TEST(LogPatterns, MatchAsTheirExpressionsDo) {
  std::vector<std::string> lines;
  const auto rows = wordings();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string& example = rows[i].example;
    lines.push_back(with_other_digits(example));
    lines.push_back(example);
    lines.push_back(example.substr(example.size() / 3) + " " + rows[(i + 1) % rows.size()].example);
    lines.push_back(example.substr(0, example.size() / 2) + rows[(i + 7) % rows.size()].example);
  }
  std::vector<std::unique_ptr<RE2>> expressions;
  for (const LogPattern& row : rows) expressions.push_back(std::make_unique<RE2>(row.pattern, latin()));
  LogMatcher matcher;
  for (const std::string& line : lines) {
    std::set<std::size_t> found, expected;
    for (const LogMatch& match : matcher.match(line)) {
      if (rows[match.row].code_of.empty()) found.insert(match.row);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // Whether a row that looks its code up says anything depends on that code, not on the pattern alone.
      if (rows[i].code_of.empty() && RE2::PartialMatch(line, *expressions[i])) expected.insert(i);
    }
    EXPECT_EQ(found, expected) << line;
  }
}

// Names of codes stand in error_codes.json alone: a pattern finds any of an API's, and the table says what it means.
TEST(LogPatterns, HoldNoNameOfACode) {
  std::set<std::string> names;
  const Table codes("error_codes");
  for (const Row& row : codes["codes"]) {
    if (row.text_if("kind") != "none") names.insert(row.text("name"));
  }
  ASSERT_GT(names.size(), 500U);
  for (const LogPattern& row : wordings()) {
    for (const std::string& name : names)
      EXPECT_TRUE(name.size() <= 8 || row.pattern.find(name) == row.pattern.npos) << row.id << ": " << name;
    EXPECT_TRUE(row.code.empty() || row.code.find('(') != row.code.npos || names.contains(row.code)) << row.id;
  }
}

}  // namespace
}  // namespace envdoctor::knowledge::log_patterns_test
