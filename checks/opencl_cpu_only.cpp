// opencl.cpu-only: OpenCL has devices, and none of them is a GPU.
#include <algorithm>
#include <cctype>

#include "checks/opencl_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "opencl.cpu-only";

void run(const Snapshot& snapshot, Answers& answers) {
  const auto* platforms = opencl::platforms(snapshot);
  if (!platforms) return answers.unknown(id, why_unknown("/opencl/platforms", of(snapshot.opencl, &Opencl::platforms)));
  if (opencl_lists_gpu(snapshot)) return answers.sound(id);
  std::vector<Evidence> evidence;
  for (std::size_t p = 0; p < platforms->size(); ++p) {
    const OpenclPlatform& platform = (*platforms)[p];
    if (!platform.devices.get())
      return answers.unknown(id, why_unknown(at("/opencl/platforms", p, "devices"), platform.devices));
    for (std::size_t d = 0; d < platform.devices.get()->size(); ++d) {
      const OpenclDevice& device = (*platform.devices.get())[d];
      if (!device.type.get()) return answers.unknown(id, "/opencl/platforms: not every device tells its type");
      evidence.push_back(seen(at(at("/opencl/platforms", p, "devices"), d, "type"), *device.type.get()));
    }
  }
  if (evidence.empty()) return answers.not_applicable(id, "OpenCL lists no device at all");

  Finding& finding = answers.found(id);
  const Flag gpu = has_any_gpu(snapshot);
  finding.severity = gpu_works_without_opencl(snapshot) ? Severity::info : opencl::weigh(snapshot);
  if (!gpu.get()) finding.confidence = Confidence::likely;
  finding.explanation =
      gpu.is(false)
          ? "OpenCL lists the processor only, which is all that this host has."
          : "OpenCL lists the processor only: the driver that lists the GPU is not installed, or finds nothing.";
  finding.evidence = std::move(evidence);
  if (!gpu.is(false))
    finding.fix = {{.text = "Install the OpenCL driver of the GPU's vendor; a driver for processors, such as PoCL, is "
                            "no substitute."}};
}

}  // namespace

Check opencl_cpu_only() { return {{id}, run}; }

}  // namespace envdoctor
