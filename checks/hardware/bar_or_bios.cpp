#include "checks/engine/rule.h"

namespace envdoctor::hardware_bar_or_bios {

using enum SymptomClass;

bool bar_and_failure(const Facts& facts) {
  return facts.saw({{failed, "nvidia-gpu-initialization"},
                    {failed, "amd-gpu-initialization"},
                    {failed, "intel-gpu-initialization"},
                    {failed, "pci-memory-region"},
                    {missing, "nvml-device"},
                    {missing, "nvidia-gpu"}});
}

// The driver starts the GPU with the window that it has, and programs run: only slower on some cards.
void judge(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{limited, "resizable-bar"}});
  if (!line || !when::no_better_cause(facts)) return answers.not_applicable("no text speaks of the GPU's windows");
  Finding& finding = answers.found_in(*line, Confidence::possible);
  finding.severity = Severity::warning;
  finding.title = "The GPU's memory window could not be enlarged";
  finding.explanation =
      "Resizable BAR is off, or the firmware leaves no room for it. The GPU works with a window of 256 MiB; copies and "
      "Intel's cards are slower.";
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.bar-or-bios",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The firmware gives the GPU no room in the address space",
      .claim = "The kernel could not assign the GPU's memory windows (BARs), so no driver can start it.",
      .proof = "The kernel could not place the GPU's memory windows.",
      .disproof = "The GPU's BARs are assigned and the driver lists the GPU.",
      .remedy =
          "Switch on Above 4G Decoding (and Resizable BAR) in the firmware setup, update the firmware, then start "
          "cold.",
      .explains = with_unusable_driver({"driver.gpu-init-failed", "driver.init-failed", "driver.module-not-loaded"}),
      .symptoms =
          {
              {{failed, "pci-memory-region"}, likely, when::no_driver_answers},
              {{exhausted, "pci-address-space"}, likely, bar_and_failure},
              {{exhausted, "pci-address-space"}, possible, when::no_better_cause},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_bar_or_bios
