// The list is searched as text: libpci's own look-up first reads all of it into a table, which takes 8 ms.
#include "probe/pci_ids.h"

#include "probe/text.h"

namespace envdoctor {

PciNames pci_names(std::string_view ids, std::string_view vendor, std::string_view device) {
  PciNames names{.vendor = absent("not in pci.ids"), .device = absent("not in pci.ids")};
  const std::string vendor_key = "\n" + std::string(vendor) + "  ";
  const auto at = ids.find(vendor_key);
  if (vendor.size() != 4 || device.size() != 4 || at == std::string_view::npos) return names;
  // A vendor's devices follow it, one tab in; subsystems two tabs in; the next line without a tab ends them.
  std::string_view rest = ids.substr(at + vendor_key.size());
  names.vendor = std::string(trimmed(rest.substr(0, rest.find('\n'))));
  const std::string device_key = "\t" + std::string(device) + "  ";
  for (auto end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
    rest.remove_prefix(end + 1);
    if (rest.starts_with(device_key)) {
      names.device = std::string(trimmed(rest.substr(device_key.size(), rest.find('\n') - device_key.size())));
      break;
    }
    if (!rest.starts_with('\t') && !rest.starts_with('#') && !rest.starts_with('\n')) break;
  }
  return names;
}

}  // namespace envdoctor
