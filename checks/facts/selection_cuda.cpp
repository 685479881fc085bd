#include <algorithm>
#include <cctype>
#include <optional>

#include "checks/facts/selection.h"

namespace envdoctor {
namespace {

// Decimal digits after an optional sign, the rest ignored, as strtol with base 10 reads them: "+1" is 1, "1abc" is 1,
// and "0x1" is 0. Seen so in CUDA by nvitop and PyTorch, which both imitate it. Too large for any host: no device has
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
// the shorter one decides; an entry of nothing but the prefix names nobody.
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

// The devices or instances that a UUID entry fits.
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

Selection& cut(Selection& selection, Cut why, std::size_t at, const std::string& entry) {
  selection.cut = why;
  selection.cut_at = at;
  selection.cut_entry = entry;
  return selection;
}

// CUDA enumerates at most one MIG instance, and then no whole GPU beside it; a GPU in MIG mode without an instance
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

void parse(Selection& selection, const std::vector<std::string>& entries, const std::vector<Selectable>& devices) {
  std::optional<bool> by_number;
  for (std::size_t at = 0; at < entries.size(); ++at) {
    const std::string& entry = entries[at];
    const auto number = leading_number(entry);
    const bool uuid = entry.starts_with("GPU-") || entry.starts_with("MIG-");
    if (entry.empty()) return (void)cut(selection, Cut::empty_entry, at, entry);
    if (!number && !uuid) return (void)cut(selection, Cut::word, at, entry);
    if (number && *number < 0) return (void)cut(selection, Cut::negative, at, entry);
    if (by_number && *by_number != number.has_value()) return (void)cut(selection, Cut::other_kind, at, entry);
    by_number = number.has_value();

    Selected one;
    if (number) {
      if (static_cast<std::size_t>(*number) >= devices.size())
        return (void)cut(selection, Cut::out_of_range, at, entry);
      one.device = static_cast<std::size_t>(*number);
    } else {
      const auto fit = fitting(entry, devices);
      if (fit.empty()) return (void)cut(selection, Cut::unknown_uuid, at, entry);
      if (fit.size() > 1) return (void)cut(selection, Cut::ambiguous_uuid, at, entry);
      one = fit.front();
    }
    if (std::ranges::find(selection.chosen, one) != selection.chosen.end()) {
      selection.chosen.clear();  // a repetition leaves no device at all, the ones before it included
      return (void)cut(selection, Cut::repeated, at, entry);
    }
    selection.chosen.push_back(one);
  }
}

}  // namespace

Selection select_cuda(std::string_view value, const std::vector<Selectable>& devices) {
  const auto entries = entries_of(value);
  Selection selection{.entries = entries.size()};
  if (entries.empty()) return cut(selection, Cut::empty_entry, 0, "");
  parse(selection, entries, devices);
  apply_mig(selection, devices);
  return selection;
}

Selection select_cuda_default(const std::vector<Selectable>& devices) {
  Selection selection;
  for (std::size_t d = 0; d < devices.size(); ++d) selection.chosen.push_back({d, -1});
  apply_mig(selection, devices);
  return selection;
}

}  // namespace envdoctor
