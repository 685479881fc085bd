#pragma once
#include <map>
#include <string>

#include "host/files/files.h"

namespace envdoctor {

// What a probe may access. It is passed in: nothing below app reads a global.
struct Host {
  const Files& files;
  std::map<std::string, std::string> env{};
  bool live = true;  // false: a captured root. Then no library is loaded and no command runs.
};

// The value of a variable; empty if it isn't set.
inline std::string variable(const Host& host, const char* name) {
  const auto set = host.env.find(name);
  return set == host.env.end() ? std::string{} : set->second;
}

}  // namespace envdoctor
