// compute.denormals: subnormal numbers become zero, which single precision may do and double precision may not.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_denormals {

using enum SymptomClass;

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  const bool outside = std::ranges::any_of(rows, &compute::Row::outside);
  finding.explanation =
      fmt::format("Numbers below the smallest normal one were flushed to zero {}.", compute::in_problems(rows));
  if (outside) {
    finding.severity = Severity::warning;
    finding.explanation += " Here the standards don't allow it.";
  }
  finding.fix = {{.text =
                      "Scale the values so that they stay above 1e-38, or build without -cl-denorms-are-zero, -ftz and "
                      "fast-math where the device keeps subnormals."}};
}

void judge(const Facts& facts, Answers& answers) {
  compute::judge_cause(facts, answers, WrongResult::flush_to_zero, describe);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.denormals",
      .layer = Layer::compute,
      .severity = Severity::info,
      .title = "The device flushes very small numbers to zero",
      .claim = "Subnormal numbers become zero on the device, so results near zero differ from the CPU's.",
      .proof = "Only results below the smallest normal number differ, or the driver says that it flushes them.",
      .disproof = "The device returns subnormal results.",
      .remedy = "Scale the values, or compile without flush-to-zero.",
      .symptoms =
          {
              {{lost, "subnormal-numbers"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_denormals
