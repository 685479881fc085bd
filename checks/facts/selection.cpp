// How each runtime parses its variable. AMD's rules differ from CUDA's in details; taken from ROCr
// (amd_filter_device.cpp) and clr (rocdevice.cpp).
#include "checks/facts/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace envdoctor {
namespace {

std::vector<std::string> split(std::string_view value) {
  std::vector<std::string> entries;
  for (std::size_t from = 0, comma = 0; !value.empty() && from <= value.size(); from = comma + 1) {
    comma = std::min(value.find(',', from), value.size());
    entries.emplace_back(value.substr(from, comma - from));
  }
  return entries;
}

// Decimal digits after an optional sign, the rest ignored, as strtol with base 10 reads them: "+1" is 1, "1abc" is 1,
// and "0x1" is 0. nvitop and PyTorch, which both imitate CUDA, observed this. Too large for any host: no device has
// it.
std::optional<long> leading_number(std::string_view entry) {
  if (!starts_as_number(entry)) return std::nullopt;
  const bool negative = entry.front() == '-';
  if (!std::isdigit(static_cast<unsigned char>(entry.front()))) entry.remove_prefix(1);
  long number = 0;
  for (const char c : entry) {
    if (!std::isdigit(static_cast<unsigned char>(c)) || number > 1'000'000) break;
    number = number * 10 + (c - '0');
  }
  return negative ? -number : number;
}

// UUIDs are compared as written (CUDA prints lower-case digits). Both sides may have been shortened by redaction, so
// the shorter one decides; an entry that is only the prefix matches none.
bool begins_so(const std::string& uuid, const std::string& entry, std::string_view prefix) {
  constexpr std::size_t shortened = 8;
  if (entry.size() <= prefix.size() || !uuid.starts_with(prefix)) return false;
  const bool cut_short = uuid.size() == prefix.size() + shortened;
  return uuid.starts_with(entry) || (cut_short && entry.starts_with(uuid));
}

// MIG-GPU-<uuid>/<gpu instance>/<compute instance>, the form before driver R470: the GPU's part may be a prefix.
bool same_old_mig(const std::string& instance, const std::string& entry) {
  const std::size_t slash = entry.find('/'), own = instance.find('/');
  if (slash == std::string::npos || own == std::string::npos || instance.substr(own) != entry.substr(slash))
    return false;
  return begins_so(instance.substr(0, own), entry.substr(0, slash), "MIG-GPU-");
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// The device that an entry names, or why it names none.
struct Named {
  Cut cut = Cut::none;
  Selected one{};
};

Named only_one(const std::vector<Selected>& fit) {
  if (fit.size() == 1) return {Cut::none, fit.front()};
  return {fit.empty() ? Cut::unknown_uuid : Cut::ambiguous_uuid, {}};
}

Named by_number(long number, const std::vector<Selectable>& devices) {
  if (number < 0) return {Cut::negative, {}};
  const auto device = static_cast<std::size_t>(number);
  return device < devices.size() ? Named{Cut::none, {device, -1}} : Named{Cut::out_of_range, {}};
}

// The devices or instances that match a UUID entry.
std::vector<Selected> fitting(const std::string& entry, const std::vector<Selectable>& devices) {
  std::vector<Selected> all;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (entry.starts_with("GPU-") && begins_so(devices[d].uuid, entry, "GPU-")) all.push_back({d, -1});
    for (std::size_t i = 0; i < devices[d].instances.size(); ++i) {
      const std::string& instance = devices[d].instances[i];
      const bool old_form = instance.starts_with("MIG-GPU-");
      if (old_form ? same_old_mig(instance, entry) : begins_so(instance, entry, "MIG-"))
        all.push_back({d, static_cast<int>(i)});
    }
  }
  return all;
}

// A list that begins with a number holds numbers, one that begins with a UUID holds UUIDs.
Named named_by_cuda(const std::string& entry, const std::string& first, const std::vector<Selectable>& devices) {
  const auto number = leading_number(entry);
  if (entry.empty()) return {Cut::empty_entry, {}};
  if (!number && !entry.starts_with("GPU-") && !entry.starts_with("MIG-")) return {Cut::word, {}};
  if (number && *number < 0) return {Cut::negative, {}};
  if (number.has_value() != starts_as_number(first)) return {Cut::other_kind, {}};
  return number ? by_number(*number, devices) : only_one(fitting(entry, devices));
}

// The start of a UUID, in upper or lower case.
Named by_uuid(const std::string& entry, const std::vector<Selectable>& devices) {
  const std::string wanted = upper(entry);
  std::vector<Selected> fit;
  for (std::size_t d = 0; d < devices.size(); ++d) {
    const std::string uuid = upper(devices[d].uuid);
    const bool cut_short = uuid.size() == 12;  // GPU- and the eight digits that redaction leaves
    if (uuid.size() > 4 && (uuid.starts_with(wanted) || (cut_short && wanted.starts_with(uuid))))
      fit.push_back({d, -1});
  }
  return only_one(fit);
}

// ROCr: strtol with base 0 over the whole entry ("0x1" is 1, "1abc" nothing), or a UUID.
Named named_by_rocr(const std::string& entry, const std::vector<Selectable>& devices) {
  if (entry.empty()) return {Cut::empty_entry, {}};
  if (upper(entry).starts_with("G")) return entry.size() < 5 ? Named{Cut::unknown_uuid, {}} : by_uuid(entry, devices);
  char* end = nullptr;
  const long number = std::strtol(entry.c_str(), &end, 0);
  return *end == '\0' ? by_number(number, devices) : Named{Cut::word, {}};
}

// HIP: exactly the digits of a number, so that "01" and " 1" end the list, or GPU-<unique id>.
Named named_by_hip(const std::string& entry, const std::vector<Selectable>& devices) {
  if (entry.empty()) return {Cut::empty_entry, {}};
  if (entry.starts_with("GPU-")) return by_uuid(entry, devices);
  const long number = std::strtol(entry.c_str(), nullptr, 10);
  return entry == std::to_string(number) ? by_number(number, devices) : Named{Cut::word, {}};
}

void cut(Selection& selection, Cut why, std::size_t at, const std::string& entry) {
  selection.cut = why;
  selection.cut_at = at;
  selection.cut_entry = entry;
}

// The effect of naming a device twice.
enum class Repeated { passed_over, ends_it, empties_it };

template <class Name>
Selection select(const std::vector<std::string>& entries, Name name, Repeated repeated) {
  Selection selection{.entries = entries.size()};
  if (entries.empty()) selection.cut = Cut::empty_entry;
  for (std::size_t at = 0; at < entries.size() && selection.cut == Cut::none; ++at) {
    const Named named = name(entries[at]);
    const auto& chosen = selection.chosen;
    if (named.cut != Cut::none) {
      cut(selection, named.cut, at, entries[at]);
    } else if (std::ranges::find(chosen, named.one) == chosen.end()) {
      selection.chosen.push_back(named.one);
    } else if (repeated != Repeated::passed_over) {
      cut(selection, Cut::repeated, at, entries[at]);
      if (repeated == Repeated::empties_it) selection.chosen.clear();
    }
  }
  return selection;
}

Selection all_of(const std::vector<Selectable>& devices) {
  Selection selection;
  for (std::size_t d = 0; d < devices.size(); ++d) selection.chosen.push_back({d, -1});
  return selection;
}

// CUDA enumerates at most one MIG instance, and then no whole GPU as well; a GPU in MIG mode without an instance
// offers nothing (NVIDIA's MIG user guide, "CUDA device enumeration").
void apply_mig(Selection& selection, const std::vector<Selectable>& devices) {
  std::vector<Selected> whole;
  std::optional<Selected> first;
  for (const Selected& one : selection.chosen) {
    if (one.instance >= 0) {
      ++selection.instances;
      if (!first || first->instance < 0) first = one;
    } else if (!devices[one.device].mig) {
      whole.push_back(one);
    }
  }
  if (!first) {
    const auto split = std::ranges::find_if(selection.chosen, [&](const Selected& one) {
      return devices[one.device].mig && !devices[one.device].instances.empty();
    });
    if (split != selection.chosen.end()) first = Selected{split->device, 0};
  }
  selection.chosen = first ? std::vector{*first} : whole;
}

}  // namespace

std::vector<std::string> entries_of(std::string_view value) {
  std::vector<std::string> entries = split(value);
  const auto solid = [](unsigned char c) { return !std::isspace(c); };
  for (std::string& entry : entries) {
    entry.erase(entry.begin(), std::ranges::find_if(entry, solid));
    while (!entry.empty() && !solid(static_cast<unsigned char>(entry.back()))) entry.pop_back();
  }
  return entries;
}

bool starts_as_number(std::string_view entry) {
  if (!entry.empty() && (entry.front() == '+' || entry.front() == '-')) entry.remove_prefix(1);
  return !entry.empty() && std::isdigit(static_cast<unsigned char>(entry.front()));
}

std::string describe_cut(const Selection& selection) {
  static constexpr std::array faults = {"",
                                        "is empty",
                                        "is negative and ends the list",
                                        "is a number that no device has",
                                        "is neither a number nor a UUID",
                                        "is not the beginning of any device's UUID",
                                        "is the beginning of more than one device's UUID",
                                        "mixes numbers and UUIDs",
                                        "names a device a second time"};  // in the order of Cut
  if (selection.cut == Cut::none) return "every entry names a device";
  if (selection.entries == 0) return "the text is empty";
  return fmt::format("entry {}, \"{}\", {}", selection.cut_at + 1, selection.cut_entry,
                     faults.at(static_cast<std::size_t>(selection.cut)));
}

// A repetition removes all devices, including those before it.
Selection select_cuda(std::string_view value, const std::vector<Selectable>& devices) {
  const auto entries = entries_of(value);
  const auto name = [&](const std::string& entry) { return named_by_cuda(entry, entries.front(), devices); };
  Selection selection = select(entries, name, Repeated::empties_it);
  apply_mig(selection, devices);
  return selection;
}

Selection select_cuda_default(const std::vector<Selectable>& devices) {
  Selection selection = all_of(devices);
  apply_mig(selection, devices);
  return selection;
}

// A repeated device ends ROCr's list but keeps those before it, and an empty text selects none.
Selection select_rocr(std::string_view value, const std::vector<Selectable>& devices) {
  const auto name = [&](const std::string& entry) { return named_by_rocr(entry, devices); };
  return select(entries_of(value), name, Repeated::ends_it);
}

// HIP ignores repetitions, strips no blanks, and treats an empty text like an unset variable.
Selection select_hip(std::string_view value, const std::vector<Selectable>& devices) {
  if (value.empty()) return all_of(devices);
  auto entries = split(value);
  if (entries.back().empty()) entries.pop_back();
  return select(
      entries, [&](const std::string& entry) { return named_by_hip(entry, devices); }, Repeated::passed_over);
}

}  // namespace envdoctor
