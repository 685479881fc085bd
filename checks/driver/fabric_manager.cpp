// driver.fabric-manager: the fabric of GPUs joined by NVSwitch is not set up.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_fabric_manager {

using enum SymptomClass;

// The first GPU whose fabric isn't up, as evidence.
std::optional<Evidence> fabric_not_up(const Snapshot& snapshot) {
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    const Text& state = device.fabric_state;
    if (state.is("not_started") || state.is("in_progress"))
      return evidence(at("/nvidia/devices", i, "fabric_state"), *state.get());
  }
  return std::nullopt;
}

void report_finding(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  Finding& finding = nvidia::fault(answers, snapshot, confidence, std::move(proof));
  finding.explanation =
      "On boards with NVSwitch CUDA starts only after the fabric manager has set up the links, even for a single GPU. "
      "nvidia-smi works without it.";
  finding.fix = {on_host(snapshot,
                         "install nvidia-fabricmanager in exactly the driver's version" +
                             (version.get() ? " (" + *version.get() + ")" : "") + " and start its service.",
                         "sudo systemctl enable --now nvidia-fabricmanager"),
                 on_host(snapshot, "if the service runs and the fault stays, its log tells which link or switch fails.",
                         "sudo journalctl -u nvidia-fabricmanager -b --no-pager")};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::cuda_works(snapshot)) return answers.passed();
  const Text cuinit = nvidia::cuinit(snapshot);
  const Flag switches = of(snapshot.nvidia, &Nvidia::nvswitch);
  const bool stopped = switches.is(true) && of(snapshot.nvidia, &Nvidia::fabric_manager_running).is(false);
  const auto not_up = fabric_not_up(snapshot);
  std::vector<Evidence> proof;
  if (not_up) proof.push_back(*not_up);
  if (switches.is(true)) proof.push_back(evidence("/nvidia/nvswitch", "true"));
  if (of(snapshot.nvidia, &Nvidia::fabric_manager_running).is(false))
    proof.push_back(evidence("/nvidia/fabric_manager_running", "false"));
  if (cuinit.is(cuda_error::system_not_ready))
    return report_finding(snapshot, stopped || not_up ? Confidence::certain : Confidence::likely,
                          nvidia::joined(nvidia::cuinit_evidence(snapshot), proof), answers);
  if (cuinit.outcome() == Outcome::absent) return answers.passed();
  const bool found_none = of(snapshot.torch, &Torch::cuda_available).is(false);
  if (!cuinit.get() && stopped && (not_up || found_none || in_container(snapshot).is(false)))
    return report_finding(snapshot, Confidence::likely, std::move(proof), answers);
  if (switches.is(false)) return answers.not_applicable("the host has no NVSwitch");
  if (cuinit.get()) return answers.passed();
  if (nvidia::libcuda(snapshot).outcome() == Outcome::absent) return answers.not_applicable("libcuda is not found");
  answers.unknown(why_unknown("/nvidia/cuinit_error", cuinit));
}

// Without NVSwitch the service stops at once and logs that; nothing needs it.
bool fabric_wanted(const Facts& facts) { return when::no_driver_answers(facts) && !facts.saw({{missing, "nvswitch"}}); }

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
              helped_by("fabric-manager"),
              {{failed, "fabric-manager"}, likely, fabric_wanted},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_fabric_manager
