// compute.fast-math: single operations behave as only fast-math options explain.
#include <fmt/format.h>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.fast-math";

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results differ {} as they do where infinities, NaN or the order of sums are given up for speed.",
                  compute::in_problems(rows));
  finding.fix = {
      {.text = "Build without -cl-fast-relaxed-math, -cl-unsafe-math-optimizations or --use_fast_math; a layer in "
               "OPENCL_LAYERS may add them."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  compute::judge(
      snapshot, answers, id, [](const compute::Row& row) { return row.cause == "fast-math"; }, tell);
}

}  // namespace

Check compute_fast_math() { return {{id}, run}; }

}  // namespace envdoctor
