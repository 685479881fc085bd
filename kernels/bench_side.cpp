#include "kernels/bench_side.h"

#include <algorithm>
#include <chrono>

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

Plan plan_of(const Kernel& kernel, const Side& side) {
  return kernel.plan(side.problem, side.variant, side.device->facts().abilities);
}

Candidate candidate(const Side& side, std::function<Ran(int)> run) {
  return {.run = std::move(run),
          .on_host_cores = side.device->facts().on_host_cores,
          .empty_run_ms = side.empty_run_ms,
          .steps = side.steps};
}

// What the timed runs left is what was verified; where the device doesn't repeat itself, it is compared anew.
bool still_right(const Kernel& kernel, const Side& side) {
  const Outputs now = read_outputs(*side.device, plan_of(kernel, side), side.run.expected, side.problem.precision);
  if (!now.guard_intact) return false;
  if (!differ(side.run.outputs, now.arrays)) return true;
  if (side.run.others.empty() && !kernel.float_atomics) return false;
  return std::ranges::all_of(compare_outputs(kernel, side.problem, side.run, now.arrays), &Comparison::right);
}

void fill(const Kernel& kernel, Side& side, const Timing& timing) {
  const Precision precision = side.problem.precision;
  ComputeResult& result = side.result;
  result.time = compute_time(timing);
  const std::optional<Rate> rate = rate_of(kernel.name, precision);
  if (!rate) return;
  const Work work = kernel.work(side.problem);
  const double value = (*rate == Rate::gigabytes ? work.bytes : work.flops) * 1e-6 / timing.wall_ms.median;
  const Clues& clues = side.device->facts().clues;
  const std::optional<Peak> peak = *rate == Rate::gigabytes   ? memory_peak(clues)
                                   : *rate == Rate::gigaflops ? arithmetic_peak(clues, precision)
                                                              : std::nullopt;
  if (const std::string why = impossible(value, *rate, peak); !why.empty()) return refuse(result, "refused: " + why);
  result.rate = ComputeRate{.value = value, .unit = text(*rate)};
  // What fits a cache says nothing of the memory behind it.
  if (!peak || (*rate == Rate::gigabytes && work.bytes < beyond_caches_bytes)) return;
  result.share_of_peak = value / peak->value;
  result.peak_origin = peak->origin;
  if (value > 1.05 * peak->value)
    *result.peak_origin.get() += *rate == Rate::gigabytes ? "; partly from a cache" : "; the clock is told too low";
}

}  // namespace

Side side_of(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, double empty_run_ms,
             ProblemRun run, int repeat) {
  Side side{.device = &device, .problem = problem, .variant = variant, .empty_run_ms = empty_run_ms};
  side.steps = static_cast<int>(plan_of(kernel, side).steps.size());
  side.run = std::move(run);
  side.result = result_of(device, kernel, problem, variant, repeat, side.run);
  return side;
}

ProblemRun run_like(Device& host, const Kernel& kernel, const Problem& problem, const ProblemRun& other) {
  ProblemRun run{.inputs = other.inputs, .expected = other.expected};
  const Plan plan = kernel.plan(problem, Variant::host, host.facts().abilities);
  host.load(plan, run.inputs);
  host.poison();
  host.run(1);
  Outputs now = read_outputs(host, plan, run.expected, problem.precision);
  run.outputs = std::move(now.arrays);
  run.guard_intact = now.guard_intact;
  run.comparisons = compare_outputs(kernel, problem, run, run.outputs);
  return run;
}

void time_sides(const Kernel& kernel, std::vector<Side>& sides, const TimeRules& rules, const Trace& trace) {
  std::vector<Candidate> candidates;
  std::vector<Side*> timed;
  for (Side& side : sides) {
    if (!side.run.right()) {
      refuse(side.result, "not timed: the result is not right");
      continue;
    }
    trace("loading");
    side.device->load(plan_of(kernel, side), side.run.inputs);
    side.device->poison();
    timed.push_back(&side);
    candidates.push_back(candidate(side, [device = side.device](int times) { return device->run(times); }));
  }
  if (timed.empty()) return;
  trace("timing");
  const std::vector<Timing> timings = time_together(candidates, rules);
  for (std::size_t i = 0; i < timed.size(); ++i) {
    if (!still_right(kernel, *timed[i])) {
      timed[i]->result.agreement.get()->outcome = std::string("outside");
      refuse(timed[i]->result, "refused: while it was timed the result was not right");
    } else {
      fill(kernel, *timed[i], timings[i]);
    }
  }
}

ComputeResult timed_with_copies(const Kernel& kernel, const Side& side, const TimeRules& rules) {
  Device& device = *side.device;
  const std::vector<int> fresh = sent_anew(kernel.name, side.problem.size);
  const std::vector<int> outputs = plan_of(kernel, side).outputs;
  const auto run = [&](int times) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i) {
      for (const int input : fresh) device.send(input, side.run.inputs.at(static_cast<std::size_t>(input)));
      device.run(1);
      for (const int output : outputs) device.read(output);
    }
    return Ran{.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
  };
  ComputeResult row = side.result;
  *row.variant.get() += ", with copies";
  row.rate = {};
  row.share_of_peak = {};
  row.peak_origin = {};
  row.time = compute_time(time_together({candidate(side, run)}, rules).front());
  return row;
}

}  // namespace envdoctor::kernels
