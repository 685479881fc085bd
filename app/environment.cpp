#include "app/environment.h"

#include <unistd.h>

#include <string_view>

namespace envdoctor {

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view line = *entry;
    const auto equals = line.find('=');
    if (equals != line.npos && equals > 0) env.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return env;
}

}  // namespace envdoctor
