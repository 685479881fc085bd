// SYCL's own filter on top of Level Zero's list: ONEAPI_DEVICE_SELECTOR, by the grammar of Intel's DPC++ documentation.
#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/visible.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find(mark);
    std::string part;
    for (const char c : text.substr(0, end)) {
      if (c != ' ') part += lower_case(c);
    }
    if (!part.empty()) parts.push_back(std::move(part));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

// One device of a term: *, gpu, or a number; the sub-device behind a point counts as its device.
bool names_device(const std::string& word, std::size_t device) {
  return word == "*" || word == "gpu" || word.substr(0, word.find('.')) == std::to_string(device);
}

// "level_zero:0,1" or "*:gpu" for this device.
bool names(const std::string& term, std::size_t device) {
  const std::size_t colon = term.find(':');
  if (colon == std::string::npos) return false;
  const std::string backend = term.substr(0, colon);
  if (backend != "*" && backend != "level_zero") return false;
  const auto words = split(std::string_view(term).substr(colon + 1), ',');
  return std::ranges::any_of(words, [device](const std::string& word) { return names_device(word, device); });
}

}  // namespace

std::vector<std::size_t> select_sycl(std::string_view value, std::size_t devices) {
  const auto terms = split(value, ';');
  const bool only_exclusions =
      std::ranges::all_of(terms, [](const std::string& term) { return term.starts_with("!"); });
  std::vector<std::size_t> kept;
  for (std::size_t device = 0; device < devices; ++device) {
    bool wanted = only_exclusions;
    for (const std::string& term : terms) {
      if (!term.starts_with("!")) wanted |= names(term, device);
    }
    for (const std::string& term : terms) {
      if (term.starts_with("!") && names(term.substr(1), device)) wanted = false;
    }
    if (wanted) kept.push_back(device);
  }
  return kept;
}

VisibleList visible_to_sycl(const Snapshot& snapshot) {
  VisibleList list = visible_to_level_zero(snapshot);
  list.stack = "sycl";
  constexpr const char* name = "ONEAPI_DEVICE_SELECTOR";
  const Text value = env_of(snapshot, name);
  if (!value.get() || value.get()->empty()) return list;
  const auto kept = select_sycl(*value.get(), list.devices.size());
  std::vector<VisibleDevice> left;
  for (std::size_t i = 0; i < list.devices.size(); ++i) {
    if (std::ranges::find(kept, i) != kept.end())
      left.push_back(std::move(list.devices[i]));
    else
      list.hidden.push_back({std::move(list.devices[i]), name, std::string("not selected by ") + name});
  }
  list.filters.push_back(
      {name, *value.get(), "leaves " + std::to_string(left.size()) + " of " + std::to_string(list.devices.size())});
  list.devices = std::move(left);
  return list;
}

}  // namespace envdoctor
