// AMD's and Intel's rules, which differ from CUDA's in small things. Read in ROCr (amd_filter_device.cpp), clr
// (rocdevice.cpp) and Intel's compute-runtime (execution_environment.cpp).
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "checks/facts/selection.h"

namespace envdoctor {
namespace {

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<std::size_t> with_uuid(const std::string& entry, const std::vector<Selectable>& devices) {
  std::vector<std::size_t> fit;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const std::string uuid = upper(devices[d].uuid);
    const bool cut_short = uuid.size() == 12;  // GPU- and the eight digits that redaction leaves
    if (uuid.size() > 4 && (uuid.starts_with(entry) || (cut_short && entry.starts_with(uuid)))) fit.push_back(d);
  }
  return fit;
}

struct Named {
  Cut cut = Cut::none;
  std::size_t device = 0;
};

Named by_uuid(const std::string& entry, const std::vector<Selectable>& devices) {
  const auto fit = with_uuid(upper(entry), devices);
  if (fit.empty()) return {Cut::unknown_uuid};
  if (fit.size() > 1) return {Cut::ambiguous_uuid};
  return {Cut::none, fit.front()};
}

Named by_number(long number, const std::vector<Selectable>& devices) {
  if (number < 0) return {Cut::negative};
  if (static_cast<std::size_t>(number) >= devices.size()) return {Cut::out_of_range};
  return {Cut::none, static_cast<std::size_t>(number)};
}

// ROCr: strtol with base 0 over the whole entry ("0x1" is 1, "1abc" nothing), or a UUID's beginning in any case.
Named named_by_rocr(const std::string& entry, const std::vector<Selectable>& devices) {
  if (entry.empty()) return {Cut::empty_entry};
  if (upper(entry).starts_with("G")) return entry.size() < 5 ? Named{Cut::unknown_uuid} : by_uuid(entry, devices);
  char* end = nullptr;
  const long number = std::strtol(entry.c_str(), &end, 0);
  if (*end != '\0') return {Cut::word};
  return by_number(number, devices);
}

// HIP: exactly the digits of a number, so that "01" and " 1" end the list, or GPU-<unique id>.
Named named_by_hip(const std::string& entry, const std::vector<Selectable>& devices) {
  if (entry.empty()) return {Cut::empty_entry};
  if (entry.starts_with("GPU-")) return by_uuid(entry, devices);
  const long number = std::strtol(entry.c_str(), nullptr, 10);
  if (entry != std::to_string(number)) return {Cut::word};
  return by_number(number, devices);
}

std::vector<std::string> unstripped(std::string_view value) {
  std::vector<std::string> entries;
  while (!value.empty()) {
    const std::size_t comma = value.find(',');
    entries.emplace_back(value.substr(0, comma));
    value.remove_prefix(comma == std::string_view::npos ? value.size() : comma + 1);
  }
  return entries;
}

template <class Name>
Selection select(const std::vector<std::string>& entries, const std::vector<Selectable>& devices, Name name,
                 bool repeats_cut) {
  Selection selection{.entries = entries.size()};
  if (entries.empty()) selection.cut = Cut::empty_entry;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    Named named = name(entries[at], devices);
    const Selected one{.device = named.device};
    const bool again = named.cut == Cut::none && std::ranges::find(selection.chosen, one) != selection.chosen.end();
    if (again && !repeats_cut) continue;
    if (again) named.cut = Cut::repeated;
    if (named.cut != Cut::none) {
      selection.cut = named.cut;
      selection.cut_at = at;
      selection.cut_entry = entries[at];
      break;
    }
    selection.chosen.push_back(one);
  }
  return selection;
}

Selection all_of(const std::vector<Selectable>& devices) {
  Selection selection;
  for (std::size_t d = 0; d < devices.size(); ++d) selection.chosen.push_back({d, -1});
  return selection;
}

}  // namespace

// A repeated device ends ROCr's list but keeps those before it, and an empty text selects none.
Selection select_rocr(std::string_view value, const std::vector<Selectable>& devices) {
  return select(entries_of(value), devices, named_by_rocr, true);
}

// HIP passes over repetitions, and takes an empty text for a variable that isn't set.
Selection select_hip(std::string_view value, const std::vector<Selectable>& devices) {
  return value.empty() ? all_of(devices) : select(unstripped(value), devices, named_by_hip, false);
}

// Entries beyond the last device are passed over; an empty text is as good as none.
Selection select_level_zero(std::string_view value, const std::vector<Selectable>& devices) {
  if (value.empty() || value == "default") return all_of(devices);
  const auto entries = entries_of(value);
  std::vector<bool> kept(devices.size(), false);
  Selection selection{.entries = entries.size()};
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const unsigned long device = std::strtoul(entries[at].c_str(), nullptr, 10);
    if (starts_as_number(entries[at]) && device < devices.size()) {
      kept[device] = true;
    } else if (selection.cut == Cut::none) {
      selection.cut = starts_as_number(entries[at]) ? Cut::out_of_range : Cut::word;
      selection.cut_at = at;
      selection.cut_entry = entries[at];
    }
  }
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (kept[d]) selection.chosen.push_back({d, -1});
  }
  return selection;
}

}  // namespace envdoctor
