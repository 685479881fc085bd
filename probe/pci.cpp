// GPUs on the PCI bus: what is there before any driver has a say.
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
  return absent("the host has no pci.ids");
}

void name(PciDevice& device, const Reading<std::string>& ids) {
  const std::string& vendor_id = *device.vendor_id.get();
  PciNames names{.vendor = ids.missing(), .device = ids.missing()};
  if (ids.get()) names = pci_names(*ids.get(), vendor_id, *device.device_id.get());
  device.vendor = names.vendor;
  device.name = names.device;
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
