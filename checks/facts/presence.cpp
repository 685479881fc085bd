#include "checks/facts/presence.h"

#include <algorithm>

#include "checks/facts/facts.h"
#include "knowledge/codes/constants.h"

namespace envdoctor {
namespace {

bool may_hide_its_gpus(const Snapshot& snapshot) {
  const Text platform = of(snapshot.host, &HostFacts::platform);
  return platform.is("wsl2") || platform.is("windows") || platform.is("macos") ||
         of(snapshot.host, &HostFacts::virtualization).is("gvisor");
}

template <class Wanted>
Flag any_gpu(const Snapshot& snapshot, Wanted wanted) {
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (gpu.granted && wanted(gpu)) return true;
  }
  if (!snapshot.pci.get())
    return snapshot.pci.outcome() == Outcome::absent ? Flag(false) : Flag(snapshot.pci.missing());
  return may_hide_its_gpus(snapshot) ? Flag() : Flag(false);
}

// The package that holds this framework, as it is written in the list; empty: none, or the list is not known.
std::string package_named(const Snapshot& snapshot, const std::string& framework) {
  for (const auto& [name, version] : of(snapshot.python, &Python::packages).or_empty()) {
    if (name == framework) return name;
    if (framework == "tensorflow" && (name == "tensorflow-gpu" || name == "tensorflow_gpu")) return name;
  }
  return {};
}

std::string count(std::size_t number, const std::string& what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

// The version that the framework itself reports.
Text own_version(const Snapshot& snapshot, const std::string& framework) {
  if (framework == "tensorflow") return of(snapshot.tensorflow, &Tensorflow::version);
  if (framework == "torch") return of(snapshot.torch, &Torch::version);
  return framework == "jax" ? of(snapshot.jax, &Jax::version) : Text();
}

}  // namespace

std::string text_of(const Text& reading) { return reading.or_empty(); }

bool torch_is_for_rocm(const Snapshot& snapshot) {
  return of(snapshot.torch, &Torch::version).or_empty().find("rocm") != std::string::npos;
}

bool from_report(const Snapshot& snapshot) {
  return !snapshot.probes.get() && !snapshot.captured.get() && !of(snapshot.python, &Python::packages).get();
}

bool text_fails(const Snapshot& snapshot) {
  return std::ranges::any_of(snapshot.texts.or_empty(),
                             [](const ReadText& text) { return !text.notable.or_empty().empty(); });
}

Flag has_gpu(const Snapshot& snapshot, Vendor vendor) {
  return any_gpu(snapshot, [&](const Gpu& gpu) { return gpu.vendor == vendor; });
}

Flag has_any_gpu(const Snapshot& snapshot) {
  return any_gpu(snapshot, [](const Gpu&) { return true; });
}

bool has_discrete_gpu(const Snapshot& snapshot) {
  return any_gpu(snapshot, [](const Gpu& gpu) { return !gpu.integrated; }).is(true);
}

Evidence gpus_seen(const Snapshot& snapshot, Vendor vendor) {
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  const auto kfd = of(snapshot.rocm, &Rocm::devices);
  if (vendor == Vendor::nvidia && nvml.get()) return evidence("/nvidia/devices", count(nvml.get()->size(), "GPU"));
  if (vendor == Vendor::amd && kfd.get()) return evidence("/rocm/devices", count(kfd.get()->size(), "GPU"));
  const auto gpus = gpus_of(snapshot);
  return evidence("/pci", count(static_cast<std::size_t>(std::ranges::count(gpus, vendor, &Gpu::vendor)), "GPU"));
}

std::optional<Evidence> cuda_device_seen(const Snapshot& snapshot) {
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (!cuda.or_empty().empty())
    return evidence("/nvidia/cuda_devices", std::to_string(cuda.get()->size()) + " devices");
  if (cuda.get()) return std::nullopt;
  if (of(snapshot.torch, &Torch::cuda_available).is(true) && !torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  if (const auto physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty(); physical > 0)
    return evidence("/tensorflow/physical_gpus", std::to_string(physical));
  const Text backend = of(snapshot.jax, &Jax::backend);
  if (backend.is("gpu") || backend.is("cuda")) return evidence("/jax/backend", *backend.get());
  return std::nullopt;
}

std::optional<Evidence> hip_device_seen(const Snapshot& snapshot) {
  const auto hip = of(snapshot.rocm, &Rocm::hip_devices);
  if (!hip.or_empty().empty()) return evidence("/rocm/hip_devices", std::to_string(hip.get()->size()) + " devices");
  if (!hip.get() && of(snapshot.torch, &Torch::cuda_available).is(true) && torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  return std::nullopt;
}

std::optional<Evidence> cuda_finds_none(const Snapshot& snapshot) {
  const Text cuinit = of(snapshot.nvidia, &Nvidia::cuinit_error);
  if (cuinit.or_empty().find(cuda_error::no_device) != std::string::npos)
    return evidence("/nvidia/cuinit_error", *cuinit.get());
  if (cuinit.get() || cuinit.outcome() == Outcome::absent) return std::nullopt;
  const Symptom* line =
      first_symptom(snapshot, {{SymptomClass::missing, "cuda-device"}, {SymptomClass::missing, "available-gpu"}});
  return line ? std::optional(evidence(*line)) : std::nullopt;
}

bool gpu_works_without_opencl(const Snapshot& snapshot) {
  return cuda_device_seen(snapshot) || hip_device_seen(snapshot) ||
         std::ranges::any_of(of(snapshot.level_zero, &LevelZero::devices).or_empty(),
                             [](const LevelZeroDevice& device) { return device.type.is("gpu"); });
}

std::vector<const OpenclDevice*> opencl_devices(const Snapshot& snapshot) {
  std::vector<const OpenclDevice*> all;
  for (const OpenclPlatform& platform : of(snapshot.opencl, &Opencl::platforms).or_empty()) {
    for (const OpenclDevice& device : platform.devices.or_empty()) all.push_back(&device);
  }
  return all;
}

bool opencl_lists_gpu(const Snapshot& snapshot) {
  return std::ranges::any_of(opencl_devices(snapshot), [](const OpenclDevice* device) {
    return device->type.is("gpu") || device->type.is("GPU");
  });
}

Evidence framework_seen(const Snapshot& snapshot, const std::string& framework) {
  return evidence(own_version(snapshot, framework).get() ? "/" + framework + "/version"
                                                         : "/python/packages/" + package_named(snapshot, framework),
                  framework_version(snapshot, framework));
}

std::string framework_version(const Snapshot& snapshot, const std::string& framework) {
  if (const Text own = own_version(snapshot, framework); !own.or_empty().empty()) return *own.get();
  const std::string name = package_named(snapshot, framework);
  return name.empty() ? name : of(snapshot.python, &Python::packages).get()->at(name);
}

std::vector<std::string> frameworks(const Snapshot& snapshot) {
  std::vector<std::string> here{"tensorflow", "torch", "jax"};
  std::erase_if(here, [&](const std::string& name) { return framework_version(snapshot, name).empty(); });
  return here;
}

}  // namespace envdoctor
