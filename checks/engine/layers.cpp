#include "checks/engine/stacks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "checks/compute/compute_facts.h"
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

using Result = std::pair<LayerState, std::string>;
const Result unknown{LayerState::unknown, "not seen"};

Result holds(std::string why) { return {LayerState::ok, std::move(why)}; }
Result holds_if(bool proved, const char* why) { return proved ? holds(why) : unknown; }

bool opens(const DeviceNode* node) { return node && node->accessible.is(true); }
bool opens(const Snapshot& snapshot, std::string_view path) { return opens(node_of(snapshot, path)); }

bool same_gpu(const Gpu& gpu, const Text& address) {
  return address.get() && normal_address(*address.get()) == gpu.address;
}

// A device without a handle, or with an impossible memory size, doesn't count as listed.
template <class Device>
bool answers(const Device& device) {
  return device.name.outcome() != Outcome::failed && device.memory_total_mib.outcome() != Outcome::failed;
}

template <class Device>
bool lists(const List<Device>& devices, const Gpu& gpu) {
  const auto& all = devices.or_empty();
  // Without an address on either side a single device can only be this one.
  return std::ranges::any_of(all, [&](const Device& d) { return answers(d) && same_gpu(gpu, d.pci_address); }) ||
         (all.size() == 1 && answers(all.front()) && (!all.front().pci_address.get() || gpu.address.empty()));
}

// NVML talks to this GPU: the layers below work, even where a sandbox shows no bus and no list of modules.
bool nvml_answers(const Snapshot& snapshot, const Gpu& gpu) {
  const NvidiaDevice* device = nvml_device(snapshot, gpu);
  return device && !device->error.get();
}

// AMD's kernel driver lists this GPU; if no row has an address, the list of GPUs comes from these rows.
bool kfd_lists(const Snapshot& snapshot, const Gpu& gpu) {
  const auto devices = of(snapshot.rocm, &Rocm::devices);
  return gpu.vendor == Vendor::amd && (lists(devices, gpu) || (gpu.address.empty() && !devices.or_empty().empty()));
}

Result hardware(const Snapshot& snapshot, const Gpu& gpu, std::string_view) {
  if (gpu.pci_index >= 0) return holds("on the PCI bus");
  if (kfd_lists(snapshot, gpu)) return holds("amdgpu's compute driver lists it");
  return holds_if(nvml_answers(snapshot, gpu), "NVML lists it");
}

Result kernel_driver(const Snapshot& snapshot, const Gpu& gpu, std::string_view) {
  static const std::set<std::pair<Vendor, std::string>> drivers = {
      {Vendor::nvidia, "nvidia"}, {Vendor::amd, "amdgpu"}, {Vendor::intel, "i915"}, {Vendor::intel, "xe"}};
  if (drivers.contains({gpu.vendor, gpu.driver})) return holds(gpu.driver + " is bound");
  if (nvml_answers(snapshot, gpu)) return holds("NVML lists it");
  if (kfd_lists(snapshot, gpu)) return holds("amdgpu's compute driver lists it");
  return holds_if(gpu.vendor == Vendor::nvidia && of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() &&
                      gpu.driver.empty() && gpu.pci_index < 0,
                  "the nvidia module is loaded");
}

Result device_node(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  if (gpu.vendor == Vendor::nvidia) {
    if (opens(snapshot, "/dev/dxg")) return holds("/dev/dxg opens");
    const bool card = std::ranges::any_of(nodes_under(snapshot, "/dev/nvidia"),
                                          [](const DeviceNode* n) { return opens(n) && is_card_node(*n); });
    return holds_if(card && opens(snapshot, "/dev/nvidiactl"), "its nodes open");
  }
  if (gpu.vendor == Vendor::amd && stack == "rocm" && !opens(snapshot, "/dev/kfd")) return unknown;
  const auto renders = nodes_under(snapshot, "/dev/dri/renderD");
  return holds_if(std::ranges::any_of(renders, [](const DeviceNode* n) { return opens(n); }), "its nodes open");
}

bool opencl_lists(const Snapshot& snapshot, const Gpu& gpu, bool ran) {
  return std::ranges::any_of(opencl_devices(snapshot), [&](const OpenclDevice* device) {
    const std::string& name = device->name.or_empty();
    const bool mine =
        same_gpu(gpu, device->pci_address) || (!device->pci_address.get() && device->type.is("gpu") &&
                                               device->name.get() && gpu.name.find(name) != std::string::npos);
    return mine && (!ran || device->kernel.is("ran"));
  });
}

// Its version is plausible; otherwise its list of devices proves nothing.
bool cuda_is_sane(const Snapshot& snapshot) {
  return of(snapshot.nvidia, &Nvidia::cuda_driver_version).outcome() != Outcome::failed;
}

// The vendor's own user-space driver initialised (then its list is known) and lists the GPU.
Result user_driver(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  if (stack == "opencl") return holds_if(opencl_lists(snapshot, gpu, false), "an OpenCL platform lists it");
  if (stack == "cuda") {
    // A library that gives no handle for any device, or an impossible version, doesn't work.
    const auto devices = of(snapshot.nvidia, &Nvidia::cuda_devices);
    const Text version = of(snapshot.nvidia, &Nvidia::cuda_driver_version);
    if (devices.get() && !cuda_is_sane(snapshot)) return {LayerState::unknown, version.why()};
    if (!devices.or_empty().empty() && std::ranges::none_of(*devices.get(), answers<CudaDevice>))
      return {LayerState::unknown, "none of its devices answers"};
    return holds_if(devices.get(), "the CUDA driver initialises");
  }
  if (stack == "rocm") return holds_if(of(snapshot.rocm, &Rocm::hip_devices).get(), "HIP initialises");
  return holds_if(of(snapshot.level_zero, &LevelZero::devices).get(), "Level Zero initialises");
}

Result visibility(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  bool listed = false;
  if (stack == "cuda") listed = cuda_is_sane(snapshot) && lists(of(snapshot.nvidia, &Nvidia::cuda_devices), gpu);
  if (stack == "rocm") listed = lists(of(snapshot.rocm, &Rocm::hip_devices), gpu);
  if (stack == "level-zero") listed = lists(of(snapshot.level_zero, &LevelZero::devices), gpu);
  if (stack == "opencl") listed = opencl_lists(snapshot, gpu, false);
  if (listed) return holds("a program sees it");
  if (stack == "cuda" && !of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty().empty() &&
      env_of(snapshot, "CUDA_VISIBLE_DEVICES").get())
    return {LayerState::not_applicable, "left out by CUDA_VISIBLE_DEVICES"};
  return unknown;
}

bool any_framework_sees(const Snapshot& snapshot) {
  const auto jax = of(snapshot.jax, &Jax::backend);
  return of(snapshot.tensorflow, &Tensorflow::physical_gpus).or_empty() > 0 ||
         of(snapshot.torch, &Torch::cuda_available).is(true) || of(snapshot.torch, &Torch::xpu_available).is(true) ||
         jax.is("gpu") || jax.is("cuda") || jax.is("rocm");
}

bool framework_known_absent(const Snapshot& snapshot) {
  static const char* const frameworks[] = {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "torch", "jax", "keras"};
  return snapshot.python.outcome() == Outcome::absent ||
         std::ranges::all_of(frameworks, [&](const char* name) { return package_installed(snapshot, name).is(false); });
}

Result runtime(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  if (stack == "opencl") return holds_if(opencl_lists(snapshot, gpu, true), "a kernel was built and ran");
  const std::string name = stack == "cuda" ? "libcudart" : stack == "rocm" ? "libamdhip64" : "libze_loader";
  const auto found = [&](const SharedLibrary& library) {
    return library.soname.or_empty().starts_with(name) && library.found.is(true) && !library.stub.is(true);
  };
  if (std::ranges::any_of(snapshot.libraries.or_empty(), found)) return holds(name + " is found");
  if (snapshot.libraries.get() && framework_known_absent(snapshot) && snapshot.toolkits.or_empty().empty())
    return {LayerState::not_applicable, "nothing here needs one; programs that bring their own use the driver"};
  return unknown;
}

Result framework(const Snapshot& snapshot, const Gpu&, std::string_view stack) {
  if (stack == "opencl") return {LayerState::not_applicable, "frameworks don't use OpenCL"};
  if (any_framework_sees(snapshot)) return holds("a framework lists a GPU");
  if (framework_known_absent(snapshot)) return {LayerState::not_applicable, "no framework is installed"};
  return unknown;
}

// A framework's small test ran on its first device.
Result use(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  const auto on = [](const Text& place, std::string_view mark) { return place.or_empty().find(mark) != mark.npos; };
  const bool rocm_build = of(snapshot.torch, &Torch::hip_version).get() != nullptr ||
                          of(snapshot.tensorflow, &Tensorflow::built_with_rocm).is(true);
  if ((stack != "cuda" || rocm_build) && (stack != "rocm" || !rocm_build)) return unknown;
  const auto first = [&](const auto& devices) {
    return !devices.empty() && same_gpu(gpu, devices.front().pci_address);
  };
  if (stack == "cuda" ? !first(of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty())
                      : !first(of(snapshot.rocm, &Rocm::hip_devices).or_empty()))
    return unknown;
  if (on(of(snapshot.tensorflow, &Tensorflow::training_on), "GPU:0")) return holds("a small Keras model trained on it");
  if (on(of(snapshot.tensorflow, &Tensorflow::placement), "GPU:0"))
    return holds("TensorFlow put a matrix product on it");
  if (on(of(snapshot.torch, &Torch::matmul), "cuda:0")) return holds("PyTorch ran a matrix product on it");
  const Text jax = of(snapshot.jax, &Jax::matmul);
  if (on(jax, "cuda:0") || on(jax, "gpu:0") || on(jax, "rocm:0")) return holds("JAX ran a matrix product on it");
  return unknown;
}

// Results of this GPU in this stack: right ones prove the layer, unless one is outside its bound.
Result computes(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  const std::string_view device = stack == "cuda" ? "cuda:" : stack == "opencl" ? "opencl:" : "";
  std::size_t right = 0, wrong = 0;
  for (const compute::Row& row : compute::rows(snapshot)) {
    if (device.empty() || !row.result->device.or_empty().starts_with(device)) continue;
    const std::string subject = compute::subject(snapshot, *row.result);
    if (subject != gpu.subject() &&
        !(subject.starts_with("opencl:") && !gpu.name.empty() && subject.ends_with("/" + gpu.name)))
      continue;
    right += row.agreement->outcome.is("same-bits") || row.agreement->outcome.is("within-bound") ? 1 : 0;
    wrong += row.outside() && !row.by_framework() ? 1 : 0;
  }
  if (wrong > 0) return {LayerState::unknown, "results are outside their bounds"};
  if (right > 0) return holds(fmt::format("{} kernels' results agree with the CPU's", right));
  return holds_if(stack == "opencl" && opencl_lists(snapshot, gpu, true), "a kernel's sum was right");
}

}  // namespace

LayerResult prove(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, Layer layer) {
  static constexpr std::array provers{hardware, kernel_driver, device_node, user_driver, visibility,
                                      runtime,  framework,     computes,    use};  // in the order of Layer
  const auto [state, why] = provers.at(static_cast<std::size_t>(layer))(snapshot, gpu, stack);
  return {layer, state, why};
}

bool breaks(std::string_view id) {
  static const std::array harmless = {
      "hardware.pcie-degraded", "hardware.power-or-thermal", "memory.occupied",           "memory.shm-too-small",
      "cpu.cgroup-limited",     "cpu.affinity-limited",      "visibility.order-mismatch", "opencl.cpu-only",
      "runtime.jit-slow",       "python.wrong-environment",  "cpu.oversubscribed",        "compute.nondeterministic",
      "compute.fast-math",      "compute.denormals",         "compute.unstable"};
  return std::ranges::find(harmless, id) == harmless.end();
}

bool framework_wants(const Snapshot& snapshot, std::string_view stack) {
  if (stack != "cuda" && stack != "rocm") return false;
  if (stack == "rocm") return torch_is_for_rocm(snapshot) || package_installed(snapshot, "tensorflow-rocm").is(true);
  return of(snapshot.torch, &Torch::cuda_version).get() ||
         of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
         package_installed(snapshot, "jax-cuda12-plugin").is(true) ||
         package_installed(snapshot, "jax-cuda13-plugin").is(true);
}

}  // namespace envdoctor
