// env, export -p, declare -x: a whole environment, of which the variables that matter are taken.
#include <algorithm>
#include <cctype>

#include "knowledge/names.h"
#include "probe/log_parsers.h"
#include "probe/log_text.h"

namespace envdoctor {
namespace {

struct Assignment {
  std::string_view name{};
  std::string_view value{};
};

Assignment assignment(std::string_view line) {
  for (const std::string_view word : {"declare -x ", "export "}) {
    if (line.starts_with(word)) line.remove_prefix(word.size());
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return {};
  const std::string_view name = line.substr(0, equals);
  const bool good = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!good || std::isdigit(static_cast<unsigned char>(name[0]))) return {};
  std::string_view value = line.substr(equals + 1);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  return {name, value};
}

bool always_there(std::string_view name) {
  return name == "PATH" || name == "HOME" || name == "SHELL" || name == "USER" || name == "PWD" || name == "LANG" ||
         name == "HOSTNAME" || name == "SHLVL" || name == "TERM" || name == "LOGNAME";
}

}  // namespace

bool starts_env(std::string_view line) {
  const std::size_t equals = line.substr(0, 64).find('=');
  return equals != std::string_view::npos && always_there(assignment(line).name);
}

// Three variables that every shell has make a whole environment; fewer may be a script's own lines, which say nothing
// of the variables that aren't named.
Snapshot parse_env(const std::string& text) {
  std::map<std::string, Text> matter;
  int common = 0;
  log_text::each_line(text, [&](std::string_view line) {
    const Assignment one = assignment(log_text::trimmed(line));
    if (one.name.empty()) return;
    common += always_there(one.name);
    const std::string name(one.name);
    const auto& allowed = knowledge::env_allow_list();
    if (std::ranges::find(allowed, name) != allowed.end()) matter.emplace(name, std::string(one.value));
  });
  Snapshot snapshot;
  if (common >= 3) snapshot.env = std::move(matter);
  return snapshot;
}

}  // namespace envdoctor
