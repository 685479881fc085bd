#pragma once
// The ways through a regular expression, as far as fixed characters go.
#include <string>
#include <string_view>
#include <vector>

#include "knowledge/wordings/characters.h"

namespace envdoctor::knowledge {

// A stretch of a match: characters that are sure to be there, or a gap.
struct Stretch {
  static constexpr std::size_t far = 128;  // how far an open repeat (+, *) is followed

  bool fixed = false;
  bool at_start = false;  // of a gap: it begins where the line does
  bool empty = false;     // of a gap: it may be nothing
  std::size_t width = 0;  // most characters
  Characters first{};     // what it may begin with, if it is not empty
  Characters last{};      // and end with
};

// One way through a pattern, or a part of it: stretch by stretch, and the characters of the fixed ones, end to end.
struct Way {
  std::vector<Stretch> stretches{};
  std::string text{};
};

// Every match of a pattern is a match of one of its forms.
struct Form {
  Way way{};
  bool fold = false;   // in any mixture of capitals
  bool mixed = false;  // only parts of it are
};

// The forms of an RE2 pattern, which must outlive them. Groups are written out ("a(?:b|c)?" is "ab", "ac" and "a") as
// long as one alternative of the pattern doesn't get more than sixteen forms by it; a group beyond that is a gap. Of a
// pattern with what is not known here (\p{Greek}, \x{41}, \Q, a hundred groups in each other): one form, empty.
std::vector<Form> forms_of(std::string_view pattern);

}  // namespace envdoctor::knowledge
