#include "app/options/suggestions.h"

#include <algorithm>
#include <numeric>

#include "checks/engine/diagnosis.h"

namespace envdoctor {
namespace {

// Levenshtein distance.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> diagnosis_names() {
  std::vector<std::string> names;
  for (const Diagnosis* row : catalogue()) {
    const std::string id = row->id;
    names.push_back(id);
    const std::string family = id.substr(0, id.find('.'));
    if (std::ranges::find(names, family) == names.end()) names.push_back(family);
  }
  return names;
}

std::string did_you_mean(const std::string& typed, const std::vector<std::string>& names) {
  const auto nearest =
      std::ranges::min_element(names, {}, [&](const std::string& name) { return distance(typed, name); });
  if (nearest == names.end() || distance(typed, *nearest) > 2) return {};
  return " (did you mean '" + *nearest + "'?)";
}

}  // namespace envdoctor
