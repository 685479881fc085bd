// hardware.ecc: memory errors that ECC could not correct, and rows that could not be replaced.
#include "checks/compute/compute_facts.h"
#include "checks/driver/nvidia_facts.h"
#include "checks/driver/xid_findings.h"

namespace envdoctor::hardware_ecc {

using enum SymptomClass;

const Fix exchange{
    "Reset the GPU (nvidia-smi --gpu-reset) or reboot, run a memory test, and have the card exchanged if errors come "
    "back.",
    ""};

void judge_device(const NvidiaDevice& device, const Ecc& ecc, const std::string& place, Answers& answers) {
  const auto errors = ecc.uncorrected.or_empty();
  if (!ecc.remap_failed.is(true) && errors <= 0) return;
  Finding& finding = answers.found_on(nvidia::subject_of(device));
  finding.fix = {exchange};
  if (ecc.remap_failed.is(true)) {
    finding.title = "A bad part of the GPU's memory could not be replaced";
    finding.explanation =
        "The driver tried to replace a bad memory row by a spare one and failed; the card has to be exchanged.";
    finding.evidence = {evidence(place + "/remap_failed", "true")};
  } else {
    finding.explanation = fmt::format(
        "{} memory errors since the driver was loaded could not be corrected. Programs that touch such memory are "
        "stopped with an ECC error.",
        errors);
    finding.evidence = {evidence(place + "/uncorrected", std::to_string(errors))};
    if (ecc.remap_pending.is(true)) finding.evidence.push_back(evidence(place + "/remap_pending", "true"));
  }
}

// Flipped bits in a device's results: only a suspicion, because a bus or a register can cause them too.
void suspect(const Snapshot& snapshot, Answers& answers) {
  for (const compute::Row& row : compute::rows(snapshot)) {
    if (row.cause != WrongResult::bit_flip) continue;
    Finding& finding = answers.found_on(compute::subject(snapshot, *row.result));
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

void judge(const Snapshot& snapshot, Answers& answers) {
  suspect(snapshot, answers);
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(why);
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  const std::size_t before = answers.findings.size();
  answers.not_applicable("the driver lists no GPU");
  for (const auto& [i, device] : numbered(devices)) {
    const Ecc& ecc = device.ecc.or_empty();
    judge_device(device, ecc, at("/nvidia/devices", i, "ecc"), answers);
    const bool known = device.ecc.outcome() == Outcome::absent || ecc.uncorrected.get() ||
                       ecc.uncorrected.outcome() == Outcome::absent;
    known ? answers.passed() : answers.unknown("the error counters of a GPU are not known");
  }
  if (!devices.get()) answers.unknown(why_unknown("/nvidia/devices", devices));
  if (answers.findings.size() > before) return;
  // From the kernel log: it happened since boot, and a reset may have fixed it since.
  for (const LoggedXid& xid : xids_of(snapshot, answers.id)) {
    Finding& finding = answers.found_on(xid.subject());
    finding.confidence = Confidence::likely;
    describe_xid(finding, xid, snapshot);
    finding.fix = {exchange};
  }
}

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
      .disproof = "The uncorrected counters are zero and no replacement of a row failed.",
      .remedy =
          "Reset the GPU or reboot, so that bad rows are replaced; a GPU whose errors come back, or whose replacement "
          "failed, needs to be exchanged.",
      .explains = {"driver.gpu-lost", "compute.wrong-results", "compute.unstable", "compute.nondeterministic",
                   "usage.program-fault"},
      .symptoms =
          {
              {{failed, "gpu-memory-ecc"}, certain},
              {{failed, "gpu-memory-ecc-said"}, possible},
              {{failed, "cuda-call"}, certain, nullptr, "code", cuda_error::ecc_uncorrectable},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::hardware_ecc
