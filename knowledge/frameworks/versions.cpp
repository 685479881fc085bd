#include <algorithm>

#include "knowledge/gpus/drivers.h"

namespace envdoctor::knowledge {
namespace {

// Takes the first part off `version`, leading zeros dropped. A part that is no number counts as its leading digits.
std::string_view take_part(std::string_view& version) {
  const auto dot = version.find('.');
  std::string_view part = version.substr(0, dot);
  version = dot == std::string_view::npos ? std::string_view{} : version.substr(dot + 1);
  part = part.substr(0, part.find_first_not_of("0123456789"));
  part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
  return part;
}

}  // namespace

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const std::string_view one = take_part(a);
    const std::string_view other = take_part(b);
    if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
    if (const int order = one.compare(other); order != 0) return order < 0 ? -1 : 1;
  }
  return 0;
}

std::string major_of(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string major_minor_of(std::string_view version) {
  const auto first = version.find('.');
  if (first == std::string_view::npos) return std::string(version);
  return std::string(version.substr(0, version.find('.', first + 1)));
}

}  // namespace envdoctor::knowledge
