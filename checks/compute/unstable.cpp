// compute.unstable: plain arithmetic on the CPU has the same error, so the calculation is at fault and not the device.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_unstable {

using enum SymptomClass;

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results differ from the exact ones {}, but the CPU's in the same precision differ as much.",
                  compute::in_problems(rows));
  finding.fix = {
      {.text = "Compute the sensitive part in higher precision, or rewrite it (subtract the mean first, shift by the "
               "maximum, sum in pairs)."}};
}

// bfloat16 has the range of single precision, so NaN is no overflow of the format; half precision has its own
// diagnosis.
void judge_bfloat16(const Facts& facts, Answers& answers) {
  const Symptom* nan = facts.first({{wrong_result, "nan-output"}, {wrong_result, "nan-loss"}});
  const Symptom* format = facts.first({{noted, "bfloat16"}});
  if (!nan || !format || facts.saw({{noted, "half-precision"}})) return;
  Finding& finding = answers.found_in(*nan, Confidence::possible);
  finding.title = "A calculation in bfloat16 gives NaN";
  finding.explanation =
      "bfloat16 has the range of single precision but only eight bits, so that differences cancel and divisors become "
      "zero.";
  finding.evidence.push_back(evidence(*format));
  finding.fix = {{.text = "Compute the layer where NaN begins in single precision; if it stays, look at its inputs and "
                          "at the attention or fused kernel that it calls."}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_bfloat16(facts, answers);
  compute::judge_cause(facts, answers, WrongResult::unstable, describe);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.unstable",
      .layer = Layer::compute,
      .severity = Severity::warning,
      .title = "The calculation itself is unstable",
      .claim = "Small rounding differences are amplified until the results differ visibly.",
      .proof = "The difference grows with the problem and vanishes in higher precision on both sides.",
      .disproof = "A higher precision gives the same result.",
      .remedy = "Compute the sensitive part in higher precision, or rewrite it.",
      .symptoms =
          {
              {{wrong_result, "nan"}, likely},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_unstable
