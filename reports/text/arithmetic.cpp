#include "reports/text/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "checks/compute/compute_facts.h"
#include "checks/facts/presence.h"
#include "reports/text/show_rows.h"

namespace envdoctor {
namespace {

// The results of one device, or of several with equal results.
struct Device {
  std::vector<std::string> names{};
  int results = 0, same_bits = 0, within = 0, outside = 0, doubtful = 0, unrepeatable = 0, repeated = 0;
  double over_bound = 0;
  std::map<std::string, std::set<std::string>> modes{};  // arithmetic -> precisions
  std::set<std::string> libraries{};
  std::map<std::string, std::set<std::string>> not_run{};  // why -> kernels
};

// Except the names, and the size of the errors.
bool alike(const Device& a, const Device& b) {
  const auto counts = [](const Device& d) {
    return std::tie(d.results, d.same_bits, d.within, d.outside, d.doubtful, d.unrepeatable, d.repeated, d.modes,
                    d.libraries, d.not_run);
  };
  return counts(a) == counts(b);
}

Device& device_named(std::vector<Device>& devices, const std::string& name) {
  const auto found = std::ranges::find_if(devices, [&](const Device& d) { return d.names.front() == name; });
  return found != devices.end() ? *found : devices.emplace_back(Device{.names = {name}});
}

void count(Device& device, const ComputeResult& result) {
  if (!text_of(result.mode).empty()) device.modes[text_of(result.mode)].insert(text_of(result.precision));
  if (!text_of(result.math_library).empty()) device.libraries.insert(text_of(result.math_library));
  device.repeated += result.repeatable.get() != nullptr;
  device.unrepeatable += result.repeatable.is(false);
  const Agreement* agreement = result.agreement.get();
  if (!agreement) return;
  ++device.results;
  device.same_bits += agreement->outcome.is("same-bits");
  device.within += agreement->outcome.is("within-bound");
  device.outside += agreement->outcome.is("outside");
  device.doubtful += agreement->outcome.is("not-trustworthy");
  if (!agreement->outcome.is("outside"))
    device.over_bound = std::max(device.over_bound, agreement->error_over_bound.or_empty());
}

std::vector<Device> devices_of(const Snapshot& snapshot) {
  std::vector<Device> devices;
  for (const ComputeResult& result : snapshot.compute.or_empty())
    count(device_named(devices, text_of(result.device)), result);
  for (const ComputeNotRun& row : snapshot.compute_not_run.or_empty()) {
    const std::string what = text_of(row.kernel).empty() ? text_of(row.precision) : text_of(row.kernel);
    device_named(devices, text_of(row.device)).not_run[text_of(row.why)].insert(what.empty() ? "all" : what);
  }
  return devices;
}

std::vector<Device> grouped(const std::vector<Device>& devices) {
  std::vector<Device> groups;
  for (const Device& device : devices) {
    const auto group = std::ranges::find_if(groups, [&](const Device& other) { return alike(device, other); });
    if (group == groups.end()) {
      groups.push_back(device);
      continue;
    }
    group->names.push_back(device.names.front());
    group->over_bound = std::max(group->over_bound, device.over_bound);
  }
  return groups;
}

std::set<std::int64_t> seeds_of(const Snapshot& snapshot) {
  std::set<std::int64_t> seeds;
  for (const ComputeResult& result : snapshot.compute.or_empty()) {
    if (result.seed.get()) seeds.insert(*result.seed.get());
  }
  return seeds;
}

std::string outcomes(const Device& device) {
  if (device.results == 0) return "nothing was compared";
  std::string out = fmt::format("{} of {} results correct: {} bit-identical to the CPU, {} within the error bound",
                                device.same_bits + device.within, device.results, device.same_bits, device.within);
  if (device.outside > 0) out += fmt::format("; {} OUTSIDE the bound", device.outside);
  if (device.doubtful > 0) out += fmt::format("; {} not trustworthy (mostly one value)", device.doubtful);
  return out;
}

std::string closeness(const Device& device) {
  const std::string largest = fmt::format("largest error {:.2f} of the rounding bound", device.over_bound);
  const std::string repeats = device.unrepeatable == 0 ? "bit-identical in every repeat"
                                                       : fmt::format("{} of {} not bit-identical when repeated",
                                                                     device.unrepeatable, device.repeated);
  return joined({device.within > 0 && device.over_bound > 0 ? largest : "", device.repeated > 0 ? repeats : ""}, "; ");
}

std::string heading(const std::vector<std::string>& names) {
  if (names.front().empty()) return "unnamed device";
  return (names.size() > 1 ? fmt::format("{} devices: ", names.size()) : "") +
         fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

std::string arithmetic_text(const Snapshot& snapshot, bool in_full) {
  std::string out;
  const std::vector<Device> devices = devices_of(snapshot);
  const auto plain = [&](const Device& device) {
    return device.results > 0 && device.results == device.same_bits + device.within &&
           (device.names.front() == "host" || compute::is_cpu(snapshot, device.names.front()));
  };
  if (!in_full && !devices.empty() && std::ranges::all_of(devices, plain)) {
    int results = 0;
    for (const Device& device : devices) results += device.results;
    return wrap("  ", fmt::format("CPU only, all {} results correct (-v shows them)", results));
  }
  for (const Device& device : grouped(devices)) {
    out += wrap("  ", heading(device.names));
    const auto line = [&](const std::string& text) {
      if (!text.empty()) out += wrap("    ", text);
    };
    line(outcomes(device));
    line(closeness(device));
    for (const auto& [mode, precisions] : device.modes) line(fmt::format("{}: {}", fmt::join(precisions, ", "), mode));
    if (!device.libraries.empty()) line(fmt::format("math functions from {}", fmt::join(device.libraries, ", ")));
    for (const auto& [why, kernels] : device.not_run)
      line(fmt::format("not run: {}{}", fmt::join(kernels, ", "), why.empty() ? "" : " (" + why + ")"));
  }
  if (const std::set<std::int64_t> seeds = seeds_of(snapshot); seeds.size() == 1)
    out += wrap("  ", fmt::format("inputs generated from seed {0}; --seed {0} repeats them", *seeds.begin()));
  return out;
}

}  // namespace envdoctor
