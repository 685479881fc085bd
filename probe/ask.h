#pragma once
// The small Python programs of probe/ask, which the program carries.
#include <map>
#include <string_view>

namespace envdoctor {

// File name without its end -> text.
const std::map<std::string_view, std::string_view>& ask_scripts();

namespace ask {

struct Embedded {
  const char* name = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
};

// The build writes it; ends with a row without a name.
extern const Embedded embedded_scripts[];

}  // namespace ask
}  // namespace envdoctor
