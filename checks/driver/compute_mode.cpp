// driver.compute-mode: the GPU's owner has set a mode that keeps further programs out.
#include <fmt/format.h>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

namespace envdoctor::driver_compute_mode {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.compute-mode";

// A process on this GPU, which an exclusive mode gives it to alone.
const NvidiaProcess* holder(const Snapshot& snapshot, const NvidiaDevice& device, std::size_t* position) {
  const auto& processes = of(snapshot.nvidia, &Nvidia::processes);
  for (std::size_t i = 0; processes.get() && i < processes.get()->size(); ++i) {
    const NvidiaProcess& process = (*processes.get())[i];
    if (!process.gpu.get() || !device.index.get() || *process.gpu.get() != *device.index.get()) continue;
    *position = i;
    return &process;
  }
  return nullptr;
}

// Whether another GPU is open to everybody.
bool another_is_open(const std::vector<NvidiaDevice>& devices, const NvidiaDevice* but) {
  for (const NvidiaDevice& device : devices) {
    if (&device != but && device.compute_mode.is("default") && !device.error.get()) return true;
  }
  return false;
}

void tell(const Snapshot& snapshot, const std::vector<NvidiaDevice>& devices, std::size_t i, Answers& answers) {
  const NvidiaDevice& device = devices[i];
  const bool prohibited = device.compute_mode.is("prohibited");
  std::size_t position = 0;
  const NvidiaProcess* process = prohibited ? nullptr : holder(snapshot, device, &position);
  if (!prohibited && !process) return;
  Finding& finding = answers.found(id, nvidia::subject_of(device));
  // A process that only draws doesn't take an exclusive GPU away from CUDA, and the list doesn't tell the two apart.
  const bool refused = nvidia::cuinit(snapshot).is(cuda_error::device_unavailable);
  finding.confidence = prohibited ? Confidence::certain : refused ? Confidence::likely : Confidence::possible;
  if (another_is_open(devices, &device) || finding.confidence == Confidence::possible)
    finding.severity = Severity::warning;
  finding.explanation =
      prohibited ? "The compute mode is 'prohibited': no CUDA program may use this GPU."
                 : "The compute mode is 'exclusive process' and a process is on the GPU; if it computes there, every "
                   "other program is refused.";
  finding.evidence = {evidence(at("/nvidia/devices", i, "compute_mode"), *device.compute_mode.get())};
  if (process)
    finding.evidence.push_back(
        evidence(at("/nvidia/processes", position),
                 process->pid.get() ? fmt::format("process {}", *process->pid.get()) : "a process"));
  const std::string number = device.index.get() ? fmt::format("{}", *device.index.get()) : "";
  finding.fix = {
      {.text = on_the_host(snapshot) + "set the mode back, unless the machine's owner wants it so.",
       .command = number.empty() ? "" : host_command(snapshot, "sudo nvidia-smi -i " + number + " -c DEFAULT")}};
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const auto& devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  bool unknown = false;
  for (std::size_t i = 0; i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    if (device.compute_mode.get())
      tell(snapshot, *devices.get(), i, answers);
    else if (device.compute_mode.outcome() != Outcome::absent)
      unknown = true;
  }
  if (unknown) return answers.unknown(id, "the compute mode of a GPU is not known");
  if (devices.get()->empty()) return answers.not_applicable(id, "the driver lists no GPU");
  answers.passed(id);
}

bool refused_outside_wsl(const Facts& facts) {
  return !facts.used() && !facts.driver_works() && !facts.wsl() && !facts.saw({{failed, "gpu"}});
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.compute-mode",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The GPU's compute mode keeps programs out",
      .claim = "The mode is 'prohibited', or 'exclusive process' while another process holds the GPU.",
      .proof = "NVML reports exclusive or prohibited mode, and CUDA answers that devices are busy or unavailable.",
      .disproof = "The compute mode is 'default', or nobody else holds the exclusive GPU.",
      .remedy = "Set the mode back with nvidia-smi -c DEFAULT (as root), or wait for the other process.",
      .explains = {"driver.init-failed", "usage.detected-unused"},
      .symptoms =
          {
              {{busy, "cuda-device"},
               possible,
               [](const Facts& f) {
                 return !f.saw({{SymptomClass::failed, "gpu"}});
               }},
              {{failed, "cuda-call"}, possible, refused_outside_wsl, "code", cuda_error::device_unavailable},
              {{failed, "cuinit"}, possible, refused_outside_wsl, "code", cuda_error::device_unavailable},
              {{failed, "cuda-mps"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_compute_mode
