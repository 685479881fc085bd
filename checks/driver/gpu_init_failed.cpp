// driver.gpu-init-failed: the module is bound to the GPU and can't start it, so NVIDIA's software doesn't list it.
#include <algorithm>

#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"
#include "checks/facts/distro.h"
#include "knowledge/gpus/drivers.h"

#include "checks/facts/conditions.h"

namespace envdoctor::driver_gpu_init_failed {

using enum SymptomClass;
namespace {

constexpr const char* id = "driver.gpu-init-failed";

void tell(const Snapshot& snapshot, const std::string& subject, Confidence confidence, std::vector<Evidence> proof,
          Answers& answers) {
  Finding& finding = answers.found(id, subject);
  finding.confidence = confidence;
  finding.explanation =
      "The kernel module is bound to the GPU and its start failed. Frequent reasons: no room for the GPU's memory "
      "windows (Above 4G Decoding off), power "
      "cables, seat, a state that only a cold start clears, or the other kind of kernel module (open for the newest "
      "GPUs).";
  finding.evidence = std::move(proof);
  finding.fix = {{.text = on_the_host(snapshot) + "read what the kernel log says of this GPU.",
                  .command = host_command(snapshot, "sudo dmesg | grep -i nvrm")},
                 {.text = on_the_host(snapshot) + "switch the machine off and on; in the firmware switch on Above 4G "
                                                  "Decoding and Resizable BAR; check the power cables."}};
}

// The kernel's line about the adapter ("RmInitAdapter failed! (0x22:0x56:884)"), or an Xid that means the same.
bool from_log(const Facts& facts, const std::vector<Gpu>& gpus, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const auto started_since = [&](const std::string& address) {
    const auto same = std::ranges::find(gpus, address, &Gpu::address);
    return same != gpus.end() ? same->nvml_index >= 0 : !when::no_driver_answers(facts);
  };
  // A card that is off the bus, or that the module doesn't support, can't be started either.
  const bool other = facts.saw({{lost, "pci-device"}, {unsupported, "gpu"}, {too_old, "gpu"}});
  for (const Symptom* line : facts.all({failed, "nvidia-gpu-initialization"})) {
    const std::string address = normal_address(line->detail("gpu"));
    if (other || started_since(address)) continue;
    tell(snapshot, address.empty() ? "host" : "gpu:" + address, Confidence::certain,
         {line->code.get() ? evidence(*line, *line->code.get()) : evidence(*line)}, answers);
    return true;
  }
  for (const LoggedXid& xid : xids_of(snapshot, id)) {
    if (started_since(xid.gpu)) continue;
    tell(snapshot, xid.subject(), Confidence::likely, {}, answers);
    tell_xid(answers.findings.back(), xid, snapshot);
    return true;
  }
  return false;
}

// A reason for the driver to list nothing that has nothing to do with the GPU's start.
std::string other_reason(const Snapshot& snapshot) {
  if (nvidia::contained(snapshot)) return "in a container a GPU that isn't listed may not have been given";
  if (nvidia::on_wsl(snapshot)) return "WSL shows no bus";
  for (const DeviceNode* node : nodes_under(snapshot, "/dev/nvidia")) {
    if (node->accessible.is(false) && (node->error.is("EACCES") || node->error.is("EPERM")) &&
        !node->path.get()->starts_with("/dev/nvidia-"))
      return *node->path.get() + " may not be opened, and then the driver lists nothing";
  }
  return {};
}

// The driver's branch has dropped this generation, which is driver.gpu-unsupported.
bool dropped(const Gpu& gpu, const Snapshot& snapshot) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const auto last = knowledge::last_branch_for(gpu.architecture);
  if (version.get() && last && std::atoi(version.get()->c_str()) > std::atoi(last->c_str())) return true;
  return of(snapshot.nvidia, &Nvidia::kernel_module_kind).is("open") && last.has_value();
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const auto gpus = nvidia::gpus(snapshot);
  if (from_log(facts, gpus, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) {
    if (nvidia::kernel_driver_runs(snapshot).is(false))
      return answers.not_applicable(id, "no NVIDIA kernel driver runs");
    return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  }
  if (const std::string why = other_reason(snapshot); !why.empty()) {
    const bool all_listed = std::ranges::all_of(gpus, [](const Gpu& gpu) { return gpu.nvml_index >= 0; });
    return all_listed && !gpus.empty() ? answers.passed(id) : answers.unknown(id, why);
  }
  bool found = false;
  for (const Gpu& gpu : gpus) {
    if (gpu.driver != "nvidia" || gpu.nvml_index >= 0 || dropped(gpu, snapshot)) continue;
    const bool nodes_known = snapshot.device_nodes.get() != nullptr;
    tell(snapshot, gpu.subject(), nodes_known ? Confidence::likely : Confidence::possible,
         {evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "nvidia"),
          evidence("/nvidia/devices", devices.get()->empty() ? "none" : "this GPU is not among them")},
         answers);
    found = true;
  }
  if (!found) answers.passed(id);
}

}  // namespace

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
          "the open "
          "kernel module, for old ones the closed one.",
      .explains = with_unusable_driver({"driver.init-failed"}),
      .symptoms =
          {
              {{failed, "amd-gpu-initialization"}, certain},
              {{failed, "intel-gpu-initialization"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_gpu_init_failed
