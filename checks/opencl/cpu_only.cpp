// opencl.cpu-only: OpenCL has devices, but none of them is a GPU.
#include <algorithm>
#include <array>

#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_cpu_only {

using enum SymptomClass;

// A device of unknown type, with a CPU's name or on a platform for CPUs.
bool reads_as_processor(const OpenclPlatform& platform, const OpenclDevice& device) {
  const std::string names = platform.name.or_empty() + '\n' + device.name.or_empty();
  return std::ranges::any_of(std::array{"CPU", "Processor", "Xeon", "EPYC", "Ryzen"},
                             [&](const char* word) { return names.find(word) != std::string::npos; }) &&
         names.find("Graphics") == std::string::npos;
}

// PoCL's registration, and those of Intel's runtime for processors.
bool drives_processors(const OpenclIcd& icd) {
  const std::string file = icd.file.or_empty();
  const std::string name = file.substr(file.rfind('/') + 1);
  return name.starts_with("pocl") || name.starts_with("intel64") || name.starts_with("intelocl");
}

// What is registered, where nothing shows the platforms themselves.
bool by_registration(const Snapshot& snapshot, Answers& answers) {
  const auto icds = of(snapshot.opencl, &Opencl::icds);
  if (icds.or_empty().empty() || !std::ranges::all_of(*icds.get(), drives_processors) ||
      !has_any_gpu(snapshot).is(true) || opencl_lists_gpu(snapshot))
    return false;
  Finding& finding = answers.found();
  finding.severity = opencl::weigh(snapshot);
  finding.confidence = Confidence::likely;
  finding.explanation = "Only OpenCL's drivers for processors are registered, and this machine has a GPU.";
  for (const auto& [i, icd] : numbered(icds))
    finding.evidence.push_back(evidence(at("/opencl/icds", i, "file"), icd.file.or_empty()));
  finding.fix = {{.text = "Install the OpenCL driver of the GPU's vendor."}};
  return true;
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get() && by_registration(snapshot, answers)) return;
  if (!platforms.get()) return answers.unknown(why_unknown("/opencl/platforms", platforms));
  if (opencl_lists_gpu(snapshot)) return answers.passed();
  std::vector<Evidence> proof;
  bool proved = true;
  for (const auto& [p, platform] : numbered(platforms)) {
    const std::string place = at("/opencl/platforms", p, "devices");
    if (!platform.devices.get()) return answers.unknown(why_unknown(place, platform.devices));
    for (const auto& [d, device] : numbered(platform.devices)) {
      if (!device.type.get() && !reads_as_processor(platform, device))
        return answers.unknown("/opencl/platforms: not every device tells its type");
      proved = proved && device.type.get();
      proof.push_back(device.type.get() ? evidence(at(place, d, "type"), *device.type.get())
                                        : evidence(at(place, d, "name"), device.name.or_empty()));
    }
  }
  if (proof.empty()) return answers.not_applicable("OpenCL lists no device at all");

  Finding& finding = answers.found();
  const Flag gpu = has_any_gpu(snapshot);
  finding.severity = gpu_works_without_opencl(snapshot) ? Severity::info : opencl::weigh(snapshot);
  if (!gpu.get() || !proved) finding.confidence = Confidence::likely;
  finding.explanation =
      gpu.is(false) ? "OpenCL lists only the CPU, and this host has no GPU."
                    : "OpenCL lists only the CPU: the GPU's OpenCL driver is not installed, or it finds no device.";
  finding.evidence = std::move(proof);
  if (!gpu.is(false))
    finding.fix = {{.text = "Install the OpenCL driver of the GPU's vendor; a driver for processors, such as PoCL, is "
                            "no substitute."}};
}

bool no_sycl_gpu(const Facts& facts) { return !facts.with({present, "sycl-device"}, "type", "gpu") && !facts.used(); }

// A program that a report runs on each device names the processor, too.
bool no_gpu_chosen(const Facts& facts) { return !facts.saw({{noted, "chosen-gpu"}}); }

// Vulkan's software renderer is listed wherever a display is missing; where CUDA works no program computes with it.
bool no_device_of_cuda(const Facts& facts) { return when::no_driver_answers(facts) && !opencl_lists_gpu(facts); }

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
      .explains = {"compute.wrong-results"},  // no GPU computed them
      .symptoms =
          {
              {{present, "sycl-device"}, possible, no_sycl_gpu},
              {{missing, "sycl-gpu-in-container"}, likely},
              {{missing, "vulkan-gpu"}, possible, no_device_of_cuda},
              {{noted, "chosen-processor"}, possible, no_gpu_chosen},
              {{noted, "opencl-processors"}, possible, no_device_of_cuda},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_cpu_only
