#include "probe/process/process_nvml.h"

#include <poll.h>

#include <algorithm>

#include "host/files/kernel_queries.h"
#include "probe/gpu/vendor_probes.h"

namespace envdoctor {
namespace {

constexpr unsigned most_devices = 256;

}  // namespace

std::string NvmlRounds::begin() {
  if (const auto file = api_.library(); !file.get()) return "NVML was not loaded: " + file.why();
  const nvml::Code code = api_.init();
  return code == nvml::success ? "" : "nvmlInit: " + code_text("nvml", code);
}

NvmlRound NvmlRounds::round() {
  NvmlRound round;
  unsigned count = 0;
  const nvml::Code counted = api_.device_count(count);
  if (counted != nvml::success || count > most_devices) {
    round.processes = failed("nvmlDeviceGetCount: " + code_text("nvml", counted));
    return round;
  }
  auto& devices = round.devices.fill();
  std::vector<RoundProcess> processes;
  Missing not_listed;
  for (unsigned index = 0; index < count; ++index) {
    nvml::Device handle = nullptr;
    if (api_.device(index, handle) != nvml::success) continue;
    VendorReader reader(api_, nvml_codes, handle);
    RoundDevice device{.index = std::int64_t{index}};
    device.uuid = reader.read(&nvml::Api::uuid);
    device.name = reader.read(&nvml::Api::name).then(tame);
    device.utilization_percent = reader.read(&nvml::Api::utilization).then([](unsigned v) { return std::int64_t{v}; });
    devices.push_back(device);

    const auto listed = reader.read(&nvml::Api::processes, nvml::ProcessKind::compute);
    if (!listed.get()) {
      not_listed = listed.missing();
      continue;
    }
    const auto loads = reader.read(&nvml::Api::process_loads, seen_us_[index]);
    std::map<unsigned, std::pair<double, int>> samples;  // sum and number; none: it did nothing
    for (const nvml::ProcessLoad& load : loads.or_empty()) {
      samples[load.pid].first += load.percent;
      ++samples[load.pid].second;
      seen_us_[index] = std::max(seen_us_[index], load.at_us);
    }
    for (const nvml::Process& process : *listed.get()) {
      RoundProcess row{.pid = std::int64_t{process.pid}, .gpu = std::int64_t{index}};
      if (process.memory_bytes != nvml::memory_not_available) row.memory_mib = mib(process.memory_bytes);
      const auto [sum, number] = samples[process.pid];
      row.busy_percent = loads.get() ? Real(sum / std::max(number, 1)) : Real(loads.missing());
      processes.push_back(row);
    }
  }
  const bool lost = processes.empty() && !not_listed.why.empty();
  round.processes = std::move(processes);
  if (lost) round.processes = failed("NVML does not list processes: " + not_listed.why);
  return round;
}

BackgroundChild::Work nvml_rounds(const std::string& soname_or_path, Milliseconds gap) {
  return [=](const Channel& channel, int ending) {
    const auto api = nvml::open(soname_or_path, [&channel](const std::string& call) { channel.step(call); });
    NvmlRounds rounds(*api);
    if (const std::string why = rounds.begin(); !why.empty()) {
      channel.answer(to_json(Watched{.round = NvmlRound{.processes = failed(why)}}));
      return;
    }
    pollfd stop{.fd = ending, .events = POLLIN, .revents = 0};
    for (bool first = true, last = false;; first = false) {
      const double before = cpu_seconds();
      channel.answer(to_json(Watched{.round = rounds.round()}));
      if (last) return;
      // Never more than half a percent of a core; what the first round loads is not needed again.
      const auto dear = first ? 0 : static_cast<std::int64_t>((cpu_seconds() - before) * 1000 * 200);
      last = ::poll(&stop, 1, static_cast<int>(std::max<std::int64_t>(gap.count(), dear))) > 0;
    }
  };
}

}  // namespace envdoctor
