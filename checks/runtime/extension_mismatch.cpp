// runtime.extension-mismatch: a package with code for PyTorch was built for another release or another CUDA than the
// torch beside it.
#include <array>

#include "checks/engine/rule.h"
#include "checks/facts/fitting_build.h"
#include "checks/python/package_facts.h"
#include "checks/runtime/library_facts.h"
#include "knowledge/frameworks/frameworks.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor::runtime_extension_mismatch {

using enum SymptomClass;

// "cu121" of "2.4.1+cu121"; empty: no tag.
std::string tag_of(const std::string& version) {
  const auto plus = version.find('+');
  return plus == std::string::npos ? "" : version.substr(plus + 1);
}

// The release of the companion that belongs to this torch, which stays as it is; both where that isn't known.
Fix fix_of(const Facts& facts, const std::string& name) {
  const std::string torch = framework_version(facts, "torch"), tag = tag_of(torch);
  const std::string fits = knowledge::version_for_torch(name, release_of(torch));
  if (fits.empty())
    return {.text = "Install torch and " + name + " together, in one command and from one index.",
            .command = pip_install(facts, "--force-reinstall torch " + name)};
  const bool of_index = tag == "cpu" || tag.starts_with("cu") || tag.starts_with("rocm");
  const std::string index = of_index ? "https://download.pytorch.org/whl/" + tag : "";
  return {.text = fmt::format("Install {} {}.*, which belongs to torch {}{}.", name, fits, torch,
                              index.empty() ? "" : ", from " + index),
          .command = pip_install(facts, fmt::format("--force-reinstall --no-deps \"{}=={}.*\"{}", name, fits,
                                                    index.empty() ? "" : " --index-url " + index))};
}

// A program that works on the GPU shows that such a mismatch is harmless so far.
Finding& report_finding(const Facts& facts, const std::string& name, const std::string& version, Answers& answers) {
  Finding& finding = answers.found_on("package:" + name);
  finding.severity = Severity::warning;
  finding.confidence = facts.used() ? Confidence::possible : Confidence::likely;
  finding.evidence = {evidence("/python/packages/" + name, version), framework_seen(facts, "torch")};
  finding.fix = {fix_of(facts, name)};
  return finding;
}

// torchvision and torchaudio are released with each torch, in the same kinds of builds.
bool judge_packages(const Facts& facts, Answers& answers) {
  const std::string torch = framework_version(facts, "torch");
  if (torch.empty()) return false;
  bool found = false;
  for (const char* name : {"torchvision", "torchaudio"}) {
    const std::string version = listed_version(facts, name);
    if (version.empty()) continue;
    const std::string fits = knowledge::version_for_torch(name, torch), own = tag_of(version), of_torch = tag_of(torch);
    const bool cpu_beside_gpu = own == "cpu" && of_torch.starts_with("cu");
    const bool other_cuda = own.starts_with("cu") && of_torch.starts_with("cu") && own != of_torch;
    // Between releases, torch and its companions are built in pairs of their own numbers.
    const bool other_release =
        !release_of(torch).empty() && !fits.empty() && knowledge::major_minor_of(version) != fits;
    if (!other_release && !cpu_beside_gpu && !other_cuda) continue;
    found = true;
    report_finding(facts, name, version, answers).explanation =
        other_release
            ? fmt::format("{} {} belongs to another PyTorch; {} {}.* belongs to torch {}.", name, version, name, fits,
                          torch)
            : fmt::format("torch is built for {}, and {} {}.", of_torch, name,
                          cpu_beside_gpu ? "for the CPU, so its operators don't run on the GPU" : "for " + own);
  }
  return found;
}

// An intact extension for CUDA can't be loaded into a torch for the CPU.
bool torch_for_cpu(const Facts& facts) {
  return facts.with({noted, "cpu-build"}, "built", "torch") || facts.with({missing, "gpu-support"}, "built", "torch");
}

const Symptom* refused_extension(const Facts& facts) {
  if (const Symptom* line = facts.first(
          {{mismatch, "torch-extension-version"}, {mismatch, "torchvision-build"}, {mismatch, "jax-plugin-version"}}))
    return line;
  // Of the modules that GPU packages share, cuda-python and rmm are compiled against by name.
  static constexpr std::array of_gpu{"cuda", "rmm", "cudf", "cupy", "pylibraft", "cuml", "ucp", "nccl", "pycuda"};
  for (const char* module : of_gpu) {
    if (const Symptom* line = facts.with({mismatch, "compiled-signature"}, "module", module)) return line;
  }
  // Only extensions look for torch's own libraries, which differ by release.
  if (const Symptom* line = facts.with({missing, "library"}, "library", "libtorch")) return line;
  return facts.with({missing, "library"}, "library", "libc10");
}

bool speaks_of_flash_attention(const Symptom& line) {
  const std::string text = line.text.or_empty();
  return text.find("flash_attn") != text.npos || text.find("flash-attn") != text.npos;
}

// The fix names the wheel if the extension's wheels are recorded.
void report_extension(const Facts& facts, const Symptom& line, Confidence confidence, Answers& answers) {
  Finding& finding = answers.found_in(line, confidence);
  if (!speaks_of_flash_attention(line)) return;
  if (auto fits = fitting_flash_attention(facts)) finding.fix.push_back(std::move(*fits));
}

void judge(const Facts& facts, Answers& answers) {
  bool found = judge_packages(facts, answers);
  const Symptom* line = torch_for_cpu(facts) ? nullptr : refused_extension(facts);
  if (line) {
    report_extension(facts, *line, Confidence::likely, answers);
    found = true;
  } else if (const auto lacking = missing_symbol(facts, answers.id)) {
    report_extension(facts, *lacking->symptom, lacking->confidence, answers);
    found = true;
  }
  if (found) return;
  const auto& packages = of(facts.snapshot().python, &Python::packages);
  packages.get() ? answers.passed() : answers.unknown(why_unknown("/python/packages", packages));
}

Diagnosis diagnosis() {
  return {
      .id = "runtime.extension-mismatch",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "An extension was built for another version of the framework",
      .claim =
          "A package with compiled code (torchvision, flash-attn, xformers, mmcv, …) fits only the release, and the "
          "CUDA, of the framework that it was built against; another one is installed.",
      .proof = "The package says what it was built for, or asks torch for a function that this release doesn't have.",
      .disproof = "The extension imports, and its operators run on the GPU.",
      .remedy =
          "Install the build of the extension that names this torch and this CUDA, or build it again here "
          "(pip install --no-build-isolation --no-cache-dir --force-reinstall PACKAGE).",
      .explains = {"python.broken-install", "runtime.cpu-only-build", "runtime.library-shadowed",
                   "usage.op-has-no-gpu-kernel"},
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_extension_mismatch
