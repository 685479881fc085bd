// SYCL's own filter on top of Level Zero's list: ONEAPI_DEVICE_SELECTOR, by the grammar of Intel's DPC++ documentation.
#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/visible.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

// The parts between the marks, without blanks and in lower case; empty ones are left out.
std::vector<std::string> split(std::string_view text, char mark) {
  std::vector<std::string> parts(1);
  for (const char c : lower_case(text)) {
    if (c == mark) parts.emplace_back();
    if (c != mark && c != ' ') parts.back() += c;
  }
  std::erase(parts, "");
  return parts;
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
    // Of the terms, those that exclude begin with '!', which no backend's name does.
    const bool wanted =
        only_exclusions || std::ranges::any_of(terms, [&](const auto& term) { return names(term, device); });
    const bool excluded = std::ranges::any_of(
        terms, [&](const auto& term) { return term.starts_with("!") && names(term.substr(1), device); });
    if (wanted && !excluded) kept.push_back(device);
  }
  return kept;
}

VisibleList visible_to_sycl(const Snapshot& snapshot) {
  VisibleList list = visible_to_level_zero(snapshot);
  list.stack = "sycl";
  constexpr const char* name = "ONEAPI_DEVICE_SELECTOR";
  const std::string value = env_of(snapshot, name).or_empty();
  if (!value.empty())
    keep(list, select_sycl(value, list.devices.size()), {name, value, ""}, std::string("not selected by ") + name);
  return list;
}

}  // namespace envdoctor
