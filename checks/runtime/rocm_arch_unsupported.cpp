// runtime.rocm-arch-unsupported: PyTorch's ROCm package has code for some targets only, and runs on no similar ones.
#include <re2/re2.h>

#include "checks/engine/rule.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::runtime_rocm_arch_unsupported {

using enum SymptomClass;

struct Target {
  std::string gfx{};
  std::string subject{};
  Evidence evidence{};
};

// The GPUs' targets: by KFD or their PCI ids, otherwise as named in a log.
std::vector<Target> targets(const Snapshot& snapshot) {
  std::vector<Target> all;
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.vendor == Vendor::amd && gpu.granted && !gpu.gfx.empty() && !gpu.integrated)
      all.push_back({gpu.gfx, gpu.subject(), gpus_seen(snapshot, Vendor::amd)});
  }
  if (!all.empty()) return all;
  for (const Symptom* event : symptoms_of(snapshot, {noted, "gpu-target"})) {
    if (const std::string gfx = event->detail("gfx"); !gfx.empty()) all.push_back({gfx, "host", evidence(*event, gfx)});
  }
  return all;
}

// The targets that torch itself lists; none: it wasn't asked, or isn't built for AMD. "gfx90a:xnack-" is one of gfx90a.
std::vector<std::string> listed_targets(const Snapshot& snapshot) {
  std::vector<std::string> all;
  for (const std::string& one : of(snapshot.torch, &Torch::arch_list).or_empty()) {
    if (one.starts_with("gfx")) all.push_back(one.substr(0, one.find(':')));
  }
  return all;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const std::string version = framework_version(snapshot, "torch");
  const auto listed = listed_targets(snapshot);
  if (listed.empty() && version.find("+rocm") == std::string::npos)
    return answers.not_applicable("no PyTorch package for ROCm is known here");
  const auto built = listed.empty() ? knowledge::torch_rocm_targets(version) : std::optional(listed);
  const auto here = targets(snapshot);
  if (!built || here.empty()) return answers.unknown("the build's targets or the GPU's own are not known");
  const Text override_set = env_of(snapshot, "HSA_OVERRIDE_GFX_VERSION");
  const auto runs = [&](const Target& t) { return std::ranges::find(*built, t.gfx) != built->end(); };
  if (override_set.get() || std::ranges::any_of(here, runs)) return answers.passed();
  Finding& finding = answers.found_on(here.front().subject);
  finding.confidence = override_set.outcome() == Outcome::absent ? Confidence::likely : Confidence::possible;
  finding.explanation = fmt::format(
      "PyTorch {} holds code for {}; this GPU is {}. Without HSA_OVERRIDE_GFX_VERSION in the program's environment its "
      "kernels don't start.",
      version, fmt::join(*built, ", "), here.front().gfx);
  finding.evidence = {listed.empty() ? framework_seen(snapshot, "torch")
                                     : evidence("/torch/arch_list", fmt::format("{}", fmt::join(listed, " "))),
                      here.front().evidence};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

// What a tool lists in a program runs on none of the GPUs. A generic target serves several.
void judge_program(const Facts& facts, Answers& answers) {
  const Symptom* program = facts.first({{noted, "code-in-program"}});
  const std::string held = program ? program->detail("gfx") : "";
  const auto here = targets(facts.snapshot());
  if (held.empty() || here.empty() || held.find("generic") != held.npos ||
      env_of(facts.snapshot(), "HSA_OVERRIDE_GFX_VERSION").get() || facts.used())
    return;
  for (const Target& target : here) {
    if ((" " + held + " ").find(" " + target.gfx + " ") != held.npos) return;
  }
  Finding& finding = answers.found_in(*program, Confidence::likely, here.front().subject);
  finding.evidence.push_back(here.front().evidence);
  finding.explanation = fmt::format("The program holds code for {}; this GPU is {}.", held, here.front().gfx);
  finding.fix = {{.text = "Compile it for this GPU: hipcc --offload-arch=" + here.front().gfx + "."}};
}

// The kernel prints this for every old AMD card, even one for display only.
bool rocm_fails(const Facts& facts) {
  return when::no_driver_answers(facts) &&
         facts.saw(
             {{failed, "hsa"}, {missing, "hip-device"}, {present, "amdgpu-kernel-module"}, {limited, "kfd-node"}});
}

// Code for another target than the GPU's: the variable makes it run, or MIOpen has nothing for the target.
bool other_target(const Facts& facts) {
  return facts.saw({{missing, "miopen-database"}}) || env_of(facts.snapshot(), "HSA_OVERRIDE_GFX_VERSION").get();
}

// Ollama logs each GPU that it skips, even if it works on another; where hipBLASLt has nothing, rocBLAS calculates.
bool needed_for_work(const Facts& facts) {
  return !facts.used() || std::ranges::any_of(facts.all({missing, "hip-kernel-image"}), [](const Symptom* line) {
    return !line->program.is("ollama") && line->text.or_empty().find("hipblaslt") == std::string::npos;
  });
}

// As which target a GPU can pass: those that share a generic one run the same code (LLVM's "User Guide for AMDGPU
// Backend", generic processors).
struct Relative {
  const char* target = nullptr;   // null: none is known
  const char* version = nullptr;  // of HSA_OVERRIDE_GFX_VERSION
};

Relative relative_of(const std::string& gfx) {
  if (gfx.starts_with("gfx103") && gfx != "gfx1030") return {"gfx1030", "10.3.0"};
  if ((gfx.starts_with("gfx110") && gfx != "gfx1100") || gfx.starts_with("gfx115")) return {"gfx1100", "11.0.0"};
  return {};
}

void name_override(const Facts& facts, Answers& answers) {
  static const LazyRegex drive(R"(\b[A-Z]:\\)", RE2::Latin1);
  const auto& lines = facts.all({missing, "hip-kernel-image"});
  const auto named = std::ranges::find_if(lines, [](const Symptom* line) { return !line->detail("gfx").empty(); });
  const auto here = targets(facts.snapshot());
  const std::string gfx = named != lines.end() ? (*named)->detail("gfx") : here.size() == 1 ? here.front().gfx : "";
  const Relative relative = relative_of(gfx);
  const bool windows =
      of(facts.snapshot().host, &HostFacts::platform).is("windows") ||
      std::ranges::any_of(lines, [](const Symptom* line) { return RE2::PartialMatch(line->text.or_empty(), drive); });
  each_with_remedy(answers, [&](Finding& finding) {
    std::string& text = finding.fix.front().text;
    if (windows)
      text = "Install a build for this target; HSA_OVERRIDE_GFX_VERSION has no effect on Windows.";
    else if (relative.target)
      text = fmt::format(
          "Set HSA_OVERRIDE_GFX_VERSION={} in the program's environment: {} runs code for {}. Or install a build for "
          "{}.",
          relative.version, gfx, relative.target, gfx);
  });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.rocm-arch-unsupported",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The ROCm build holds no code for this AMD GPU",
      .claim = "The GPU is detected, and the libraries were compiled for other gfx targets.",
      .proof = "HIP has no code object for this GPU's target, or the package's list of targets lacks it.",
      .disproof = "The GPU's gfx target is in the build's list.",
      .remedy =
          "Install a build for this target; for close relatives HSA_OVERRIDE_GFX_VERSION makes the GPU pass as a "
          "supported one.",
      .explains = {"usage.program-fault"},
      .symptoms =
          {
              helped_by("other-amd-target"),
              {{unsupported, "amd-gpu"}, likely, rocm_fails},
              {{unsupported, "amd-gpu"}, possible, when::no_driver_answers},
              {{missing, "hip-kernel-image"}, likely, needed_for_work},
              {{failed, "amd-gpu-memory-access"}, possible, other_target},
          },
      .judge_host = judge,
      .judge = judge_program,
      .complete = name_override,
  };
}

}  // namespace envdoctor::runtime_rocm_arch_unsupported
