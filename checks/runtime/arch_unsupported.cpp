// runtime.arch-unsupported: the build has neither machine code nor PTX that runs on this GPU.
#include <re2/re2.h>

#include <sstream>

#include "checks/engine/rule.h"
#include "checks/facts/fitting_build.h"
#include "checks/facts/visible.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/gpus/cuda_toolkits.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/gpus/gpu_models.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::runtime_arch_unsupported {

using enum SymptomClass;

struct Code {
  std::string capability{};  // "9.0"
  bool ptx = false;
  char suffix = 0;  // 'a': this chip only; 'f': this family
};

// The GPUs that a framework's build supports: a list of targets, or a lowest capability, or both; neither: unknown.
struct Build {
  std::string who{};
  std::vector<Code> code{};
  std::string lowest{};
  Confidence sure = Confidence::likely;
  std::vector<Evidence> evidence{};
  [[nodiscard]] bool known() const { return !code.empty() || !lowest.empty(); }
};

// "sm_86", "sm_90a", "compute_120" as PyTorch lists them.
std::optional<Code> code_of(const std::string& entry) {
  static const LazyRegex form("(sm|compute)_([0-9]+)([0-9])([A-Za-z]?)", RE2::Latin1);
  std::string kind, major, minor, suffix;
  if (!RE2::FullMatch(entry, form, &kind, &major, &minor, &suffix)) return std::nullopt;
  return Code{major + "." + minor, kind == "compute", suffix.empty() ? '\0' : suffix[0]};
}

bool runs(const Code& code, const std::string& gpu) {
  if (code.suffix == 'a') return code.capability == gpu;
  if (code.suffix == 'f') return knowledge::native_code_runs(code.capability, gpu);
  return code.ptx ? knowledge::ptx_runs(code.capability, gpu) : knowledge::native_code_runs(code.capability, gpu);
}

bool runs(const Build& build, const std::string& gpu) {
  if (!build.lowest.empty() && knowledge::compare_versions(gpu, build.lowest) < 0) return false;
  return build.code.empty() || std::ranges::any_of(build.code, [&](const Code& code) { return runs(code, gpu); });
}

void add(std::vector<Code>& code, const std::vector<std::string>& capabilities, bool ptx) {
  for (const std::string& capability : capabilities) code.push_back({capability, ptx});
}

Build torch_build(const Snapshot& snapshot) {
  const std::string version = framework_version(snapshot, "torch");
  Build build{.who = version.empty() ? "PyTorch" : "PyTorch " + version};
  if (const auto* list = of(snapshot.torch, &Torch::arch_list).get()) {
    for (const std::string& entry : *list) {
      if (const auto code = code_of(entry)) build.code.push_back(*code);
    }
    build.evidence = {evidence("/torch/arch_list", fmt::format("{}", fmt::join(*list, " ")))};
    build.sure = Confidence::certain;
    return build;
  }
  const Text stated = of(snapshot.torch, &Torch::cuda_version);
  const auto cuda = stated.get() ? std::optional(*stated.get()) : knowledge::cuda_of_torch_version(version);
  if (!cuda) return build;
  build.evidence = {stated.get() ? evidence("/torch/cuda_version", *cuda) : framework_seen(snapshot, "torch")};
  // What is not stated of a host in a report is most often the usual.
  const Text &platform = of(snapshot.host, &HostFacts::platform), &arch = of(snapshot.host, &HostFacts::arch);
  const bool stated_usual = platform.is("linux") && arch.is("x86_64");
  const bool usual_wheel =
      stated_usual || (platform.value_or("linux") == "linux" && arch.value_or("x86_64") == "x86_64" &&
                       arch.outcome() == Outcome::not_probed);
  if (const auto targets = usual_wheel ? knowledge::torch_targets(version, *cuda) : std::nullopt) {
    add(build.code, targets->sass, false);
    add(build.code, targets->ptx, true);
    if (!stated_usual) build.sure = Confidence::possible;
  } else if (const auto toolkit = knowledge::targets_of_toolkit(*cuda)) {
    build.lowest = toolkit->lowest;  // no build can have code that its toolkit can't generate
  }
  return build;
}

Build tensorflow_build(const Snapshot& snapshot) {
  const std::string version = framework_version(snapshot, "tensorflow");
  const auto needs = linux_tensorflow_needs(snapshot, version);
  if (!needs || of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false)) return {};
  Build build{.who = "TensorFlow " + version,
              .lowest = needs->lowest_capability,
              .evidence = {framework_seen(snapshot, "tensorflow")}};
  add(build.code, needs->sass, false);
  add(build.code, needs->ptx, true);
  return build;
}

Build jax_build(const Snapshot& snapshot) {
  const std::string version = framework_version(snapshot, "jax");
  const auto needs = jax_needs(snapshot, version);
  return {.who = "JAX " + version,
          .lowest = needs ? needs->lowest_capability : "",
          .evidence = {framework_seen(snapshot, "jax")}};
}

// The NVIDIA GPUs that a program here sees; hidden ones don't matter.
std::vector<Gpu> visible_gpus(const Snapshot& snapshot) {
  std::vector<Gpu> gpus = gpus_of(snapshot);
  std::erase_if(gpus, [](const Gpu& gpu) { return gpu.vendor != Vendor::nvidia || !gpu.granted; });
  const VisibleList list = visible_to_cuda(snapshot);
  if (!list.unknown.empty() || list.devices.empty()) return gpus;
  for (const HiddenDevice& hidden : list.hidden) {
    if (!hidden.device.address.empty())
      std::erase_if(gpus, [&](const Gpu& g) { return g.address == hidden.device.address; });
  }
  return gpus;
}

// TensorFlow's lists come from its build files; the installed wheel may support more.
bool from_build_files(const Build& build, const std::string& gpu) {
  return build.who.starts_with("TensorFlow") &&
         (build.lowest.empty() || knowledge::compare_versions(gpu, build.lowest) >= 0);
}

// Only PTX fits, and the GPU is of a generation (Blackwell, 10.0 and later) where TensorFlow's PTX of 9.0 and before
// was reported to fail in the driver's compiler, besides starting slowly.
bool doubtful(const Build& build, const std::string& gpu) {
  const bool native = std::ranges::any_of(build.code, [&](const Code& code) { return !code.ptx && runs(code, gpu); });
  return build.who.starts_with("TensorFlow") && !build.code.empty() && !native &&
         knowledge::capability_has(gpu, "old-ptx-fails");
}

void report(const Snapshot& snapshot, const Build& build, const Gpu& gpu, bool others_run, Answers& answers) {
  Finding& finding = answers.found_on(gpu.subject());
  finding.severity = others_run ? Severity::warning : Severity::error;
  finding.confidence = build.sure;
  std::string held;
  for (const Code& code : build.code) held += (held.empty() ? "" : ", ") + code.capability + (code.ptx ? " (PTX)" : "");
  finding.explanation =
      build.who +
      (held.empty() ? " needs compute capability " + build.lowest + " or higher" : " holds code for " + held) + "; " +
      (gpu.name.empty() ? "this GPU" : gpu.name) + " has " + gpu.compute_capability +
      ". Machine code runs within one major version, on the same or a higher minor one; PTX runs on any later GPU.";
  finding.evidence = build.evidence;
  const NvidiaDevice* listed = nvml_device(snapshot, gpu);
  finding.evidence.push_back(
      listed && !listed->compute_capability.get()
          ? evidence(at("/nvidia/devices", static_cast<std::size_t>(gpu.nvml_index), "name"), gpu.name)
      : gpu.nvml_index >= 0
          ? evidence(at("/nvidia/devices", static_cast<std::size_t>(gpu.nvml_index), "compute_capability"),
                     gpu.compute_capability)
      : gpu.pci_index >= 0 ? evidence(at("/pci", static_cast<std::size_t>(gpu.pci_index), "device_id"), gpu.device_id)
                           : evidence("/nvidia/cuda_devices", gpu.compute_capability));
  const auto last = knowledge::last_toolkit_for(gpu.compute_capability),
             first = knowledge::first_toolkit_for(gpu.compute_capability);
  std::string text = "Install a build that was made for this GPU";
  if (first) text += ": CUDA " + *first + " or later";
  if (last) text += (first ? ", " : ": CUDA ") + *last + " at most";
  finding.fix = {{.text = text + "."}};
  const std::string framework = build.who.starts_with("PyTorch") ? "torch"
                                : build.who.starts_with("JAX")   ? "jax"
                                                                 : "tensorflow";
  if (auto fits = fitting_build_in_use(snapshot, framework)) finding.fix.push_back(std::move(*fits));
}

void judge(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  std::vector<Build> builds = {torch_build(snapshot), tensorflow_build(snapshot), jax_build(snapshot)};
  std::erase_if(builds, [](const Build& build) { return !build.known(); });
  if (builds.empty() && of(snapshot.python, &Python::packages).get() && frameworks(snapshot).empty())
    return answers.not_applicable("no framework is installed");
  if (builds.empty()) return answers.unknown("what the framework was built for is not known");
  const auto gpus = visible_gpus(snapshot);
  bool all_known = !gpus.empty();
  for (const Build& build : builds) {
    const auto fits = [&](const Gpu& gpu) {
      return !gpu.compute_capability.empty() && runs(build, gpu.compute_capability);
    };
    for (const Gpu& gpu : gpus) {
      all_known = all_known && !gpu.compute_capability.empty();
      if (gpu.compute_capability.empty()) continue;
      const bool fit = fits(gpu);
      if (fit && !doubtful(build, gpu.compute_capability)) continue;
      report(snapshot, build, gpu, fit || std::ranges::any_of(gpus, fits), answers);
      if (!fit && !from_build_files(build, gpu.compute_capability)) continue;
      Finding& finding = answers.findings.back();
      finding.confidence = Confidence::possible;
      finding.severity = Severity::warning;
      if (fit)
        finding.explanation +=
            " Only PTX code fits this GPU, and on this generation it was reported to fail or to start very slowly.";
    }
  }
  if (!all_known) return answers.unknown("the GPU's compute capability is not known");
  answers.passed();
}

// The only compute capability that a text mentions; empty: none, or several.
std::string stated_capability(const Facts& facts) {
  std::string one;
  for (const Symptom* line : facts.all({noted, "stated-gpu"})) {
    if (!one.empty() && one != line->detail("capability")) return {};
    one = line->detail("capability");
  }
  return one;
}

// Libraries of a toolkit that is older than the GPU's generation run nothing on it, and cuBLAS says so first.
void judge_libraries(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Symptom* refused = facts.first({{failed, "cublas-handle"}, {failed, "cublas"}});
  if (!refused) refused = facts.with({failed, "gpu-api-call"}, "code", "CUBLAS_STATUS_EXEC");
  const std::string version = framework_version(snapshot, "tensorflow");
  const auto needs = linux_tensorflow_needs(snapshot, version);
  const Text built = of(snapshot.tensorflow, &Tensorflow::cuda_version);
  const std::string cuda = built.get() ? *built.get() : needs ? needs->cuda : "";
  const auto targets = refused && !cuda.empty() ? knowledge::targets_of_toolkit(cuda) : std::nullopt;
  if (!targets || targets->highest.empty()) return;
  const auto later = [&](const std::string& capability) {
    return !capability.empty() &&
           knowledge::compare_versions(knowledge::major_of(capability), knowledge::major_of(targets->highest)) > 0;
  };
  std::string has, name, subject = "host";
  for (const Gpu& gpu : visible_gpus(facts)) {
    if (has.empty() && later(gpu.compute_capability))
      has = gpu.compute_capability, name = gpu.name, subject = gpu.subject();
  }
  if (has.empty() && later(stated_capability(facts))) has = stated_capability(facts);
  if (has.empty()) return;
  Finding& finding = answers.found_in(*refused, Confidence::likely, subject);
  finding.evidence.push_back(built.get() ? evidence("/tensorflow/cuda_version", cuda)
                                         : framework_seen(snapshot, "tensorflow"));
  finding.explanation = fmt::format("The libraries of CUDA {} know GPUs up to {}; {} has {}.", cuda, targets->highest,
                                    name.empty() ? "this GPU" : name, has);
}

// What cuobjdump lists in a program runs on none of the GPUs.
void judge_program(const Facts& facts, Answers& answers) {
  const Symptom* listed = facts.first({{noted, "code-in-program"}});
  const auto gpus = visible_gpus(facts);
  if (!listed || gpus.empty()) return;
  Build build{.who = "The program"};
  for (const bool ptx : {false, true}) {
    std::istringstream all(listed->detail(ptx ? "ptx" : "native"));
    for (std::string one; all >> one;) build.code.push_back({one, ptx});
  }
  if (!build.known()) return;
  for (const Gpu& gpu : gpus) {
    if (gpu.compute_capability.empty() || runs(build, gpu.compute_capability)) return;
  }
  Finding& finding = answers.found_in(*listed, Confidence::likely, gpus.front().subject());
  const std::string ptx = listed->detail("ptx");
  finding.explanation =
      fmt::format("The program holds machine code for {} and {}; this GPU has {}.", listed->detail("native"),
                  ptx.empty() ? "no PTX" : "PTX of " + ptx, gpus.front().compute_capability);
  finding.fix = {{.text = "Compile it for this GPU: nvcc -gencode, CMAKE_CUDA_ARCHITECTURES."}};
}

// A text that ends in a failure names a card and a toolkit that no longer generates code for it.
void judge_stated(const Facts& facts, Answers& answers) {
  const std::string capability = stated_capability(facts);
  const Symptom* toolkit = facts.first({{noted, "stated-cuda"}});
  if (capability.empty() || !toolkit || !text_fails(facts) || facts.used() || !answers.findings.empty()) return;
  const auto targets = knowledge::targets_of_toolkit(toolkit->detail("version"));
  if (!targets || knowledge::compare_versions(capability, targets->lowest) >= 0) return;
  Finding& finding = answers.found_in(*facts.first({{noted, "stated-gpu"}}), Confidence::possible);
  finding.evidence.push_back(evidence(*toolkit));
  const auto last = knowledge::last_toolkit_for(capability);
  finding.explanation = fmt::format("CUDA {} makes code for compute capability {} and later; this GPU has {}.{}",
                                    toolkit->detail("version"), targets->lowest, capability,
                                    last ? " The last toolkit for it was CUDA " + *last + "." : "");
  finding.fix = {{.text = last ? "Install a build for CUDA " + *last + " at most, or use a later GPU."
                               : find_diagnosis(answers.id)->remedy}};
}

// FlashAttention itself refuses GPUs that are too old.
void name_fitting_attention(const Facts& facts, Answers& answers) {
  const auto& lines = facts.all({unsupported, "compute-capability"});
  const auto refused = std::ranges::find_if(lines, [](const Symptom* line) {
    return line->text.or_empty().find("FlashAttention only") != std::string::npos;
  });
  if (refused == lines.end()) return;
  if (auto fits = fitting_flash_attention(facts, stated_capability(facts)))
    answers.found_in(**refused, Confidence::likely).fix.push_back(std::move(*fits));
}

void judge_texts(const Facts& facts, Answers& answers) {
  judge_stated(facts, answers);
  judge_libraries(facts, answers);
  judge_program(facts, answers);
  name_fitting_attention(facts, answers);
}

// What a program's own line says of the GPU is enough to name a build.
void name_fitting_build(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{unsupported, "gpu-architecture"}});
  const std::string sm = line ? line->detail("sm") : "";
  if (sm.size() < 2) return;
  const std::string capability = sm.substr(0, sm.size() - 1) + "." + sm.back();
  for (Finding& finding : answers.findings) {
    if (finding.id != answers.id || finding.subject != "host" || finding.fix.size() != 1) continue;
    if (auto fits = fitting_build_in_use(facts, line->detail("program"), {.capability = capability}))
      finding.fix.push_back(std::move(*fits));
  }
}

bool ptx_fails(const Facts& facts) {
  return facts.saw({{slow, "compilation-from-ptx"}, {unsupported, "gpu-architecture"}});
}

bool not_rocm(const Facts& facts) { return facts.all({missing, "hip-kernel-image"}).empty(); }

// NVRTC without its builtins compiles nothing, so that the driver gets an empty image.
bool code_was_made(const Facts& facts) { return not_rocm(facts) && !facts.saw({{missing, "nvrtc-builtins"}}); }

// Ollama logs each GPU that it skips, even if it works on another.
bool not_left_out(const Facts& facts) {
  return !facts.used() || std::ranges::any_of(facts.all({unsupported, "compute-capability"}),
                                              [](const Symptom* line) { return !line->program.is("ollama"); });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "runtime.arch-unsupported",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The installed build holds no code for this GPU",
      .claim =
          "The framework or library was compiled for other GPU generations, without PTX that this GPU's driver could "
          "translate.",
      .proof =
          "The build's architecture list, by the vendor's rules, doesn't run on this GPU, or CUDA says 'no kernel "
          "image'.",
      .disproof = "The build's architecture list holds the GPU's major version, or PTX of an older one.",
      .remedy = "Install a build that supports this GPU's compute capability.",
      .explains = {"usage.detected-unused", "runtime.jit-slow", "memory.preallocated"},
      .symptoms =
          {
              {{missing, "cuda-kernel-image"}, certain, code_was_made},
              {{unsupported, "gpu-architecture"}, certain},
              {{failed, "cuda-call"}, certain, not_used, "code", cuda_error::no_binary_for_gpu},
              {{too_old, "compute-capability"}, certain},
              {{unsupported, "compute-capability"}, likely, not_left_out},
              // Many scripts that build programs ask for GPUs of long ago; which one is here, nvcc doesn't say.
              {{unsupported, "toolkit-architecture"}, possible},
              {{unsupported, "cudnn-architecture"}, likely},
              {{unsupported, "ptx"}, likely},
              {{missing, "device-function"}, likely, not_rocm},
              {{unsupported, "any-architecture"}, possible, not_used},
              {{failed, "cuda-function-handle"}, likely, ptx_fails},
              {{missing, "device-symbol"}, possible, when::no_better_cause},
          },
      .judge_host = judge,
      .judge = judge_texts,
      .complete = name_fitting_build,
  };
}

}  // namespace envdoctor::runtime_arch_unsupported
