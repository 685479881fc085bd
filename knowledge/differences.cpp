#include "knowledge/differences.h"

#include <algorithm>
#include <stdexcept>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

Changes changes_of(const std::string& group) {
  if (group == "results") return Changes::results;
  if (group == "speed") return Changes::speed;
  if (group == "neither") return Changes::neither;
  if (group == "ignore") return Changes::ignored;
  throw std::runtime_error(table_file("differences") + ": " + group + " is no group");
}

std::vector<DifferenceRow> read_rows() {
  std::vector<DifferenceRow> rows;
  read_table("differences", {{"differences", [&](const Row& row) {
                                rows.push_back({row.text("pattern"), changes_of(row.text("group")), row.text("why")});
                              }}});
  return rows;
}

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
  static const std::vector<DifferenceRow> rows = read_rows();
  const auto found = std::ranges::find_if(rows, [&](const DifferenceRow& row) { return path_fits(row.pattern, path); });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace envdoctor::knowledge
