#pragma once
// The ways through a regular expression, as far as fixed characters go.
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// A stretch of a match: characters that are sure to be there, or a gap.
struct Stretch {
  static constexpr std::size_t far = 128;  // how far an open repeat (+, *) is followed

  bool fixed = false;
  std::size_t width = 0;     // most characters; 0: an anchor
  std::string_view first{};  // of a gap: the part of the pattern that its first character must match; "^": the start
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
