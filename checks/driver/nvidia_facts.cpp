#include "checks/driver/nvidia_facts.h"

#include <algorithm>

namespace envdoctor::nvidia {
namespace {

bool lists_device(const Reading<Nvidia>& nvidia) {
  const auto cuda = of(nvidia, &Nvidia::cuda_devices);
  return cuda.get() && !cuda.get()->empty();
}

// A trace of the driver itself, which is there only where a GPU was meant to be used.
bool driver_trace(const Snapshot& snapshot) {
  return of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() || module_loaded(snapshot, "nvidia").is(true) ||
         has_nodes(snapshot).is(true);
}

const SharedLibrary* first_copy(const Snapshot& snapshot, std::string_view soname, std::size_t* index = nullptr) {
  const auto* libraries = snapshot.libraries.get();
  if (!libraries) return nullptr;
  for (std::size_t i = 0; i < libraries->size(); ++i) {
    const SharedLibrary& row = (*libraries)[i];
    if (!row.soname.get() || *row.soname.get() != soname || row.shadowed_by.get()) continue;
    if (index) *index = i;
    return &row;
  }
  return nullptr;
}

Text where(const Snapshot& snapshot, std::string_view soname, const Text& loaded) {
  if (loaded.get()) return loaded;
  if (const SharedLibrary* row = first_copy(snapshot, soname)) {
    if (row->found.is(false)) return absent(std::string(soname) + " is not found by the loader");
    if (row->found.is(true)) return row->path.get() ? row->path : Text(std::string(soname));
  }
  return loaded;
}

bool torch_is_for_rocm(const Snapshot& snapshot) {
  const Text version = of(snapshot.torch, &Torch::version);
  return version.get() && version.get()->find("rocm") != std::string::npos;
}

bool opencl_lists_nvidia(const Snapshot& snapshot) {
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) return false;
  return std::ranges::any_of(*platforms.get(), [](const OpenclPlatform& platform) {
    return platform.name.get() && platform.name.get()->find("NVIDIA") != std::string::npos && platform.devices.get() &&
           !platform.devices.get()->empty();
  });
}

bool framework_wants_cuda(const Snapshot& snapshot) {
  return of(snapshot.torch, &Torch::cuda_version).get() ||
         of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
         of(snapshot.tensorflow, &Tensorflow::cuda_version).get() || snapshot.jax.get() != nullptr;
}

}  // namespace

bool on_platform(const Snapshot& snapshot, std::string_view platform) {
  const Text name = of(snapshot.host, &HostFacts::platform);
  return name.get() && *name.get() == platform;
}

bool on_wsl(const Snapshot& snapshot) {
  return on_platform(snapshot, "wsl2") || (!of(snapshot.host, &HostFacts::platform).get() &&
                                           !symptoms_of(snapshot, {SymptomClass::present, "wsl"}).empty());
}

bool contained(const Snapshot& snapshot) {
  const Flag known = in_container(snapshot);
  return known.get() ? known.is(true)
                     : !symptoms_of(snapshot, {SymptomClass::present, "container"}).empty() ||
                           !symptoms_of(snapshot, {SymptomClass::missing, "driver-in-container"}).empty();
}

Flag has_nodes(const Snapshot& snapshot) {
  return snapshot.device_nodes.then([](const std::vector<DeviceNode>& nodes) {
    return std::ranges::any_of(nodes, [](const DeviceNode& node) {
      return node.path.get() && node.path.get()->starts_with("/dev/nvidia") &&
             !node.path.get()->starts_with("/dev/nvidia-caps");
    });
  });
}

std::string not_here(const Snapshot& snapshot) {
  const auto all = gpus_of(snapshot);
  const auto is_nvidia = [](const Gpu& gpu) { return gpu.vendor == Vendor::nvidia; };
  if (std::ranges::any_of(all, is_nvidia)) {
    if (gpus(snapshot).empty()) return "no NVIDIA GPU of this host is given to this system";
    return {};
  }
  if (on_platform(snapshot, "macos")) return "macOS has no NVIDIA driver";
  if (cuda_works(snapshot) || driver_trace(snapshot)) return {};
  if (on_wsl(snapshot) || on_platform(snapshot, "windows")) return {};
  if (snapshot.pci.get() || snapshot.pci.outcome() == Outcome::absent) return "the PCI bus shows no NVIDIA GPU";
  return {};
}

std::vector<Gpu> gpus(const Snapshot& snapshot) {
  std::vector<Gpu> found = gpus_of(snapshot);
  std::erase_if(found, [](const Gpu& gpu) {
    return gpu.vendor != Vendor::nvidia || !gpu.granted || gpu.driver == "vfio-pci" || gpu.driver == "pciback";
  });
  return found;
}

std::string subject_of(const NvidiaDevice& device) {
  if (device.pci_address.get()) return "gpu:" + normal_address(*device.pci_address.get());
  return device.index.get() ? "cuda:" + std::to_string(*device.index.get()) : "host";
}

std::optional<Evidence> cuda_works(const Snapshot& snapshot) {
  if (lists_device(snapshot.nvidia)) return evidence("/nvidia/cuda_devices", "CUDA lists a device");
  if (of(snapshot.torch, &Torch::cuda_available).is(true) && !torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  if (const auto* log = snapshot.log.get()) {
    for (const Symptom& line : *log) {
      if (line.class_.is("used")) return evidence(line);
    }
  }
  const Number physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (physical.get() && *physical.get() > 0 && !of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false) &&
      !on_platform(snapshot, "macos"))
    return evidence("/tensorflow/physical_gpus", std::to_string(*physical.get()));
  return std::nullopt;
}

std::optional<Evidence> driver_answers(const Snapshot& snapshot) {
  if (auto works = cuda_works(snapshot)) return works;
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  for (std::size_t i = 0; devices.get() && i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    if (!device.error.get()) return evidence(at("/nvidia/devices", i), "NVML lists it");
  }
  if (cuinit(snapshot).outcome() == Outcome::absent) return evidence("/nvidia/cuinit_error", "none: cuInit succeeds");
  return std::nullopt;
}

Flag kernel_driver_runs(const Snapshot& snapshot) {
  if (driver_answers(snapshot)) return true;
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  if (version.get()) return true;
  const Flag loaded = module_loaded(snapshot, "nvidia");
  if (loaded.get()) return loaded;
  if (version.outcome() == Outcome::absent) return false;
  if (!symptoms_of(snapshot, {SymptomClass::missing, "kernel-driver"}).empty()) return false;
  for (const Kind& kind :
       {Kind{SymptomClass::noted, "kernel-driver-version"}, Kind{SymptomClass::present, "nvidia-kernel-module"},
        Kind{SymptomClass::noted, "nvidia-smi-versions"}}) {
    if (!symptoms_of(snapshot, kind).empty()) return true;
  }
  return loaded.outcome() != Outcome::not_probed ? loaded : version.then([](const std::string&) { return true; });
}

namespace {

// A log's line about libcuda: that it was opened, or is missing. Only asked where the host itself wasn't.
const Symptom* libcuda_line(const Snapshot& snapshot, const Kind& kind) {
  for (const Symptom* line : symptoms_of(snapshot, kind)) {
    if (line->detail("library").starts_with("libcuda.so")) return line;
  }
  return nullptr;
}

Text libcuda_of_host(const Snapshot& snapshot) {
  return where(snapshot, "libcuda.so.1", of(snapshot.nvidia, &Nvidia::cuda_library));
}

}  // namespace

Text libcuda(const Snapshot& snapshot) {
  Text own = libcuda_of_host(snapshot);
  if (own.outcome() != Outcome::not_probed) return own;
  if (libcuda_line(snapshot, {SymptomClass::present, "library"})) return "libcuda.so.1";
  if (libcuda_line(snapshot, {SymptomClass::missing, "library"}))
    return absent("a program could not open libcuda.so.1");
  return own;
}

std::string libcuda_place(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::cuda_library).get()) return "/nvidia/cuda_library";
  std::size_t index = 0;
  if (const SharedLibrary* row = first_copy(snapshot, "libcuda.so.1", &index))
    return at("/libraries", index, row->found.is(false) ? "found" : "path");
  return "/nvidia/cuda_library";
}

Evidence libcuda_evidence(const Snapshot& snapshot) {
  const Text path = libcuda(snapshot);
  const std::string value = path.get() ? *path.get() : "libcuda.so.1 not found";
  if (libcuda_of_host(snapshot).outcome() == Outcome::not_probed) {
    if (cuinit(snapshot).is(cuda_error::shared_object_init_failed)) return cuinit_evidence(snapshot).front();
    if (const Symptom* line = libcuda_line(
            snapshot, path.get() ? Kind{SymptomClass::present, "library"} : Kind{SymptomClass::missing, "library"}))
      return evidence(*line, value);
  }
  return evidence(libcuda_place(snapshot), value);
}

Flag user_space_installed(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::userspace_driver_version).get()) return true;
  const Text cuda = libcuda(snapshot);
  const Text nvml_library = where(snapshot, "libnvidia-ml.so.1", of(snapshot.nvidia, &Nvidia::nvml_library));
  if (cuda.get() || nvml_library.get()) return true;
  if (cuda.outcome() == Outcome::absent) return false;
  // What answered cuInit was a libcuda, unless the answer says that it was none.
  const Text answer = cuinit(snapshot);
  if (answer.get() && *answer.get() != cuda_error::shared_object_init_failed &&
      *answer.get() != cuda_error::stub_library)
    return true;
  return cuda.then([](const std::string&) { return true; });
}

Severity fault_severity(const Snapshot& snapshot) {
  if (cuda_works(snapshot)) return Severity::warning;
  return opencl_lists_nvidia(snapshot) && !framework_wants_cuda(snapshot) ? Severity::warning : Severity::error;
}

}  // namespace envdoctor::nvidia
