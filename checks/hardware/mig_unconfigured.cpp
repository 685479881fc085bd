// hardware.mig-unconfigured: MIG mode is on but has no instances, so CUDA finds no device.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::hardware_mig_unconfigured {

using enum SymptomClass;

// Without the list of instances: CUDA fails where NVML lists the GPU.
bool cuda_fails(const Snapshot& snapshot) {
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  return nvidia::cuinit(snapshot).is(cuda_error::no_device) || (cuda.get() && cuda.get()->empty()) ||
         of(snapshot.torch, &Torch::cuda_available).is(false);
}

void report_finding(const Snapshot& snapshot, const NvidiaDevice& device, std::size_t index, Confidence confidence,
                    Answers& answers) {
  Finding& finding = nvidia::fault(answers, snapshot, confidence,
                                   {evidence(at("/nvidia/devices", index, "mig"), "true")}, nvidia::subject_of(device));
  finding.explanation = fmt::format("With MIG mode on CUDA runs on slices of the GPU only, and none has been made{}.",
                                    nvidia::contained(snapshot) ? " or given to this container" : "");
  if (device.mig_devices.get())
    finding.evidence.push_back(evidence(at("/nvidia/devices", index, "mig_devices"), "none"));
  const bool exact = device.index.get() && confidence == Confidence::certain;
  const auto command = [&](const char* text) {
    return exact ? fmt::format(fmt::runtime(text), *device.index.get()) : std::string();
  };
  finding.fix = {on_host(snapshot,
                         "make instances of the size you want (nvidia-smi mig -lgip lists the sizes), for example one "
                         "of profile 0, the whole GPU, with -C for its compute instance.",
                         command("sudo nvidia-smi mig -i {} -cgi 0 -C")),
                 on_host(snapshot, "or switch MIG mode off while nothing runs on the GPU.",
                         command("sudo nvidia-smi -i {} -mig 0"))};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  answers.not_applicable("no GPU is in MIG mode");
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    const bool on = device.mig.is(true), listed = device.mig_devices.get();
    const bool fails = on && !listed && cuda_fails(snapshot);
    if (on) answers.passed();
    if (device.mig.outcome() == Outcome::failed || device.mig.outcome() == Outcome::not_probed ||
        (on && !listed && !fails))
      answers.unknown("whether a GPU is in MIG mode, or how it is cut, is not known");
    if (fails || (on && listed && device.mig_devices.get()->empty()))
      report_finding(snapshot, device, i, fails ? Confidence::likely : Confidence::certain, answers);
  }
}

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
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::hardware_mig_unconfigured
