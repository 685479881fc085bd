#include "checks/driver/nvidia_facts.h"

#include <algorithm>

namespace envdoctor::nvidia {
namespace {

// A trace of the driver itself, which exists only where a GPU was meant to be used.
bool driver_trace(const Snapshot& snapshot) {
  return of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() || module_loaded(snapshot, "nvidia").is(true) ||
         has_nodes(snapshot).is(true);
}

const SharedLibrary* first_copy(const Snapshot& snapshot, const std::string& soname) {
  const auto& libraries = snapshot.libraries.or_empty();
  const auto first = std::ranges::find_if(
      libraries, [&](const SharedLibrary& row) { return row.soname.is(soname) && !row.shadowed_by.get(); });
  return first == libraries.end() ? nullptr : &*first;
}

Text where(const Snapshot& snapshot, const std::string& soname, const Text& loaded) {
  const SharedLibrary* row = loaded.get() ? nullptr : first_copy(snapshot, soname);
  if (!row || !row->found.get()) return loaded;
  return row->found.is(true) ? row->path.value_or(soname) : Text(absent(soname + " is not found by the loader"));
}

bool opencl_lists_nvidia(const Snapshot& snapshot) {
  return std::ranges::any_of(of(snapshot.opencl, &Opencl::platforms).or_empty(), [](const OpenclPlatform& platform) {
    return platform.name.or_empty().find("NVIDIA") != std::string::npos && !platform.devices.or_empty().empty();
  });
}

bool framework_wants_cuda(const Snapshot& snapshot) {
  return of(snapshot.torch, &Torch::cuda_version).get() ||
         of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
         of(snapshot.tensorflow, &Tensorflow::cuda_version).get() || snapshot.jax.get() != nullptr;
}

// A log's line about libcuda: that it was opened, or is missing. Used only where the host itself was not probed.
const Symptom* libcuda_line(const Snapshot& snapshot, SymptomClass said) {
  for (const Symptom* line : symptoms_of(snapshot, {said, "library"})) {
    if (line->detail("library").starts_with("libcuda.so")) return line;
  }
  return nullptr;
}

Text libcuda_of_host(const Snapshot& snapshot) {
  return where(snapshot, "libcuda.so.1", of(snapshot.nvidia, &Nvidia::cuda_library));
}

}  // namespace

bool on_platform(const Snapshot& snapshot, const std::string& platform) {
  return of(snapshot.host, &HostFacts::platform).is(platform);
}

bool on_wsl(const Snapshot& snapshot) {
  return on_platform(snapshot, "wsl2") ||
         (!of(snapshot.host, &HostFacts::platform).get() && first_symptom(snapshot, {{SymptomClass::present, "wsl"}}));
}

// cgroup v1 shows its rules: NVIDIA's major number 195 may be created (m) but not opened (rw).
std::optional<Evidence> cgroup_forbids(const Snapshot& snapshot) {
  const auto& rules = of(snapshot.host, &HostFacts::cgroup).or_empty().devices.or_empty();
  const auto lets_open = [](const std::string& rule) {
    const bool nvidia = rule.starts_with("a ") || rule.starts_with("c *:*") || rule.starts_with("c 195:");
    return nvidia && rule.find('r', rule.rfind(' ')) != std::string::npos;
  };
  if (rules.empty() || std::ranges::any_of(rules, lets_open)) return std::nullopt;
  return evidence("/host/cgroup/devices", "no rule opens c 195:*");
}

bool contained(const Snapshot& snapshot) {
  const Flag known = in_container(snapshot);
  return known.is(true) || (!known.get() && first_symptom(snapshot, {{SymptomClass::present, "container"},
                                                                     {SymptomClass::missing, "driver-in-container"}}));
}

Flag has_nodes(const Snapshot& snapshot) {
  return snapshot.device_nodes.then([&](const auto&) {
    return std::ranges::any_of(nodes_under(snapshot, "/dev/nvidia"), [](const DeviceNode* node) {
      return !node->path.get()->starts_with("/dev/nvidia-caps");
    });
  });
}

namespace {

std::vector<Gpu> usable(std::vector<Gpu> all) {
  std::erase_if(all, [](const Gpu& gpu) {
    return gpu.vendor != Vendor::nvidia || !gpu.granted || gpu.driver == "vfio-pci" || gpu.driver == "pciback";
  });
  return all;
}

}  // namespace

std::string not_here(const Snapshot& snapshot) {
  const auto all = gpus_of(snapshot);
  if (std::ranges::find(all, Vendor::nvidia, &Gpu::vendor) != all.end())
    return usable(all).empty() ? "no NVIDIA GPU of this host is given to this system" : "";
  if (on_platform(snapshot, "macos")) return "macOS has no NVIDIA driver";
  const bool bus_read = snapshot.pci.get() || snapshot.pci.outcome() == Outcome::absent;
  const bool may_be_here =
      cuda_works(snapshot) || driver_trace(snapshot) || on_wsl(snapshot) || on_platform(snapshot, "windows");
  return bus_read && !may_be_here ? "the PCI bus shows no NVIDIA GPU" : "";
}

std::vector<Gpu> gpus(const Snapshot& snapshot) { return usable(gpus_of(snapshot)); }

std::string subject_of(const NvidiaDevice& device) {
  if (device.pci_address.get()) return "gpu:" + normal_address(*device.pci_address.get());
  return device.index.get() ? "cuda:" + std::to_string(*device.index.get()) : "host";
}

std::optional<Evidence> cuda_works(const Snapshot& snapshot) {
  if (!of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty().empty())
    return evidence("/nvidia/cuda_devices", "CUDA lists a device");
  if (of(snapshot.torch, &Torch::cuda_available).is(true) && !torch_is_for_rocm(snapshot))
    return evidence("/torch/cuda_available", "true");
  for (const Symptom& line : snapshot.log.or_empty()) {
    if (line.class_.is("used")) return evidence(line);
  }
  const auto physical = of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty();
  if (physical > 0 && !of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(false) &&
      !on_platform(snapshot, "macos"))
    return evidence("/tensorflow/physical_gpus", std::to_string(physical));
  return std::nullopt;
}

std::optional<Evidence> driver_answers(const Snapshot& snapshot) {
  if (auto works = cuda_works(snapshot)) return works;
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    if (!device.error.get()) return evidence(at("/nvidia/devices", i), "NVML lists it");
  }
  if (cuinit(snapshot).outcome() == Outcome::absent) return evidence("/nvidia/cuinit_error", "none: cuInit succeeds");
  return std::nullopt;
}

bool secure_boot_is_on(const Facts& facts) {
  using enum SymptomClass;
  return of(facts.snapshot().host, &HostFacts::secure_boot).is(true) ||
         facts.with({present, "kernel-lockdown"}, "by", "EFI") || facts.saw({{present, "secure-boot"}});
}

Flag kernel_driver_runs(const Snapshot& snapshot) {
  if (driver_answers(snapshot)) return true;
  const Text version = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  if (version.get()) return true;
  const Flag loaded = module_loaded(snapshot, "nvidia");
  if (loaded.get()) return loaded;
  if (version.outcome() == Outcome::absent) return false;
  if (first_symptom(snapshot, {{SymptomClass::missing, "kernel-driver"}})) return false;
  if (first_symptom(snapshot, {{SymptomClass::noted, "kernel-driver-version"},
                               {SymptomClass::present, "nvidia-kernel-module"},
                               {SymptomClass::noted, "nvidia-smi-versions"}}))
    return true;
  return loaded.outcome() != Outcome::not_probed ? loaded : Flag(version.missing());
}

Text libcuda(const Snapshot& snapshot) {
  Text own = libcuda_of_host(snapshot);
  if (own.outcome() != Outcome::not_probed) return own;
  if (libcuda_line(snapshot, SymptomClass::present)) return "libcuda.so.1";
  if (libcuda_line(snapshot, SymptomClass::missing)) return absent("a program could not open libcuda.so.1");
  return own;
}

std::string libcuda_place(const Snapshot& snapshot) {
  const SharedLibrary* row = first_copy(snapshot, "libcuda.so.1");
  if (!row || of(snapshot.nvidia, &Nvidia::cuda_library).get()) return "/nvidia/cuda_library";
  const auto index = static_cast<std::size_t>(row - snapshot.libraries.get()->data());
  return at("/libraries", index, row->found.is(false) ? "found" : "path");
}

Evidence libcuda_evidence(const Snapshot& snapshot) {
  const Text path = libcuda(snapshot);
  const std::string value = path.value_or("libcuda.so.1 not found");
  if (libcuda_of_host(snapshot).outcome() == Outcome::not_probed) {
    if (cuinit(snapshot).is(cuda_error::shared_object_init_failed)) return cuinit_evidence(snapshot).front();
    if (const Symptom* line = libcuda_line(snapshot, path.get() ? SymptomClass::present : SymptomClass::missing))
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
  // If cuInit returned a code there is a libcuda, unless the code says that it is a stub.
  const Text answer = cuinit(snapshot);
  if (answer.get() && *answer.get() != cuda_error::shared_object_init_failed &&
      *answer.get() != cuda_error::stub_library)
    return true;
  return Flag(cuda.missing());
}

Severity fault_severity(const Snapshot& snapshot) {
  if (cuda_works(snapshot)) return Severity::warning;
  return opencl_lists_nvidia(snapshot) && !framework_wants_cuda(snapshot) ? Severity::warning : Severity::error;
}

Finding& fault(Answers& answers, const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof,
               std::string subject) {
  Finding& finding = answers.found_on(std::move(subject));
  finding.severity = fault_severity(snapshot);
  finding.confidence = confidence;
  finding.evidence = std::move(proof);
  return finding;
}

const DeviceNode* closed_node(const Snapshot& snapshot, std::initializer_list<std::string_view> but) {
  for (const DeviceNode* node : nodes_under(snapshot, "/dev/nvidia")) {
    const bool other = std::ranges::any_of(but, [&](auto prefix) { return node->path.get()->starts_with(prefix); });
    if (!other && node->accessible.is(false) && (node->error.is("EACCES") || node->error.is("EPERM"))) return node;
  }
  return nullptr;
}

}  // namespace envdoctor::nvidia
