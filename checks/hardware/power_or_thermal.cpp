// hardware.power-or-thermal: the GPU lowers its clocks because of heat or a power fault. A power cap under load is
// normal.
#include <fmt/format.h>

#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"

namespace envdoctor::hardware_power_or_thermal {

using enum SymptomClass;
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
      finding.evidence = {evidence(at(place + "/throttle_reasons", i), active[i])};
      if (device.temperature_c.get())
        finding.evidence.push_back(
            evidence(place + "/temperature_c", fmt::format("{} °C", *device.temperature_c.get())));
      finding.fix = {{.text = reason.remedy}};
      return;
    }
  }
}

// The driver says in so many words that the card has too little power.
bool judge_power(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::nvml(snapshot).is(nvml_error::insufficient_power)) {
    Finding& finding = answers.found(id);
    finding.severity = Severity::error;
    finding.title = "The GPU's power cables are not connected properly";
    finding.explanation = "NVML reports that the card doesn't get the external power it needs.";
    finding.evidence = nvidia::nvml_evidence(snapshot);
    finding.fix = {{.text = "Plug in every power cable of the card, each on a line of its own."}};
    return true;
  }
  const auto xids = xids_of(snapshot, id);
  for (const LoggedXid& xid : xids) {
    Finding& finding = answers.found(id, xid.subject());
    finding.confidence = Confidence::likely;
    tell_xid(finding, xid, snapshot);
    finding.fix = {{.text = "Plug in every power cable of the card, each on a line of its own."}};
  }
  return !xids.empty();
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
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
  answers.passed(id);
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.power-or-thermal",
      .layer = Layer::hardware,
      .severity = Severity::warning,
      .title = "The GPU is slowed down by heat or power",
      .claim =
          "The driver reports that it lowers the clocks because of temperature, a power brake or the hardware's own "
          "protection.",
      .proof = "The driver names heat or power as the reason for a lower clock, or a cable is missing.",
      .disproof = "No thermal or hardware slowdown is reported while the GPU works.",
      .remedy =
          "Check fans, air flow, power cables and the power supply; a set power limit is shown by nvidia-smi -q -d "
          "POWER or "
          "rocm-smi --showmaxpower.",
      .symptoms =
          {
              {{limited, "gpu-clock"}, likely},
              {{missing, "gpu-power-cable"}, certain},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_power_or_thermal
