#include "checks/facts/gpus.h"

#include <algorithm>
#include <array>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "knowledge/gpus/gpu_models.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

Vendor vendor_of(const PciDevice& device) {
  const std::string id = text_of(device.vendor_id);
  if (id == "10de") return Vendor::nvidia;
  if (id == "1002") return Vendor::amd;
  if (id == "8086") return Vendor::intel;
  if (!id.empty()) return Vendor::other;
  // A report that a person wrote may hold the id where the name belongs.
  const std::string name = lower_case(text_of(device.vendor) + " " + text_of(device.name));
  static const std::vector<std::pair<const char*, Vendor>> words = {
      {"nvidia", Vendor::nvidia},  {"amd", Vendor::amd},       {"advanced micro", Vendor::amd},
      {"radeon", Vendor::amd},     {"instinct", Vendor::amd},  {"intel", Vendor::intel},
      {"geforce", Vendor::nvidia}, {"quadro", Vendor::nvidia}, {"tesla", Vendor::nvidia},
      {"titan", Vendor::nvidia},   {"10de", Vendor::nvidia}};
  const auto word = std::ranges::find_if(words, [&](const auto& one) { return name.find(one.first) != name.npos; });
  return word == words.end() ? Vendor::other : word->second;
}

// An integrated GPU sits on bus 0 of its vendor's own host bridge; AMD's are recognised by their chip.
bool is_integrated(const Gpu& gpu) {
  if (gpu.vendor == Vendor::intel) {
    static const char* const families[] = {"UHD Graphics", "HD Graphics", "Iris"};
    const bool named =
        std::ranges::any_of(families, [&](const char* family) { return gpu.name.find(family) != std::string::npos; });
    return gpu.address.starts_with("0000:00:02.") || (gpu.address.empty() && named);
  }
  if (gpu.vendor != Vendor::amd) return false;
  static const char* const apus[] = {"Raphael",   "Renoir",        "Cezanne",   "Picasso", "Raven",
                                     "Rembrandt", "Phoenix",       "Strix",     "Krackan", "Barcelo",
                                     "Lucienne",  "Granite Ridge", "Mendocino", "Van Gogh"};
  return std::ranges::any_of(
      apus, [&](const char* apu) { return gpu.chip.starts_with(apu) || gpu.name.find(apu) != std::string::npos; });
}

// Chips from before GPU computing: NVIDIA's before G80 (2006, all that run no CUDA), and Intel's up to the fifth
// generation ("Ironlake", 2010), for which no OpenCL was ever made.
bool is_before_compute(const PciDevice& device) {
  const auto model = knowledge::gpu_model(text_of(device.vendor_id), text_of(device.device_id));
  const std::string chip = model && !model->guessed && !model->chip.empty() ? model->chip : text_of(device.name);
  if (vendor_of(device) == Vendor::nvidia) {
    static constexpr std::array old_chips{"NV1", "NV2", "NV3", "NV4", "NV5", "G70", "G71",
                                          "G72", "G73", "C51", "C61", "C67", "C68"};
    return !chip.starts_with("NV50") &&
           std::ranges::any_of(old_chips, [&](const char* old) { return chip.starts_with(old); });
  }
  const std::string id = text_of(device.device_id);
  return vendor_of(device) == Vendor::intel && (id == "0042" || id == "0046");
}

void name_from_knowledge(Gpu& gpu, const PciDevice& device) {
  auto model = knowledge::gpu_model(text_of(device.vendor_id), text_of(device.device_id));
  if (!model && !device.device_id.get()) model = knowledge::gpu_model_of_chip(text_of(device.name));
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
  // If one side has no addresses, the n-th GPUs of this vendor are matched.
  for (Gpu& gpu : gpus) {
    if (gpu.vendor != vendor || (!gpu.address.empty() && !address.empty())) continue;
    if (position-- == 0) return &gpu;
  }
  return nullptr;
}

template <class Device>
Gpu& join(std::vector<Gpu>& gpus, Vendor vendor, const Device& device, std::size_t position) {
  const std::string address = address_of(device.pci_address);
  Gpu* gpu = find_gpu(gpus, vendor, address, position);
  if (!gpu) gpu = &gpus.emplace_back(Gpu{.address = address, .vendor = vendor});
  if (gpu->address.empty()) gpu->address = address;
  gpu->name = device.name.value_or(gpu->name);
  return *gpu;
}

void join_nvidia(std::vector<Gpu>& gpus, const Nvidia& nvidia) {
  for (const auto& [i, device] : numbered(nvidia.devices)) {
    Gpu& gpu = join(gpus, Vendor::nvidia, device, i);
    gpu.nvml_index = static_cast<int>(i);
    gpu.compute_capability = device.compute_capability.value_or(gpu.compute_capability);
  }
  for (const auto& [i, device] : numbered(nvidia.cuda_devices)) {
    if (!device.pci_address.get() && nvidia.devices.get()) continue;  // nothing distinguishes them
    Gpu& gpu = join(gpus, Vendor::nvidia, device, i);
    gpu.compute_capability = device.compute_capability.value_or(gpu.compute_capability);
  }
}

void join_rocm(std::vector<Gpu>& gpus, const Rocm& rocm) {
  const bool on_bus = std::ranges::any_of(gpus, [](const Gpu& gpu) { return gpu.vendor == Vendor::amd; });
  for (auto [i, device] : numbered(rocm.devices)) {
    RocmDevice row = device;
    if (on_bus) row.name = {};  // the bus has the better name
    Gpu& gpu = join(gpus, Vendor::amd, row, i);
    gpu.gfx = row.gfx.value_or(gpu.gfx);
  }
}

// Level Zero's null driver lists a GPU on any machine: if the bus was read and has none, and no node exists by
// which a runtime could reach one, its list proves nothing.
bool nothing_to_reach(const Snapshot& snapshot) {
  const bool no_node = nodes_under(snapshot, "/dev/dri").empty() && nodes_under(snapshot, "/dev/kfd").empty() &&
                       nodes_under(snapshot, "/dev/dxg").empty();
  return snapshot.pci.get() && std::ranges::none_of(*snapshot.pci.get(), counts_as_gpu) &&
         snapshot.device_nodes.get() && no_node;
}

void join_level_zero(std::vector<Gpu>& gpus, const LevelZero& level_zero) {
  std::size_t position = 0;
  for (const LevelZeroDevice& device : level_zero.devices.or_empty()) {
    if (device.type.is("gpu")) join(gpus, Vendor::intel, device, position++);
  }
}

// Where the bus shows it.
Gpu on_bus(const PciDevice& device, std::size_t index) {
  Gpu gpu{.address = address_of(device.address),
          .vendor = vendor_of(device),
          .name = text_of(device.name),
          .driver = text_of(device.driver),
          .pci_index = static_cast<int>(index)};
  if (device.vendor_id.get() && device.device_id.get())
    gpu.device_id = text_of(device.vendor_id) + ":" + text_of(device.device_id);
  name_from_knowledge(gpu, device);
  return gpu;
}

template <class Device>
const Device* row_of(const List<Device>& list, int index) {
  return index >= 0 && list.get() ? &list.get()->at(static_cast<std::size_t>(index)) : nullptr;
}

}  // namespace

std::string Gpu::subject() const {
  if (!address.empty()) return "gpu:" + address;
  return nvml_index >= 0 ? "cuda:" + std::to_string(nvml_index) : "host";
}

std::string Gpu::in_pci(std::string_view field) const { return at("/pci", static_cast<std::size_t>(pci_index), field); }

std::optional<std::int64_t> used_mib(const NvidiaDevice& device) {
  const Number& total = device.memory_total_mib;
  const Number& free = device.memory_free_mib;
  return total.get() && free.get() ? std::optional(*total.get() - *free.get()) : std::nullopt;
}

const PciDevice* pci_device(const Snapshot& snapshot, const Gpu& gpu) { return row_of(snapshot.pci, gpu.pci_index); }
const NvidiaDevice* nvml_device(const Snapshot& snapshot, const Gpu& gpu) {
  return row_of(of(snapshot.nvidia, &Nvidia::devices), gpu.nvml_index);
}

bool counts_as_gpu(const PciDevice& device) {
  if (vendor_of(device) == Vendor::other || is_before_compute(device)) return false;
  if (device.physical_function.get()) return false;  // a virtual function, meant for a guest
  const std::string kind = text_of(device.class_);
  return kind.empty() || kind.starts_with("03") || kind.starts_with("12");
}

std::vector<Gpu> gpus_of(const Snapshot& snapshot) {
  std::vector<Gpu> gpus;
  for (const auto& [i, device] : numbered(snapshot.pci)) {
    if (counts_as_gpu(device)) gpus.push_back(on_bus(device, i));
  }
  join_nvidia(gpus, snapshot.nvidia.or_empty());
  join_rocm(gpus, snapshot.rocm.or_empty());
  if (snapshot.level_zero.get() && !nothing_to_reach(snapshot)) join_level_zero(gpus, *snapshot.level_zero.get());
  for (Gpu& gpu : gpus) {
    if (gpu.compute_capability.empty() && gpu.vendor == Vendor::nvidia && gpu.device_id.empty())
      gpu.compute_capability = knowledge::capability_of_name(gpu.name);
    if (gpu.architecture.empty() && !gpu.compute_capability.empty())
      gpu.architecture = knowledge::architecture_of_capability(gpu.compute_capability);
    gpu.integrated = is_integrated(gpu);
  }
  std::ranges::stable_sort(gpus, {}, &Gpu::address);
  mark_granted(gpus, snapshot);
  return gpus;
}

}  // namespace envdoctor
