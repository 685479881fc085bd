#include "checks/nvidia.h"

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

bool on_wsl(const Snapshot& snapshot) { return on_platform(snapshot, "wsl2"); }

bool contained(const Snapshot& snapshot) { return in_container(snapshot).is(true); }

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
  if (lists_device(snapshot.nvidia)) return seen("/nvidia/cuda_devices", "CUDA lists a device");
  if (of(snapshot.torch, &Torch::cuda_available).is(true) && !torch_is_for_rocm(snapshot))
    return seen("/torch/cuda_available", "true");
  if (const auto* log = snapshot.log.get()) {
    for (const LogEvent& line : *log) {
      if (line.event.get() && line.event.get()->starts_with("device-used-")) return seen(line, *line.event.get());
    }
  }
  const Number physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (physical.get() && *physical.get() > 0 && !of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false) &&
      !on_platform(snapshot, "macos"))
    return seen("/tensorflow/physical_gpus", std::to_string(*physical.get()));
  return std::nullopt;
}

Flag kernel_driver_runs(const Snapshot& snapshot) {
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  if (version.get()) return true;
  const Flag loaded = module_loaded(snapshot, "nvidia");
  if (loaded.get()) return loaded;
  if (version.outcome() == Outcome::absent) return false;
  if (!events_of(snapshot, "kernel-driver-not-running").empty()) return false;
  return loaded.outcome() != Outcome::not_probed ? loaded : version.then([](const std::string&) { return true; });
}

namespace {

// A log's line about libcuda: "library-opened" or "library-missing". Only asked where the host itself wasn't.
const LogEvent* libcuda_line(const Snapshot& snapshot, const char* event) {
  for (const LogEvent* line : events_of(snapshot, event)) {
    const auto library = line->fields.find("library");
    if (library != line->fields.end() && library->second.starts_with("libcuda.so")) return line;
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
  if (libcuda_line(snapshot, "library-opened")) return "libcuda.so.1";
  if (libcuda_line(snapshot, "library-missing")) return absent("a program could not open libcuda.so.1");
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
    if (const LogEvent* line = libcuda_line(snapshot, path.get() ? "library-opened" : "library-missing"))
      return seen(*line, value);
  }
  return seen(libcuda_place(snapshot), value);
}

Flag user_space_installed(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::userspace_driver_version).get()) return true;
  const Text cuda = libcuda(snapshot);
  const Text nvml_library = where(snapshot, "libnvidia-ml.so.1", of(snapshot.nvidia, &Nvidia::nvml_library));
  if (cuda.get() || nvml_library.get()) return true;
  if (cuda.outcome() == Outcome::absent) return false;
  // What answered cuInit was a libcuda, unless the answer says that it was none.
  const Text answer = cuinit(snapshot);
  if (answer.get() && *answer.get() != "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED" &&
      *answer.get() != "CUDA_ERROR_STUB_LIBRARY")
    return true;
  return cuda.then([](const std::string&) { return true; });
}

Severity fault_severity(const Snapshot& snapshot) {
  if (cuda_works(snapshot)) return Severity::warning;
  return opencl_lists_nvidia(snapshot) && !framework_wants_cuda(snapshot) ? Severity::warning : Severity::error;
}

}  // namespace envdoctor::nvidia
