#pragma once
#include <re2/re2.h>

#include <array>
#include <string>
#include <string_view>

namespace envdoctor {

// Replaces each match by `by` unless `keep` returns true: the last group of the pattern, or the whole match if it has
// none. keep(groups), the whole match first.
template <class Keep>
void replace_groups(std::string& text, const RE2& pattern, std::string_view by, Keep keep) {
  std::array<re2::StringPiece, 3> groups;
  const int last = pattern.NumberOfCapturingGroups();
  const re2::StringPiece& piece = groups.at(static_cast<std::size_t>(last));
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0;
       pattern.Match(text, at, text.size(), RE2::UNANCHORED, groups.data(), last + 1) && !piece.empty();) {
    const auto begin = static_cast<std::size_t>(piece.data() - text.data());
    at = begin + piece.size();
    if (keep(groups)) continue;
    out.append(text, done, begin - done).append(by);
    done = at;
  }
  if (done > 0) text = out.append(text, done);
}

}  // namespace envdoctor
