// GPUs on the PCI bus: what is there before any driver has a say.
#include <fmt/format.h>

#include "knowledge/gpus.h"
#include "probe/pci_bus.h"
#include "probe/pci_details.h"
#include "probe/pci_ids.h"
#include "probe/probes.h"

namespace envdoctor {
namespace {

constexpr std::size_t ids_limit = 16 << 20;

Reading<std::string> system_ids(const Files& files) {
  for (const char* path : {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids", "/usr/share/pci.ids"}) {
    auto text = files.read(path, ids_limit);
    if (text.get()) return text;
  }
  return absent("the host has no pci.ids, and this device isn't known here");
}

Text vendor_name(std::string_view id) {
  if (id == "10de") return std::string("NVIDIA Corporation");
  if (id == "1002") return std::string("Advanced Micro Devices, Inc. [AMD/ATI]");
  if (id == "8086") return std::string("Intel Corporation");
  return absent("not in the host's pci.ids");
}

// In the form of pci.ids, "chip [product]", for what the host's copy lacks.
Text model_name(std::string_view vendor, std::string_view device, const Text& otherwise) {
  const auto model = knowledge::gpu_model(vendor, device);
  if (!model || model->guessed || model->name.empty()) return otherwise;
  return model->chip.empty() ? model->name : fmt::format("{} [{}]", model->chip, model->name);
}

void name(PciDevice& device, const Reading<std::string>& ids) {
  const std::string& vendor_id = *device.vendor_id.get();
  PciNames names{.vendor = ids.missing(), .device = ids.missing()};
  if (ids.get()) names = pci_names(*ids.get(), vendor_id, *device.device_id.get());
  device.vendor = names.vendor.get() ? names.vendor : vendor_name(vendor_id);
  device.name = names.device.get() ? names.device : model_name(vendor_id, *device.device_id.get(), names.device);
}

}  // namespace

void probe_pci(Session& session) {
  const Files& files = session.host.files;
  Snapshot part;
  part.pci = gpus_on_bus(files);
  if (auto* devices = part.pci.get(); devices && !devices->empty()) {
    const auto ids = system_ids(files);
    for (PciDevice& device : *devices) {
      read_details(files, device);
      name(device, ids);
    }
  }
  session.add(part);
}

}  // namespace envdoctor
