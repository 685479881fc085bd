// driver.gpu-unsupported: the driver branch, or the kind of kernel module, doesn't drive this generation of GPU.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "checks/distro.h"
#include "checks/nvidia.h"
#include "knowledge/drivers.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.gpu-unsupported";

// Why this driver doesn't drive this generation; empty: nothing speaks against it.
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

void tell(const Snapshot& snapshot, const Gpu& gpu, const Reason& reason, std::vector<Evidence> evidence,
          Answers& answers) {
  Finding& finding = answers.found(id, gpu.subject());
  finding.severity = nvidia::fault_severity(snapshot);
  // The generation is looked up by the PCI id: a fact about the id, not something the driver said.
  finding.confidence = Confidence::likely;
  finding.explanation = reason.text;
  finding.evidence = std::move(evidence);
  finding.evidence.push_back(seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "device_id"),
                                  gpu.device_id + " (" + gpu.architecture + ")"));
  finding.fix = {{.text = on_the_host(snapshot) + reason.remedy}};
}

// The kernel module says so in the kernel log.
bool from_log(const Snapshot& snapshot, Answers& answers) {
  if (nvidia::cuda_works(snapshot)) return false;
  for (const char* event : {"gpu-legacy", "gpu-driver-ignores"}) {
    for (const LogEvent* line : events_of(snapshot, event)) {
      const auto branch = line->fields.find("branch");
      Finding& finding = answers.found(id);
      finding.explanation = "The kernel module found the GPU and says that it doesn't support it.";
      finding.evidence = {seen(*line, *line->event.get())};
      if (branch != line->fields.end())
        finding.fix = {{.text = on_the_host(snapshot) + "install the driver of branch " + branch->second +
                                ", which the message names."}};
      else
        finding.fix = {{.text = on_the_host(snapshot) +
                                "if the message names the open kernel module, install the proprietary one (GPUs before "
                                "Turing), or the other way round "
                                "(Blackwell); else install the branch that supports this GPU."}};
      return true;
    }
  }
  return false;
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (from_log(snapshot, answers)) return;
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Text version = kernel.get() ? kernel : of(snapshot.nvidia, &Nvidia::userspace_driver_version);
  const std::string place = kernel.get() ? "/nvidia/kernel_driver_version" : "/nvidia/userspace_driver_version";
  const Text kind = of(snapshot.nvidia, &Nvidia::kernel_module_kind);
  bool found = false;
  bool unknown = false;
  bool any = false;
  for (const Gpu& gpu : nvidia::gpus(snapshot)) {
    if (gpu.nvml_index >= 0) {  // the driver lists it
      any = true;
      continue;
    }
    if (gpu.pci_index < 0) continue;
    any = true;
    if (gpu.architecture.empty() || !version.get()) {
      unknown = true;
      continue;
    }
    Reason reason = by_branch(gpu, *version.get());
    std::vector<Evidence> evidence{seen(place, *version.get())};
    if (reason.text.empty() && kind.get()) {
      reason = by_module(gpu, *kind.get());
      evidence.push_back(seen("/nvidia/kernel_module_kind", *kind.get()));
    }
    if (reason.text.empty()) continue;
    tell(snapshot, gpu, reason, std::move(evidence), answers);
    found = true;
  }
  if (found) return;
  if (unknown && nvidia::user_space_installed(snapshot).is(false) && nvidia::kernel_driver_runs(snapshot).is(false))
    return answers.not_applicable(id, "no NVIDIA driver is installed");
  if (unknown && !nvidia::cuda_works(snapshot))
    return answers.unknown(id, version.get() ? "the generation of a GPU is not known" : why_unknown(place, version));
  if (any || nvidia::cuda_works(snapshot)) return answers.sound(id);
  answers.unknown(id, why_unknown("/pci", snapshot.pci));
}

}  // namespace

Check driver_gpu_unsupported() { return {{id}, run}; }

}  // namespace envdoctor
