// driver.compute-mode: the GPU's owner has set a mode that keeps further programs out.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_compute_mode {

using enum SymptomClass;

bool exclusive(const NvidiaDevice& device) { return device.compute_mode.or_empty().starts_with("exclusive"); }

// A process that uses this GPU exclusively.
std::optional<Evidence> holder(const Snapshot& snapshot, const NvidiaDevice& device) {
  for (const auto& [i, process] : numbered(of(snapshot.nvidia, &Nvidia::processes))) {
    if (process.gpu.get() && device.index.is(*process.gpu.get()))
      return evidence(at("/nvidia/processes", i),
                      process.pid.get() ? fmt::format("process {}", *process.pid.get()) : "a process");
  }
  return std::nullopt;
}

// Whether another GPU accepts further programs.
bool another_is_open(const Snapshot& snapshot, const NvidiaDevice& but) {
  return std::ranges::any_of(of(snapshot.nvidia, &Nvidia::devices).or_empty(), [&](const NvidiaDevice& device) {
    return &device != &but && device.compute_mode.is("default") && !device.error.get();
  });
}

Fix set_back(const Snapshot& snapshot, const NvidiaDevice& device, const std::string& what) {
  return on_host(snapshot, what,
                 device.index.get() ? fmt::format("sudo nvidia-smi -i {} -c DEFAULT", *device.index.get()) : "");
}

void report_finding(const Snapshot& snapshot, std::size_t i, const NvidiaDevice& device, Answers& answers) {
  const bool prohibited = device.compute_mode.is("prohibited");
  const auto process = exclusive(device) ? holder(snapshot, device) : std::nullopt;
  if (!prohibited && !process) return;
  Finding& finding = answers.found_on(nvidia::subject_of(device));
  // A process that only renders doesn't block an exclusive GPU for CUDA, but the list doesn't distinguish the two.
  const bool refused = nvidia::cuinit(snapshot).is(cuda_error::device_unavailable);
  finding.confidence = prohibited ? Confidence::certain : refused ? Confidence::likely : Confidence::possible;
  if (another_is_open(snapshot, device) || finding.confidence == Confidence::possible)
    finding.severity = Severity::warning;
  finding.explanation = prohibited ? "The compute mode is 'prohibited': no CUDA program may use this GPU."
                                   : "The compute mode is 'exclusive process' and a process is on the GPU; if it "
                                     "computes there, every other program is refused.";
  finding.evidence = {evidence(at("/nvidia/devices", i, "compute_mode"), *device.compute_mode.get())};
  if (process) finding.evidence.push_back(*process);
  finding.fix = {set_back(snapshot, device, "set the mode back, unless the machine's owner wants it so.")};
}

bool has_work_on_it(const NvidiaDevice& device) {
  constexpr std::int64_t context_mib = 100;
  return used_mib(device).value_or(0) > context_mib;
}

// A program finds its device busy, and a report shows an exclusive GPU with work on it.
void judge_refused(const Facts& facts, Answers& answers) {
  const Symptom* refusal = facts.first({{busy, "cuda-device"}});
  if (!refusal || facts.used()) return;
  for (const auto& [i, device] : numbered(of(facts.snapshot().nvidia, &Nvidia::devices))) {
    if (!exclusive(device) || !has_work_on_it(device)) continue;
    Finding& finding = answers.found_in(*refusal, Confidence::likely);
    finding.explanation =
        "The compute mode is 'exclusive process' and memory is in use on the GPU: a process that computes there keeps "
        "every other program out.";
    finding.evidence.push_back(evidence(at("/nvidia/devices", i, "compute_mode"), *device.compute_mode.get()));
    finding.fix = {set_back(facts, device, "end the process on the GPU if it is left over, or set the mode back.")};
    return;
  }
}

// A report shows only exclusive GPUs, each of them in use: the next program finds none.
void judge_taken(const Snapshot& snapshot, Answers& answers) {
  const auto& devices = of(snapshot.nvidia, &Nvidia::devices).or_empty();
  const bool from_text = snapshot.sources.or_empty().contains("/nvidia/devices");
  const auto taken = [](const NvidiaDevice& device) { return exclusive(device) && has_work_on_it(device); };
  if (!from_text || !answers.findings.empty() || devices.empty() || !std::ranges::all_of(devices, taken)) return;
  Finding& finding = answers.found();
  finding.severity = Severity::warning;
  finding.confidence = Confidence::possible;
  finding.explanation =
      "Every GPU is in the mode 'exclusive process' and memory is in use on each: a further program is refused.";
  finding.evidence = {evidence("/nvidia/devices/0/compute_mode", *devices.front().compute_mode.get())};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  if (devices.get()->empty()) return answers.not_applicable("the driver lists no GPU");
  answers.passed();
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    if (device.compute_mode.get())
      report_finding(snapshot, i, device, answers);
    else if (device.compute_mode.outcome() != Outcome::absent)
      answers.unknown("the compute mode of a GPU is not known");
  }
  judge_taken(snapshot, answers);
}

bool all_in_default_mode(const Facts& facts) {
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  return !devices.empty() &&
         std::ranges::all_of(devices, [](const NvidiaDevice& device) { return device.compute_mode.is("default"); });
}

bool refused_outside_wsl(const Facts& facts) {
  return !facts.used() && !facts.driver_works() && !facts.wsl() && !facts.saw({{failed, "gpu"}});
}

// A mode of old drivers gives a context to a single thread; the program's second thread gets this error.
bool one_thread_only(const Facts& facts) {
  return std::ranges::any_of(of(facts.snapshot().nvidia, &Nvidia::devices).or_empty(),
                             [](const NvidiaDevice& device) { return device.compute_mode.is("exclusive_thread"); });
}

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
              helped_by("shared-compute-mode"),
              {{busy, "cuda-device"},
               possible,
               [](const Facts& f) {
                 return !f.saw({{failed, "gpu"}, {refused, "vgpu-licence"}}) && !all_in_default_mode(f);
               }},
              {{failed, "cuda-call"}, possible, refused_outside_wsl, "code", cuda_error::device_unavailable},
              {{failed, "cuinit"}, possible, refused_outside_wsl, "code", cuda_error::device_unavailable},
              {{failed, "cuda-check"}, likely, one_thread_only, "code", cuda_error::context_already_in_use},
              {{failed, "cuda"}, likely, one_thread_only, "code", cuda_error::context_already_in_use},
              {{failed, "cuda-mps"}, possible, [](const Facts& f) { return !f.container(); }},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
      .judge = judge_refused,
  };
}

}  // namespace envdoctor::driver_compute_mode
