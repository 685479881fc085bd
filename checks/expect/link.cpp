#include "checks/engine/rule.h"

namespace envdoctor::expect_link {
Diagnosis diagnosis() {
  return {
      .id = "expect.link",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "A GPU's PCIe link is narrower than expected",
      .claim = "A link has fewer lanes than was asked for.",
      .proof = "The number of lanes that the bus or the driver reports.",
      .disproof = "Every GPU's link has at least the expected number of lanes.",
      .remedy = "Reseat the card or its riser, and look at the slot's wiring and the firmware's settings.",
  };
}

}  // namespace envdoctor::expect_link
