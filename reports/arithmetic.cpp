#include "reports/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "reports/lines.h"

namespace envdoctor {
namespace {

// What is told of one device.
struct Device {
  std::string name{};
  int results = 0, same_bits = 0, within = 0, outside = 0, doubtful = 0, unrepeatable = 0, repeated = 0;
  double over_bound = 0;
  std::set<std::string> modes{}, libraries{};
  std::map<std::string, std::set<std::string>> not_run{};  // why -> kernels
};

std::string word(const Text& text) { return text.get() ? *text.get() : ""; }

Device& device_named(std::vector<Device>& devices, const std::string& name) {
  const auto found = std::ranges::find(devices, name, &Device::name);
  if (found != devices.end()) return *found;
  devices.push_back({.name = name});
  return devices.back();
}

void count(Device& device, const ComputeResult& result) {
  if (!word(result.mode).empty()) device.modes.insert(word(result.precision) + ": " + word(result.mode));
  if (!word(result.math_library).empty()) device.libraries.insert(word(result.math_library));
  if (result.repeatable.get()) {
    ++device.repeated;
    device.unrepeatable += result.repeatable.is(false) ? 1 : 0;
  }
  const Agreement* agreement = result.agreement.get();
  if (!agreement) return;
  ++device.results;
  device.same_bits += agreement->outcome.is("same-bits") ? 1 : 0;
  device.within += agreement->outcome.is("within-bound") ? 1 : 0;
  device.outside += agreement->outcome.is("outside") ? 1 : 0;
  device.doubtful += agreement->outcome.is("not-trustworthy") ? 1 : 0;
  if (agreement->outcome.is("outside")) return;
  if (const auto* over = agreement->error_over_bound.get()) device.over_bound = std::max(device.over_bound, *over);
}

std::vector<Device> devices_of(const Snapshot& snapshot) {
  std::vector<Device> devices;
  if (const auto* results = snapshot.compute.get()) {
    for (const ComputeResult& result : *results) count(device_named(devices, word(result.device)), result);
  }
  if (const auto* rows = snapshot.compute_not_run.get()) {
    for (const ComputeNotRun& row : *rows) {
      const std::string what = word(row.kernel).empty() ? word(row.precision) : word(row.kernel);
      device_named(devices, word(row.device)).not_run[word(row.why)].insert(what.empty() ? "all" : what);
    }
  }
  return devices;
}

std::set<std::int64_t> seeds_of(const Snapshot& snapshot) {
  std::set<std::int64_t> seeds;
  if (const auto* results = snapshot.compute.get()) {
    for (const ComputeResult& result : *results) {
      if (result.seed.get()) seeds.insert(*result.seed.get());
    }
  }
  return seeds;
}

std::string outcomes(const Device& device) {
  if (device.results == 0) return "nothing was compared";
  std::string out = fmt::format("{} of {} results right: {} with the CPU's bits, {} within the bound",
                                device.same_bits + device.within, device.results, device.same_bits, device.within);
  if (device.outside > 0) out += fmt::format("; {} OUTSIDE", device.outside);
  if (device.doubtful > 0) out += fmt::format("; {} not trustworthy (mostly one value)", device.doubtful);
  return out;
}

std::string closeness(const Device& device) {
  std::string out;
  if (device.within > 0 && device.over_bound > 0)
    out = fmt::format("errors up to {:.2f} of what rounding may cause", device.over_bound);
  if (device.repeated > 0)
    out += (out.empty() ? "" : "; ") + (device.unrepeatable == 0 ? std::string("the same bits in every repeat")
                                                                 : fmt::format("{} of {} gave other bits when repeated",
                                                                               device.unrepeatable, device.repeated));
  return out;
}

std::string listed(const std::set<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : ", ") + w;
  return out;
}

}  // namespace

std::string arithmetic_text(const Snapshot& snapshot) {
  std::string out;
  for (const Device& device : devices_of(snapshot)) {
    out += wrap("  ", device.name.empty() ? "a device without a name" : device.name);
    const auto line = [&](const std::string& text) {
      if (!text.empty()) out += wrap("    ", text);
    };
    line(outcomes(device));
    line(closeness(device));
    for (const std::string& mode : device.modes) line(mode);
    if (!device.libraries.empty()) line("exp, sin and the like by " + listed(device.libraries));
    for (const auto& [why, kernels] : device.not_run)
      line("not run: " + listed(kernels) + (why.empty() ? "" : " (" + why + ")"));
  }
  if (const std::set<std::int64_t> seeds = seeds_of(snapshot); seeds.size() == 1)
    out += wrap("  ", fmt::format("inputs drawn from seed {0}: --seed {0} draws them again", *seeds.begin()));
  return out;
}

}  // namespace envdoctor
