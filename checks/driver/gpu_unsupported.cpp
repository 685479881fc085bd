// driver.gpu-unsupported: the driver branch, or the kind of kernel module, doesn't drive this generation of GPU.
#include <array>

#include "checks/driver/nvidia_facts.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::driver_gpu_unsupported {

using enum SymptomClass;

// Why this driver doesn't drive this generation; empty: no known reason.
struct Reason {
  std::string text{};
  std::string remedy{};
};

Reason by_branch(const Gpu& gpu, const std::string& version) {
  const int branch = std::atoi(version.c_str());
  if (const auto last = knowledge::last_branch_for(gpu.architecture); last && branch > std::atoi(last->c_str()))
    return {fmt::format("Driver {} has dropped the {} generation; the last branch for it is {}.", version,
                        gpu.architecture, *last),
            fmt::format("install the driver of branch {}.", *last)};
  if (const auto first = knowledge::first_branch_for(gpu.architecture); first && branch < std::atoi(first->c_str()))
    return {fmt::format("Driver {} is older than the {} generation, which branch {} was the first to know.", version,
                        gpu.architecture, *first),
            fmt::format("install a driver of branch {} or newer.", *first)};
  return {};
}

Reason by_module(const Gpu& gpu, const std::string& kind) {
  constexpr std::array<const char*, 5> before_gsp{"Fermi", "Kepler", "Maxwell", "Pascal", "Volta"};
  if (kind == "open" && std::ranges::find(before_gsp, gpu.architecture) != before_gsp.end())
    return {
        fmt::format(
            "The open kernel module is loaded; it drives GPUs from Turing on, and this one is of the {} generation.",
            gpu.architecture),
        "install the driver with the proprietary kernel module."};
  if (kind == "proprietary" && gpu.architecture == "Blackwell")
    return {"The proprietary kernel module is loaded; GPUs of the Blackwell generation need the open one.",
            "install the driver with the open kernel module."};
  return {};
}

void report_finding(const Snapshot& snapshot, const Gpu& gpu, const Reason& reason, std::vector<Evidence> proof,
                    Answers& answers) {
  proof.push_back(evidence(gpu.in_pci("device_id"), gpu.device_id + " (" + gpu.architecture + ")"));
  // The generation is looked up by the PCI id: a fact about the id, not an answer of the driver.
  Finding& finding = nvidia::fault(answers, snapshot, Confidence::likely, std::move(proof), gpu.subject());
  finding.explanation = reason.text;
  finding.fix = {{.text = on_the_host(snapshot) + reason.remedy}};
}

// The kernel module says so in the kernel log.
bool from_log(const Snapshot& snapshot, Answers& answers) {
  const Symptom* line = first_symptom(snapshot, {{too_old, "gpu"}, {unsupported, "gpu"}});
  if (!line || nvidia::cuda_works(snapshot)) return false;
  const auto branch = line->details.find("branch");
  Finding& finding = answers.found();
  finding.explanation = "The kernel module found the GPU and says that it doesn't support it.";
  finding.evidence = {evidence(*line)};
  finding.fix = {on_host(
      snapshot, branch != line->details.end()
                    ? "install the driver of branch " + branch->second + ", which the message names."
                    : "if the message names the open kernel module, install the proprietary one (GPUs before Turing), "
                      "or the other way round (Blackwell); else install the branch that supports this GPU.")};
  return true;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (from_log(snapshot, answers)) return;
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text version = kernel.get() ? kernel : of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  const std::string place = kernel.get() ? "/nvidia/kernel_driver_version" : "/nvidia/userspace_driver_version";
  const Text kind = of(snapshot.nvidia, &Nvidia::kernel_module_kind);
  const bool works = nvidia::cuda_works(snapshot).has_value();
  bool unknown = false;
  bool any = works;
  for (const Gpu& gpu : nvidia::gpus(snapshot)) {
    any = any || gpu.nvml_index >= 0 || gpu.pci_index >= 0;
    if (gpu.nvml_index >= 0 || gpu.pci_index < 0) continue;  // the driver lists it, or it has no id
    unknown = unknown || gpu.architecture.empty() || !version.get();
    if (gpu.architecture.empty() || !version.get()) continue;
    Reason reason = by_branch(gpu, *version.get());
    std::vector<Evidence> proof{evidence(place, *version.get())};
    if (reason.text.empty() && kind.get()) {
      reason = by_module(gpu, *kind.get());
      proof.push_back(evidence("/nvidia/kernel_module_kind", *kind.get()));
    }
    if (!reason.text.empty()) report_finding(snapshot, gpu, reason, std::move(proof), answers);
  }
  if (unknown && nvidia::user_space_installed(snapshot).is(false) && nvidia::kernel_driver_runs(snapshot).is(false))
    return answers.not_applicable("no NVIDIA driver is installed");
  if (unknown && !works)
    return answers.unknown(version.get() ? "the generation of a GPU is not known" : why_unknown(place, version));
  any ? answers.passed() : answers.unknown(why_unknown("/pci", snapshot.pci));
}

Diagnosis diagnosis() {
  return {
      .id = "driver.gpu-unsupported",
      .layer = Layer::kernel_driver,
      .severity = Severity::error,
      .title = "The installed driver does not support this GPU",
      .claim =
          "The GPU's generation was dropped by, or is newer than, the installed driver branch, or its kind of kernel "
          "module.",
      .proof = "The driver's own message that it ignores the GPU, or a driver branch known not to hold its generation.",
      .disproof = "The driver lists the GPU.",
      .remedy = "Install the driver branch that supports this GPU.",
      .explains =
          with_unusable_driver({"driver.module-not-loaded", "driver.gpu-init-failed", "driver.device-nodes-missing",
                                "driver.init-failed", "driver.not-installed", "driver.gpu-lost"}),
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_gpu_unsupported
