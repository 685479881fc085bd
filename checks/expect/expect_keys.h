#pragma once
// Shared by the checks of expectations.
#include "checks/engine/report.h"
#include "checks/facts/gpus.h"

namespace envdoctor {

std::int64_t mib_of(const std::string& size);  // "80GiB", "512 MiB", or a number of MiB; -1: no size

// The GPUs that were given to this job.
std::vector<Gpu> granted_gpus(const Snapshot& snapshot);
// The value of a reading as an answer, or the reason there is none.
template <class T>
Judged not_known(const std::string& what, const std::string& path, const Reading<T>& reading) {
  const bool none = reading.outcome() == Outcome::absent;
  const std::string why = reading.outcome() == Outcome::not_probed ? "not looked at" : reading.why();
  return {none ? Met::no : Met::unknown,
          what + (none ? " is not there: " : " is not known: ") + why + ".",
          {evidence(path, why)}};
}

Judged judge_gpus(const Report& report, const Expectation& expectation);
Judged judge_gpu(const Report& report, const Expectation& expectation);
Judged judge_gpu_memory(const Report& report, const Expectation& expectation);
Judged judge_link_width(const Report& report, const Expectation& expectation);
Judged judge_stack(const Report& report, const Expectation& expectation);
std::string learn_gpus(const Report& report);
std::string learn_gpu(const Report& report);
std::string learn_gpu_memory(const Report& report);
std::string learn_link_width(const Report& report);
std::string learn_stack(const Report& report);

}  // namespace envdoctor
