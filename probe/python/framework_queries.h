#pragma once
// The small Python programs of probe/ask, which the program carries.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/snapshot.h"

namespace envdoctor {

// File name without its end -> text.
const std::map<std::string_view, std::string_view>& ask_scripts();

// What they run in, as NAME=VALUE lines: `env`, but for what would write into the user's folders.
std::vector<std::string> ask_environment(std::map<std::string, std::string> env, const Snapshot& known);

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
