// driver.gpu-lost: the GPU was there and no longer answers.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks/distro.h"
#include "checks/log_facts.h"
#include "checks/nvidia.h"
#include "checks/xid.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.gpu-lost";

Finding& tell(const Snapshot& snapshot, const std::string& subject, Confidence confidence, Evidence evidence,
              Answers& answers) {
  Finding& finding = answers.found(id, subject);
  finding.confidence = confidence;
  finding.explanation =
      "The driver can't reach the GPU over the bus any more. Usual reasons are the power supply, heat, the seat of "
      "card or riser, and "
      "firmware; the driver is seldom at fault.";
  finding.evidence = {std::move(evidence)};
  finding.fix = {{.text = on_the_host(snapshot) +
                          "switch the machine off completely and on again; a warm reboot often isn't enough."},
                 {.text = on_the_host(snapshot) + "if it happens again, check power cables and supply, temperature, "
                                                  "seat and riser, and update the firmware. The kernel log "
                                                  "tells what came first.",
                  .command = host_command(snapshot, "sudo dmesg | grep -iE 'nvrm|xid|aer|pcie'")}};
  return finding;
}

// A device that NVML lists and can talk to is not lost, whatever the log says of an earlier time.
bool answers_now(const Snapshot& snapshot, const std::string& address) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (!devices.get()) return false;
  return std::ranges::any_of(*devices.get(), [&](const NvidiaDevice& device) {
    const bool same =
        device.pci_address.get() && !address.empty() && normal_address(*device.pci_address.get()).starts_with(address);
    return (same || address.empty()) && !device.error.get() && device.name.get() && device.memory_free_mib.get();
  });
}

bool judge_devices(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  bool found = false;
  for (std::size_t i = 0; devices.get() && i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    if (!device.error.get() || nvidia::nvml_error_name(*device.error.get()) != "NVML_ERROR_GPU_IS_LOST") continue;
    tell(snapshot, nvidia::subject_of(device), Confidence::certain,
         seen(at("/nvidia/devices", i, "error"), *device.error.get()), answers);
    found = true;
  }
  return found;
}

// What the kernel log holds since boot: for each GPU the code that says most.
bool judge_xid(const Snapshot& snapshot, Answers& answers) {
  const auto xids = of(snapshot.nvidia, &Nvidia::xid);
  std::map<std::string, std::size_t> by_gpu;
  for (std::size_t i = 0; xids.get() && i < xids.get()->size(); ++i) {
    const Xid& xid = (*xids.get())[i];
    if (!xid.code.get() || xid_diagnosis(*xid.code.get()) != id) continue;
    const std::string address = xid.gpu.get() ? normal_address(*xid.gpu.get()) : "";
    const bool off = xid.code.is(xid_off_the_bus);
    if (!off && answers_now(snapshot, address)) continue;  // a timeout that is over, or one that a program caused
    const auto [row, fresh] = by_gpu.try_emplace(address, i);
    if (!fresh && off) row->second = i;
  }
  for (const auto& [address, i] : by_gpu) {
    const std::int64_t code = *(*xids.get())[i].code.get();
    const bool back = answers_now(snapshot, address);
    Finding& finding =
        tell(snapshot, address.empty() ? "host" : "gpu:" + address, back ? Confidence::possible : Confidence::likely,
             seen(at("/nvidia/xid", i), fmt::format("Xid {}", code)), answers);
    tell_xid(finding, code, snapshot);
    if (back) {
      finding.severity = Severity::warning;
      finding.title = "The GPU fell off the bus earlier and answers again";
    }
  }
  return !by_gpu.empty();
}

// What programs and the kernel print; the words alone are proof only while the driver has nothing better to say.
bool judge_log(const Snapshot& snapshot, Answers& answers) {
  for (const char* event : {"gpu-off-bus", "xid", "gpu-lost"}) {
    for (const LogEvent* line : events_of(snapshot, event)) {
      if (event == std::string_view("xid") && field_of(*line, "code") != std::to_string(xid_off_the_bus)) continue;
      std::string address = field_of(*line, "gpu");
      if (address.empty()) address = field_of(*line, "pci");
      if (!address.empty()) address = normal_address(address);
      if (nvidia::cuda_works(snapshot) || answers_now(snapshot, address)) continue;
      const bool whole = std::ranges::count(address, '.') == 1;
      tell(snapshot, whole ? "gpu:" + address : "host", Confidence::likely, seen_event(*line), answers);
      return true;
    }
  }
  return false;
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (judge_devices(snapshot, answers)) return;
  if (of(snapshot.nvidia, &Nvidia::nvml_error).get() && nvidia::nvml(snapshot).is("NVML_ERROR_GPU_IS_LOST")) {
    tell(snapshot, "host", Confidence::certain, nvidia::nvml_evidence(snapshot), answers);
    return;
  }
  if (judge_xid(snapshot, answers) || judge_log(snapshot, answers)) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (devices.get() || nvidia::cuda_works(snapshot)) return answers.sound(id);
  if (nvidia::kernel_driver_runs(snapshot).is(false)) return answers.not_applicable(id, "no NVIDIA kernel driver runs");
  answers.unknown(id, why_unknown("/nvidia/devices", devices));
}

}  // namespace

Check driver_gpu_lost() { return {{id}, run}; }

}  // namespace envdoctor
