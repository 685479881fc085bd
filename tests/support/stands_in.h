#pragma once
// Whether a pattern is found in a line by its words: a second, slow implementation of the search's guarantee.
#include <re2/re2.h>

#include <algorithm>
#include <string>

#include "knowledge/lower_case.h"
#include "knowledge/wordings/literals.h"

namespace envdoctor::knowledge {

// How our patterns are compiled.
inline RE2::Options latin() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

// Lines of at most Stretch::far characters: beyond that, open repeats are not followed.
inline bool stands_in(const Literal& literal, const RE2& expression, const std::string& line) {
  const std::string text = literal.fold ? lower_case(line) : line;
  const std::string word = literal.fold ? lower_case(literal.word) : literal.word;
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if (literal.at_start && at > literal.before) continue;
    if (!literal.in_front.all() && (at == 0 || !literal.in_front[index_of(line[at - 1])])) continue;
    if (!literal.behind.all() && (end == line.size() || !literal.behind[index_of(line[end])])) continue;
    const std::size_t from = at - std::min(at, literal.before), to = std::min(line.size(), end + literal.after);
    const std::string near = text.substr(from, to - from);
    const auto held = [&near](const auto& run) { return near.find(run) != near.npos; };
    if (!std::ranges::all_of(literal.also, [&held](const auto& runs) { return std::ranges::any_of(runs, held); }))
      continue;
    if (expression.Match(line, from, to, RE2::UNANCHORED, nullptr, 0)) return true;
  }
  return false;
}

inline bool found_by_its_words(const std::string& pattern, const RE2& expression, const std::string& line) {
  return std::ranges::any_of(required_literals(pattern),
                             [&](const Literal& one) { return stands_in(one, expression, line); });
}

}  // namespace envdoctor::knowledge
