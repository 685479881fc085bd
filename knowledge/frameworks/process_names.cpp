#include "knowledge/frameworks/process_names.h"

#include <algorithm>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Processes {
  std::vector<ProcessLibraryKind> kinds{};
  ByName<std::string> outside{};

  Processes() {
    const Table table("process_libraries");
    for (const Row& row : table["libraries"])
      kinds.push_back({.begins = row.text("begins"),
                       .library = row.text("library"),
                       .role = row.text("role"),
                       .stack = row.text_if("stack"),
                       .name = row.text("name")});
    for (const Row& row : table["outside"]) outside[row.text("program")] = row.text("why");
  }
};

}  // namespace

const ProcessLibraryKind* process_library_kind(std::string_view file_name) {
  const auto& kinds = read_once<Processes>().kinds;
  const auto found =
      std::ranges::find_if(kinds, [&](const ProcessLibraryKind& kind) { return file_name.starts_with(kind.begins); });
  return found == kinds.end() ? nullptr : &*found;
}

std::string why_outside(std::string_view program) {
  return look_up(read_once<Processes>().outside, program).value_or("");
}

}  // namespace envdoctor::knowledge
