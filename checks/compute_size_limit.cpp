// compute.size-limit: right up to a size and wrong above, every time, with success reported.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.size-limit";

void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  std::int64_t smallest = 0;
  for (const compute::Row& row : rows) {
    const auto* limit = row.result->limit.get();
    if (!limit) continue;
    finding.evidence.push_back(seen(at("/compute", row.index, "limit"), fmt::format("{}", *limit)));
    smallest = smallest == 0 ? *limit : std::min(smallest, *limit);
  }
  finding.title = "The device gives wrong results above a size";
  finding.explanation =
      fmt::format("Results are wrong {}{}, and the driver reports success.", compute::in_problems(rows),
                  smallest > 0 ? fmt::format(": right up to {}, wrong from {} on", smallest, smallest + 1) : "");
  finding.fix = {{.text = smallest == 65535
                              ? "Update the driver: older Mesa (llvmpipe) ends every work-item after 65535 loop "
                                "iterations. Until then keep loops shorter, or use another device."
                              : "Update the driver; until then split the work into smaller pieces."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  compute::judge(
      snapshot, answers, id, [](const compute::Row& row) { return row.cause == "size-limit"; }, tell);
}

}  // namespace

Check compute_size_limit() { return {{id}, run}; }

}  // namespace envdoctor
