#include "checks/facts/selection.h"

#include <algorithm>
#include <cctype>

namespace envdoctor {

std::vector<std::string> entries_of(std::string_view value) {
  std::vector<std::string> entries;
  if (value.empty()) return entries;
  while (true) {
    const std::size_t comma = value.find(',');
    std::string_view entry = value.substr(0, comma);
    while (!entry.empty() && std::isspace(static_cast<unsigned char>(entry.front()))) entry.remove_prefix(1);
    while (!entry.empty() && std::isspace(static_cast<unsigned char>(entry.back()))) entry.remove_suffix(1);
    entries.emplace_back(entry);
    if (comma == std::string_view::npos) return entries;
    value.remove_prefix(comma + 1);
  }
}

bool starts_as_number(std::string_view entry) {
  if (!entry.empty() && (entry.front() == '+' || entry.front() == '-')) entry.remove_prefix(1);
  return !entry.empty() && std::isdigit(static_cast<unsigned char>(entry.front()));
}

std::string describe_cut(const Selection& selection) {
  const std::string entry = "entry " + std::to_string(selection.cut_at + 1) + ", \"" + selection.cut_entry + "\", ";
  switch (selection.cut) {
    case Cut::none:
      return "every entry names a device";
    case Cut::empty_entry:
      return selection.entries == 0 ? "the text is empty" : entry + "is empty";
    case Cut::negative:
      return entry + "is negative and ends the list";
    case Cut::out_of_range:
      return entry + "is a number that no device has";
    case Cut::word:
      return entry + "is neither a number nor a UUID";
    case Cut::unknown_uuid:
      return entry + "is not the beginning of any device's UUID";
    case Cut::ambiguous_uuid:
      return entry + "is the beginning of more than one device's UUID";
    case Cut::other_kind:
      return entry + "mixes numbers and UUIDs";
    case Cut::repeated:
      return entry + "names a device a second time";
  }
  return {};
}

}  // namespace envdoctor
