#include "kernels/bench/time_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace envdoctor::kernels {
namespace {

constexpr double host_batch_ms = 20, gpu_batch_ms = 5, empty_runs = 100;
constexpr double calm_spread = 0.05;
constexpr int untimed_batches = 2;
constexpr int most_runs = 1 << 20;

struct Batches {
  int batch = 1;
  std::vector<double> wall{}, event{};
  bool events_hold = true;
};

double least_batch_ms(const Candidate& candidate) {
  return candidate.on_host_cores ? host_batch_ms : std::max(gpu_batch_ms, empty_runs * candidate.empty_run_ms);
}

// The number of runs that fill a batch. The first run is discarded: drivers compile and copy then.
int calibrated(const Candidate& candidate) {
  candidate.run(1);
  const double least_ms = least_batch_ms(candidate);
  int runs = 1;
  while (runs < most_runs) {
    const double ms = std::max(candidate.run(runs).wall_ms, 1e-6);
    if (ms >= least_ms) return runs;
    // At most tenfold at once, because the first runs may be slow or fast by chance.
    const auto enough = static_cast<int>(std::ceil(1.1 * runs * std::min(least_ms / ms, 1e3)));
    runs = std::min({most_runs, runs * 10, std::max(runs + 1, enough)});
  }
  return most_runs;
}

void take(const Candidate& candidate, Batches& series) {
  const RunTime ran = candidate.run(series.batch);
  series.wall.push_back(ran.wall_ms / series.batch);
  const double launches_ms = candidate.empty_run_ms * candidate.steps * series.batch;
  if (ran.event_ms && event_is_credible(*ran.event_ms, ran.wall_ms, launches_ms)) {
    series.event.push_back(*ran.event_ms / series.batch);
  } else {
    series.events_hold = false;
  }
}

}  // namespace

bool event_is_credible(double event_ms, double wall_ms, double launches_ms) {
  constexpr double clocks_differ = 1.02;
  return event_ms > 0 && event_ms <= clocks_differ * wall_ms && wall_ms <= 2 * event_ms + launches_ms;
}

std::vector<Timing> time_together(const std::vector<Candidate>& candidates, const TimeRules& rules) {
  const Stopwatch time;
  std::vector<Batches> all;
  for (const Candidate& candidate : candidates) {
    all.push_back({.batch = calibrated(candidate)});
    // The last batch of the calibration was one.
    for (int i = 1; i < untimed_batches; ++i) candidate.run(all.back().batch);
  }
  const auto calm = [](const Batches& series) { return statistics(series.wall).spread <= calm_spread; };
  for (std::size_t round = 0; round < rules.most_samples; ++round) {
    if (round >= rules.least_samples && (time.ms() > rules.spend_ms || std::ranges::all_of(all, calm))) break;
    for (std::size_t i = 0; i < all.size(); ++i) take(candidates[i], all[i]);
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!candidates[i].before_last) continue;
    candidates[i].before_last();
    take(candidates[i], all[i]);
  }
  std::vector<Timing> timings;
  for (const Batches& series : all) {
    Timing& timing = timings.emplace_back(Timing{.wall_ms = statistics(series.wall), .batch = series.batch});
    if (series.events_hold && !series.event.empty()) timing.event_ms = statistics(series.event).median;
  }
  return timings;
}

ComputeTime compute_time(const Timing& timing) {
  const Statistics& wall = timing.wall_ms;
  ComputeTime time{.median_ms = wall.median,
                   .low_ms = wall.low,
                   .high_ms = wall.high,
                   .p10_ms = wall.p10,
                   .p90_ms = wall.p90,
                   .samples = static_cast<std::int64_t>(wall.samples)};
  if (timing.event_ms) time.event_ms = *timing.event_ms;
  return time;
}

void reject(ComputeResult& result, const std::string& why) {
  result.time = failed(why);
  result.rate = failed(why);
}

bool set_rate(ComputeResult& result, const Timing& timing, double amount, Rate rate, const std::optional<Peak>& peak) {
  const double value = amount * 1e-6 / timing.wall_ms.median;
  std::string why = impossible(value, rate, peak, amount);
  const Statistics& wall = timing.wall_ms;
  constexpr std::size_t enough_samples = 15;
  if (why.empty() && wall.samples >= enough_samples && wall.high - wall.low > 2 * wall.median)
    why = fmt::format("runs took {:.3g} to {:.3g} ms, so that the median says nothing", wall.low, wall.high);
  result.time = compute_time(timing);
  result.rate = ComputeRate{.value = value, .unit = text(rate)};
  if (!why.empty()) reject(result, "rejected: " + why);
  return why.empty();
}

}  // namespace envdoctor::kernels
