// driver.unreachable: programs can't reach the driver and the facts fit several causes. Reports the group with its
// members by likelihood and the command that decides; not where another check can name the cause.
#include "checks/driver/nvidia_facts.h"
#include "checks/facts/group_members.h"

namespace envdoctor::driver_unreachable {

using enum SymptomClass;

struct Cause {
  const char* id;
  const char* why;
  bool possible;
};

// A message of a program or NVML that has several possible causes.
std::vector<Evidence> complaints(const Facts& facts) {
  const Text nvml = nvidia::nvml(facts), cuinit = nvidia::cuinit(facts);
  // These lines explain that NVML lists nothing.
  const bool none_explained =
      facts.saw({{missing, "device-for-kernel-module"}, {missing, "nvidia-gpu"}, {failed, "pci-memory-region"}});
  // If there is a kernel driver, a missing library has its own diagnosis.
  const bool named = cuinit.is(cuda_error::shared_object_init_failed) && nvidia::kernel_driver_runs(facts).is(true);
  std::vector<Evidence> found;
  if (nvml.is(nvml_error::driver_not_loaded) || nvml.is(nvml_error::library_not_found) ||
      nvml.is(nvml_error::unknown) || (nvml.is(nvml_error::not_found) && !none_explained))
    found = nvidia::nvml_evidence(facts);
  if (cuinit.is(cuda_error::no_device) || cuinit.is(cuda_error::operating_system) ||
      (cuinit.is(cuda_error::shared_object_init_failed) && !named))
    found = nvidia::joined(std::move(found), nvidia::cuinit_evidence(facts));
  for (const char* what : {"driver", "kernel-driver", "libcuda", "driver-in-container"}) {
    if (const Symptom* line = first_symptom(facts, {{missing, what}})) found.push_back(evidence(*line));
  }
  const Reading<Torch>& torch = facts.snapshot().torch;
  if (of(torch, &Torch::cuda_version).get() && of(torch, &Torch::cuda_available).is(false))
    found.push_back(evidence("/torch/cuda_available", "false"));
  return found;
}

// A visibility variable that selects nothing would make a healthy driver answer the same.
bool hidden_on_purpose(const Snapshot& snapshot) {
  return env_of(snapshot, "CUDA_VISIBLE_DEVICES").get() && nvidia::cuinit(snapshot).is(cuda_error::no_device);
}

// The causes that the known facts don't rule out, the likeliest first.
std::vector<Cause> causes(const Snapshot& snapshot) {
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Flag installed = nvidia::user_space_installed(snapshot);
  const bool nodes = nvidia::has_nodes(snapshot).is(true);
  std::vector<Cause> all = {
      {"visibility.container-hidden", "the container was started without the GPU",
       in_container(snapshot).is(true) && !nodes},
      {"driver.module-not-loaded", "the kernel module isn't loaded, often after a kernel update",
       !runs.is(true) && !installed.is(false)},
      {"driver.not-installed", "no driver is installed", !runs.is(true) && !installed.is(true)},
      {"driver.libcuda-missing", "the driver's library is not on the search path", !installed.get()},
      {"driver.device-nodes-missing", "device nodes are missing", runs.is(true) && !nodes},
      {"driver.permission", "this user may not open the device nodes", !snapshot.device_nodes.get()},
      {"driver.secure-boot", "the kernel refused the module's signature", !runs.is(true)},
      {"driver.gpu-init-failed", "the GPU could not be started", runs.is(true)}};
  std::erase_if(all, [](const Cause& cause) { return !cause.possible; });
  return all;
}

// Whether one of the specific checks can already name the cause: all its facts are known.
bool facts_complete(const Snapshot& snapshot) {
  return snapshot.pci.get() && nvidia::kernel_driver_runs(snapshot).get() &&
         nvidia::user_space_installed(snapshot).get() && snapshot.device_nodes.get();
}

void report_finding(const Snapshot& snapshot, std::vector<Evidence> proof, Answers& answers) {
  std::vector<std::string> words;
  std::vector<GroupMember> deciders;
  for (const Cause& cause : causes(snapshot)) {
    words.push_back(fmt::format("{} ({})", cause.why, cause.id));
    if (const GroupMember* known = group_member(cause.id, nvidia::contained(snapshot))) deciders.push_back(*known);
  }
  Finding& finding = answers.found();
  finding.confidence = Confidence::possible;
  finding.explanation = fmt::format("What was seen fits several causes. By likelihood: {}.", fmt::join(words, "; "));
  finding.evidence = std::move(proof);
  if (!nvidia::on_platform(snapshot, "windows")) finding.fix = deciding_commands(deciders);
}

// What only a driver that was reached lets a program say: its GPU is full, taken or lacks the code, and the number that
// was asked for is too high. That it finds no GPU, then, is a consequence.
bool driver_was_reached(const Facts& facts) {
  if (facts.saw({{failed, "hsa"}, {failed, "hip-start"}, {failed, "cuinit"}})) return false;
  return facts.saw({{busy, "cuda-device"},
                    {exhausted, "cuda-memory"},
                    {exhausted, "gpu-memory"},
                    {missing, "cuda-kernel-image"},
                    {unsupported, "gpu-architecture"},
                    {refused, "cuda-after-fork"},
                    {missing, "gpu-index"},
                    {missing, "cuda-device-index"},
                    {missing, "any-gpu-index"},
                    {missing, "gpus-asked-for"}});
}

bool no_better_cause(const Facts& facts) { return when::no_better_cause(facts) && !driver_was_reached(facts); }

// A program asks for the drivers of all makers, and reports those that are not there.
bool no_better_cause_nor_oneapi_gpu(const Facts& facts) {
  return no_better_cause(facts) && !facts.with({present, "sycl-device"}, "type", "gpu");
}

void judge(const Facts& facts, Answers& answers) {
  if (nvidia::on_wsl(facts)) return answers.not_applicable("under WSL this is driver.wsl");
  if (nvidia::on_platform(facts, "macos")) return answers.not_applicable("macOS has no NVIDIA driver");
  if (nvidia::cuda_works(facts) || nvidia::cuinit(facts).outcome() == Outcome::absent) return answers.passed();
  // NVML lists GPUs: the driver is reachable, whatever else is wrong.
  if (!of(facts.snapshot().nvidia, &Nvidia::devices).or_empty().empty()) return answers.passed();
  auto proof = complaints(facts);
  if (proof.empty()) return answers.unknown("no program was seen to fail at the driver, and none to reach it");
  if (facts_complete(facts))
    return answers.not_applicable("the facts that tell the causes apart are known; see the other checks");
  if (!no_better_cause_nor_oneapi_gpu(facts))
    return answers.not_applicable("a message names the cause, or another GPU answers");
  if (hidden_on_purpose(facts)) return answers.not_applicable("a variable hides the GPUs");
  report_finding(facts, std::move(proof), answers);
}

// OpenCL lists no GPU either.
bool no_driver_seen(const Facts& facts) { return no_better_cause(facts) && !opencl_lists_gpu(facts.snapshot()); }

bool too_old_perhaps(const Facts& facts) { return facts.driver_dead() && no_better_cause(facts); }

// Programs report a missing GPU for many reasons; it is the driver only where nothing else was seen.
bool nothing_known(const Facts& facts) {
  return !nvidia::on_platform(facts, "macos") && no_better_cause_nor_oneapi_gpu(facts) && !when::gpu_listed(facts) &&
         !facts.wsl() &&
         !facts.saw({{missing, "gpu-support"},
                     {missing, "library"},
                     {missing, "gpu-libraries"},
                     {missing, "cuda-libraries"},
                     {missing, "opencl-platform"},
                     {missing, "opencl-device"},
                     {noted, "cpu-build"}});
}

// A program that asks OpenCL alone finds no device where OpenCL has no platform.
bool not_by_opencl(const Facts& facts) {
  return !nvidia::on_platform(facts, "macos") && no_better_cause(facts) && !facts.saw({{missing, "opencl-platform"}});
}

// A device number that is too high gives the same message.
bool refused_without_cuda(const Facts& facts) { return no_better_cause(facts) && facts.saw({{missing, "torch-cuda"}}); }

// The module finds no NVIDIA GPU, and doesn't say that it ignores one.
bool no_gpu_ignored(const Facts& facts) {
  return when::no_driver_answers(facts) &&
         !facts.saw(
             {{refused, "kernel-module-signature"}, {unsupported, "gpu"}, {too_old, "gpu"}, {ignored, "driver-probe"}});
}

// HSA prints only this if it can't open /dev/kfd, whatever the reason.
bool hsa_alone(const Facts& facts) {
  return no_better_cause(facts) && !facts.saw({{missing, "amdgpu-kernel-module"},
                                               {missing, "kfd-node"},
                                               {refused, "kfd-node"},
                                               {unsupported, "amd-gpu"},
                                               {limited, "kfd-node"},
                                               {mismatch, "amd-kernel-driver-and-runtime"},
                                               {missing, "hip-kernel-image"},
                                               {failed, "amd-gpu-initialization"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.unreachable",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "Programs can't reach the GPU's driver",
      .claim = "Something between the GPU and the driver's library is broken; what was seen fits several causes.",
      .proof = "No driver answers, and nothing seen tells which of the causes it is.",
      .disproof = "nvidia-smi, rocminfo or sycl-ls lists the GPU.",
      .remedy = "Run the deciding command that the finding names; its answer names the cause.",
      .symptoms =
          {
              {{too_old, "driver"}, possible, too_old_perhaps},
              {{missing, "driver-version"}, possible, no_better_cause},
              {{noted, "nvidia-smi-versions"}, possible, no_better_cause, "cuda", "ERR!"},
              {{missing, "cuda"}, possible, no_driver_seen},
              {{missing, "available-gpu"}, possible, no_better_cause},
              {{missing, "visible-gpu"}, possible, no_better_cause},
              {{missing, "hip-device"}, possible, no_better_cause_nor_oneapi_gpu},
              {{failed, "hsa"}, possible, hsa_alone},
              {{missing, "cuda-device"}, possible, no_better_cause},
              {{missing, "supported-device"}, possible, no_better_cause},
              {{failed, "cuda-in-program"}, possible, no_better_cause},
              {{refused, "cuda-device"}, possible, refused_without_cuda},
              {{missing, "slurm-gpu"}, possible, no_better_cause, "have", "0"},
              {{missing, "gpu"}, possible, not_by_opencl},
              {{missing, "any-gpu"}, possible, nothing_known},
              {{missing, "any-driver"}, possible, nothing_known},
              {{refused, "any-gpu"}, possible, nothing_known},
              {{missing, "nvidia-gpu"}, possible, no_gpu_ignored},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_unreachable
