// pip list, pip freeze, conda list.
#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

bool name_like(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
           c == '.';
  });
}

bool version_like(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' &&
         text.find_first_of("(){}[]:,;'\"/") == std::string_view::npos;
}

struct Requirement {
  std::string_view name{};
  std::string_view version{};
};

// "torch==2.4.1"; after uv's sign for what it installed or changed, and not after that for what it removed.
Requirement requirement(std::string_view line) {
  if (line.starts_with("+ ") || line.starts_with("~ ")) line.remove_prefix(2);
  const std::size_t equals = line.find("==");
  if (equals == std::string_view::npos) return {};
  const Requirement all{line.substr(0, equals), trimmed(line.substr(equals + 2))};
  return name_like(all.name) && version_like(all.version) && all.version.find(' ') == std::string_view::npos
             ? all
             : Requirement{};
}

void add(Snapshot& snapshot, std::string_view name, std::string_view version) {
  snapshot.python.fill().packages.fill().emplace(std::string(name), std::string(version));
}

bool dashes(std::string_view text) {
  return text.size() >= 5 && text.find_first_not_of("- ") == std::string_view::npos;
}

}  // namespace

bool starts_pip_freeze(std::string_view line) { return !requirement(trimmed(line)).name.empty(); }

Snapshot parse_pip_freeze(const std::string& text) {
  Snapshot snapshot;
  for (const std::string_view line : lines_of(text)) {
    if (const Requirement one = requirement(trimmed(line)); !one.name.empty()) add(snapshot, one.name, one.version);
  }
  return snapshot;
}

bool starts_pip_list(std::string_view line) {
  return line.starts_with("Package ") && line.find(" Version") != std::string_view::npos;
}

Snapshot parse_pip_list(const std::string& text) {
  Snapshot snapshot;
  bool inside = false;
  std::string_view last;
  for (const std::string_view line : lines_of(text)) {
    if (dashes(line) && starts_pip_list(last)) {
      inside = true;
    } else if (inside) {
      const auto parts = words_of(line);
      if (parts.size() < 2 || parts.size() > 3 || !name_like(parts[0]) || !version_like(parts[1]))
        inside = false;
      else
        add(snapshot, parts[0], parts[1]);
    }
    last = line;
  }
  return snapshot;
}

bool starts_conda_list(std::string_view line) { return line.starts_with("# packages in environment"); }

Snapshot parse_conda_list(const std::string& text) {
  Snapshot snapshot;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    if (starts_conda_list(line)) {
      inside = true;
      snapshot.python.fill().kind = "conda";
    } else if (inside && !line.starts_with("#")) {
      const auto parts = words_of(line);
      if (parts.size() < 3 || parts.size() > 4 || !name_like(parts[0]) || !version_like(parts[1]))
        inside = false;
      else
        add(snapshot, parts[0], parts[1]);
    }
  }
  return snapshot;
}

}  // namespace envdoctor
