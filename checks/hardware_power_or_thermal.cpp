// hardware.power-or-thermal: the GPU lowers its clocks because of heat or a power fault. A power cap under load is
// normal.
#include <fmt/format.h>

#include "checks/nvidia.h"
#include "checks/xid.h"

namespace envdoctor {
namespace {

constexpr const char* id = "hardware.power-or-thermal";

struct Reason {
  const char* name;
  const char* explanation;
  const char* remedy;
};

constexpr Reason reasons[] = {
    {"hw_thermal", "The GPU is too hot and its own protection lowers the clocks to half or less.",
     "Check fans, dust, the direction of the air flow and the room's temperature."},
    {"hw_power_brake", "The system's power supply tells the GPU to slow down.",
     "Check the power supply's load and redundancy, and the cables to the card."},
    {"hw_slowdown", "The GPU's own protection lowers the clocks, because of heat or of its power supply.",
     "Check cooling, and the power cables to the card."},
    {"sw_thermal", "The driver lowers the clocks to keep the GPU below its highest temperature.",
     "Check fans, dust and the direction of the air flow."},
};

void judge_device(const NvidiaDevice& device, const std::string& place, Answers& answers) {
  const auto& active = *device.throttle_reasons.get();
  for (const Reason& reason : reasons) {
    for (std::size_t i = 0; i < active.size(); ++i) {
      if (active[i] != reason.name) continue;
      Finding& finding = answers.found(id, nvidia::subject_of(device));
      finding.explanation = reason.explanation;
      finding.evidence = {seen(at(place + "/throttle_reasons", i), active[i])};
      if (device.temperature_c.get())
        finding.evidence.push_back(seen(place + "/temperature_c", fmt::format("{} °C", *device.temperature_c.get())));
      finding.fix = {{.text = reason.remedy}};
      return;
    }
  }
}

// The driver says in so many words that the card has too little power.
bool judge_power(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::nvml(snapshot).is("NVML_ERROR_INSUFFICIENT_POWER")) {
    Finding& finding = answers.found(id);
    finding.severity = Severity::error;
    finding.title = "The GPU's power cables are not connected properly";
    finding.explanation = "NVML reports that the card doesn't get the external power it needs.";
    finding.evidence = {nvidia::nvml_evidence(snapshot)};
    finding.fix = {{.text = "Plug in every power cable of the card, each on a line of its own."}};
    return true;
  }
  const auto xids = of(snapshot.nvidia, &Nvidia::xid);
  for (std::size_t i = 0; xids.get() && i < xids.get()->size(); ++i) {
    const Xid& xid = (*xids.get())[i];
    if (!xid.code.get() || xid_diagnosis(*xid.code.get()) != id) continue;
    Finding& finding = answers.found(id, xid.gpu.get() ? "gpu:" + normal_address(*xid.gpu.get()) : "host");
    finding.confidence = Confidence::likely;
    tell_xid(finding, *xid.code.get(), snapshot);
    finding.evidence = {seen(at("/nvidia/xid", i), fmt::format("Xid {}", *xid.code.get()))};
    finding.fix = {{.text = "Plug in every power cable of the card, each on a line of its own."}};
    return true;
  }
  return false;
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (judge_power(snapshot, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  if (devices.get()->empty()) return answers.not_applicable(id, "the driver lists no GPU");
  bool unknown = false;
  for (std::size_t i = 0; i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    if (device.throttle_reasons.get())
      judge_device(device, at("/nvidia/devices", i), answers);
    else if (device.throttle_reasons.outcome() != Outcome::absent)
      unknown = true;
  }
  if (unknown) return answers.unknown(id, "why a GPU lowers its clocks is not known");
  answers.sound(id);
}

}  // namespace

Check hardware_power_or_thermal() { return {{id}, run}; }

}  // namespace envdoctor
