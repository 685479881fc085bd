// driver.unreachable: programs can't reach the driver and what was seen fits several causes. The group is told, its
// members by likelihood, with the command that decides; never where a check can name the cause.
#include <algorithm>

#include "checks/distro.h"
#include "checks/group_members.h"
#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.unreachable";

struct Member {
  const char* cause;
  const char* why;
};

// What a program or NVML said that several causes would make it say.
std::vector<Evidence> complaints(const Snapshot& snapshot) {
  std::vector<Evidence> found;
  const Text nvml = nvidia::nvml(snapshot);
  for (const char* name :
       {"NVML_ERROR_DRIVER_NOT_LOADED", "NVML_ERROR_LIBRARY_NOT_FOUND", "NVML_ERROR_UNKNOWN", "NVML_ERROR_NOT_FOUND"}) {
    if (nvml.is(name)) found.push_back(nvidia::nvml_evidence(snapshot));
  }
  const Text cuinit = nvidia::cuinit(snapshot);
  for (const char* name :
       {"CUDA_ERROR_NO_DEVICE", "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "CUDA_ERROR_OPERATING_SYSTEM"}) {
    if (cuinit.is(name)) found.push_back(nvidia::cuinit_evidence(snapshot));
  }
  for (const char* event :
       {"no-nvidia-driver", "kernel-driver-not-running", "libcuda-not-loaded", "container-banner"}) {
    for (const LogEvent* line : events_of(snapshot, event)) {
      found.push_back(seen(*line, event));
      break;
    }
  }
  const bool cuda_build = of(snapshot.torch, &Torch::cuda_version).get() != nullptr;
  if (cuda_build && of(snapshot.torch, &Torch::cuda_available).is(false))
    found.push_back(seen("/torch/cuda_available", "false"));
  return found;
}

// A visibility variable that selects nothing would make a healthy driver answer the same.
bool hidden_on_purpose(const Snapshot& snapshot) {
  const Text visible = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  return visible.get() != nullptr && nvidia::cuinit(snapshot).is("CUDA_ERROR_NO_DEVICE");
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

void tell(const Snapshot& snapshot, std::vector<Evidence> evidence, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.confidence = Confidence::possible;
  finding.explanation = "What was seen fits several causes. By likelihood: ";
  bool first = true;
  for (const Member& member : members(snapshot)) {
    finding.explanation += std::string(first ? "" : "; ") + member.why + " (" + member.cause + ")";
    first = false;
  }
  finding.explanation += ".";
  finding.evidence = std::move(evidence);
  if (nvidia::on_platform(snapshot, "windows")) return;
  std::vector<GroupMember> deciders;
  for (const Member& member : members(snapshot)) {
    if (const GroupMember* known = group_member(member.cause, nvidia::contained(snapshot))) deciders.push_back(*known);
  }
  finding.fix = deciding_commands(deciders);
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable(id, "under WSL this is driver.wsl");
  if (nvidia::on_platform(snapshot, "macos")) return answers.not_applicable(id, "macOS has no NVIDIA driver");
  if (nvidia::cuda_works(snapshot) || nvidia::cuinit(snapshot).outcome() == Outcome::absent) return answers.sound(id);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  auto evidence = complaints(snapshot);
  // NVML lists GPUs: the driver is reached, whatever else is wrong.
  if (devices.get() && !devices.get()->empty()) return answers.sound(id);
  if (evidence.empty()) return answers.unknown(id, "no program was seen to fail at the driver, and none to reach it");
  if (facts_complete(snapshot))
    return answers.not_applicable(id, "the facts that tell the causes apart are known; see the other checks");
  if (hidden_on_purpose(snapshot)) return answers.not_applicable(id, "a variable hides the GPUs");
  tell(snapshot, std::move(evidence), answers);
}

}  // namespace

Check driver_unreachable() { return {{id}, run}; }

}  // namespace envdoctor
