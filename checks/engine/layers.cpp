#include "checks/engine/layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "checks/compute/compute_facts.h"
#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

using Result = std::pair<LayerState, std::string>;
const Result unknown{LayerState::unknown, "not seen"};

Result holds(std::string why) { return {LayerState::ok, std::move(why)}; }

bool opens(const Snapshot& snapshot, std::string_view path) {
  const DeviceNode* node = node_of(snapshot, path);
  return node && node->accessible.is(true);
}

bool same_gpu(const Gpu& gpu, const Text& address) {
  return address.get() && normal_address(*address.get()) == gpu.address;
}

template <class Device>
bool lists(const List<Device>& devices, const Gpu& gpu) {
  if (!devices.get()) return false;
  // Without an address on either side a single device can only be this one.
  return std::ranges::any_of(*devices.get(), [&](const Device& d) { return same_gpu(gpu, d.pci_address); }) ||
         (devices.get()->size() == 1 && (!devices.get()->front().pci_address.get() || gpu.address.empty()));
}

// NVML talks to this GPU: what lies below works, even where a sandbox shows no bus and no list of modules.
bool nvml_answers(const Snapshot& snapshot, const Gpu& gpu) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  return gpu.nvml_index >= 0 && devices.get() &&
         !(*devices.get())[static_cast<std::size_t>(gpu.nvml_index)].error.get();
}

Result hardware(const Snapshot& snapshot, const Gpu& gpu) {
  if (gpu.pci_index >= 0) return holds("on the PCI bus");
  return nvml_answers(snapshot, gpu) ? holds("NVML lists it") : unknown;
}

Result kernel_driver(const Snapshot& snapshot, const Gpu& gpu) {
  static const std::array<std::pair<Vendor, std::vector<std::string>>, 3> drivers = {
      {{Vendor::nvidia, {"nvidia"}}, {Vendor::amd, {"amdgpu"}}, {Vendor::intel, {"i915", "xe"}}}};
  for (const auto& [vendor, names] : drivers) {
    if (vendor == gpu.vendor && std::ranges::find(names, gpu.driver) != names.end())
      return holds(gpu.driver + " is bound");
  }
  if (nvml_answers(snapshot, gpu)) return holds("NVML lists it");
  if (gpu.vendor == Vendor::nvidia && of(snapshot.nvidia, &Nvidia::kernel_driver_version).get() && gpu.driver.empty() &&
      gpu.pci_index < 0)
    return holds("the nvidia module is loaded");
  return unknown;
}

Result device_node(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  const auto renders = nodes_under(snapshot, "/dev/dri/renderD");
  const bool render = std::ranges::any_of(renders, [](const DeviceNode* n) { return n->accessible.is(true); });
  if (gpu.vendor == Vendor::nvidia) {
    if (opens(snapshot, "/dev/dxg")) return holds("/dev/dxg opens");
    const auto own = nodes_under(snapshot, "/dev/nvidia");
    const bool card = std::ranges::any_of(own, [](const DeviceNode* n) {
      return n->accessible.is(true) && n->path.get()->size() > 11 &&
             std::isdigit(static_cast<unsigned char>((*n->path.get())[11]));
    });
    return card && opens(snapshot, "/dev/nvidiactl") ? holds("its nodes open") : unknown;
  }
  if (gpu.vendor == Vendor::amd && stack == "rocm" && !opens(snapshot, "/dev/kfd")) return unknown;
  return render ? holds("its nodes open") : unknown;
}

bool opencl_lists(const Snapshot& snapshot, const Gpu& gpu, bool ran) {
  const auto platforms = of(snapshot.opencl, &Opencl::platforms);
  if (!platforms.get()) return false;
  for (const OpenclPlatform& platform : *platforms.get()) {
    if (!platform.devices.get()) continue;
    for (const OpenclDevice& device : *platform.devices.get()) {
      const bool mine = same_gpu(gpu, device.pci_address) ||
                        (!device.pci_address.get() && device.type.is("gpu") && device.name.get() &&
                         (*device.name.get() == gpu.name || gpu.name.find(*device.name.get()) != std::string::npos));
      if (mine && (!ran || device.kernel.is("ran"))) return true;
    }
  }
  return false;
}

// The vendor's own user-space driver initialised (then its list is known) and lists the GPU.
Result user_driver(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  if (stack == "opencl") return opencl_lists(snapshot, gpu, false) ? holds("an OpenCL platform lists it") : unknown;
  if (stack == "cuda")
    return of(snapshot.nvidia, &Nvidia::cuda_devices).get() ? holds("the CUDA driver initialises") : unknown;
  if (stack == "rocm") return of(snapshot.rocm, &Rocm::hip_devices).get() ? holds("HIP initialises") : unknown;
  return of(snapshot.level_zero, &LevelZero::devices).get() ? holds("Level Zero initialises") : unknown;
}

Result visibility(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  bool listed = false;
  if (stack == "cuda") listed = lists(of(snapshot.nvidia, &Nvidia::cuda_devices), gpu);
  if (stack == "rocm") listed = lists(of(snapshot.rocm, &Rocm::hip_devices), gpu);
  if (stack == "level-zero") listed = lists(of(snapshot.level_zero, &LevelZero::devices), gpu);
  if (stack == "opencl") listed = opencl_lists(snapshot, gpu, false);
  if (listed) return holds("a program sees it");
  const auto others = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (stack == "cuda" && others.get() && !others.get()->empty() && env_of(snapshot, "CUDA_VISIBLE_DEVICES").get())
    return {LayerState::not_applicable, "left out by CUDA_VISIBLE_DEVICES"};
  return unknown;
}

bool any_framework_sees(const Snapshot& snapshot) {
  const auto tensorflow = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  const auto jax = of(snapshot.jax, &Jax::backend);
  return (tensorflow.get() && *tensorflow.get() > 0) || of(snapshot.torch, &Torch::cuda_available).is(true) ||
         jax.is("gpu") || jax.is("cuda") || jax.is("rocm");
}

bool framework_known_absent(const Snapshot& snapshot) {
  static const char* const frameworks[] = {"tensorflow", "tensorflow-gpu", "tensorflow-cpu", "torch", "jax", "keras"};
  const auto packages = of(snapshot.python, &Python::packages);
  if (snapshot.python.outcome() == Outcome::absent) return true;
  return packages.get() &&
         std::ranges::none_of(frameworks, [&](const char* name) { return package_installed(snapshot, name).is(true); });
}

Result runtime(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  if (stack == "opencl") return opencl_lists(snapshot, gpu, true) ? holds("a kernel was built and ran") : unknown;
  const auto libraries = snapshot.libraries.get();
  const auto found = [&](std::string_view prefix) {
    return libraries && std::ranges::any_of(*libraries, [&](const SharedLibrary& l) {
             return l.soname.get() && l.soname.get()->starts_with(prefix) && l.found.is(true) && !l.stub.is(true);
           });
  };
  const std::string_view runtime_library = stack == "cuda"   ? "libcudart"
                                           : stack == "rocm" ? "libamdhip64"
                                                             : "libze_loader";
  if (found(runtime_library)) return holds(std::string(runtime_library) + " is found");
  if (libraries && framework_known_absent(snapshot) &&
      !snapshot.toolkits.then([](const auto& t) { return !t.empty(); }).is(true))
    return {LayerState::not_applicable, "nothing here needs one; programs that bring their own use the driver"};
  return unknown;
}

Result framework(const Snapshot& snapshot, std::string_view stack) {
  if (stack == "opencl") return {LayerState::not_applicable, "frameworks don't use OpenCL"};
  if (any_framework_sees(snapshot)) return holds("a framework lists a GPU");
  if (framework_known_absent(snapshot)) return {LayerState::not_applicable, "no framework is installed"};
  return unknown;
}

// A framework's own small work ran on the device that it counts first.
Result use(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  const auto on = [](const Text& place, std::string_view mark) {
    return place.get() && place.get()->find(mark) != std::string::npos;
  };
  const bool rocm_build = of(snapshot.torch, &Torch::hip_version).get() != nullptr ||
                          of(snapshot.tensorflow, &Tensorflow::built_with_rocm).is(true);
  if ((stack != "cuda" || rocm_build) && (stack != "rocm" || !rocm_build)) return unknown;
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  const auto hip = of(snapshot.rocm, &Rocm::hip_devices);
  const bool first = stack == "cuda"
                         ? cuda.get() && !cuda.get()->empty() && same_gpu(gpu, cuda.get()->front().pci_address)
                         : hip.get() && !hip.get()->empty() && same_gpu(gpu, hip.get()->front().pci_address);
  if (!first) return unknown;
  if (on(of(snapshot.tensorflow, &Tensorflow::training_on), "GPU:0")) return holds("a small Keras model trained on it");
  if (on(of(snapshot.tensorflow, &Tensorflow::placement), "GPU:0"))
    return holds("TensorFlow put a matrix product on it");
  if (on(of(snapshot.torch, &Torch::matmul), "cuda:0")) return holds("PyTorch ran a matrix product on it");
  const Text jax = of(snapshot.jax, &Jax::matmul);
  if (on(jax, "cuda:0") || on(jax, "gpu:0") || on(jax, "rocm:0")) return holds("JAX ran a matrix product on it");
  return unknown;
}

// Results of this GPU in this stack: right ones carry the layer, unless one is outside its bound.
Result computes(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack) {
  const std::string_view device = stack == "cuda" ? "cuda:" : stack == "opencl" ? "opencl:" : "";
  std::size_t right = 0, wrong = 0;
  for (const compute::Row& row : compute::rows(snapshot)) {
    const std::string* name = row.result->device.get();
    if (device.empty() || !name || !name->starts_with(device)) continue;
    const std::string subject = compute::subject(snapshot, *row.result);
    if (subject != gpu.subject() &&
        !(subject.starts_with("opencl:") && !gpu.name.empty() && subject.ends_with("/" + gpu.name)))
      continue;
    right += row.agreement->outcome.is("same-bits") || row.agreement->outcome.is("within-bound") ? 1 : 0;
    wrong += row.outside() && !row.by_framework() ? 1 : 0;
  }
  if (wrong > 0) return {LayerState::unknown, "results are outside their bounds"};
  if (right > 0) return holds(fmt::format("{} kernels' results agree with the CPU's", right));
  return stack == "opencl" && opencl_lists(snapshot, gpu, true) ? holds("a kernel's sum was right") : unknown;
}

}  // namespace

LayerResult prove(const Snapshot& snapshot, const Gpu& gpu, std::string_view stack, Layer layer) {
  const auto [state, why] = [&]() -> Result {
    switch (layer) {
      case Layer::hardware:
        return hardware(snapshot, gpu);
      case Layer::kernel_driver:
        return kernel_driver(snapshot, gpu);
      case Layer::device_node:
        return device_node(snapshot, gpu, stack);
      case Layer::user_driver:
        return user_driver(snapshot, gpu, stack);
      case Layer::visibility:
        return visibility(snapshot, gpu, stack);
      case Layer::runtime:
        return runtime(snapshot, gpu, stack);
      case Layer::framework:
        return framework(snapshot, stack);
      case Layer::compute:
        return computes(snapshot, gpu, stack);
      case Layer::use:
        return use(snapshot, gpu, stack);
    }
    return unknown;
  }();
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
  const auto torch = of(snapshot.torch, &Torch::cuda_version);
  const bool rocm_build =
      of(snapshot.torch, &Torch::version).then([](const std::string& v) { return v.find("rocm") != v.npos; }).is(true);
  if (stack == "rocm") return rocm_build || package_installed(snapshot, "tensorflow-rocm").is(true);
  return torch.get() || of(snapshot.tensorflow, &Tensorflow::built_with_cuda).is(true) ||
         package_installed(snapshot, "jax-cuda12-plugin").is(true) ||
         package_installed(snapshot, "jax-cuda13-plugin").is(true);
}

}  // namespace envdoctor
