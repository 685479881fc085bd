// A comparison of hosts as text and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compare/documents.h"
#include "evidence/lines.h"

namespace envdoctor::compare {
namespace {

using Json = nlohmann::json;
using knowledge::Changes;

const char* word(Changes changes) {
  return changes == Changes::results ? "results" : changes == Changes::speed ? "speed" : "neither";
}

const char* word(Bits bits) {
  static constexpr const char* words[] = {"same-bits", "within-bound", "outside", "unknown"};
  return words[static_cast<std::size_t>(bits)];
}

std::string letter(std::size_t index) {
  return index < 26 ? std::string(1, static_cast<char>('A' + index)) : std::to_string(index + 1);
}

std::string verdict(const Comparison& comparison) {
  if (comparison.results_may_differ()) return "results-may-differ";
  return comparison.results_unknown() ? "unknown" : "results-alike";
}

// Differences that are the same for several members of a list, such as eight GPUs, shown once.
struct Alike {
  std::string path{};  // with * in place of the members' numbers
  const Difference* first = nullptr;
  int count = 0;
};

std::string without_numbers(const std::string& path) {
  std::string out;
  for (std::size_t begin = 1; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string step = path.substr(begin, end - begin);
    const std::size_t name = step.find_last_not_of("0123456789") + 1;  // nvidia0 and nvidia1 are alike
    const bool numbered = name < step.size() && (name == 0 || path.starts_with("/device_nodes/"));
    out += "/" + (numbered ? step.substr(0, name) + "*" : step);
    begin = end + 1;
  }
  return out;
}

// A device or node that only one document has is shown in one line instead of several.
std::string value_text(const ShownValue& value, bool several) {
  const bool whole = value.text.starts_with('{') || value.text.ends_with(" entries") || value.text == "1 entry";
  return several && whole ? "there" : shortened(value.text, 200);
}

bool alike(const Difference& a, const Difference& b) {
  for (std::size_t i = 0; i < a.values.size() && i < b.values.size(); ++i) {
    if (a.values[i].known != b.values[i].known || value_text(a.values[i], true) != value_text(b.values[i], true))
      return false;
  }
  return a.values.size() == b.values.size();
}

std::vector<Alike> alikes_of(const std::vector<Difference>& differences, Changes changes) {
  std::vector<Alike> list;
  for (const Difference& difference : differences) {
    if (difference.changes != changes) continue;
    const std::string path = without_numbers(difference.path);
    const auto same =
        std::ranges::find_if(list, [&](const Alike& a) { return a.path == path && alike(*a.first, difference); });
    if (same != list.end()) {
      ++same->count;
    } else {
      list.push_back({path, &difference, 1});
    }
  }
  return list;
}

std::string ratio_text(double ratio, bool clear) {
  return ratio <= 0 ? "-" : fmt::format("{:.3g}{}", ratio, clear ? "" : " ~");
}

// One line per kernel, one column per document after the first.
std::string speeds_text(const Comparison& comparison) {
  if (comparison.speeds.empty()) return "";
  std::string out = "\nSpeed  (relative to A; ~ within the noise, - not timed in both)\n";
  const auto line = [&](const std::string& name, const auto& cell) {
    std::string text = fmt::format("    {:<44}", name);
    for (std::size_t i = 1; i < comparison.names.size(); ++i) text += fmt::format(" {} {:<8}", letter(i), cell(i));
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  std::string device;
  for (const SpeedDifference& speed : comparison.speeds) {
    if (speed.device != device || &speed == &comparison.speeds.front()) {
      device = speed.device;
      out += wrap("  ", device.empty() ? "unnamed device" : device);
      line("median of all",
           [&](std::size_t i) { return ratio_text(median_ratio(comparison.speeds, device, i), true); });
    }
    line(speed.kernel, [&](std::size_t i) { return ratio_text(speed.ratios[i], speed.clear[i]); });
  }
  return out;
}

const char* word(Cards cards) { return cards == Cards::same ? "same" : cards == Cards::other ? "other" : "unknown"; }

std::string sentence(const RecurringFault& fault) {
  const bool one = fault.places.size() == 1;
  return fmt::format("{} {} {} wrong in {} runs{}. {}", one ? "element" : "elements", fmt::join(fault.places, ", "),
                     one ? "was" : "were", fault.runs, fault.same_bits ? ", with the same bits each time" : "",
                     fault.cards == Cards::same
                         ? "A place that stays on one card: a unit or a place in memory, or the code made for it."
                     : fault.cards == Cards::other
                         ? "Other cards fail at the same place: look at the driver and its compiler before the cards."
                         : "A place that stays is no chance.");
}

std::string faults_text(const Comparison& comparison) {
  std::string out = comparison.faults.empty() ? "" : "\nFaults seen again\n";
  for (const RecurringFault& fault : comparison.faults) {
    out +=
        wrap("  ", fault.kernel + (fault.device.empty() ? "" : " on " + fault.device)) + wrap("    ", sentence(fault));
    for (std::size_t i = 0; i < fault.history.size(); ++i) {
      if (!fault.history[i].empty()) out += wrap("    " + letter(i) + " ", fault.history[i]);
    }
  }
  return out;
}

}  // namespace

std::string text_of(const Comparison& comparison) {
  std::string out;
  for (std::size_t i = 0; i < comparison.names.size(); ++i) out += wrap(letter(i) + "  ", comparison.names[i]);
  out += comparison.identical()            ? "\nNo known difference.\n"
         : comparison.results_may_differ() ? "\nResults may differ.\n"
         : comparison.results_unknown()
             ? "\nCould not determine whether results may differ: some evidence is missing in one of them.\n"
             : "\nNo known difference that changes results.\n";
  static const std::pair<Changes, const char*> groups[] = {{Changes::results, "Can change results"},
                                                           {Changes::speed, "Can change speed"},
                                                           {Changes::neither, "No known effect on results or speed"}};
  for (const auto& [changes, title] : groups) {
    std::string group, last_why;
    for (const Alike& alike : alikes_of(comparison.differences, changes)) {
      const Difference& difference = *alike.first;
      if (difference.why != last_why && !difference.why.empty()) group += wrap("  ", "(" + difference.why + ")");
      last_why = difference.why;
      group += wrap("  ", alike.count > 1 ? fmt::format("{} ({} alike)", alike.path, alike.count) : difference.path);
      for (std::size_t i = 0; i < difference.values.size(); ++i)
        group += wrap("    " + letter(i) + " ", value_text(difference.values[i], alike.count > 1));
    }
    if (!group.empty()) out += fmt::format("\n{}\n{}", title, group);
  }
  if (!comparison.kernels.empty()) out += "\nKernels\n";
  for (const KernelDifference& kernel : comparison.kernels) {
    out += wrap("  ", fmt::format("{}: {}", kernel.kernel, word(kernel.bits)));
    if (!kernel.why.empty()) out += wrap("    ", kernel.why);
    if (kernel.bits == Bits::same) continue;
    for (std::size_t i = 0; i < kernel.values.size(); ++i)
      out += wrap("    " + letter(i) + " ", kernel.values[i].empty() ? "not run" : kernel.values[i]);
  }
  return out + faults_text(comparison) + speeds_text(comparison);
}

std::string json_of(const Comparison& comparison) {
  Json differences = Json::array(), kernels = Json::array();
  for (const Difference& difference : comparison.differences) {
    Json values = Json::array();
    for (const ShownValue& value : difference.values) values.push_back({{"known", value.known}, {"value", value.text}});
    differences.push_back({{"path", difference.path},
                           {"changes", word(difference.changes)},
                           {"why", difference.why},
                           {"values", values}});
  }
  for (const KernelDifference& kernel : comparison.kernels)
    kernels.push_back(
        {{"kernel", kernel.kernel}, {"bits", word(kernel.bits)}, {"why", kernel.why}, {"values", kernel.values}});
  Json speeds = Json::array();
  for (const SpeedDifference& speed : comparison.speeds) {
    Json ratios = Json::array();
    for (std::size_t i = 0; i < speed.ratios.size(); ++i)
      ratios.push_back(speed.ratios[i] > 0 ? Json({{"ratio", speed.ratios[i]}, {"clear", bool(speed.clear[i])}})
                                           : Json(nullptr));
    speeds.push_back({{"device", speed.device}, {"kernel", speed.kernel}, {"ratios", ratios}});
  }
  Json faults = Json::array();
  for (const RecurringFault& fault : comparison.faults)
    faults.push_back({{"device", fault.device},
                      {"kernel", fault.kernel},
                      {"places", fault.places},
                      {"same_bits", fault.same_bits},
                      {"runs", fault.runs},
                      {"cards", word(fault.cards)},
                      {"history", fault.history}});
  const Json json = {{"schema", "envdoctor.compare/1"},
                     {"sources", comparison.names},
                     {"verdict", verdict(comparison)},
                     {"differences", differences},
                     {"kernels", kernels},
                     {"speeds", speeds},
                     {"faults", faults}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace envdoctor::compare
