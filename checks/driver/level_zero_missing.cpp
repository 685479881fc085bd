// driver.level-zero-missing: Intel's GPU works through OpenCL, and the driver of Level Zero, which SYCL and torch's
// XPU builds use, is not installed.
#include "checks/engine/rule.h"
#include "checks/opencl/opencl_facts.h"
#include "checks/runtime/library_facts.h"

namespace envdoctor::driver_level_zero_missing {

using enum SymptomClass;

bool of_intel(const OpenclDevice& device) {
  return device.type.is("gpu") && (device.vendor.or_empty().find("Intel") != std::string::npos ||
                                   device.name.or_empty().find("Intel") != std::string::npos);
}

bool opencl_lists_intel_gpu(const Snapshot& snapshot) {
  return std::ranges::any_of(opencl_devices(snapshot), [](const OpenclDevice* device) { return of_intel(*device); });
}

// If a program needs SYCL or an XPU, the missing driver is more than information.
bool wanted(const Facts& facts) {
  const std::string& torch = of(facts.snapshot().torch, &Torch::version).or_empty();
  return torch.find("+xpu") != std::string::npos ||
         facts.saw({{missing, "gpu"}, {missing, "sycl-device"}, {failed, "level-zero"}});
}

void describe(Finding& finding, const Facts& facts) {
  finding.severity = wanted(facts) ? Severity::error : Severity::warning;
  const auto distro = distro_of(facts);
  const bool ubuntu = distro == Distro::ubuntu || distro == Distro::ubuntu_like;
  finding.fix = {{.text = on_the_host(facts) + "install Intel's Level Zero driver beside its OpenCL one "
                                               "(libze-intel-gpu1, before intel-level-zero-gpu) and the loader libze1.",
                  .command = ubuntu ? host_command(facts, "sudo apt-get install libze1 libze-intel-gpu1") : ""}};
}

// sycl-ls lists the devices of each back end: a GPU that only OpenCL lists has no Level Zero driver.
const Symptom* opencl_alone(const Facts& facts) {
  const Symptom* gpu = nullptr;
  for (const Symptom* line : facts.all({present, "sycl-device"})) {
    if (line->detail("type") != "gpu") continue;
    if (line->detail("backend") != "opencl") return nullptr;
    gpu = gpu ? gpu : line;
  }
  return gpu;
}

// SYCL has a GPU of another maker: Level Zero has nothing to drive.
bool sycl_has_another_gpu(const Facts& facts) {
  return std::ranges::any_of(facts.all({present, "sycl-device"}), [](const Symptom* line) {
    return line->detail("type") == "gpu" && (line->detail("backend") == "cuda" || line->detail("backend") == "hip");
  });
}

// A program that asks for the loader by name can't start without it.
bool judge_missing_library(const Facts& facts, Answers& answers) {
  const std::size_t before = answers.findings.size();
  report_missing_libraries(facts, answers);
  for (std::size_t i = before; i < answers.findings.size(); ++i) {
    describe(answers.findings[i], facts);
    answers.findings[i].title = "The loader of Level Zero is missing";
    answers.findings[i].severity = Severity::error;
  }
  return answers.findings.size() > before;
}

// Level Zero doesn't start, or SYCL or XPU finds no device, where one of Intel's is named or PyTorch's XPU build asks
// for it.
const Symptom* no_gpu_by_sycl(const Facts& facts) {
  if (facts.used()) return nullptr;
  const Symptom* failure = facts.first({{failed, "level-zero"}});
  return failure || !facts.saw({{noted, "intel-gpu-asked"}}) ? failure : facts.first({{missing, "sycl-device"}});
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_missing_library(facts, answers)) return;
  const Snapshot& snapshot = facts;
  const LevelZero& level_zero = snapshot.level_zero.or_empty();
  if (!level_zero.devices.or_empty().empty()) return answers.passed();
  if (const Symptom* line = opencl_alone(facts)) return describe(answers.found_in(*line, Confidence::likely), facts);
  if (const Symptom* line = facts.first({{missing, "level-zero-driver"}});
      line && !facts.used() && !sycl_has_another_gpu(facts))
    return describe(answers.found_in(*line, Confidence::likely), facts);
  // A report of the environment that lists no package of it, beside a program that found no GPU.
  if (const Symptom* line = facts.first({{noted, "level-zero-not-listed"}});
      line && facts.saw({{missing, "gpu"}}) && !facts.used())
    return describe(answers.found_in(*line, Confidence::likely), facts);
  if (const Symptom* line = no_gpu_by_sycl(facts))
    return describe(answers.found_in(*line, Confidence::possible), facts);
  if (!opencl_lists_intel_gpu(snapshot)) {
    return snapshot.opencl.get() ? answers.not_applicable("OpenCL lists no GPU of Intel")
                                 : answers.unknown(why_unknown("/opencl", snapshot.opencl));
  }
  const bool asked =
      level_zero.devices.get() || level_zero.error.get() || level_zero.library.outcome() == Outcome::absent;
  if (!asked) return answers.unknown(why_unknown("/level_zero/devices", level_zero.devices));
  Finding& finding = answers.found();
  finding.confidence = Confidence::likely;
  finding.explanation = "OpenCL lists Intel's GPU, and Level Zero lists no device.";
  finding.evidence = {evidence("/opencl/platforms", "an Intel GPU"),
                      level_zero.error.get() ? evidence("/level_zero/error", *level_zero.error.get())
                                             : evidence("/level_zero/devices", "none")};
  describe(finding, facts);
  if (!wanted(facts)) finding.severity = Severity::info;
}

Diagnosis diagnosis() {
  return {
      .id = "driver.level-zero-missing",
      .layer = Layer::user_driver,
      .severity = Severity::error,
      .title = "Intel's Level Zero driver is missing",
      .claim =
          "Intel's OpenCL driver is installed and Level Zero's isn't; SYCL and PyTorch's XPU builds need the latter.",
      .proof = "OpenCL or sycl-ls lists Intel's GPU, and Level Zero lists none.",
      .disproof = "sycl-ls lists the GPU under level_zero.",
      .remedy = "Install libze-intel-gpu1 (before: intel-level-zero-gpu) and the loader libze1.",
      .explains = {"driver.unreachable", "opencl.no-platform", "usage.detected-unused", "runtime.cuda-library-missing"},
      .judge = judge,
  };
}

}  // namespace envdoctor::driver_level_zero_missing
