#include "knowledge/differences.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

Changes changes_of(const std::string& group) {
  static constexpr std::array groups = {"results", "speed", "neither", "ignore"};  // in the order of Changes
  const auto found = std::ranges::find(groups, group);
  if (found == groups.end()) throw std::runtime_error(table_file("differences") + ": " + group + " is no group");
  return static_cast<Changes>(found - groups.begin());
}

struct Differences {
  std::vector<DifferenceRow> rows{};

  Differences() {
    const Table table("differences");
    for (const Row& row : table["differences"])
      rows.push_back({row.text("pattern"), changes_of(row.text("group")), row.text("why")});
  }
};

}  // namespace

bool path_fits(std::string_view pattern, std::string_view path) {
  while (!pattern.empty()) {
    if (pattern == "**" || pattern == "/**") return true;
    if (pattern.front() == '*') {  // the rest of this step
      pattern.remove_prefix(1);
      path.remove_prefix(std::min(path.find('/'), path.size()));
    } else if (!path.empty() && path.front() == pattern.front()) {
      pattern.remove_prefix(1);
      path.remove_prefix(1);
    } else {
      return false;
    }
  }
  return path.empty();
}

const DifferenceRow* difference_at(std::string_view path) {
  const auto& rows = read_once<Differences>().rows;
  const auto found = std::ranges::find_if(rows, [&](const DifferenceRow& row) { return path_fits(row.pattern, path); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace envdoctor::knowledge
