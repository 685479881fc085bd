#pragma once
// Names that a user may type, and the nearest one to a typo.
#include <string>
#include <vector>

namespace envdoctor {

// The names of a list's rows.
template <class Rows>
std::vector<std::string> names_in(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

std::vector<std::string> diagnosis_names();  // ids and families

// " (did you mean 'capture'?)" if a name is at most two letters away, else nothing.
std::string did_you_mean(const std::string& typed, const std::vector<std::string>& names);

}  // namespace envdoctor
