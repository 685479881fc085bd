#include "evidence/plausible.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <set>

namespace envdoctor {
namespace {

constexpr std::string_view mark = "impossible: ";

Missing impossible(const std::string& value) { return failed(std::string(mark) + value); }

std::string_view key_of(std::string_view place) { return place.substr(place.rfind('/') + 1); }

bool is_version(std::string_view key) { return key.ends_with("version"); }

// The minimum memory of a GPU: every GPU that such drivers support has at least 16 MiB.
bool memory_fits(std::string_view place, std::int64_t mib) {
  constexpr std::int64_t least = 16, most = 64 << 20;
  const bool total = key_of(place) == "memory_total_mib";
  const bool counted = place.starts_with("/nvidia/") || place.starts_with("/rocm/hip_devices/");
  return mib >= (total && counted ? least : 0) && mib <= most;
}

// "9.0" lies within 1 and 29, "12.4" within 1 and 49: the first number, and the text has no other parts than numbers.
bool first_number_fits(std::string_view text, int most) {
  int first = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
  return error == std::errc() && first >= 1 && first <= most && text.find_first_not_of("0123456789.") == text.npos &&
         (end == text.data() + text.size() || *end == '.');
}

// "550.-54", "-1.2".
bool has_negative_part(std::string_view version) {
  return version.starts_with('-') || version.find(".-") != version.npos;
}

// "0.0.0", or a part of ten digits and more.
bool is_no_driver(std::string_view version) {
  constexpr std::size_t most_digits = 9;
  std::size_t digits = 0, longest = 0;
  for (const char c : version) longest = std::max(longest, digits = c >= '0' && c <= '9' ? digits + 1 : 0);
  return longest > most_digits || (!version.empty() && version.find_first_not_of("0.") == version.npos);
}

// Calls visit(place, reading) for each reading below, a present one's members after it.
template <class T, class Visit>
void each_reading(T& value, std::string& place, const Visit& visit) {
  const auto at = [&](std::string_view step, auto& below) {
    const std::size_t size = place.size();
    place.append("/").append(step);
    each_reading(below, place, visit);
    place.resize(size);
  };
  using Plain = std::remove_const_t<T>;
  if constexpr (requires { value.outcome(); }) {
    visit(place, value);
    if (auto* inner = value.get()) each_reading(*inner, place, visit);
  } else if constexpr (Fields<Plain>) {
    Plain::each(value, [&](std::string_view key, auto& field) { at(key, field); });
  } else if constexpr (requires { typename Plain::mapped_type; }) {
    for (auto& [key, one] : value) at(key, one);
  } else if constexpr (requires { typename Plain::value_type; } && !std::is_same_v<Plain, std::string>) {
    if constexpr (!std::is_arithmetic_v<typename Plain::value_type>) {
      std::size_t index = 0;
      for (auto& one : value) at(std::to_string(index++), one);
    }
  }
}

bool is_computed(std::string_view place) { return place.starts_with("/compute") || place.starts_with("/agree"); }

}  // namespace

Number plausible(std::string_view place, std::int64_t value) {
  static const std::set<std::string_view> may_be_negative = {"numa_node", "temperature_c"};
  static const std::set<std::string_view> counts = {"physical_gpus", "visible_gpus", "logical_gpus",
                                                    "device_count",  "platforms",    "application_platforms",
                                                    "index",         "ordinal",      "minor"};
  constexpr std::int64_t most_minors = 1 << 20;  // as Linux counts devices of one driver
  const std::string_view key = key_of(place);
  const bool fits = key.starts_with("memory_") && key.ends_with("_mib") ? memory_fits(place, value)
                    : counts.contains(key)                              ? value >= 0 && value <= most_minors
                                                                        : value >= 0 || may_be_negative.contains(key);
  return fits ? Number(value) : impossible(std::to_string(value));
}

Real plausible(std::string_view, double value) { return value >= 0 ? Real(value) : impossible(std::to_string(value)); }

Text plausible(std::string_view place, const std::string& value) {
  constexpr int most_capability = 29, most_cuda = 49;  // of 13 each in 2026
  const std::string_view key = key_of(place);
  const bool fits = key.ends_with("capability")    ? first_number_fits(value, most_capability)
                    : key == "cuda_driver_version" ? first_number_fits(value, most_cuda)
                    : place.starts_with("/nvidia/") && is_version(key)
                        ? !has_negative_part(value) && !is_no_driver(value)
                        : !is_version(key) || !has_negative_part(value);
  return fits ? Text(value) : impossible(value);
}

void doubt_impossible(Snapshot& snapshot) {
  std::string top;
  each_reading(snapshot, top, []<class T>(const std::string& place, Reading<T>& reading) {
    if constexpr (requires { plausible(place, *reading.get()); } && !std::is_same_v<T, bool>) {
      if (reading.get() && !is_computed(place)) reading = plausible(place, *reading.get());
    }
  });
}

std::string impossible_value(const Snapshot& snapshot) {
  std::string top, found;
  each_reading(snapshot, top, [&](const std::string& place, const auto& reading) {
    if (found.empty() && reading.outcome() == Outcome::failed && reading.why().starts_with(mark))
      found = place + " is " + reading.why();
  });
  return found;
}

}  // namespace envdoctor
