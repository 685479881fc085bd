#pragma once
// `envdoctor visible`.
#include <string>
#include <vector>

#include "checks/facts/visible.h"

namespace envdoctor {

// Per stack the filters in order, the devices as the program numbers them, and each hidden one with its reason.
std::string visible_text(const std::vector<VisibleList>& lists);

// {"schema": "envdoctor.visible/1", "stacks": [{stack, filters: [{name, value, effect}], devices: [{name, uuid,
// pci_address}] in the program's order or {"failed": why}, hidden: [… by, why], observed, order_guessed}]}
std::string visible_json(const std::vector<VisibleList>& lists);

}  // namespace envdoctor
