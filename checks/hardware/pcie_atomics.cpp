// hardware.pcie-atomics: ROCm's kernel driver leaves a GPU out because the board or slot doesn't support PCIe atomics.
#include "checks/engine/rule.h"

namespace envdoctor::hardware_pcie_atomics {

using enum SymptomClass;

// The kernel names a GPU that it skipped, which is stronger than its note that atomics are missing.
bool skipped(const Facts& facts) {
  return !facts.used() && std::ranges::any_of(facts.all({refused, "pcie-atomics"}),
                                              [](const Symptom* line) { return !line->detail("device").empty(); });
}

// amdgpu notes it at each start on a GPU in the processor, too, which reaches memory without the bus.
bool not_in_a_processor(const Facts& facts) {
  return when::no_driver_answers(facts) && !facts.saw({{noted, "gpu-in-processor"}});
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.pcie-atomics",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The slot or board does not pass the PCIe atomics that ROCm needs on",
      .claim =
          "The bridges between the processor and the GPU refuse atomic operations over PCIe, so the kernel driver of "
          "ROCm leaves the GPU out or programs on it stop.",
      .proof = "The kernel log says that it skipped the GPU because PCI rejects atomics.",
      .disproof = "rocminfo lists the GPU.",
      .remedy =
          "Put the card into a slot that is wired to the processor itself; a board or processor without PCIe 3.0 "
          "atomics runs ROCm on newer GPUs (Vega and later) only.",
      .explains = with_unusable_driver(
          {"runtime.rocm-arch-unsupported", "driver.module-not-loaded", "driver.init-failed", "hardware.no-gpu"}),
      .symptoms =
          {
              {{refused, "pcie-atomics"}, likely, skipped},
              {{refused, "pcie-atomics"}, possible, not_in_a_processor},
          },
  };
}

}  // namespace envdoctor::hardware_pcie_atomics
