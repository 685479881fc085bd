// driver.fabric-manager: GPUs joined by NVSwitch, whose fabric nobody has set up.
#include <algorithm>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_fabric_manager {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.fabric-manager";

// The first GPU whose fabric isn't up, as evidence.
std::optional<Evidence> fabric_not_up(const Snapshot& snapshot) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  for (std::size_t i = 0; devices.get() && i < devices.get()->size(); ++i) {
    const Text& state = (*devices.get())[i].fabric_state;
    if (state.is("not_started") || state.is("in_progress"))
      return evidence(at("/nvidia/devices", i, "fabric_state"), *state.get());
  }
  return std::nullopt;
}

void tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation =
      "On boards with NVSwitch CUDA starts only after the fabric manager has set up the links, even for a single GPU. "
      "nvidia-smi works without it.";
  finding.evidence = std::move(proof);
  finding.fix = {{.text = on_the_host(snapshot) + "install nvidia-fabricmanager in exactly the driver's version" +
                          (version.get() ? " (" + *version.get() + ")" : "") + " and start its service.",
                  .command = host_command(snapshot, "sudo systemctl enable --now nvidia-fabricmanager")},
                 {.text = on_the_host(snapshot) +
                          "if the service runs and the fault stays, its log tells which link or switch fails.",
                  .command = host_command(snapshot, "sudo journalctl -u nvidia-fabricmanager -b --no-pager")}};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.passed(id);
  const Text cuinit = nvidia::cuinit(snapshot);
  const Flag switches = of(snapshot.nvidia, &Nvidia::nvswitch);
  const Flag running = of(snapshot.nvidia, &Nvidia::fabric_manager_running);
  const auto not_up = fabric_not_up(snapshot);
  std::vector<Evidence> proof;
  if (not_up) proof.push_back(*not_up);
  if (switches.is(true)) proof.push_back(evidence("/nvidia/nvswitch", "true"));
  if (running.is(false)) proof.push_back(evidence("/nvidia/fabric_manager_running", "false"));
  if (cuinit.is(cuda_error::system_not_ready)) {
    proof = nvidia::joined(nvidia::cuinit_evidence(snapshot), proof);
    const bool proved = (switches.is(true) && running.is(false)) || not_up;
    return tell(snapshot, proved ? Confidence::certain : Confidence::likely, std::move(proof), answers);
  }
  if (cuinit.outcome() == Outcome::absent) return answers.passed(id);
  if (!cuinit.get() && switches.is(true) && running.is(false) && (not_up || in_container(snapshot).is(false)))
    return tell(snapshot, Confidence::likely, std::move(proof), answers);
  if (switches.is(false)) return answers.not_applicable(id, "the host has no NVSwitch");
  if (cuinit.get()) return answers.passed(id);
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable(id, "libcuda is not found");
  answers.unknown(id, why_unknown("/nvidia/cuinit_error", cuinit));
}

// Without NVSwitch the service stops at once and says so; nothing waits for it.
bool fabric_wanted(const Facts& facts) { return when::no_driver_answers(facts) && !facts.saw({{missing, "nvswitch"}}); }

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.fabric-manager",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "The NVSwitch fabric is not initialised",
      .claim =
          "The GPUs are joined by NVSwitch, and CUDA waits for the fabric manager, which isn't running or has failed.",
      .proof = "cuInit answers 802 (SYSTEM_NOT_READY), or NVML reports a fabric that isn't completed.",
      .disproof = "cuInit succeeds, or the fabric state of the GPUs is 'completed'.",
      .remedy = "Install nvidia-fabricmanager in exactly the driver's version on the host and start its service.",
      .explains = with_unusable_driver({"driver.init-failed", "hardware.mig-unconfigured"}),
      .symptoms =
          {
              {{failed, "fabric-manager"}, likely, fabric_wanted},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_fabric_manager
