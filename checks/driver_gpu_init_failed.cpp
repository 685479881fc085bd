// driver.gpu-init-failed: the module is bound to the GPU and can't start it, so NVIDIA's software doesn't list it.
#include <algorithm>

#include "checks/distro.h"
#include "checks/nvidia.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.gpu-init-failed";

void tell(const Snapshot& snapshot, const std::string& subject, Confidence confidence, std::vector<Evidence> evidence,
          Answers& answers) {
  Finding& finding = answers.found(id, subject);
  finding.confidence = confidence;
  finding.explanation =
      "The kernel module is bound to the GPU and its start failed. Frequent reasons: no room for the GPU's memory "
      "windows (Above 4G Decoding off), power "
      "cables, seat, a state that only a cold start clears, or the other kind of kernel module (open for the newest "
      "GPUs).";
  finding.evidence = std::move(evidence);
  finding.fix = {{.text = on_the_host(snapshot) + "read what the kernel log says of this GPU.",
                  .command = host_command(snapshot, "sudo dmesg | grep -i nvrm")},
                 {.text = on_the_host(snapshot) + "switch the machine off and on; in the firmware switch on Above 4G "
                                                  "Decoding and Resizable BAR; check the power cables."}};
}

// "0x22:0x56:884" in the fields, or the whole line's event.
bool from_log(const Snapshot& snapshot, const std::vector<Gpu>& gpus, Answers& answers) {
  for (const LogEvent* line : events_of(snapshot, "rm-init-failed")) {
    const auto field = [&](const char* name) {
      return line->fields.contains(name) ? line->fields.at(name) : std::string();
    };
    const std::string address = normal_address(field("gpu"));
    const auto same = std::ranges::find(gpus, address, &Gpu::address);
    if (same != gpus.end() && same->nvml_index >= 0) continue;  // it was started since
    if (same == gpus.end() && nvidia::cuda_works(snapshot)) continue;
    tell(snapshot, address.empty() ? "host" : "gpu:" + address, Confidence::certain,
         {seen(*line, field("code").empty() ? *line->event.get() : field("code"))}, answers);
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

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const auto gpus = nvidia::gpus(snapshot);
  if (from_log(snapshot, gpus, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) {
    if (nvidia::kernel_driver_runs(snapshot).is(false))
      return answers.not_applicable(id, "no NVIDIA kernel driver runs");
    return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  }
  if (const std::string why = other_reason(snapshot); !why.empty()) {
    const bool all_listed = std::ranges::all_of(gpus, [](const Gpu& gpu) { return gpu.nvml_index >= 0; });
    return all_listed && !gpus.empty() ? answers.sound(id) : answers.unknown(id, why);
  }
  bool found = false;
  for (const Gpu& gpu : gpus) {
    if (gpu.driver != "nvidia" || gpu.nvml_index >= 0 || dropped(gpu, snapshot)) continue;
    const bool nodes_known = snapshot.device_nodes.get() != nullptr;
    tell(snapshot, gpu.subject(), nodes_known ? Confidence::likely : Confidence::possible,
         {seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), "nvidia"),
          seen("/nvidia/devices", devices.get()->empty() ? "none" : "this GPU is not among them")},
         answers);
    found = true;
  }
  if (!found) answers.sound(id);
}

}  // namespace

Check driver_gpu_init_failed() { return {{id}, run}; }

}  // namespace envdoctor
