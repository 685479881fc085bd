// hardware.mig-unconfigured: MIG mode is on and nothing was cut, so CUDA finds no device.
#include <fmt/format.h>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

namespace envdoctor::hardware_mig_unconfigured {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.mig-unconfigured";

// Without the list of slices: CUDA fails where NVML lists the GPU.
bool cuda_fails(const Snapshot& snapshot) {
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  return nvidia::cuinit(snapshot).is(cuda_error::no_device) || (cuda.get() && cuda.get()->empty()) ||
         of(snapshot.torch, &Torch::cuda_available).is(false);
}

void tell(const Snapshot& snapshot, const NvidiaDevice& device, std::size_t index, Confidence confidence,
          Answers& answers) {
  Finding& finding = answers.found(id, nvidia::subject_of(device));
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation = "With MIG mode on CUDA runs on slices of the GPU only, and none has been made" +
                        std::string(nvidia::contained(snapshot) ? " or given to this container." : ".");
  finding.evidence = {evidence(at("/nvidia/devices", index, "mig"), "true")};
  if (device.mig_devices.get())
    finding.evidence.push_back(evidence(at("/nvidia/devices", index, "mig_devices"), "none"));
  const std::string number = device.index.get() ? fmt::format("{}", *device.index.get()) : std::string();
  const bool exact = !number.empty() && confidence == Confidence::certain;
  finding.fix = {{.text = on_the_host(snapshot) + "make instances of the size you want (nvidia-smi mig -lgip lists the "
                                                  "sizes), for example one of profile 0, the "
                                                  "whole GPU, with -C for its compute instance.",
                  .command = exact ? host_command(snapshot, "sudo nvidia-smi mig -i " + number + " -cgi 0 -C") : ""},
                 {.text = on_the_host(snapshot) + "or switch MIG mode off while nothing runs on the GPU.",
                  .command = exact ? host_command(snapshot, "sudo nvidia-smi -i " + number + " -mig 0") : ""}};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  bool any_mig = false;
  bool unknown = false;
  for (std::size_t i = 0; i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    if (device.mig.outcome() == Outcome::failed || device.mig.outcome() == Outcome::not_probed) unknown = true;
    if (!device.mig.is(true)) continue;
    any_mig = true;
    if (const auto* slices = device.mig_devices.get()) {
      if (slices->empty()) tell(snapshot, device, i, Confidence::certain, answers);
    } else if (cuda_fails(snapshot)) {
      tell(snapshot, device, i, Confidence::likely, answers);
    } else {
      unknown = true;
    }
  }
  if (unknown) return answers.unknown(id, "whether a GPU is in MIG mode, or how it is cut, is not known");
  if (any_mig) return answers.passed(id);
  answers.not_applicable(id, "no GPU is in MIG mode");
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.mig-unconfigured",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "MIG mode is on and no MIG device exists",
      .claim = "The GPU is split by Multi-Instance GPU mode but has no instance, and CUDA can only use instances then.",
      .proof = "MIG mode is on, and the GPU has no instance.",
      .disproof = "A MIG device is listed for the GPU, or MIG mode is off.",
      .remedy = "Create a GPU instance with its compute instance, or switch MIG mode off.",
      .explains = {"usage.detected-unused", "driver.init-failed", "driver.unreachable"},
      .symptoms =
          {
              {{missing, "mig-instance"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_mig_unconfigured
