// runtime.rocm-arch-unsupported: PyTorch's ROCm package holds code for some targets only, and runs on no neighbour.
#include <algorithm>

#include "checks/facts.h"
#include "checks/presence.h"
#include "knowledge/frameworks.h"

namespace envdoctor {
namespace {

constexpr const char* id = "runtime.rocm-arch-unsupported";

struct Target {
  std::string gfx{};
  std::string subject{};
  Evidence evidence{};
};

// The GPUs' targets: by KFD or their PCI ids, else as a log names them.
std::vector<Target> targets(const Snapshot& snapshot) {
  std::vector<Target> all;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor == Vendor::amd && gpu.granted && !gpu.gfx.empty() && !gpu.integrated)
      all.push_back({gpu.gfx, gpu.subject(), gpus_seen(snapshot, Vendor::amd)});
  }
  if (!all.empty()) return all;
  for (const LogEvent* event : events_of(snapshot, "gfx-named")) {
    if (const auto gfx = event->fields.find("gfx"); gfx != event->fields.end())
      all.push_back({gfx->second, "host", seen(*event, gfx->second)});
  }
  return all;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const std::string version = framework_version(snapshot, "torch");
  if (version.find("+rocm") == std::string::npos)
    return answers.not_applicable(id, "no PyTorch package for ROCm is known here");
  const auto built = knowledge::torch_rocm_targets(version);
  const auto here = targets(snapshot);
  if (!built || here.empty()) return answers.unknown(id, "the build's targets or the GPU's own are not known");
  const Text override_set = env_of(snapshot, "HSA_OVERRIDE_GFX_VERSION");
  const auto runs = [&](const Target& t) { return std::ranges::find(*built, t.gfx) != built->end(); };
  if (override_set.get() || std::ranges::any_of(here, runs)) return answers.sound(id);
  Finding& finding = answers.found(id, here.front().subject);
  finding.confidence = override_set.outcome() == Outcome::absent ? Confidence::likely : Confidence::possible;
  std::string list;
  for (const std::string& gfx : *built) list += (list.empty() ? "" : ", ") + gfx;
  finding.explanation = "PyTorch " + version + " holds code for " + list + "; this GPU is " + here.front().gfx +
                        ". Without HSA_OVERRIDE_GFX_VERSION in the program's environment its kernels don't start.";
  finding.evidence = {framework_seen(snapshot, "torch"), here.front().evidence};
  finding.fix = {{.text = diagnosis(id)->remedy}};
}

}  // namespace

Check runtime_rocm_arch() { return {{id}, run}; }

}  // namespace envdoctor
