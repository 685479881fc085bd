#pragma once
// Fixed words of regular expressions.
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/wordings/characters.h"

namespace envdoctor::knowledge {

// A run of characters that every text matched by one form of a pattern contains, and how far a match can reach around
// it: the run it starts with, if that is rare, else its rarest.
struct Literal {
  std::string word{};                   // as the pattern writes it
  std::vector<std::string> also{};      // runs of which every such match contains one; empty: none is known
  std::size_t before = 0;               // most characters of a match before the word
  std::size_t after = 0;                // and behind it
  Characters in_front = any_character;  // what stands before the word; any: or nothing
  Characters behind = any_character;    // what follows it
  bool at_start = false;                // a match begins where the line does
  bool whole = false;                   // a form is this word and nothing else
  bool fold = false;                    // in any mixture of capitals, or parts of it may be

  bool operator==(const Literal&) const = default;
};

// Those of an RE2 pattern's forms (pattern_forms.h), or none at all, if some form has no run of four characters.
std::vector<Literal> required_literals(std::string_view pattern);

}  // namespace envdoctor::knowledge
