// driver.gpu-lost: the GPU was present and no longer answers.
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"
#include "knowledge/codes/names.h"
#include "knowledge/lower_case.h"

namespace envdoctor::driver_gpu_lost {

using enum SymptomClass;

Finding& report_finding(const Snapshot& snapshot, const std::string& subject, Confidence confidence,
                        std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = answers.found_on(subject);
  finding.confidence = confidence;
  finding.explanation =
      "The driver can't reach the GPU over the bus any more. Usual reasons are the power supply, heat, the seat of "
      "card or riser, and firmware; the driver is seldom at fault.";
  finding.evidence = std::move(proof);
  finding.fix = {on_host(snapshot, "switch the machine off completely and on again; a warm reboot often isn't enough."),
                 on_host(snapshot,
                         "if it happens again, check power cables and supply, temperature, seat and riser, and update "
                         "the firmware. The kernel log tells what came first.",
                         "sudo dmesg | grep -iE 'nvrm|xid|aer|pcie'")};
  return finding;
}

// A device that NVML lists and can talk to is not lost, whatever the log says about earlier.
bool answers_now(const Snapshot& snapshot, const std::string& address) {
  return std::ranges::any_of(of(snapshot.nvidia, &Nvidia::devices).or_empty(), [&](const NvidiaDevice& device) {
    return address_of(device.pci_address).starts_with(address) && !device.error.get() && device.name.get() &&
           device.memory_free_mib.get();
  });
}

bool judge_devices(const Snapshot& snapshot, Answers& answers) {
  bool found = false;
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    if (!device.error.get() || knowledge::nvml_error_name(*device.error.get()) != nvml_error::gpu_is_lost) continue;
    report_finding(snapshot, nvidia::subject_of(device), Confidence::certain,
                   {evidence(at("/nvidia/devices", i, "error"), *device.error.get())}, answers);
    found = true;
  }
  return found;
}

// An Xid in the kernel's log: for each GPU the most specific code.
bool judge_xid(const Snapshot& snapshot, Answers& answers) {
  // Where NVML answered, the loss may be over: the GPU was reset or replaced since.
  const bool asked = of(snapshot.nvidia, &Nvidia::devices).get();
  std::map<std::string, LoggedXid> by_gpu;
  for (const LoggedXid& xid : xids_of(snapshot, answers.id)) {
    const bool off = xid.code == xid::gpu_has_fallen_off_the_bus;
    if (!off && answers_now(snapshot, xid.gpu)) continue;  // a timeout in the past, or one that a program caused
    if (follows_program_fault(xid, snapshot)) continue;
    const auto [row, fresh] = by_gpu.try_emplace(xid.gpu, xid);
    if (!fresh && off) row->second = xid;
  }
  for (const auto& [address, xid] : by_gpu) {
    const bool back = answers_now(snapshot, address);
    const auto sure = xid.code == xid::gpu_has_fallen_off_the_bus && !asked ? Confidence::certain : Confidence::likely;
    Finding& finding =
        report_finding(snapshot, xid.subject(), back ? Confidence::possible : sure, xid.evidence, answers);
    describe_xid(finding, xid, snapshot);
    if (!back) continue;
    finding.severity = Severity::warning;
    finding.title = "The GPU fell off the bus earlier and answers again";
  }
  return !by_gpu.empty();
}

// A card that never started can't be reached either: a handle that NVML lacks proves a loss only where the driver had
// the card before.
bool never_started(const Snapshot& snapshot, const Symptom& line) {
  return first_symptom(snapshot, {{failed, "nvidia-gpu-initialization"}}) != nullptr &&
         lower_case(line.text.or_empty()).find("lost") == std::string::npos;
}

// What programs and the kernel print; messages alone are evidence only where the driver's own answer is unknown.
bool judge_log(const Snapshot& snapshot, bool logged, Answers& answers) {
  const Symptom* answered_again = nullptr;
  for (const Kind& kind : {Kind{lost, "pci-device"}, Kind{lost, "gpu"}}) {
    for (const Symptom* line : symptoms_of(snapshot, kind)) {
      const std::string gpu = line->detail("gpu");
      const std::string address = normal_address(gpu.empty() ? line->detail("pci") : gpu);
      if (nvidia::cuda_works(snapshot)) continue;
      if (answers_now(snapshot, address)) {
        answered_again = &*line;
        continue;
      }
      if (kind.subject == "gpu" && never_started(snapshot, *line)) continue;
      const bool whole = std::ranges::count(address, '.') == 1;
      const std::string subject = whole ? "gpu:" + address : "host";
      // The kernel writes both lines for one loss.
      if (logged && (!whole || answers.findings.back().subject == subject))
        answers.findings.back().evidence.push_back(evidence(*line));
      else
        report_finding(snapshot, subject, Confidence::certain, {evidence(*line)}, answers);
      return true;
    }
  }
  // One text shows both: the card was lost, and answers again after a restart.
  if (!answered_again || logged || !from_report(snapshot)) return false;
  Finding& finding = report_finding(snapshot, "host", Confidence::possible, {evidence(*answered_again)}, answers);
  finding.severity = Severity::warning;
  finding.title = "The GPU was lost earlier and answers again";
  return true;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (judge_devices(snapshot, answers)) return;
  if (of(snapshot.nvidia, &Nvidia::nvml_error).get() && nvidia::nvml(snapshot).is(nvml_error::gpu_is_lost)) {
    report_finding(snapshot, "host", Confidence::certain, nvidia::nvml_evidence(snapshot), answers);
    return;
  }
  const bool logged = judge_xid(snapshot, answers);
  if (judge_log(snapshot, logged, answers) || logged) return;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (devices.get() || nvidia::cuda_works(snapshot)) return answers.passed();
  if (nvidia::kernel_driver_runs(snapshot).is(false)) return answers.not_applicable("no NVIDIA kernel driver runs");
  answers.unknown(why_unknown("/nvidia/devices", devices));
}

// A laptop switches its second card off while nothing uses it; it is lost only where something misses it.
bool missed(const Facts& facts) {
  const Symptom* line = facts.first({{lost, "pci-configuration"}});
  const std::string text = line ? line->text.or_empty() : "";
  const bool laptop = text.find("Mobile") != text.npos || text.find("Max-Q") != text.npos;
  const auto& log = facts.snapshot().log.or_empty();
  return when::no_driver_answers(facts) && (!laptop || std::ranges::any_of(log, [](const Symptom& one) {
           return one.class_.is("missing") || one.class_.is("failed") || one.class_.is("refused");
         }));
}

// A node with fewer GPUs than configured. If it has none, the driver is unreachable instead.
bool some_counted(const Facts& facts) {
  return std::ranges::none_of(facts.all({missing, "slurm-gpu"}),
                              [](const Symptom* line) { return line->detail("have") == "0"; });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.gpu-lost",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The GPU no longer answers on the bus",
      .claim = "The GPU was there and has fallen off the PCI bus; the driver can't reach it any more.",
      .proof = "Xid 79, 'fallen off the bus', or NVML's GPU_IS_LOST.",
      .disproof = "The GPU answers to NVML and no loss is logged since the last boot.",
      .remedy =
          "Switch the machine off and on again; if it comes back, look at power supply, heat, seat or riser and "
          "firmware.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.gpu-init-failed"}),
      .symptoms =
          {
              {{lost, "amd-gpu"}, likely},
              // Programs find fewer GPUs than before; the kernel log shows why.
              {{lost, "gpu-answers"}, possible},
              // A device without a driver: the text finds no GPU, so this is the one.
              {{lost, "some-pci-device"},
               likely,
               [](const Facts& facts) { return nvidia::nvml(facts.snapshot()).is(nvml_error::not_found); }},
              {{lost, "gpu-of-slurm-node"}, possible},
              {{missing, "slurm-gpu"}, possible, some_counted},
              {{lost, "gpu-of-kubernetes-node"}, possible},
              // Reads return all ones for a card that fell off the bus, and for a laptop's card that is powered off.
              {{lost, "pci-configuration"}, possible, missed},
              {{failed, "gpu"}, likely},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_gpu_lost
