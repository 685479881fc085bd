// driver.fabric-manager: GPUs joined by NVSwitch, whose fabric nobody has set up.
#include <algorithm>

#include "checks/distro.h"
#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.fabric-manager";

// The first GPU whose fabric isn't up, as evidence.
std::optional<Evidence> fabric_not_up(const Snapshot& snapshot) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  for (std::size_t i = 0; devices.get() && i < devices.get()->size(); ++i) {
    const Text& state = (*devices.get())[i].fabric_state;
    if (state.is("not_started") || state.is("in_progress"))
      return seen(at("/nvidia/devices", i, "fabric_state"), *state.get());
  }
  return std::nullopt;
}

void tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> evidence, Answers& answers) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation =
      "On boards with NVSwitch CUDA starts only after the fabric manager has set up the links, even for a single GPU. "
      "nvidia-smi works without it.";
  finding.evidence = std::move(evidence);
  finding.fix = {{.text = on_the_host(snapshot) + "install nvidia-fabricmanager in exactly the driver's version" +
                          (version.get() ? " (" + *version.get() + ")" : "") + " and start its service.",
                  .command = host_command(snapshot, "sudo systemctl enable --now nvidia-fabricmanager")},
                 {.text = on_the_host(snapshot) +
                          "if the service runs and the fault stays, its log tells which link or switch fails.",
                  .command = host_command(snapshot, "sudo journalctl -u nvidia-fabricmanager -b --no-pager")}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  const Text cuinit = nvidia::cuinit(snapshot);
  const Flag switches = of(snapshot.nvidia, &Nvidia::nvswitch);
  const Flag running = of(snapshot.nvidia, &Nvidia::fabric_manager_running);
  const auto not_up = fabric_not_up(snapshot);
  std::vector<Evidence> evidence;
  if (not_up) evidence.push_back(*not_up);
  if (switches.is(true)) evidence.push_back(seen("/nvidia/nvswitch", "true"));
  if (running.is(false)) evidence.push_back(seen("/nvidia/fabric_manager_running", "false"));
  if (cuinit.is("CUDA_ERROR_SYSTEM_NOT_READY")) {
    evidence.insert(evidence.begin(), nvidia::cuinit_evidence(snapshot));
    const bool proved = (switches.is(true) && running.is(false)) || not_up;
    return tell(snapshot, proved ? Confidence::certain : Confidence::likely, std::move(evidence), answers);
  }
  if (cuinit.outcome() == Outcome::absent) return answers.sound(id);
  if (!cuinit.get() && switches.is(true) && running.is(false) && (not_up || in_container(snapshot).is(false)))
    return tell(snapshot, Confidence::likely, std::move(evidence), answers);
  if (switches.is(false)) return answers.not_applicable(id, "the host has no NVSwitch");
  if (cuinit.get()) return answers.sound(id);
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable(id, "libcuda is not found");
  answers.unknown(id, why_unknown("/nvidia/cuinit_error", cuinit));
}

}  // namespace

Check driver_fabric_manager() { return {{id}, run}; }

}  // namespace envdoctor
