// driver.gpu-init-failed: the module is bound to the GPU and can't start it, so NVIDIA's software doesn't list it.
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_gpu_init_failed {

using enum SymptomClass;

void report_finding(const Snapshot& snapshot, const std::string& subject, Confidence confidence,
                    std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = answers.found_on(subject);
  finding.confidence = confidence;
  finding.explanation =
      "The kernel module is bound to the GPU and its start failed. Frequent reasons: no room for the GPU's memory "
      "windows (Above 4G Decoding off), power cables, seat, a state that only a cold start clears, or the other kind "
      "of kernel module (open for the newest GPUs).";
  finding.evidence = std::move(proof);
  finding.fix = {on_host(snapshot, "read what the kernel log says of this GPU.", "sudo dmesg | grep -i nvrm"),
                 on_host(snapshot,
                         "switch the machine off and on; in the firmware switch on Above 4G Decoding and Resizable "
                         "BAR; check the power cables.")};
}

// The kernel's line about the adapter ("RmInitAdapter failed! (0x22:0x56:884)"), or an Xid that means the same.
bool from_log(const Facts& facts, const std::vector<Gpu>& gpus, Answers& answers) {
  const auto started_since = [&](const std::string& address) {
    const auto same = std::ranges::find(gpus, address, &Gpu::address);
    return same != gpus.end() ? same->nvml_index >= 0 : !when::no_driver_answers(facts);
  };
  // A card that is off the bus, or that the module doesn't support, can't be started either.
  const bool other = facts.saw({{lost, "pci-device"}, {unsupported, "gpu"}, {too_old, "gpu"}});
  for (const Symptom* line : facts.all({failed, "nvidia-gpu-initialization"})) {
    const std::string address = normal_address(line->detail("gpu"));
    if (other || started_since(address)) continue;
    report_finding(facts, address.empty() ? "host" : "gpu:" + address, Confidence::certain,
                   {line->code.get() ? evidence(*line, *line->code.get()) : evidence(*line)}, answers);
    return true;
  }
  for (const LoggedXid& xid : xids_of(facts, answers.id)) {
    if (started_since(xid.gpu)) continue;
    report_finding(facts, xid.subject(), Confidence::likely, {}, answers);
    describe_xid(answers.findings.back(), xid, facts);
    return true;
  }
  return false;
}

// Another reason for the driver to list no GPU.
std::string other_reason(const Snapshot& snapshot) {
  if (nvidia::contained(snapshot)) return "in a container a GPU that isn't listed may not have been given";
  if (nvidia::on_wsl(snapshot)) return "WSL shows no bus";
  const DeviceNode* closed = nvidia::closed_node(snapshot, {"/dev/nvidia-"});
  return closed ? *closed->path.get() + " may not be opened, and then the driver lists nothing" : "";
}

// The driver's branch has dropped this generation, which is driver.gpu-unsupported.
bool dropped(const Gpu& gpu, const Snapshot& snapshot) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const auto last = knowledge::last_branch_for(gpu.architecture);
  return last && (of(snapshot.nvidia, &Nvidia::kernel_module_kind).is("open") ||
                  (version.get() && std::atoi(version.get()->c_str()) > std::atoi(last->c_str())));
}

// The module is loaded and bound, but opening its nodes fails with "no such device", for NVML and for us.
bool from_nodes(const Snapshot& snapshot, const std::vector<Gpu>& gpus, Answers& answers) {
  const auto bound = std::ranges::find(gpus, "nvidia", &Gpu::driver);
  const Text nvml = nvidia::nvml(snapshot);
  if (bound == gpus.end() || !nvml.get() || nvml.is(nvml_error::lib_rm_version_mismatch) ||
      nvidia::cuda_works(snapshot) || !nvidia::kernel_driver_runs(snapshot).is(true) || nvidia::contained(snapshot))
    return false;
  const auto& nodes = snapshot.device_nodes.or_empty();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const DeviceNode& node = nodes[i];
    const std::string error = node.error.or_empty();
    if ((!node.path.is("/dev/nvidiactl") && !is_card_node(node)) ||
        (error != "EIO" && error != "ENXIO" && error != "ENODEV"))
      continue;
    report_finding(
        snapshot, bound->subject(), Confidence::likely,
        nvidia::joined({evidence(bound->in_pci("driver"), "nvidia"),
                        evidence("/device_nodes/" + std::to_string(i) + "/error", *node.path.get() + ": " + error)},
                       nvidia::nvml_evidence(snapshot)),
        answers);
    return true;
  }
  return false;
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts;
  const auto gpus = nvidia::gpus(snapshot);
  if (from_log(facts, gpus, answers) || from_nodes(snapshot, gpus, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) {
    return nvidia::kernel_driver_runs(snapshot).is(false) ? answers.not_applicable("no NVIDIA kernel driver runs")
                                                          : answers.unknown(why_unknown("/nvidia/devices", devices));
  }
  if (const std::string why = other_reason(snapshot); !why.empty()) {
    const bool all_listed = std::ranges::all_of(gpus, [](const Gpu& gpu) { return gpu.nvml_index >= 0; });
    return all_listed && !gpus.empty() ? answers.passed() : answers.unknown(why);
  }
  answers.passed();
  for (const Gpu& gpu : gpus) {
    if (gpu.driver != "nvidia" || gpu.nvml_index >= 0 || dropped(gpu, snapshot)) continue;
    report_finding(snapshot, gpu.subject(), snapshot.device_nodes.get() ? Confidence::likely : Confidence::possible,
                   {evidence(gpu.in_pci("driver"), "nvidia"),
                    evidence("/nvidia/devices", devices.get()->empty() ? "none" : "this GPU is not among them")},
                   answers);
  }
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.gpu-init-failed",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The kernel driver is bound, but the GPU does not start",
      .claim = "The driver found the GPU and could not initialise it, so the vendor's software doesn't list it.",
      .proof = "The kernel log shows that the adapter failed to initialise, with the module loaded.",
      .disproof = "NVML or CUDA lists this GPU.",
      .remedy =
          "Start the machine cold; check Above 4G Decoding in the firmware, power cables and seat; for new GPUs use "
          "the open kernel module, for old ones the closed one.",
      .explains = with_unusable_driver({"driver.init-failed", "hardware.gpu-hang"}),
      .symptoms =
          {
              {{missing, "device-behind-node"}, possible, when::no_driver_answers},
              // Programs that open the GPU print this for any failure to start.
              {{failed, "any-gpu-start"}, possible, when::no_driver_answers},
              {{failed, "amd-gpu-initialization"}, certain},
              {{failed, "intel-gpu-initialization"}, likely},
              {{failed, "amd-firmware-load"}, possible, when::no_driver_answers},
              {{missing, "video-bios"},
               possible,
               [](const Facts& facts) {
                 return !facts.saw({{present, "video-bios"}});
               }},
          },
      .not_here = nvidia::not_here,
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_gpu_init_failed
