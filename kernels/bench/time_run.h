#pragma once
// How long a run takes: batches that are long enough to be timed, candidates turn by turn, medians.
//
// Wall clock is the truth. A device's own clock is shown beside it only where the two agree: some drivers invent
// theirs.
#include <functional>
#include <optional>
#include <vector>

#include "evidence/compute_results.h"
#include "kernels/devices/device.h"
#include "kernels/core/statistics.h"

namespace envdoctor::kernels {

// One of the things that are timed against each other.
struct Candidate {
  std::function<RunTime(int times)> run{};  // as Device::run
  bool on_host_cores = true;            // a batch lasts 20 ms at least; on a GPU 5 ms, or as long as 100 empty runs
  double empty_run_ms = 0;              // what starting and waiting for a run costs; 0: not known
  int steps = 1;                        // launches in a run
  std::function<void()> before_last{};  // is called before the last batch, untimed: to poison what it must write
};

struct TimeRules {
  std::size_t least_samples = 15;
  std::size_t most_samples = 45;        // taken while the quartiles fault more than 5 % apart and time is left
  double spend_ms = 2000;               // on all candidates together; the least number of samples is taken all the same
};

struct Timing {
  Statistics wall_ms{};                 // of one run
  std::optional<double> event_ms{};     // median of one run by the device's clock, if it survives the cross-check
  int batch = 1;                        // runs in a sample
};

// Each candidate's own timing, in their order. What run() throws is passed on.
std::vector<Timing> time_together(const std::vector<Candidate>& candidates, const TimeRules& rules);

// Whether a batch's event time is credible: more than nothing, no longer than the wall clock, and what it lacks of that
// explained by as much again and by what launching costs.
bool event_is_credible(double event_ms, double wall_ms, double launches_ms);

// As the snapshot has it.
ComputeTime compute_time(const Timing& timing);
// Says in place of time and rate why there is none.
void reject(ComputeResult& result, const std::string& why);
// Time and rate of runs that move or compute so much each; false, and the reason in their place: it can't be.
bool set_rate(ComputeResult& result, const Timing& timing, double amount, Rate rate, const std::optional<Peak>& peak);

}  // namespace envdoctor::kernels
