// compute.denormals: subnormal numbers become zero, which single precision may do and double precision may not.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.denormals";

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
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

void run(const Snapshot& snapshot, Answers& answers) {
  compute::judge(
      snapshot, answers, id, [](const compute::Row& row) { return row.cause == "flush-to-zero"; }, tell);
}

}  // namespace

Check compute_denormals() { return {{id}, run}; }

}  // namespace envdoctor
