#include "compare/documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "evidence/json.h"

namespace envdoctor::compare {
namespace {

using Json = nlohmann::json;
using knowledge::Changes;

// A snapshot as a flat list of places with their values.
struct FlatDocument {
  std::map<std::string, ShownValue> values{};  // by JSON pointer; members of lists by their name, GPUs by their order
  std::map<std::string, std::string> above{};  // sections, lists and members with children, in short form
};

bool is_reason(const Json& json, const char* word) {
  return json.is_object() && json.size() == 1 && json.contains(word) && json[word].is_string();
}

// A name as one step of a JSON pointer.
std::string step_of(const std::string& name) {
  std::string step;
  for (const char c : name) step += c == '/' ? "~1" : c == '~' ? "~0" : std::string(1, c);
  return step;
}

// The name of a list's member, so that a different order is no difference. GPUs and devices go by their order: two
// hosts have different addresses.
const std::map<std::string, const char*>& names_of_members() {
  static const std::map<std::string, const char*> names = {{"/libraries", "soname"},  {"/modules", "name"},
                                                           {"/device_nodes", "path"}, {"/toolkits", "path"},
                                                           {"/opencl/icds", "file"},  {"/opencl/platforms", "name"}};
  return names;
}

std::string member_of(const std::string& list, const Json& member, const std::string& index) {
  const auto named = names_of_members().find(list);
  if (named == names_of_members().end() || !member.is_object()) return index;
  const auto name = member.find(named->second);
  return name != member.end() && name->is_string() ? step_of(name->get<std::string>()) : index;
}

std::string words(const Json& list) {
  std::string text;
  for (const Json& item : list)
    text += (text.empty() ? "" : " ") + (item.is_string() ? item.get<std::string>() : item.dump());
  return text.empty() ? "empty" : text;
}

void walk(const Json& json, const std::string& path, FlatDocument& document) {
  if (is_reason(json, "absent")) {
    document.values[path] = {true, "none"};
  } else if (is_reason(json, "failed")) {
    document.values[path] = {false, "unknown: " + json["failed"].get<std::string>()};
  } else if (json.is_array() && std::ranges::none_of(json, [](const Json& j) { return j.is_structured(); })) {
    document.values[path] = {true, words(json)};
  } else if (json.is_structured()) {
    const std::string all = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    document.above[path] =
        all.size() > 160 ? fmt::format("{} {}", json.size(), json.size() == 1 ? "entry" : "entries") : all;
    std::map<std::string, int> seen;
    for (const auto& [key, value] : json.items()) {
      std::string step = json.is_object() ? step_of(key) : member_of(path, value, key);
      if (const int before = seen[step]++; before > 0) step += "#" + std::to_string(before + 1);
      walk(value, path + "/" + step, document);
    }
  } else {
    document.values[path] = {true, json.is_string() ? json.get<std::string>() : json.dump()};
  }
}

// Whether this lists everything, so that a missing member does not exist.
bool lists_all(const std::string& path, const std::string& step) {
  return path == "/env" || path == "/python/packages" || names_of_members().contains(path) ||
         (!step.empty() && step.find_first_not_of("0123456789") == step.npos);
}

FlatDocument flatten(const Snapshot& snapshot) {
  FlatDocument document;
  walk(Json::parse(to_json(snapshot)), "", document);
  return document;
}

// The highest place on the way to `path` that the document lacks, or where it has a plain value; `path` if it has
// every step.
std::string first_lacking(const FlatDocument& document, const std::string& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    if (!document.above.contains(path.substr(0, end))) return path.substr(0, end);
  }
  return path;
}

// The document's value at a place. A member that a list or a map lacks is known not to exist; a field that is
// missing was not probed.
ShownValue value_at(const FlatDocument& document, const std::string& path) {
  if (const auto value = document.values.find(path); value != document.values.end()) return value->second;
  if (const auto above = document.above.find(path); above != document.above.end()) return {true, above->second};
  const std::size_t last = path.rfind('/');
  const std::string parent = path.substr(0, last), step = path.substr(last + 1);
  // An empty list is complete as well.
  const auto plain = document.values.find(parent);
  if (plain != document.values.end() && plain->second.known) return {true, "none"};
  return document.above.contains(parent) && lists_all(parent, step) ? ShownValue{true, "none"}
                                                                    : ShownValue{false, "unknown"};
}

// Where one document lacks a whole section, list or member, that is one difference, not one for everything in it.
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
      // The strongest effect of anything in it.
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
  comparison.faults = recurring_faults(snapshots);
  return comparison;
}

}  // namespace envdoctor::compare
