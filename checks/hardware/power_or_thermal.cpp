// hardware.power-or-thermal: the GPU lowers its clocks because of heat or a power fault. A power cap under load is
// normal.
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"

namespace envdoctor::hardware_power_or_thermal {

using enum SymptomClass;

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

const Fix plug_in{"Plug in every power cable of the card, each on a line of its own.", ""};

void judge_device(const NvidiaDevice& device, const std::string& place, Answers& answers) {
  const auto& active = *device.throttle_reasons.get();
  for (const Reason& reason : reasons) {
    const auto found = std::ranges::find(active, reason.name);
    if (found == active.end()) continue;
    Finding& finding = answers.found_on(nvidia::subject_of(device));
    finding.explanation = reason.explanation;
    finding.evidence = {
        evidence(at(place + "/throttle_reasons", static_cast<std::size_t>(found - active.begin())), *found)};
    if (device.temperature_c.get())
      finding.evidence.push_back(evidence(place + "/temperature_c", fmt::format("{} °C", *device.temperature_c.get())));
    finding.fix = {{.text = reason.remedy}};
    return;
  }
}

// Held down by a cap of power although the board draws far less than its own limit: something else caps it, such as the
// power cables or the module that several boards share. One reading of a live host may fall between two loads.
void judge_cap(const NvidiaDevice& device, const std::string& place, Answers& answers) {
  constexpr double of_idle = 0.3, near_limit = 0.75;
  const auto& active = *device.throttle_reasons.get();
  const double draw = device.power_w.value_or(0), limit = device.power_limit_w.value_or(0);
  if (active.size() != 1 || active[0] != "power_cap" || draw < of_idle * limit || draw >= near_limit * limit) return;
  Finding& finding = answers.found_on(nvidia::subject_of(device));
  finding.confidence = Confidence::possible;
  finding.explanation = fmt::format(
      "A cap of power lowers the clocks although the board draws {:.0f} W of the {:.0f} W that it may: another limit "
      "than its own holds it.",
      draw, limit);
  finding.evidence = {evidence(place + "/throttle_reasons/0", "power_cap"),
                      evidence(place + "/power_w", fmt::format("{:.0f} W", draw))};
  finding.fix = {{.text = "Check every power cable of the card and its adapter, and the power supply's limit."}};
}

// The driver says explicitly that the card has too little power.
bool judge_power(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::nvml(snapshot).is(nvml_error::insufficient_power)) {
    Finding& finding = answers.found();
    finding.severity = Severity::error;
    finding.title = "The GPU's power cables are not connected properly";
    finding.explanation = "NVML reports that the card doesn't get the external power it needs.";
    finding.evidence = nvidia::nvml_evidence(snapshot);
    finding.fix = {plug_in};
    return true;
  }
  const auto xids = xids_of(snapshot, answers.id);
  for (const LoggedXid& xid : xids) {
    Finding& finding = answers.found_on(xid.subject());
    finding.confidence = Confidence::likely;
    describe_xid(finding, xid, snapshot);
    finding.fix = {plug_in};
  }
  return !xids.empty();
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (judge_power(snapshot, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  if (devices.get()->empty()) return answers.not_applicable("the driver lists no GPU");
  answers.passed();
  for (const auto& [i, device] : numbered(devices)) {
    if (device.throttle_reasons.get()) {
      judge_device(device, at("/nvidia/devices", i), answers);
      if (from_report(snapshot)) judge_cap(device, at("/nvidia/devices", i), answers);
    } else if (device.throttle_reasons.outcome() != Outcome::absent) {
      answers.unknown("why a GPU lowers its clocks is not known");
    }
  }
}

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
          "POWER or rocm-smi --showmaxpower.",
      .symptoms =
          {
              {{limited, "gpu-clock"}, likely},
              {{limited, "gpu-temperature"}, possible},
              {{missing, "gpu-power-cable"}, certain},
              // The text says that the machine turns off, and mentions heat or the power supply.
              {{noted, "machine-off"},
               possible,
               [](const Facts& f) {
                 return f.saw({{noted, "power-supply"}});
               }},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::hardware_power_or_thermal
