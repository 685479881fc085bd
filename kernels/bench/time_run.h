#pragma once
// How long a run takes: batches that are long enough to be timed, alternating candidates, medians.
//
// The wall clock is authoritative. A device's own clock is shown as well only if the two agree: some drivers invent
// theirs.
#include <functional>
#include <optional>
#include <vector>

#include "evidence/compute_results.h"
#include "kernels/core/statistics.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {

// One of the candidates that are compared.
struct Candidate {
  std::function<RunTime(int times)> run{};  // as Device::run
  bool on_host_cores = true;                // a batch lasts 20 ms at least; on a GPU 5 ms, or as long as 100 empty runs
  double empty_run_ms = 0;                  // the cost of starting and waiting for a run; 0: unknown
  int steps = 1;                            // launches in a run
  std::function<void()> before_last{};      // is called before the last batch, untimed: to poison what it must write
};

struct TimeRules {
  std::size_t least_samples = 15;
  std::size_t most_samples = 45;  // taken while the quartiles differ by more than 5 % and time is left
  double spend_ms = 2000;         // on all candidates together; the minimum number of samples is taken in any case
};

struct Timing {
  Statistics wall_ms{};              // of one run
  std::optional<double> event_ms{};  // median of one run by the device's clock, if it survives the cross-check
  int batch = 1;                     // runs in a sample
};

// Each candidate's own timing, in their order. Exceptions of run() are passed on.
std::vector<Timing> time_together(const std::vector<Candidate>& candidates, const TimeRules& rules);

// Whether a batch's event time is credible: positive, at most the wall clock, and its difference from that
// at most itself plus the cost of launching.
bool event_is_credible(double event_ms, double wall_ms, double launches_ms);

// Converts it for the snapshot.
ComputeTime compute_time(const Timing& timing);
// Sets the reason in place of time and rate.
void reject(ComputeResult& result, const std::string& why);
// Sets time and rate of runs that move or compute this much each; false, with the reason instead: impossible.
bool set_rate(ComputeResult& result, const Timing& timing, double amount, Rate rate, const std::optional<Peak>& peak);

}  // namespace envdoctor::kernels
