// opencl.icd-no-device and opencl.rusticl-not-enabled: a driver loads and has nothing to drive; Mesa's rusticl because
// it was never told to.
#include <algorithm>
#include <cctype>

#include "checks/opencl_facts.h"

namespace envdoctor {
namespace {

constexpr const char* no_device = "opencl.icd-no-device";
constexpr const char* not_enabled = "opencl.rusticl-not-enabled";

struct Empty {
  std::string name{};  // of the platform or the library
  std::string subject{};
  Evidence evidence{};
};

// A vendor's driver loads, and the platforms that are listed hold none of this vendor's.
bool lacks_its_platform(const Snapshot& snapshot, const OpenclIcd& icd) {
  const auto* platforms = opencl::platforms(snapshot);
  const opencl::Maker maker = opencl::maker_of(text_of(icd.library));
  if (!platforms || maker == opencl::Maker::other || maker == opencl::Maker::mesa) return false;
  return std::ranges::none_of(*platforms,
                              [&](const OpenclPlatform& p) { return opencl::maker_of(text_of(p.name)) == maker; });
}

// Platforms without a device, and drivers that have not even a platform.
std::vector<Empty> empties(const Snapshot& snapshot) {
  std::vector<Empty> all;
  if (const auto* platforms = opencl::platforms(snapshot)) {
    for (std::size_t i = 0; i < platforms->size(); ++i) {
      const OpenclPlatform& platform = (*platforms)[i];
      // A report that names rusticl alone and no device of it: its state unless a driver is named.
      const bool quiet_rusticl = opencl::is_rusticl(text_of(platform.name)) && platforms->size() == 1 &&
                                 platform.devices.outcome() == Outcome::not_probed && told_by_a_report(snapshot);
      if (!opencl::has_no_device(platform) && !quiet_rusticl) continue;
      const std::string name = text_of(platform.name);
      all.push_back({name, platform.icd.get() ? "icd:" + *platform.icd.get() : "opencl:" + name,
                     seen(at("/opencl/platforms", i, "devices"), "none")});
    }
  }
  if (const auto* icds = opencl::icds(snapshot)) {
    for (std::size_t i = 0; i < icds->size(); ++i) {
      const OpenclIcd& icd = (*icds)[i];
      if (!icd.loads.is(true) || (icd.error.get() && !icd.error_kind.is("no-platform"))) continue;
      if (!icd.platforms.is(0) && (icd.platforms.get() || !lacks_its_platform(snapshot, icd))) continue;
      const Evidence proof = icd.platforms.get() ? seen(at("/opencl/icds", i, "platforms"), "0")
                                                 : seen("/opencl/platforms", "none of " + text_of(icd.library));
      all.push_back({text_of(icd.library), "icd:" + text_of(icd.file), proof});
    }
  }
  return all;
}

// Whether another platform lists a GPU that this maker's driver is for, or any GPU where it isn't known whose it is.
Severity weigh(const Snapshot& snapshot, opencl::Maker maker) {
  const Flag gpu = opencl::has_gpu_of(snapshot, maker);
  if (gpu.is(false)) return Severity::info;
  if (opencl_lists_gpu(snapshot) || gpu_works_without_opencl(snapshot))
    return maker == opencl::Maker::mesa ? Severity::info : Severity::warning;
  return gpu.is(true) && maker != opencl::Maker::mesa && maker != opencl::Maker::other ? Severity::error
                                                                                       : Severity::warning;
}

void tell_empty(const Snapshot& snapshot, const Empty& empty, Answers& answers) {
  const opencl::Maker maker = opencl::maker_of(empty.name);
  Finding& finding = answers.found(no_device, empty.subject);
  finding.severity = weigh(snapshot, maker);
  finding.evidence = {empty.evidence};
  if (maker == opencl::Maker::cpu) {
    finding.explanation = empty.name + " loads and finds no device, though all it needs is a CPU.";
    if (opencl::is_pocl(empty.name))
      finding.fix = {{.text = "PoCL does so where it can't write its cache, or where POCL_DEVICES leaves the CPU out.",
                      .command = "export POCL_CACHE_DIR=$(mktemp -d)"}};
    return;
  }
  const bool none_here = opencl::has_gpu_of(snapshot, maker).is(false);
  finding.explanation = (empty.name.empty() ? "An OpenCL driver" : empty.name) + " loads and finds no device" +
                        (none_here ? "; this host has none that it could drive."
                                   : "; what it needs is missing below: kernel driver, device nodes, permissions.");
  if (!none_here)
    finding.fix = {
        {.text = "Look at the findings about the driver and the device nodes first; then at the driver's own log."}};
}

// The name of Mesa's driver for the GPU that is here.
std::string mesa_driver(const Snapshot& snapshot) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.driver == "amdgpu" || gpu.driver == "radeon") return "radeonsi";
    if (gpu.driver == "i915" || gpu.driver == "xe") return "iris";
    if (gpu.driver == "nouveau") return "nouveau";
  }
  return {};
}

// RUSTICL_ENABLE names drivers; numbers and words such as "1" or "true" name none.
bool names_a_driver(const std::string& value) {
  return std::ranges::any_of(value, [](unsigned char c) { return std::isalpha(c) != 0; }) && value != "true" &&
         value != "yes" && value != "on";
}

void tell_rusticl(const Snapshot& snapshot, const Empty& empty, const Text& variable, Answers& answers) {
  Finding& finding = answers.found(not_enabled, empty.subject);
  const std::string driver = mesa_driver(snapshot);
  const bool only_way = !driver.empty() && !opencl_lists_gpu(snapshot) && !gpu_works_without_opencl(snapshot);
  finding.severity = only_way ? Severity::warning : Severity::info;
  finding.confidence = variable.outcome() == Outcome::not_probed ? Confidence::possible : Confidence::certain;
  finding.explanation = variable.get() ? "RUSTICL_ENABLE is \"" + *variable.get() +
                                             "\", which names no driver; rusticl then drives nothing."
                                       : "RUSTICL_ENABLE isn't set, and without it rusticl drives nothing.";
  finding.evidence = {empty.evidence};
  if (variable.outcome() != Outcome::not_probed)
    finding.evidence.push_back(variable.get() ? seen("/env/RUSTICL_ENABLE", *variable.get())
                                              : seen("/env", "RUSTICL_ENABLE is not set"));
  if (driver.empty()) finding.explanation += " This host has no GPU that it could drive.";
  if (!driver.empty())
    finding.fix = {{.text = "Name the driver, for services too.", .command = "export RUSTICL_ENABLE=" + driver}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto* platforms = opencl::platforms(snapshot);
  const auto* icds = opencl::icds(snapshot);
  if (!platforms) {
    const std::string why = why_unknown("/opencl/platforms", of(snapshot.opencl, &Opencl::platforms));
    answers.unknown(no_device, why);
    return answers.unknown(not_enabled, why);
  }
  const Text variable = env_of(snapshot, "RUSTICL_ENABLE");
  bool empty_found = false, rusticl_found = false;
  for (const Empty& empty : empties(snapshot)) {
    const bool unset = variable.get() ? !names_a_driver(*variable.get()) : variable.outcome() != Outcome::failed;
    if (opencl::is_rusticl(empty.name) && unset) {
      tell_rusticl(snapshot, empty, variable, answers);
      rusticl_found = true;
    } else {
      tell_empty(snapshot, empty, answers);
      empty_found = true;
    }
  }
  const bool any = !platforms->empty() || (icds && !icds->empty());
  const bool rusticl =
      std::ranges::any_of(*platforms, [](const OpenclPlatform& p) { return opencl::is_rusticl(text_of(p.name)); });
  const bool seen_all =
      std::ranges::all_of(*platforms, [](const OpenclPlatform& p) { return p.devices.get() != nullptr; });
  if (!seen_all && !empty_found && !rusticl_found) {
    answers.unknown(no_device, "/opencl/platforms: not every platform's devices are known");
    return answers.unknown(not_enabled, "/opencl/platforms: not every platform's devices are known");
  }
  if (!empty_found) any ? answers.sound(no_device) : answers.not_applicable(no_device, "no OpenCL platform is here");
  if (!rusticl_found)
    rusticl ? answers.sound(not_enabled) : answers.not_applicable(not_enabled, "rusticl isn't installed");
}

}  // namespace

Check opencl_icd_no_device() { return {{no_device, not_enabled}, run}; }

}  // namespace envdoctor
