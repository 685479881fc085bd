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

// A training whose loss is no number, where nothing says in which precision it computes.
void judge_loss(const Facts& facts, Answers& answers) {
  const Symptom* nan = facts.first({{wrong_result, "nan-loss"}, {wrong_result, "nan-detected"}});
  if (!nan || facts.saw({{noted, "half-precision"}, {noted, "bfloat16"}, {noted, "gpu-of-gtx-16"}})) return;
  Finding& finding = answers.found_in(*nan, Confidence::possible);
  finding.title = nan->is({wrong_result, "nan-loss"}) ? "The loss became not-a-number" : "A result is not-a-number";
  finding.explanation =
      "A value overflowed, or zero was divided by or taken the logarithm of: in half or mixed precision, by too large "
      "a "
      "learning rate, or for data that hold such values. The GPU itself is seldom at fault.";
  finding.fix = {{.text = "Run once in single precision: if the loss stays finite, half precision is too narrow "
                          "(compute.fp16-nan)."},
                 {.text = "Let the framework name the first operation that gives NaN: "
                          "torch.autograd.set_detect_anomaly(True), tf.debugging.enable_check_numerics(), "
                          "jax.config.update('jax_debug_nans', True)."}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_bfloat16(facts, answers);
  judge_loss(facts, answers);
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
              helped_by("double-precision"),
              {{wrong_result, "nan"}, likely},
              {{noted, "sum-loses-digits"}, possible},
              {{wrong_result, "simulation"}, possible},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_unstable
