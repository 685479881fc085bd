// pip list, pip freeze, conda list.
#include <re2/re2.h>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// A package's name and version in a line of one of the lists.
struct Row {
  std::string name{}, version{};
};

bool read_row(std::string_view line, const RE2& form, Row& row) {
  return RE2::FullMatch(line, form, &row.name, &row.version);
}

// "torch==2.4.1"; after uv's sign for what it installed or changed, and not after that for what it removed.
bool read_requirement(std::string_view line, Row& row) {
  static const RE2 form(R"(\s*(?:[+~] )?([\w.-]+)==\s*(\d[^][(){}:,;'"/\s]*)\s*)", RE2::Latin1);
  return contains(line, "==") && read_row(line, form, row);
}

void add(Snapshot& snapshot, const Row& row) { snapshot.python.fill().packages.fill().emplace(row.name, row.version); }

bool dashes(std::string_view text) {
  return text.size() >= 5 && text.find_first_not_of("- ") == std::string_view::npos;
}

}  // namespace

bool starts_pip_freeze(std::string_view line) {
  Row row;
  return read_requirement(line, row);
}

Snapshot parse_pip_freeze(const std::string& text) {
  Snapshot snapshot;
  Row row;
  for (const std::string_view line : lines_of(text))
    if (read_requirement(line, row)) add(snapshot, row);
  return snapshot;
}

bool starts_pip_list(std::string_view line) { return line.starts_with("Package ") && contains(line, " Version"); }

Snapshot parse_pip_list(const std::string& text) {
  Snapshot snapshot;
  static const RE2 form(R"(\s*([\w.-]+)\s+(\d[^][(){}:,;'"/\s]*)(?:\s+\S+)?\s*)", RE2::Latin1);
  bool inside = false;
  std::string_view last;
  Row row;
  for (const std::string_view line : lines_of(text)) {
    const bool begins = dashes(line) && starts_pip_list(last);
    inside = begins || (inside && read_row(line, form, row));
    if (inside && !begins) add(snapshot, row);
    last = line;
  }
  return snapshot;
}

bool starts_conda_list(std::string_view line) { return line.starts_with("# packages in environment"); }

Snapshot parse_conda_list(const std::string& text) {
  Snapshot snapshot;
  static const RE2 form(R"(\s*([\w.-]+)\s+(\d[^][(){}:,;'"/\s]*)\s+\S+(?:\s+\S+)?\s*)", RE2::Latin1);
  bool inside = false;
  Row row;
  for (const std::string_view line : lines_of(text)) {
    if (starts_conda_list(line)) {
      inside = true;
      snapshot.python.fill().kind = "conda";
    } else if (inside && !line.starts_with("#")) {
      inside = read_row(line, form, row);
      if (inside) add(snapshot, row);
    }
  }
  return snapshot;
}

}  // namespace envdoctor
