#pragma once
#include <re2/re2.h>

#include <string_view>

namespace envdoctor {

// The number of bytes at the start of a text that match this form; 0: they don't.
inline std::size_t match_length(const RE2& form, std::string_view text) {
  re2::StringPiece match;
  const re2::StringPiece piece(text.data(), text.size());
  return form.Match(piece, 0, text.size(), RE2::ANCHOR_START, &match, 1) ? match.size() : 0;
}

}  // namespace envdoctor
