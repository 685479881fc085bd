// lspci in any of its forms, in the middle of a log.
#include "probe/log_parsers.h"
#include "probe/lspci.h"

namespace envdoctor {

// "0000:65:00.0 3D controller: …", or the first line of a block of -vmm.
bool starts_lspci(std::string_view line) { return is_lspci_header(line) || line.starts_with("Slot:\t"); }

Snapshot parse_lspci_report(const std::string& text) {
  Snapshot snapshot;
  snapshot.pci = parse_lspci(text);
  return snapshot;
}

}  // namespace envdoctor
