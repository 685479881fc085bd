// opencl.icd-no-device: a driver loads but finds no device.
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_icd_no_device {

using enum SymptomClass;

// Whether another platform lists a GPU that this maker's driver is for, or any GPU if its maker is unknown.
Severity weigh(const Snapshot& snapshot, opencl::Maker maker) {
  const Flag gpu = opencl::has_gpu_of(snapshot, maker);
  if (gpu.is(false)) return Severity::info;
  if (opencl_lists_gpu(snapshot) || gpu_works_without_opencl(snapshot))
    return maker == opencl::Maker::mesa ? Severity::info : Severity::warning;
  return gpu.is(true) && maker != opencl::Maker::mesa && maker != opencl::Maker::other ? Severity::error
                                                                                       : Severity::warning;
}

void report(const Snapshot& snapshot, const opencl::Empty& empty, Answers& answers) {
  const opencl::Maker maker = opencl::maker_of(empty.name);
  Finding& finding = answers.found_on(empty.subject);
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
  finding.explanation =
      (empty.name.empty() ? "An OpenCL driver" : empty.name) + " loads and finds no device" +
      (none_here ? "; this host has none that it could drive."
                 : "; the kernel driver, the device nodes or the permissions that it needs are missing.");
  if (!none_here)
    finding.fix = {
        {.text = "Look at the findings about the driver and the device nodes first; then at the driver's own log."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  for (const opencl::Empty& empty : opencl::empties(snapshot)) {
    if (!opencl::rusticl_not_enabled(snapshot, empty)) report(snapshot, empty, answers);
  }
  const Opencl& section = snapshot.opencl.or_empty();
  const bool any = !section.platforms.or_empty().empty() || !section.icds.or_empty().empty();
  opencl::answer_without_finding(snapshot, any, "no OpenCL platform is here", answers);
}

bool no_device_on_a_platform(const Facts& facts) { return !facts.saw({{missing, "opencl-platform"}}) && !facts.used(); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.icd-no-device",
      .layer = Layer::runtime,
      .severity = Severity::warning,
      .title = "An OpenCL platform lists no device",
      .claim = "The driver library loads and finds no supported device.",
      .proof = "The platform is listed with no device.",
      .disproof = "The platform lists a device.",
      .remedy = "Check the kernel driver, the device nodes and their permissions.",
      .symptoms =
          {
              {{missing, "opencl-device"}, possible, no_device_on_a_platform},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_icd_no_device
