// Which device a program names, waits for or outruns, by its own lines.
#include <algorithm>
#include <cstdlib>

#include "checks/facts.h"
#include "checks/gpus.h"
#include "checks/log_facts.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

using enum Confidence;

// "5.1", "ms" -> seconds.
double seconds(const std::string& value, const std::string& unit) {
  const double number = std::atof(value.c_str());
  return unit[0] == 'm' ? number / 1e3 : unit[0] == 'u' ? number / 1e6 : unit[0] == 'n' ? number / 1e9 : number;
}

// The part of a step that goes into waiting for data, as training loops average it.
void input_share(const LogFacts& facts, Answers& answers) {
  const auto& steps = facts.all("step-times");
  if (steps.empty()) return;
  const LogEvent& last = *steps.back();
  const double step = std::atof(field_of(last, "step").c_str()), data = std::atof(field_of(last, "data").c_str());
  if (step > 0 && data > 0.5 * step) log_finding(answers, last, "usage.input-bound", likely);
}

void slower_than_cpu(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("cpu-faster")) {
    if (seconds(field_of(*event, "gpu"), field_of(*event, "gpu_unit")) <=
        1.5 * seconds(field_of(*event, "cpu"), field_of(*event, "cpu_unit")))
      continue;
    log_finding(answers, *event, "usage.cpu-faster", likely).severity = Severity::warning;
    return;
  }
  const LogEvent* cpu = facts.with("timed", "on", "CPU");
  const LogEvent* gpu = facts.with("timed", "on", "GPU");
  if (!cpu || !gpu) return;
  if (seconds(field_of(*gpu, "value"), field_of(*gpu, "unit")) >
      1.5 * seconds(field_of(*cpu, "value"), field_of(*cpu, "unit")))
    log_finding(answers, *gpu, "usage.cpu-faster", possible).severity = Severity::warning;
}

bool same_model(const std::string& a, const std::string& b) {
  const auto bare = [](std::string name) {
    if (name.starts_with("NVIDIA ")) name.erase(0, 7);
    return name;
  };
  return bare(a) == bare(b);
}

// nvidia-smi numbers by PCI bus; CUDA puts the fastest first. The same number with another name shows it.
void other_order(const LogFacts& facts, Answers& answers) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  if (!devices.get() || devices.get()->size() < 2) return;
  const Text visible = env_of(facts.snapshot(), "CUDA_VISIBLE_DEVICES");
  const Text order = env_of(facts.snapshot(), "CUDA_DEVICE_ORDER");
  if (visible.get() || order.get() || facts.saw({"visible-devices-set", "visible-devices-in-program"})) return;
  for (const char* kind : {"program-device", "device-used-tensorflow", "device-listed"}) {
    for (const LogEvent* event : facts.all(kind)) {
      const std::string name = field_of(*event, "name");
      const auto ordinal = std::strtoull(field_of(*event, "ordinal").c_str(), nullptr, 10);
      if (name.empty() || field_of(*event, "ordinal").empty() || ordinal >= devices.get()->size()) continue;
      const auto named = [&name](const NvidiaDevice& d) { return d.name.get() && same_model(*d.name.get(), name); };
      const NvidiaDevice& there = (*devices.get())[ordinal];
      if (!there.name.get() || named(there) || std::ranges::none_of(*devices.get(), named)) continue;
      Finding& finding = log_finding(answers, *event, "visibility.order-mismatch", likely);
      finding.evidence.push_back(seen(at("/nvidia/devices", ordinal, "name"), *there.name.get()));
      return;
    }
  }
}

bool is_integrated_name(const std::string& name) {
  return name.find("Iris") != std::string::npos || name.find("HD Graphics") != std::string::npos ||
         name.find(" Graphics") != std::string::npos;
}

// A discrete GPU that an OpenCL platform, the driver or the bus shows beside the integrated one.
bool has_discrete(const LogFacts& facts) {
  const auto platforms = of(facts.snapshot().opencl, &Opencl::platforms);
  if (platforms.get()) {
    for (const OpenclPlatform& platform : *platforms.get()) {
      for (const OpenclDevice& device :
           platform.devices.get() ? *platform.devices.get() : std::vector<OpenclDevice>{}) {
        const bool gpu = device.type.is("GPU") || device.type.is("gpu");
        if (gpu && device.name.get() && !is_integrated_name(*device.name.get())) return true;
      }
    }
  }
  return has_discrete_gpu(facts.snapshot());
}

}  // namespace

void log_placement(const LogFacts& facts, Answers& answers) {
  input_share(facts, answers);
  slower_than_cpu(facts, answers);
  other_order(facts, answers);
  const auto& chosen = facts.all("integrated-chosen");
  if (!chosen.empty() && has_discrete(facts) && !facts.used())
    log_finding(answers, *chosen.front(), "usage.wrong-gpu", likely);
}

}  // namespace envdoctor
