// compute.unstable: plain arithmetic on the CPU is as far off, so that the calculation is at fault and not the device.
#include <fmt/format.h>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.unstable";

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  finding.explanation =
      fmt::format("Results differ from the exact ones {}, but the CPU's in the same precision differ as much.",
                  compute::in_problems(rows));
  finding.fix = {
      {.text = "Compute the sensitive part in higher precision, or rewrite it (subtract the mean first, shift by the "
               "maximum, sum in pairs)."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  compute::judge(
      snapshot, answers, id, [](const compute::Row& row) { return row.cause == "unstable"; }, tell);
}

}  // namespace

Check compute_unstable() { return {{id}, run}; }

}  // namespace envdoctor
