#pragma once
// Fixed words of regular expressions, and the sets of characters beside them.
#include <re2/re2.h>

#include <bitset>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

using Characters = std::bitset<256>;  // of Latin-1

// One character as an index of Characters.
inline std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

inline const Characters any_character = ~Characters();

// How the patterns of log lines are read: as Latin-1.
RE2::Options pattern_options();

// The characters that an RE2 expression for one character matches: "a", ".", "\d", "\x41", "[^a-f_]". Anything else:
// any character.
Characters characters_of(std::string_view expression);

// The same set, with each letter in upper and lower case.
Characters either_case(const Characters& characters);

// A run of characters that every text matched by one form of a pattern contains, and how far a match can reach around
// it: the run that it starts with, if that is rare, otherwise its rarest.
struct Literal {
  static constexpr std::size_t far = 128;  // how far an open repeat (+, *) is followed

  std::string word{};  // as written in the pattern
  // Sets of runs: every such match contains one run of each set; with fold in lower case, to be compared with a
  // lower-case match.
  std::vector<std::vector<std::string>> also{};
  std::size_t before = 0;               // maximum length of a match before the word
  std::size_t after = 0;                // and after it
  Characters in_front = any_character;  // the character before the word; any: or none
  Characters behind = any_character;    // the character after it
  bool at_start = false;                // a match begins at the start of the line
  bool whole = false;                   // a form is exactly this word
  bool fold = false;                    // in upper or lower case, or parts of it may be

  bool operator==(const Literal&) const = default;
};

// The literals of an RE2 pattern's forms, the paths through it; none if some form has no run of four characters.
std::vector<Literal> required_literals(std::string_view pattern);

}  // namespace envdoctor::knowledge
