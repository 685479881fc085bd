// hardware.ecc: memory errors that ECC could not correct, and rows that wait for replacement or could not be replaced.
#include <fmt/format.h>

#include "checks/compute/compute_facts.h"
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"

namespace envdoctor::hardware_ecc {

using enum SymptomClass;
namespace {

constexpr const char* id = "hardware.ecc";

const Fix exchange{.text =
                       "Reset the GPU (nvidia-smi --gpu-reset) or reboot, run a memory test, and have the card "
                       "exchanged if errors come back."};

bool judge_device(const NvidiaDevice& device, const Ecc& ecc, const std::string& place, Answers& answers) {
  if (ecc.remap_failed.is(true)) {
    Finding& finding = answers.found(id, nvidia::subject_of(device));
    finding.title = "A bad part of the GPU's memory could not be replaced";
    finding.explanation =
        "The driver tried to replace a bad memory row by a spare one and failed; the card has to be exchanged.";
    finding.evidence = {evidence(place + "/remap_failed", "true")};
    finding.fix = {exchange};
    return true;
  }
  if (ecc.uncorrected.get() && *ecc.uncorrected.get() > 0) {
    Finding& finding = answers.found(id, nvidia::subject_of(device));
    finding.explanation = fmt::format(
        "{} memory errors since the driver was loaded could not be corrected. Programs that touch such memory "
        "are stopped with an ECC error.",
        *ecc.uncorrected.get());
    finding.evidence = {evidence(place + "/uncorrected", fmt::format("{}", *ecc.uncorrected.get()))};
    if (ecc.remap_pending.is(true)) finding.evidence.push_back(evidence(place + "/remap_pending", "true"));
    finding.fix = {exchange};
    return true;
  }
  if (ecc.remap_pending.is(true)) {
    Finding& finding = answers.found(id, nvidia::subject_of(device));
    finding.severity = Severity::warning;
    finding.title = "A bad part of the GPU's memory waits to be replaced";
    finding.explanation =
        "The driver will replace a bad memory page or row at the next reset; until then it stays in use.";
    finding.evidence = {evidence(place + "/remap_pending", "true")};
    finding.fix = {{.text = "Reset the GPU while nothing runs on it (nvidia-smi --gpu-reset), or reboot."}};
    return true;
  }
  return false;
}

// From the kernel log: it happened since boot, and may have been healed by a reset since.
bool judge_log(const Snapshot& snapshot, Answers& answers) {
  const auto xids = xids_of(snapshot, id);
  for (const LoggedXid& xid : xids) {
    Finding& finding = answers.found(id, xid.subject());
    finding.confidence = Confidence::likely;
    tell_xid(finding, xid, snapshot);
    finding.fix = {exchange};
  }
  return !xids.empty();
}

// Single bits turned in what a device computed: a suspicion, since a bus or a register can do that too.
void suspect(const Snapshot& snapshot, Answers& answers) {
  for (const compute::Row& row : compute::rows(snapshot)) {
    if (row.cause != WrongResult::bit_flip) continue;
    Finding& finding = answers.found(id, compute::subject(snapshot, *row.result));
    finding.severity = Severity::warning;
    finding.confidence = Confidence::possible;
    finding.title = "Single bits flip in what the device computes, as in faulty memory";
    finding.explanation =
        "Wrong results differ from the right ones by one bit a word " + compute::in_problems({row}) + ".";
    finding.evidence = compute::proof({row});
    finding.fix = {{.text = "Look at the GPU's error counters, test its memory, and undo overclocking."}};
    return;
  }
}

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  suspect(snapshot, answers);
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  bool found = false;
  bool known = false;
  bool unknown = false;
  for (std::size_t i = 0; devices.get() && i < devices.get()->size(); ++i) {
    const NvidiaDevice& device = (*devices.get())[i];
    const Ecc* ecc = device.ecc.get();
    if (ecc && judge_device(device, *ecc, at("/nvidia/devices", i, "ecc"), answers)) found = true;
    const bool answered = ecc && (ecc->uncorrected.get() || ecc->uncorrected.outcome() == Outcome::absent);
    (answered || device.ecc.outcome() == Outcome::absent ? known : unknown) = true;
  }
  if (!found && judge_log(snapshot, answers)) return;
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  if (unknown) return answers.unknown(id, "the error counters of a GPU are not known");
  if (known) return answers.passed(id);
  answers.not_applicable(id, "the driver lists no GPU");
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "hardware.ecc",
      .layer = Layer::hardware,
      .severity = Severity::error,
      .title = "The GPU's memory has errors that ECC could not correct",
      .claim =
          "The driver counted uncorrectable memory errors, or failed to replace a bad row; results of that GPU are not "
          "safe.",
      .proof = "The driver counts uncorrected errors, or an Xid of that class was logged.",
      .disproof = "The uncorrected counters are zero and no page or row waits for replacement.",
      .remedy =
          "Reset the GPU or reboot, so that bad rows are replaced; a GPU whose errors come back, or whose replacement "
          "failed, "
          "needs to be exchanged.",
      .explains = {"compute.wrong-results", "compute.unstable", "compute.nondeterministic", "usage.program-fault"},
      .symptoms =
          {
              {{failed, "gpu-memory-ecc"}, certain},
              {{failed, "cuda-call"}, certain, nullptr, "code", cuda_error::ecc_uncorrectable},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::hardware_ecc
