// driver.device-nodes-missing: the kernel driver runs and a node that programs must open isn't there. NVIDIA's nodes
// are made on demand by a set-uid helper, so a missing one means something only where the driver was asked and failed.
#include <algorithm>

#include "checks/driver/nvidia_facts.h"
#include "checks/facts/distro.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_device_nodes_missing {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.device-nodes-missing";

std::vector<std::string> missing_nodes(const Snapshot& snapshot) {
  std::vector<std::string> missing;
  for (const char* path : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) {
    if (!node_of(snapshot, path)) missing.emplace_back(path);
  }
  const auto nodes = nodes_under(snapshot, "/dev/nvidia");
  const bool any_gpu = std::ranges::any_of(nodes, [](const DeviceNode* node) {
    const std::string& path = *node->path.get();
    return path.size() > 11 && path[11] >= '0' && path[11] <= '9';
  });
  if (!any_gpu) missing.emplace_back("/dev/nvidia0");
  return missing;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : ", ") + part;
  return all;
}

void tell(const Snapshot& snapshot, const std::vector<std::string>& missing, Answers& answers) {
  const Text cuinit = nvidia::cuinit(snapshot);
  const bool only_uvm = missing.size() == 1 && missing.front() == "/dev/nvidia-uvm";
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = cuinit.get() ? Confidence::certain : Confidence::likely;
  finding.explanation = joined(missing) + (missing.size() == 1 ? " does" : " do") + " not exist, and CUDA must open " +
                        (missing.size() == 1 ? "it." : "them.");
  if (only_uvm) finding.explanation += " nvidia-smi doesn't need this one, so it works all the same.";
  finding.evidence = {evidence("/device_nodes", "no " + joined(missing))};
  finding.evidence = nvidia::joined(std::move(finding.evidence), nvidia::cuinit_evidence(snapshot));
  if (nvidia::contained(snapshot)) {
    finding.fix = {{.text = "Start the container with all of NVIDIA's nodes: with the NVIDIA container toolkit (--gpus "
                            "all, CDI), or with a --device for each of " +
                            joined(missing) + "."}};
  } else {
    finding.fix = {{.text = "Make the nodes now; a service that runs this at boot keeps them.",
                    .command = host_command(snapshot, "sudo nvidia-modprobe -c0 -u")}};
  }
}

// Modules are loaded and the GPU is bound, but its render node isn't there: for AMD and Intel.
bool judge_render_nodes(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.device_nodes.get() || !in_container(snapshot).is(false)) return false;
  if (!nodes_under(snapshot, "/dev/dri/renderD").empty()) return false;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.driver != "amdgpu" && gpu.driver != "i915" && gpu.driver != "xe") continue;
    Finding& finding = answers.found(id, gpu.subject());
    finding.severity = gpu.integrated ? Severity::info : Severity::error;
    finding.confidence = Confidence::likely;
    finding.explanation =
        "The driver " + gpu.driver +
        " is bound to the GPU, and there is no render node under /dev/dri, by which programs reach it.";
    finding.evidence = {evidence("/device_nodes", "no /dev/dri/renderD*"),
                        evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), gpu.driver)};
    finding.fix = {{.text = "Read what the kernel log says of " + gpu.driver + "; its start may have failed.",
                    .command = host_command(snapshot, "sudo dmesg | grep -i " + gpu.driver)}};
    return true;
  }
  return false;
}

CheckResult judge_nvidia(const Snapshot& snapshot, Answers& answers) {
  const auto answer = [](CheckState state, std::string why = {}) { return CheckResult{id, state, std::move(why)}; };
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answer(CheckState::not_applicable, why);
  if (nvidia::on_wsl(snapshot)) return answer(CheckState::not_applicable, "WSL has /dev/dxg instead");
  if (nvidia::cuda_works(snapshot) || nvidia::cuinit(snapshot).outcome() == Outcome::absent)
    return answer(CheckState::passed);
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(false)) return answer(CheckState::not_applicable, "no NVIDIA kernel driver runs");
  if (!runs.get()) return answer(CheckState::unknown, why_unknown("/nvidia/kernel_driver_version", runs));
  if (!snapshot.device_nodes.get())
    return answer(CheckState::unknown, why_unknown("/device_nodes", snapshot.device_nodes));
  const auto missing = missing_nodes(snapshot);
  if (missing.empty()) return answer(CheckState::passed);
  const bool contained = nvidia::contained(snapshot);
  if (contained && nvidia::has_nodes(snapshot).is(false))
    return answer(CheckState::not_applicable, "no node at all was given to this container");
  // Not asked, or refused for a reason of its own: the helper would make them when CUDA starts.
  const Text cuinit = nvidia::cuinit(snapshot);
  const bool named = cuinit.get() && *cuinit.get() != cuda_error::unknown && *cuinit.get() != cuda_error::no_device &&
                     *cuinit.get() != cuda_error::operating_system && *cuinit.get() != cuda_error::not_initialized &&
                     *cuinit.get() != cuda_error::invalid_device;
  if (named || nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch))
    return answer(CheckState::not_applicable, "the driver fails for another reason");
  if (!cuinit.get() && !contained)
    return answer(CheckState::unknown,
                  joined(missing) + " not there, which is normal until CUDA is first used; that was not tried");
  tell(snapshot, missing, answers);
  return answer(CheckState::failed);
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const bool render = judge_render_nodes(snapshot, answers);
  const CheckResult nvidia_answer = judge_nvidia(snapshot, answers);
  if (!render && nvidia_answer.state != CheckState::failed) answers.results.push_back(nvidia_answer);
}

// The other nodes aren't said to be missing: NVML needs no nvidia-uvm, CUDA does.
bool uvm_alone(const Facts& facts) {
  return when::no_driver_answers(facts) &&
         !facts.with({SymptomClass::missing, "device-node"}, "node", "/dev/nvidia0") &&
         !facts.with({SymptomClass::missing, "device-node"}, "node", "/dev/nvidia*");
}

bool node_outside_container(const Facts& facts) { return when::no_better_cause(facts) && !facts.container(); }

bool kfd_absent(const Facts& facts) {
  return !facts.container() && facts.saw({{SymptomClass::present, "amdgpu-kernel-module"}});
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.device-nodes-missing",
      .layer = Layer::device_node,
      .severity = Severity::error,
      .title = "The GPU driver runs and its device nodes are missing",
      .claim =
          "The kernel driver is loaded, but a node that programs must open (for CUDA also /dev/nvidia-uvm) doesn't "
          "exist.",
      .proof = "The kernel driver runs, and a node that CUDA opens isn't there.",
      .disproof = "The nodes exist, or the kernel driver isn't loaded.",
      .remedy = "Create the nodes with nvidia-modprobe -c0 -u at every boot, or pass them into the container.",
      .explains = with_unusable_driver({"driver.init-failed", "opencl.icd-broken"}),
      .symptoms =
          {
              {{missing, "device-node"}, likely, uvm_alone, "node", "/dev/nvidia-uvm"},
              {{missing, "device-node"}, possible, node_outside_container, "node", "/dev/nvidia0"},
              {{missing, "kfd-node"}, likely, kfd_absent},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_device_nodes_missing
