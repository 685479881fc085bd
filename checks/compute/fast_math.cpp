// compute.fast-math: only fast-math options explain the results of single operations.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_fast_math {

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results differ {} as they do with options that ignore infinities, NaN or the order of additions.",
                  compute::in_problems(rows));
  finding.fix = {
      {.text = "Build without -cl-fast-relaxed-math, -cl-unsafe-math-optimizations or --use_fast_math; a layer in "
               "OPENCL_LAYERS may add them."}};
}

void judge(const Facts& facts, Answers& answers) {
  compute::judge_cause(facts, answers, WrongResult::fast_math, describe);
}

Diagnosis diagnosis() {
  return {
      .id = "compute.fast-math",
      .layer = Layer::compute,
      .severity = Severity::warning,
      .title = "Fast-math options change the results",
      .claim = "The code was compiled with options that trade exactness for speed.",
      .proof = "A relaxed-math option is on, and results differ from those without it.",
      .disproof = "The results differ in the same way without those options.",
      .remedy = "Compile without fast-math where exact results are needed.",
      .explains = {"compute.denormals", "compute.wrong-results"},
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_fast_math
