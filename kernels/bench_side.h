#pragma once
// One device's part in a timed problem: verified first, then timed beside the others', and told.
#include "kernels/bench.h"
#include "kernels/problem_run.h"
#include "kernels/time_run.h"

namespace envdoctor::kernels {

struct Side {
  Device* device = nullptr;
  Problem problem{};
  Variant variant = Variant::host;
  ProblemRun run{};
  ComputeResult result{};
  double empty_run_ms = 0;  // what starting and waiting for a run costs
  int steps = 1;            // launches in a run
};

// `repeat`: how often it was run.
Side side_of(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, double empty_run_ms,
             ProblemRun run, int repeat);

// The host's run of a problem, with the inputs and the reference that another device's run has made.
ProblemRun run_like(Device& host, const Kernel& kernel, const Problem& problem, const ProblemRun& other);

// Times those whose result is right, turn by turn, and puts time, rate and share of the peak into their results; where
// the result was not right before or while it was timed, or the rate is impossible, the reason.
void time_sides(const Kernel& kernel, std::vector<Side>& sides, const TimeRules& rules, const Trace& trace);

// The row of the same run with what a program sends before each and fetches after it.
ComputeResult timed_with_copies(const Kernel& kernel, const Side& side, const TimeRules& rules);

}  // namespace envdoctor::kernels
