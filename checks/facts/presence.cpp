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
  const auto packages = of(snapshot.python, &Python::packages);
  if (!packages.get()) return {};
  for (const auto& [name, version] : *packages.get()) {
    if (name == framework) return name;
    if (framework == "tensorflow" && (name == "tensorflow-gpu" || name == "tensorflow_gpu")) return name;
  }
  return {};
}

bool torch_is_for_rocm(const Snapshot& snapshot) {
  return text_of(of(snapshot.torch, &Torch::version)).find("rocm") != std::string::npos;
}

}  // namespace

std::string text_of(const Text& reading) { return reading.get() ? *reading.get() : std::string(); }

bool told_by_a_report(const Snapshot& snapshot) {
  return !snapshot.probes.get() && !snapshot.captured.get() && !of(snapshot.python, &Python::packages).get();
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
  const auto count = [](std::size_t n) { return std::to_string(n) + (n == 1 ? " GPU" : " GPUs"); };
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  const auto kfd = of(snapshot.rocm, &Rocm::devices);
  if (vendor == Vendor::nvidia && nvml.get()) return evidence("/nvidia/devices", count(nvml.get()->size()));
  if (vendor == Vendor::amd && kfd.get()) return evidence("/rocm/devices", count(kfd.get()->size()));
  const auto gpus = gpus_of(snapshot);
  return evidence("/pci", count(static_cast<std::size_t>(std::ranges::count(gpus, vendor, &Gpu::vendor))));
}

std::optional<Evidence> cuda_device_seen(const Snapshot& snapshot) {
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (cuda.get() && !cuda.get()->empty())
    return evidence("/nvidia/cuda_devices", std::to_string(cuda.get()->size()) + " devices");
  if (cuda.get()) return std::nullopt;
  if (of(snapshot.torch, &Torch::cuda_available).is(true) && !torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  const Number physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (physical.get() && *physical.get() > 0)
    return evidence("/tensorflow/physical_gpus", std::to_string(*physical.get()));
  const Text backend = of(snapshot.jax, &Jax::backend);
  if (backend.is("gpu") || backend.is("cuda")) return evidence("/jax/backend", *backend.get());
  return std::nullopt;
}

std::optional<Evidence> hip_device_seen(const Snapshot& snapshot) {
  const auto hip = of(snapshot.rocm, &Rocm::hip_devices);
  if (hip.get() && !hip.get()->empty())
    return evidence("/rocm/hip_devices", std::to_string(hip.get()->size()) + " devices");
  if (!hip.get() && of(snapshot.torch, &Torch::cuda_available).is(true) && torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  return std::nullopt;
}

std::optional<Evidence> cuda_finds_none(const Snapshot& snapshot) {
  const Text cuinit = of(snapshot.nvidia, &Nvidia::cuinit_error);
  if (cuinit.get() && cuinit.get()->find(cuda_error::no_device) != std::string::npos)
    return evidence("/nvidia/cuinit_error", *cuinit.get());
  if (cuinit.get() || cuinit.outcome() == Outcome::absent) return std::nullopt;
  for (const Kind& kind : {Kind{SymptomClass::missing, "cuda-device"}, Kind{SymptomClass::missing, "available-gpu"}}) {
    const auto lines = symptoms_of(snapshot, kind);
    if (!lines.empty()) return evidence(*lines.front());
  }
  return std::nullopt;
}

bool gpu_works_without_opencl(const Snapshot& snapshot) {
  const auto level_zero = of(snapshot.level_zero, &LevelZero::devices);
  const bool intel = level_zero.get() &&
                     std::ranges::any_of(*level_zero.get(), [](const LevelZeroDevice& d) { return d.type.is("gpu"); });
  return cuda_device_seen(snapshot) || hip_device_seen(snapshot) || intel;
}

bool opencl_lists_gpu(const Snapshot& snapshot) {
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) return false;
  return std::ranges::any_of(*platforms.get(), [](const OpenclPlatform& platform) {
    return platform.devices.get() && std::ranges::any_of(*platform.devices.get(), [](const OpenclDevice& d) {
             return d.type.is("gpu") || d.type.is("GPU");
           });
  });
}

Evidence framework_seen(const Snapshot& snapshot, const std::string& framework) {
  const std::string version = framework_version(snapshot, framework);
  const bool own = (framework == "tensorflow" && of(snapshot.tensorflow, &Tensorflow::version).get()) ||
                   (framework == "torch" && of(snapshot.torch, &Torch::version).get()) ||
                   (framework == "jax" && of(snapshot.jax, &Jax::version).get());
  return evidence(own ? "/" + framework + "/version" : "/python/packages/" + package_named(snapshot, framework),
                  version);
}

std::string framework_version(const Snapshot& snapshot, const std::string& framework) {
  std::string told;
  if (framework == "tensorflow") told = text_of(of(snapshot.tensorflow, &Tensorflow::version));
  if (framework == "torch") told = text_of(of(snapshot.torch, &Torch::version));
  if (framework == "jax") told = text_of(of(snapshot.jax, &Jax::version));
  if (!told.empty()) return told;
  const std::string name = package_named(snapshot, framework);
  return name.empty() ? name : of(snapshot.python, &Python::packages).get()->at(name);
}

std::vector<std::string> frameworks(const Snapshot& snapshot) {
  std::vector<std::string> here;
  for (const char* name : {"tensorflow", "torch", "jax"}) {
    if (!framework_version(snapshot, name).empty()) here.emplace_back(name);
  }
  return here;
}

}  // namespace envdoctor
