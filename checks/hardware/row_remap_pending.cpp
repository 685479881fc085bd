// hardware.row-remap-pending: a bad row or page of a GPU's memory waits for the next reset to be replaced.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::hardware_row_remap_pending {

using enum SymptomClass;

void judge_device(const NvidiaDevice& device, const Ecc& ecc, const std::string& place, Answers& answers) {
  Finding& finding = answers.found_on(nvidia::subject_of(device));
  const auto corrected = ecc.corrected.or_empty();
  finding.explanation = fmt::format(
      "The driver will put a spare in the place of a bad part of the memory at the next reset{}. Until then it stays "
      "in use: what was corrected so far may fail beyond correction.",
      corrected > 0 ? fmt::format("; {} errors since the driver was loaded were corrected", corrected) : "");
  finding.evidence = {evidence(place + "/remap_pending", "true")};
  if (corrected > 0) finding.evidence.push_back(evidence(place + "/corrected", std::to_string(corrected)));
  const bool exact = device.index.get() != nullptr;
  finding.fix = {{.text = "Reset the GPU while nothing runs on it, or reboot.",
                  .command = exact ? fmt::format("sudo nvidia-smi --gpu-reset -i {}", *device.index.get()) : ""},
                 {.text = "Look at the counters again some days later; a GPU whose errors come back after the reset "
                          "needs to be exchanged."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  answers.not_applicable("the driver lists no GPU");
  for (const auto& [i, device] : numbered(devices)) {
    const Ecc& ecc = device.ecc.or_empty();
    // With errors that were not corrected, or without a spare left, the GPU has a worse fault, which hardware.ecc
    // reports.
    const bool graver = ecc.remap_failed.is(true) || ecc.uncorrected.or_empty() > 0;
    if (ecc.remap_pending.is(true) && !graver) judge_device(device, ecc, at("/nvidia/devices", i, "ecc"), answers);
    const bool known = device.ecc.outcome() == Outcome::absent || ecc.remap_pending.get() ||
                       ecc.remap_pending.outcome() == Outcome::absent;
    known ? answers.passed() : answers.unknown("whether a part of a GPU's memory waits to be replaced is not known");
  }
  if (!devices.get()) answers.unknown(why_unknown("/nvidia/devices", devices));
}

// If a report was read as a whole, its fields already contain what its lines say.
bool only_log_lines_say_so(const Facts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return !facts.saw({{failed, "gpu-memory-ecc"}}) &&
         std::ranges::none_of(devices.or_empty(),
                              [](const NvidiaDevice& d) { return d.ecc.or_empty().remap_pending.get() != nullptr; });
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.row-remap-pending",
      .layer = Layer::hardware,
      .severity = Severity::warning,
      .title = "A bad part of the GPU's memory waits to be replaced at the next reset",
      .claim = "The driver marked a row or page of the GPU's memory as bad and replaces it only when the GPU is reset.",
      .proof = "The driver reports a pending row remap or page retirement.",
      .disproof = "No page or row waits for replacement.",
      .remedy = "Reset the GPU while nothing runs on it, or reboot; watch the counters afterwards.",
      .symptoms =
          {
              {{present, "row-remap-pending"}, certain, only_log_lines_say_so},
          },
      .not_here = nvidia::not_here,
      .judge_host = judge,
  };
}

}  // namespace envdoctor::hardware_row_remap_pending
