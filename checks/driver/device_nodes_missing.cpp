// driver.device-nodes-missing: the kernel driver runs and a node that programs must open isn't there. NVIDIA's nodes
// are created on demand by a set-uid helper, so a missing one matters only where a call to the driver failed.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_device_nodes_missing {

using enum SymptomClass;

std::vector<std::string> missing_nodes(const Snapshot& snapshot) {
  std::vector<std::string> missing{"/dev/nvidiactl", "/dev/nvidia-uvm"};
  std::erase_if(missing, [&](const std::string& path) { return node_of(snapshot, path) != nullptr; });
  const auto nodes = nodes_under(snapshot, "/dev/nvidia");
  if (std::ranges::none_of(nodes, [](const DeviceNode* node) { return is_card_node(*node); }))
    missing.emplace_back("/dev/nvidia0");
  return missing;
}

Fix make_nodes(const Snapshot& snapshot) {
  return {.text = "Make the nodes now; a service that runs this at boot keeps them.",
          .command = host_command(snapshot, "sudo nvidia-modprobe -c0 -u")};
}

void report_finding(const Snapshot& snapshot, const std::vector<std::string>& missing, Answers& answers) {
  const bool one = missing.size() == 1;
  const std::string list = fmt::format("{}", fmt::join(missing, ", "));
  Finding& finding =
      nvidia::fault(answers, snapshot, nvidia::cuinit(snapshot).get() ? Confidence::certain : Confidence::likely,
                    nvidia::joined({evidence("/device_nodes", "no " + list)}, nvidia::cuinit_evidence(snapshot)));
  finding.explanation =
      fmt::format("{} {} not exist, and CUDA must open {}.", list, one ? "does" : "do", one ? "it" : "them");
  if (one && missing.front() == "/dev/nvidia-uvm")
    finding.explanation += " nvidia-smi doesn't need this one, so it works all the same.";
  if (nvidia::contained(snapshot))
    finding.fix = {{.text = "Start the container with all of NVIDIA's nodes: with the NVIDIA container toolkit (--gpus "
                            "all, CDI), or with a --device for each of " +
                            list + "."}};
  else
    finding.fix = {make_nodes(snapshot)};
}

// A report shows the folder of render nodes, and a card of AMD or Intel on the bus whose driver it doesn't name.
bool lists_no_node_for(const Snapshot& snapshot, const Gpu& gpu) {
  const PciDevice* device = pci_device(snapshot, gpu);
  return (gpu.vendor == Vendor::amd || gpu.vendor == Vendor::intel) && !gpu.integrated && device &&
         device->driver.outcome() == Outcome::not_probed && !nodes_under(snapshot, "/dev/dri/").empty();
}

void report_missing_node(const Gpu& gpu, Answers& answers) {
  Finding& finding = answers.found_on(gpu.subject());
  finding.confidence = Confidence::possible;
  finding.explanation =
      "The bus holds " + (gpu.name.empty() ? "a GPU" : gpu.name) +
      ", and /dev/dri has no render node, by which programs reach it: its kernel driver did not take it.";
  finding.evidence = {evidence("/device_nodes", "no /dev/dri/renderD*"),
                      evidence(gpu.in_pci("device_id"), gpu.device_id)};
  finding.fix = {{.text = "See which kernel driver is bound to it, and what the kernel log says of that driver.",
                  .command = "lspci -nnk"}};
}

// Modules are loaded and the GPU is bound, but its render node isn't there: for AMD and Intel.
void judge_render_nodes(const Snapshot& snapshot, Answers& answers) {
  const bool in_report = from_report(snapshot);
  const bool contained = in_report ? nvidia::contained(snapshot) : !in_container(snapshot).is(false);
  if (!snapshot.device_nodes.get() || contained || !nodes_under(snapshot, "/dev/dri/renderD").empty()) return;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (in_report && lists_no_node_for(snapshot, gpu)) return report_missing_node(gpu, answers);
    if (gpu.driver != "amdgpu" && gpu.driver != "i915" && gpu.driver != "xe") continue;
    Finding& finding = answers.found_on(gpu.subject());
    finding.severity = gpu.integrated ? Severity::info : Severity::error;
    finding.confidence = Confidence::likely;
    finding.explanation =
        "The driver " + gpu.driver +
        " is bound to the GPU, and there is no render node under /dev/dri, by which programs reach it.";
    finding.evidence = {evidence("/device_nodes", "no /dev/dri/renderD*"), evidence(gpu.in_pci("driver"), gpu.driver)};
    finding.fix = {{.text = "Read what the kernel log says of " + gpu.driver + "; its start may have failed.",
                    .command = host_command(snapshot, "sudo dmesg | grep -i " + gpu.driver)}};
    return;
  }
}

void judge_nvidia(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(why);
  if (nvidia::on_wsl(snapshot)) return answers.not_applicable("WSL has /dev/dxg instead");
  const Text cuinit = nvidia::cuinit(snapshot);
  if (nvidia::cuda_works(snapshot) || cuinit.outcome() == Outcome::absent) return answers.passed();
  const Flag runs = nvidia::kernel_driver_runs(snapshot);
  if (runs.is(false)) return answers.not_applicable("no NVIDIA kernel driver runs");
  if (!runs.get()) return answers.unknown(why_unknown("/nvidia/kernel_driver_version", runs));
  if (!snapshot.device_nodes.get()) return answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
  const auto missing = missing_nodes(snapshot);
  if (missing.empty()) return answers.passed();
  const bool contained = nvidia::contained(snapshot);
  if (contained && nvidia::has_nodes(snapshot).is(false))
    return answers.not_applicable("no node at all was given to this container");
  // Not called, or failed for another reason: the helper would create them when CUDA starts.
  const bool named = cuinit.get() && *cuinit.get() != cuda_error::unknown && *cuinit.get() != cuda_error::no_device &&
                     *cuinit.get() != cuda_error::operating_system && *cuinit.get() != cuda_error::not_initialized &&
                     *cuinit.get() != cuda_error::invalid_device;
  if (named || nvidia::nvml(snapshot).is(nvml_error::lib_rm_version_mismatch))
    return answers.not_applicable("the driver fails for another reason");
  if (!cuinit.get() && !contained)
    return answers.unknown(fmt::format("{} not there, which is normal until CUDA is first used; that was not tried",
                                       fmt::join(missing, ", ")));
  report_finding(snapshot, missing, answers);
}

void judge(const Snapshot& snapshot, Answers& answers) {
  judge_render_nodes(snapshot, answers);
  judge_nvidia(snapshot, answers);
}

// Doesn't report other nodes as missing: CUDA needs nvidia-uvm, NVML doesn't.
bool uvm_alone(const Facts& facts) {
  return when::no_driver_answers(facts) && !facts.with({missing, "device-node"}, "node", "/dev/nvidia0") &&
         !facts.with({missing, "device-node"}, "node", "/dev/nvidia*");
}

bool cuda_failed(const Facts& facts) {
  return facts.saw(
      {{failed, "cuinit"}, {failed, "cuda"}, {missing, "cuda-device"}, {missing, "any-gpu"}, {missing, "cuda"}});
}

bool node_outside_container(const Facts& facts) { return when::no_better_cause(facts) && !facts.container(); }

// No node at all, although the driver runs on this host and CUDA was called, by which its helper makes them.
bool none_made(const Facts& facts) {
  const bool asked = cuda_failed(facts) || facts.saw({{missing, "available-gpu"}, {missing, "driver"}});
  return asked && node_outside_container(facts) && nvidia::kernel_driver_runs(facts).is(true) &&
         !facts.saw({{noted, "container-start"}, {noted, "container-named"}});
}

bool kfd_absent(const Facts& facts) { return !facts.container() && facts.saw({{present, "amdgpu-kernel-module"}}); }

// Card nodes are for display; programs compute through render nodes. Many servers have a display-only card.
bool computes_elsewhere(const Facts& facts) {
  const Symptom* node = facts.first({{missing, "render-node"}});
  const auto gpus = gpus_of(facts);
  const bool wanted = std::ranges::any_of(gpus, [](const Gpu& gpu) {
    return !gpu.integrated && (gpu.vendor == Vendor::amd || gpu.vendor == Vendor::intel);
  });
  return !facts.container() && !facts.used() && node && (wanted || node->detail("node") != "/dev/dri/renderD*");
}

// A listing of NVIDIA's nodes without the one that CUDA needs, and something that finds no CUDA.
void judge_listing(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const Symptom* none =
      facts.first({{missing, "any-gpu"}, {missing, "cuda"}, {missing, "cuda-device"}, {failed, "cuda"}});
  if (!none || !from_report(snapshot) || !when::no_better_cause(facts) || !answers.findings.empty() ||
      !node_of(snapshot, "/dev/nvidia0") || !node_of(snapshot, "/dev/nvidiactl") ||
      node_of(snapshot, "/dev/nvidia-uvm"))
    return;
  Finding& finding = answers.found_in(*none, Confidence::possible);
  finding.evidence.push_back(evidence("/device_nodes", "no /dev/nvidia-uvm"));
  finding.explanation =
      "NVML and nvidia-smi need /dev/nvidia0 and /dev/nvidiactl alone; CUDA needs /dev/nvidia-uvm, too.";
  finding.fix = {make_nodes(snapshot)};
}

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
      .remedy =
          "Create NVIDIA's nodes with sudo nvidia-modprobe -c0 -u at every boot; for those of AMD and Intel load the "
          "kernel driver and read what the kernel log says of it; pass all of them into a container.",
      .explains = with_unusable_driver({"driver.init-failed", "opencl.icd-broken"}),
      .symptoms =
          {
              helped_by("unified-memory-node"),
              {{missing, "device-node"}, likely, uvm_alone, "node", "/dev/nvidia-uvm"},
              {{missing, "device-node"}, likely, cuda_failed, "later", "there"},
              {{missing, "device-node"}, likely, none_made, "node", "/dev/nvidia*"},
              {{missing, "device-node"}, possible, node_outside_container, "node", "/dev/nvidia0"},
              {{missing, "device-node"}, possible, node_outside_container, "node", "/dev/nvidiactl"},
              {{missing, "kfd-node"}, likely, kfd_absent},
              {{missing, "render-node"}, possible, computes_elsewhere},
              {{mismatch, "file-in-place-of-node"}, likely, not_used},
          },
      .judge_host = judge,
      .judge = judge_listing,
  };
}

}  // namespace envdoctor::driver_device_nodes_missing
