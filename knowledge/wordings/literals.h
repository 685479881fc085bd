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

// What an RE2 expression for one character matches in a line: "a", ".", "\d", "\x41", "[^a-f_]". What is none may be any
// character.
Characters characters_of(std::string_view expression);

// The same set, and each letter in capitals and small.
Characters either_case(const Characters& characters);

// A run of characters that every text matched by one form of a pattern contains, and how far a match can reach around
// it: the run it starts with, if that is rare, else its rarest.
struct Literal {
  static constexpr std::size_t far = 128;  // how far an open repeat (+, *) is followed

  std::string word{};                   // as the pattern writes it
  // Sets of runs, of each of which every such match contains one; of fold: in small letters, as every match is then to
  // be read.
  std::vector<std::vector<std::string>> also{};
  std::size_t before = 0;               // most characters of a match before the word
  std::size_t after = 0;                // and behind it
  Characters in_front = any_character;  // what stands before the word; any: or nothing
  Characters behind = any_character;    // what follows it
  bool at_start = false;                // a match begins where the line does
  bool whole = false;                   // a form is this word and nothing else
  bool fold = false;                    // in any mixture of capitals, or parts of it may be

  bool operator==(const Literal&) const = default;
};

// Those of an RE2 pattern's forms, the ways through it, or none at all, if some form has no run of four characters.
std::vector<Literal> required_literals(std::string_view pattern);

}  // namespace envdoctor::knowledge
