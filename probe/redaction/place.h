#pragma once
#include <string>
#include <string_view>

#include "probe/redaction/lazy_pattern.h"

namespace envdoctor {

// Where the last group of a pattern that took part is a secret, unless `stays` says that the word tells nothing;
// `before` is the text in front of it.
struct Place {
  using Stays = bool (*)(std::string_view before, std::string_view word);

  LazyPattern pattern;
  const char* by = "<secret>";
  Stays stays = [](std::string_view /*before*/, std::string_view /*word*/) { return false; };
};

void withhold(std::string& text, const LowerText& low, const Place& place);
// The same where the group is a list: each of its words is judged by itself, between commas or blanks.
void withhold_each(std::string& text, const LowerText& low, const Place& place);

}  // namespace envdoctor
