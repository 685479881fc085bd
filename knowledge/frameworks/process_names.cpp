#include "knowledge/frameworks/process_names.h"

#include <algorithm>
#include <map>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Processes {
  std::vector<ProcessLibraryKind> kinds{};
  std::map<std::string, std::string, std::less<>> outside{};
};

const Processes& processes() {
  static const Processes all = [] {
    Processes p;
    read_table("process_libraries",
               {{"libraries",
                 [&p](const Row& row) {
                   p.kinds.push_back({.begins = row.text("begins"),
                                      .library = row.text("library"),
                                      .role = row.text("role"),
                                      .stack = row.text_if("stack"),
                                      .name = row.text("name")});
                 }},
                {"outside", [&p](const Row& row) { p.outside[row.text("program")] = row.text("why"); }}});
    return p;
  }();
  return all;
}

}  // namespace

const std::vector<ProcessLibraryKind>& process_library_kinds() { return processes().kinds; }

const ProcessLibraryKind* process_library_kind(std::string_view file_name) {
  const auto& kinds = processes().kinds;
  const auto found =
      std::ranges::find_if(kinds, [&](const ProcessLibraryKind& kind) { return file_name.starts_with(kind.begins); });
  return found == kinds.end() ? nullptr : &*found;
}

std::string why_outside(std::string_view program) {
  const auto found = processes().outside.find(program);
  return found == processes().outside.end() ? std::string{} : found->second;
}

}  // namespace envdoctor::knowledge
