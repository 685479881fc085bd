// opencl.rusticl-not-enabled: Mesa's rusticl loads but has no device, because RUSTICL_ENABLE names no driver.
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_rusticl_not_enabled {

using enum SymptomClass;

// The name of Mesa's driver for this host's GPU.
std::string mesa_driver(const Snapshot& snapshot) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.driver == "amdgpu" || gpu.driver == "radeon") return "radeonsi";
    if (gpu.driver == "i915" || gpu.driver == "xe") return "iris";
    if (gpu.driver == "nouveau") return "nouveau";
    const auto& rows = snapshot.pci.or_empty();
    const bool unknown =
        gpu.pci_index >= 0 && rows.at(static_cast<std::size_t>(gpu.pci_index)).driver.outcome() == Outcome::not_probed;
    if (unknown && gpu.vendor == Vendor::amd) return "radeonsi";
    if (unknown && gpu.vendor == Vendor::intel) return "iris";
  }
  return {};
}

void report(const Snapshot& snapshot, const opencl::Empty& empty, Answers& answers) {
  const Text variable = env_of(snapshot, "RUSTICL_ENABLE");
  Finding& finding = answers.found_on(empty.subject);
  const std::string driver = mesa_driver(snapshot);
  const bool only_way = !driver.empty() && !opencl_lists_gpu(snapshot) && !gpu_works_without_opencl(snapshot);
  finding.severity = only_way ? Severity::warning : Severity::info;
  finding.confidence = variable.outcome() == Outcome::not_probed ? Confidence::possible : Confidence::certain;
  finding.explanation = variable.get() ? "RUSTICL_ENABLE is \"" + *variable.get() +
                                             "\", which names no driver, so rusticl lists no device."
                                       : "RUSTICL_ENABLE isn't set, so rusticl lists no device.";
  finding.evidence = {empty.evidence};
  if (variable.outcome() != Outcome::not_probed)
    finding.evidence.push_back(variable.get() ? evidence("/env/RUSTICL_ENABLE", *variable.get())
                                              : evidence("/env", "RUSTICL_ENABLE is not set"));
  if (driver.empty()) finding.explanation += " This host has no GPU that it could drive.";
  if (!driver.empty())
    finding.fix = {{.text = "Set RUSTICL_ENABLE to the driver's name, also for services.",
                    .command = "export RUSTICL_ENABLE=" + driver}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  for (const opencl::Empty& empty : opencl::empties(snapshot)) {
    if (opencl::rusticl_not_enabled(snapshot, empty)) report(snapshot, empty, answers);
  }
  const bool rusticl =
      std::ranges::any_of(snapshot.opencl.or_empty().platforms.or_empty(),
                          [](const OpenclPlatform& platform) { return opencl::is_rusticl(text_of(platform.name)); });
  opencl::answer_without_finding(snapshot, rusticl, "rusticl isn't installed", answers);
}

bool nothing_listed(const Facts& facts) {
  const auto& platforms = facts.snapshot().opencl.or_empty().platforms.or_empty();
  return facts.saw({{missing, "opencl-device"}, {missing, "opencl-platform"}}) ||
         std::ranges::any_of(platforms,
                             [](const OpenclPlatform& one) { return opencl::is_rusticl(text_of(one.name)); });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.rusticl-not-enabled",
      .layer = Layer::runtime,
      .severity = Severity::info,
      .title = "Mesa's rusticl is not enabled for any GPU",
      .claim = "rusticl is registered and lists devices only for the drivers named in RUSTICL_ENABLE.",
      .proof = "rusticl lists no device, and RUSTICL_ENABLE names no driver.",
      .disproof = "RUSTICL_ENABLE names the GPU's driver, and the platform still lists no device.",
      .remedy = "Set RUSTICL_ENABLE to the name of the driver, such as radeonsi or iris.",
      .explains = {"opencl.icd-no-device", "opencl.cpu-only", "opencl.no-platform"},
      .symptoms =
          {
              helped_by("rusticl"),
              {{missing, "rusticl-device"}, possible, nothing_listed},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_rusticl_not_enabled
