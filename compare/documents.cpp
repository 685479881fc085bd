#include "compare/documents.h"

#include <algorithm>
#include <map>

#include "compare/flat.h"

namespace envdoctor::compare {
namespace {

using knowledge::Changes;

// Where one document lacks a whole section, list or member, that is the difference, and not all that lies in it.
std::string common_place(const std::vector<FlatDocument>& documents, const std::string& path) {
  std::string place = path;
  for (const FlatDocument& document : documents) {
    const std::string lacking = first_lacking(document, path);
    if (lacking.size() < place.size()) place = lacking;
  }
  return place;
}

}  // namespace

bool Difference::all_known() const { return std::ranges::all_of(values, &ShownValue::known); }

bool Comparison::identical() const {
  return differences.empty() &&
         std::ranges::all_of(kernels, [](const KernelDifference& k) { return k.bits == Bits::same; }) &&
         std::ranges::all_of(speeds, [](const SpeedDifference& speed) {
           return std::ranges::all_of(speed.ratios, [](double ratio) { return ratio == 1; });
         });
}

bool Comparison::results_differ(bool known) const {
  return std::ranges::any_of(
             differences,
             [&](const Difference& d) { return d.changes == Changes::results && d.all_known() == known; }) ||
         std::ranges::any_of(kernels, [&](const KernelDifference& k) {
           return k.bits != Bits::same && (k.bits != Bits::not_known) == known;
         });
}

Comparison compare_snapshots(const std::vector<Snapshot>& snapshots, const std::vector<std::string>& names) {
  Comparison comparison{.names = names};
  std::vector<FlatDocument> documents;
  for (const Snapshot& snapshot : snapshots) documents.push_back(flatten(snapshot));
  std::map<std::string, Difference> by_place;
  for (const FlatDocument& document : documents) {
    for (const auto& [path, value] : document.values) {
      const knowledge::DifferenceRow* row = knowledge::difference_at(path);
      if (row && row->changes == Changes::ignored) continue;
      const std::string place = common_place(documents, path);
      const auto [entry, fresh] = by_place.try_emplace(place, Difference{.path = place});
      Difference& difference = entry->second;
      if (fresh) {
        for (const FlatDocument& d : documents) difference.values.push_back(value_at(d, place));
      }
      // The most that anything in it can change.
      const Changes changes = row ? row->changes : Changes::neither;
      if (fresh || changes < difference.changes) {
        difference.changes = changes;
        difference.why = row ? row->why : "";
      }
    }
  }
  for (auto& entry : by_place) {
    Difference& difference = entry.second;
    const auto differs = [&](const ShownValue& value) { return value != difference.values.front(); };
    if (std::ranges::any_of(difference.values, differs)) comparison.differences.push_back(std::move(difference));
  }
  std::ranges::stable_sort(comparison.differences, {},
                           [](const Difference& d) { return std::tuple(d.changes, !d.all_known(), d.why); });
  comparison.kernels = compare_kernels(snapshots);
  comparison.speeds = compare_speeds(snapshots);
  return comparison;
}

}  // namespace envdoctor::compare
