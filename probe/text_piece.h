#pragma once
// RE2 of Debian 12 takes its own kind of view.
#include <re2/re2.h>

#include <string_view>

namespace envdoctor {

inline re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

// The number of bytes at the start of a text that match this form; 0: they don't.
inline std::size_t match_length(const RE2& form, std::string_view text) {
  re2::StringPiece match;
  return form.Match(piece_of(text), 0, text.size(), RE2::ANCHOR_START, &match, 1) ? match.size() : 0;
}

}  // namespace envdoctor
