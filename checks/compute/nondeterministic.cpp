// compute.nondeterministic: other bits in each run on the same input. Expected of sums in a free order, and of nothing
// else.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_nondeterministic {

using enum SymptomClass;

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  const bool free_order =
      std::ranges::all_of(rows, [](const compute::Row& row) { return row.cause == WrongResult::order; });
  finding.explanation = fmt::format("Repeated runs differ in their bits {}.", compute::in_problems(rows));
  for (const compute::Row& row : rows)
    finding.evidence.push_back(evidence(at("/compute", row.index, "repeatable"), "false"));
  if (free_order) {
    finding.explanation += " Sums are added in no fixed order; each result is within its bound.";
    finding.fix = {
        {.text = "Where bits must repeat, use the framework's deterministic mode; results are right either way."}};
    return;
  }
  if (std::ranges::all_of(rows, &compute::Row::by_framework)) {
    finding.title = "The framework gives different bits in each run";
    finding.explanation += " Libraries may choose another algorithm, or another order of additions, each time.";
    finding.fix = {
        {.text = "Where bits must repeat: torch.use_deterministic_algorithms(True); in TensorFlow "
                 "tf.config.experimental.enable_op_determinism(); in JAX XLA_FLAGS=--xla_gpu_deterministic_ops=true."}};
    return;
  }
  finding.severity = Severity::warning;
  finding.title = "The device gives different bits each time although the order of operations is fixed";
  finding.explanation += " Nothing in these kernels leaves the order open: unstable hardware, or a race in the driver.";
  finding.fix = {{.text = "Undo overclocking, look at temperature, power and memory errors, update the driver, and run "
                          "'envdoctor verify --repeat 20' again."}};
}

bool picked(const compute::Row& row) { return row.result->repeatable.is(false); }

void judge(const Facts& facts, Answers& answers) { compute::judge(facts.snapshot(), answers, picked, tell); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.nondeterministic",
      .layer = Layer::compute,
      .severity = Severity::info,
      .title = "The same run gives different bits each time",
      .claim = "Sums are added in an order that varies from run to run.",
      .proof = "Two runs with equal input differ, or the framework names an operation without a fixed order.",
      .disproof = "Repeated runs agree bit by bit.",
      .remedy = "Switch on the framework's deterministic mode where it matters.",
      .symptoms =
          {
              {{unsupported, "deterministic-operation"}, certain},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_nondeterministic
