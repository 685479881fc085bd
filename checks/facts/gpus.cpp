#include "checks/facts/gpus.h"

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "knowledge/gpus/gpu_models.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

bool contains_word(const std::string& text, std::string_view word) { return lower_case(text).find(word) != text.npos; }

Vendor vendor_of(const PciDevice& device) {
  const std::string id = text_of(device.vendor_id);
  if (id == "10de") return Vendor::nvidia;
  if (id == "1002") return Vendor::amd;
  if (id == "8086") return Vendor::intel;
  if (!id.empty()) return Vendor::other;
  const std::string name = text_of(device.vendor) + " " + text_of(device.name);
  if (contains_word(name, "nvidia")) return Vendor::nvidia;
  if (contains_word(name, "amd") || contains_word(name, "advanced micro") || contains_word(name, "radeon"))
    return Vendor::amd;
  if (contains_word(name, "intel")) return Vendor::intel;
  return Vendor::other;
}

// An integrated GPU sits on bus 0 of its vendor's own host bridge; AMD's are told by their chip.
bool is_integrated(const Gpu& gpu) {
  if (gpu.vendor == Vendor::intel) return gpu.address.starts_with("0000:00:02.");
  if (gpu.vendor != Vendor::amd) return false;
  static const char* const apus[] = {"Raphael",   "Renoir",        "Cezanne",   "Picasso", "Raven",
                                     "Rembrandt", "Phoenix",       "Strix",     "Krackan", "Barcelo",
                                     "Lucienne",  "Granite Ridge", "Mendocino", "Van Gogh"};
  return std::ranges::any_of(
      apus, [&](const char* apu) { return gpu.chip.starts_with(apu) || gpu.name.find(apu) != std::string::npos; });
}

// Chips from before GPUs computed: NVIDIA's before G80 (2006, all that run no CUDA), and Intel's up to the fifth
// generation ("Ironlake", 2010), for which no OpenCL was ever made.
bool is_before_compute(const PciDevice& device) {
  const auto model = knowledge::gpu_model(text_of(device.vendor_id), text_of(device.device_id));
  const std::string chip = model && !model->guessed && !model->chip.empty() ? model->chip : text_of(device.name);
  if (vendor_of(device) == Vendor::nvidia) {
    return std::ranges::any_of(std::initializer_list<const char*>{"NV1", "NV2", "NV3", "NV4", "NV5", "G70", "G71",
                                                                  "G72", "G73", "C51", "C61", "C67", "C68"},
                               [&](const char* old) { return chip.starts_with(old) && !chip.starts_with("NV50"); });
  }
  const std::string id = text_of(device.device_id);
  return vendor_of(device) == Vendor::intel && (id == "0042" || id == "0046");
}

void name_from_knowledge(Gpu& gpu, const PciDevice& device) {
  const auto model = knowledge::gpu_model(text_of(device.vendor_id), text_of(device.device_id));
  if (!model) return;
  gpu.chip = model->chip;
  gpu.architecture = model->architecture;
  gpu.compute_capability = model->compute_capability;
  gpu.gfx = model->gfx;
  if (gpu.name.empty()) gpu.name = model->name;
}

Gpu* find_gpu(std::vector<Gpu>& gpus, Vendor vendor, const std::string& address, std::size_t position) {
  if (!address.empty()) {
    const auto same = std::ranges::find(gpus, address, &Gpu::address);
    if (same != gpus.end()) return &*same;
  }
  // Where one side gives no address, the n-th of this vendor is taken for the n-th.
  for (Gpu& gpu : gpus) {
    if (gpu.vendor != vendor || (!gpu.address.empty() && !address.empty())) continue;
    if (position-- == 0) return &gpu;
  }
  return nullptr;
}

Gpu& join(std::vector<Gpu>& gpus, Vendor vendor, const Text& address, const Text& name, std::size_t position) {
  const std::string normal = normal_address(text_of(address));
  Gpu* gpu = find_gpu(gpus, vendor, normal, position);
  if (!gpu) gpu = &gpus.emplace_back(Gpu{.address = normal, .vendor = vendor});
  if (gpu->address.empty()) gpu->address = normal;
  if (name.get()) gpu->name = *name.get();
  return *gpu;
}

void join_nvidia(std::vector<Gpu>& gpus, const Nvidia& nvidia) {
  if (const auto* devices = nvidia.devices.get()) {
    for (std::size_t i = 0; i < devices->size(); ++i) {
      const NvidiaDevice& device = (*devices)[i];
      Gpu& gpu = join(gpus, Vendor::nvidia, device.pci_address, device.name, i);
      gpu.nvml_index = static_cast<int>(i);
      if (device.compute_capability.get()) gpu.compute_capability = *device.compute_capability.get();
    }
  }
  if (const auto* devices = nvidia.cuda_devices.get()) {
    for (std::size_t i = 0; i < devices->size(); ++i) {
      if (!(*devices)[i].pci_address.get() && nvidia.devices.get()) continue;  // nothing to tell them apart by
      Gpu& gpu = join(gpus, Vendor::nvidia, (*devices)[i].pci_address, (*devices)[i].name, i);
      if ((*devices)[i].compute_capability.get()) gpu.compute_capability = *(*devices)[i].compute_capability.get();
    }
  }
}

void join_rocm(std::vector<Gpu>& gpus, const Rocm& rocm) {
  if (const auto* devices = rocm.devices.get()) {
    for (std::size_t i = 0; i < devices->size(); ++i) {
      Gpu& gpu = join(gpus, Vendor::amd, (*devices)[i].pci_address, gpus.empty() ? (*devices)[i].name : Text(), i);
      if ((*devices)[i].gfx.get()) gpu.gfx = *(*devices)[i].gfx.get();
    }
  }
}

// Level Zero's null driver lists a GPU on any machine: where the bus was read and holds none, and no node stands by
// which a runtime could reach one, its word proves nothing.
bool nothing_to_reach(const Snapshot& snapshot) {
  const auto* nodes = snapshot.device_nodes.get();
  const auto reaches = [](const DeviceNode& node) {
    return node.path.get() && (node.path.get()->starts_with("/dev/dri") || node.path.get()->starts_with("/dev/kfd") ||
                               node.path.get()->starts_with("/dev/dxg"));
  };
  return snapshot.pci.get() && std::ranges::none_of(*snapshot.pci.get(), counts_as_gpu) && nodes &&
         std::ranges::none_of(*nodes, reaches);
}

void join_level_zero(std::vector<Gpu>& gpus, const LevelZero& level_zero) {
  if (const auto* devices = level_zero.devices.get()) {
    std::size_t position = 0;
    for (const LevelZeroDevice& device : *devices) {
      if (device.type.is("gpu")) join(gpus, Vendor::intel, device.pci_address, device.name, position++);
    }
  }
}

}  // namespace

std::string Gpu::subject() const {
  if (!address.empty()) return "gpu:" + address;
  return nvml_index >= 0 ? "cuda:" + std::to_string(nvml_index) : "host";
}

bool counts_as_gpu(const PciDevice& device) {
  if (vendor_of(device) == Vendor::other || is_before_compute(device)) return false;
  if (device.physical_function.get()) return false;  // a virtual function, meant for a guest
  const std::string kind = text_of(device.class_);
  return kind.empty() || kind.starts_with("03") || kind.starts_with("12");
}

std::vector<Gpu> gpus_of(const Snapshot& snapshot) {
  std::vector<Gpu> gpus;
  if (const auto* devices = snapshot.pci.get()) {
    for (std::size_t i = 0; i < devices->size(); ++i) {
      const PciDevice& device = (*devices)[i];
      if (!counts_as_gpu(device)) continue;
      Gpu gpu{.address = normal_address(text_of(device.address)),
              .vendor = vendor_of(device),
              .name = text_of(device.name),
              .driver = text_of(device.driver),
              .pci_index = static_cast<int>(i)};
      if (device.vendor_id.get() && device.device_id.get())
        gpu.device_id = text_of(device.vendor_id) + ":" + text_of(device.device_id);
      name_from_knowledge(gpu, device);
      gpus.push_back(std::move(gpu));
    }
  }
  if (const auto* nvidia = snapshot.nvidia.get()) join_nvidia(gpus, *nvidia);
  if (const auto* rocm = snapshot.rocm.get()) join_rocm(gpus, *rocm);
  if (const auto* level_zero = snapshot.level_zero.get(); level_zero && !nothing_to_reach(snapshot))
    join_level_zero(gpus, *level_zero);
  for (Gpu& gpu : gpus) {
    if (gpu.architecture.empty() && !gpu.compute_capability.empty())
      gpu.architecture = knowledge::architecture_of_capability(gpu.compute_capability);
    gpu.integrated = is_integrated(gpu);
  }
  std::ranges::stable_sort(gpus, {}, &Gpu::address);
  mark_granted(gpus, snapshot);
  return gpus;
}

}  // namespace envdoctor
