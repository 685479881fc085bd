#pragma once
// Sets of characters, as regular expressions write them.
#include <bitset>
#include <string_view>

namespace envdoctor::knowledge {

using Characters = std::bitset<256>;  // of Latin-1

// One character as an index of Characters.
inline std::size_t index_of(char c) { return static_cast<unsigned char>(c); }

inline const Characters any_character = ~Characters();

// What an RE2 expression for one character matches in a line: "a", ".", "\d", "\x41", "[^a-f_]". What is not known here
// ("[[:digit:]]", "\p{Greek}") may be any character.
Characters characters_of(std::string_view expression);

// The same set, and each letter in capitals and small.
Characters either_case(const Characters& characters);

}  // namespace envdoctor::knowledge
