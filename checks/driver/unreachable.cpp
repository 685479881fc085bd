// driver.unreachable: programs can't reach the driver and what was seen fits several causes. The group is told, its
// members by likelihood, with the command that decides; never where a check can name the cause.
#include <algorithm>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"
#include "checks/facts/group_members.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_unreachable {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.unreachable";

struct Member {
  const char* cause;
  const char* why;
};

// What a program or NVML said that several causes would make it say.
std::vector<Evidence> complaints(const Facts& facts) {
  const Snapshot& snapshot = facts.snapshot();
  std::vector<Evidence> found;
  const Text nvml = nvidia::nvml(snapshot);
  for (const char* name :
       {nvml_error::driver_not_loaded, nvml_error::library_not_found, nvml_error::unknown, nvml_error::not_found}) {
    // That NVML lists nothing, these lines explain.
    const bool no_device = std::string_view(name) == nvml_error::not_found;
    if (no_device &&
        facts.saw({{missing, "device-for-kernel-module"}, {missing, "nvidia-gpu"}, {failed, "pci-memory-region"}}))
      continue;
    if (nvml.is(name)) found = nvidia::nvml_evidence(snapshot);
  }
  const Text cuinit = nvidia::cuinit(snapshot);
  for (const char* name :
       {cuda_error::no_device, cuda_error::shared_object_init_failed, cuda_error::operating_system}) {
    // With a kernel driver, a library that isn't found has a diagnosis of its own.
    const bool named = std::string_view(name) == cuda_error::shared_object_init_failed &&
                       nvidia::kernel_driver_runs(snapshot).is(true);
    if (cuinit.is(name) && !named) found = nvidia::joined(std::move(found), nvidia::cuinit_evidence(snapshot));
  }
  for (const Kind& kind : {Kind{missing, "driver"}, Kind{missing, "kernel-driver"}, Kind{missing, "libcuda"},
                           Kind{missing, "driver-in-container"}}) {
    for (const Symptom* line : symptoms_of(snapshot, kind)) {
      found.push_back(evidence(*line));
      break;
    }
  }
  const bool cuda_build = of(snapshot.torch, &Torch::cuda_version).get() != nullptr;
  if (cuda_build && of(snapshot.torch, &Torch::cuda_available).is(false))
    found.push_back(evidence("/torch/cuda_available", "false"));
  return found;
}

// A visibility variable that selects nothing would make a healthy driver answer the same.
bool hidden_on_purpose(const Snapshot& snapshot) {
  const Text visible = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  return visible.get() != nullptr && nvidia::cuinit(snapshot).is(cuda_error::no_device);
}

// The causes that the known facts leave, the likeliest first.
std::vector<Member> members(const Snapshot& snapshot) {
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  const Flag installed = nvidia::user_space_installed(snapshot);
  const Flag nodes = nvidia::has_nodes(snapshot);
  const Flag contained = in_container(snapshot);
  std::vector<Member> left;
  if (contained.is(true) && !nodes.is(true))
    left.push_back({"visibility.container-hidden", "the container was started without the GPU"});
  if (!runs.is(true) && !installed.is(false))
    left.push_back({"driver.module-not-loaded", "the kernel module isn't loaded, often after a kernel update"});
  if (!runs.is(true) && !installed.is(true)) left.push_back({"driver.not-installed", "no driver is installed"});
  if (installed.outcome() != Outcome::present)
    left.push_back({"driver.libcuda-missing", "the driver's library is not on the search path"});
  if (runs.is(true) && !nodes.is(true)) left.push_back({"driver.device-nodes-missing", "device nodes are missing"});
  if (!snapshot.device_nodes.get()) left.push_back({"driver.permission", "this user may not open the device nodes"});
  if (!runs.is(true)) left.push_back({"driver.secure-boot", "the kernel refused the module's signature"});
  if (runs.is(true)) left.push_back({"driver.gpu-init-failed", "the GPU could not be started"});
  return left;
}

// Whether one of the specific checks can name the cause already: its facts are all known.
bool facts_complete(const Snapshot& snapshot) {
  return snapshot.pci.get() && nvidia::kernel_driver_runs(snapshot).get() &&
         nvidia::user_space_installed(snapshot).get() && snapshot.device_nodes.get();
}

void tell(const Snapshot& snapshot, std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.confidence = Confidence::possible;
  finding.explanation = "What was seen fits several causes. By likelihood: ";
  bool first = true;
  for (const Member& member : members(snapshot)) {
    finding.explanation += std::string(first ? "" : "; ") + member.why + " (" + member.cause + ")";
    first = false;
  }
  finding.explanation += ".";
  finding.evidence = std::move(proof);
  if (nvidia::on_platform(snapshot, "windows")) return;
  std::vector<GroupMember> deciders;
  for (const Member& member : members(snapshot)) {
    if (const GroupMember* known = group_member(member.cause, nvidia::contained(snapshot))) deciders.push_back(*known);
  }
  finding.fix = deciding_commands(deciders);
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "under WSL this is driver.wsl");
  if (nvidia::on_platform(snapshot, "macos")) return answers.not_applicable(id, "macOS has no NVIDIA driver");
  if (nvidia::cuda_works(snapshot) || nvidia::cuinit(snapshot).outcome() == Outcome::absent) return answers.passed(id);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  auto proof = complaints(facts);
  // NVML lists GPUs: the driver is reached, whatever else is wrong.
  if (devices.get() && !devices.get()->empty()) return answers.passed(id);
  if (proof.empty()) return answers.unknown(id, "no program was seen to fail at the driver, and none to reach it");
  if (facts_complete(snapshot))
    return answers.not_applicable(id, "the facts that tell the causes apart are known; see the other checks");
  if (!when::no_better_cause(facts)) return answers.not_applicable(id, "a message names the cause");
  if (hidden_on_purpose(snapshot)) return answers.not_applicable(id, "a variable hides the GPUs");
  tell(snapshot, std::move(proof), answers);
}

bool too_old_perhaps(const Facts& facts) { return facts.driver_dead() && when::no_better_cause(facts); }

// A number that is too high is refused in the same words.
bool refused_without_cuda(const Facts& facts) {
  return when::no_better_cause(facts) && facts.saw({{missing, "torch-cuda"}});
}

// The module finds no GPU of NVIDIA's, and doesn't say that it ignores one.
bool no_gpu_ignored(const Facts& facts) {
  return when::no_driver_answers(facts) &&
         !facts.saw(
             {{refused, "kernel-module-signature"}, {unsupported, "gpu"}, {too_old, "gpu"}, {ignored, "driver-probe"}});
}

// HSA says no more than this of a /dev/kfd that it can't open, whatever the reason.
bool hsa_alone(const Facts& facts) {
  return when::no_better_cause(facts) && !facts.saw({{missing, "amdgpu-kernel-module"},
                                                     {missing, "kfd-node"},
                                                     {refused, "kfd-node"},
                                                     {unsupported, "amd-gpu"},
                                                     {limited, "kfd-node"},
                                                     {mismatch, "amd-kernel-driver-and-runtime"},
                                                     {missing, "hip-kernel-image"},
                                                     {failed, "amd-gpu-initialization"}});
}

}  // namespace

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
              {{missing, "driver-version"}, possible, when::no_better_cause},
              {{noted, "nvidia-smi-versions"}, possible, when::no_better_cause, "cuda", "ERR!"},
              {{missing, "cuda"}, possible, when::no_better_cause},
              {{missing, "available-gpu"}, possible, when::no_better_cause},
              {{missing, "visible-gpu"}, possible, when::no_better_cause},
              {{missing, "hip-device"}, possible, when::no_better_cause},
              {{failed, "hsa"}, possible, hsa_alone},
              {{missing, "cuda-device"}, possible, when::no_better_cause},
              {{missing, "supported-device"}, possible, when::no_better_cause},
              {{failed, "cuda-in-program"}, possible, when::no_better_cause},
              {{refused, "cuda-device"}, possible, refused_without_cuda},
              {{missing, "slurm-gpu"}, possible, when::no_better_cause, "have", "0"},
              {{missing, "gpu"}, possible, when::no_better_cause},
              {{failed, "level-zero"}, possible},
              {{missing, "nvidia-gpu"}, possible, no_gpu_ignored},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_unreachable
