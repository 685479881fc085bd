// opencl.cpu-only: OpenCL has devices, and none of them is a GPU.
#include <algorithm>
#include <cctype>

#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_cpu_only {

using enum SymptomClass;
namespace {

constexpr const char* id = "opencl.cpu-only";

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const auto* platforms = opencl::platforms(snapshot);
  if (!platforms) return answers.unknown(id, why_unknown("/opencl/platforms", of(snapshot.opencl, &Opencl::platforms)));
  if (opencl_lists_gpu(snapshot)) return answers.passed(id);
  std::vector<Evidence> proof;
  for (std::size_t p = 0; p < platforms->size(); ++p) {
    const OpenclPlatform& platform = (*platforms)[p];
    if (!platform.devices.get())
      return answers.unknown(id, why_unknown(at("/opencl/platforms", p, "devices"), platform.devices));
    for (std::size_t d = 0; d < platform.devices.get()->size(); ++d) {
      const OpenclDevice& device = (*platform.devices.get())[d];
      if (!device.type.get()) return answers.unknown(id, "/opencl/platforms: not every device tells its type");
      proof.push_back(evidence(at(at("/opencl/platforms", p, "devices"), d, "type"), *device.type.get()));
    }
  }
  if (proof.empty()) return answers.not_applicable(id, "OpenCL lists no device at all");

  Finding& finding = answers.found(id);
  const Flag gpu = has_any_gpu(snapshot);
  finding.severity = gpu_works_without_opencl(snapshot) ? Severity::info : opencl::weigh(snapshot);
  if (!gpu.get()) finding.confidence = Confidence::likely;
  finding.explanation =
      gpu.is(false) ? "OpenCL lists only the CPU, and this host has no GPU."
                    : "OpenCL lists only the CPU: the GPU's OpenCL driver is not installed, or it finds no device.";
  finding.evidence = std::move(proof);
  if (!gpu.is(false))
    finding.fix = {{.text = "Install the OpenCL driver of the GPU's vendor; a driver for processors, such as PoCL, is "
                            "no substitute."}};
}

bool no_sycl_gpu(const Facts& facts) { return !facts.with({present, "sycl-device"}, "type", "gpu") && !facts.used(); }

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.cpu-only",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "OpenCL lists only the CPU",
      .claim = "Platforms exist, and none of them lists the GPU of this machine.",
      .proof = "Platforms are listed, none holds a GPU, and this machine has one.",
      .disproof = "A platform lists a GPU device.",
      .remedy = "Install the OpenCL driver of the GPU's vendor.",
      .symptoms =
          {
              {{present, "sycl-device"}, possible, no_sycl_gpu},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::opencl_cpu_only
