// In a child: the timed problems of one group of kernels on one device, and on the host for comparison.
#include <fmt/format.h>

#include <algorithm>

#include "evidence/median.h"
#include "kernels/bench/bench.h"
#include "kernels/core/problem_run.h"

namespace envdoctor::kernels {
namespace {

constexpr double usable_share = 0.8;  // of the time of a group
constexpr int checked_runs = 2;

const Kernel& launch_kernel() { return timed_kernels().front(); }

// One device's share of a timed problem.
struct TimedRun {
  Device* device = nullptr;
  Problem problem{};
  Variant variant = Variant::host;
  ProblemRun run{};
  ComputeResult result{};
  double empty_run_ms = 0;  // the cost of starting and waiting for a run
  int steps = 1;            // launches in a run
};

Plan plan_of(const Kernel& kernel, const TimedRun& timed) {
  return kernel.plan(timed.problem, timed.variant, timed.device->facts().capabilities);
}

Candidate candidate(const TimedRun& timed, std::function<RunTime(int)> run) {
  return {.run = std::move(run),
          .on_host_cores = timed.device->facts().on_host_cores,
          .empty_run_ms = timed.empty_run_ms,
          .steps = timed.steps,
          .before_last = [device = timed.device] { device->poison(); }};
}

// The outputs of the timed runs must equal the verified ones; if the device is not deterministic, they are compared
// again.
bool still_right(const Kernel& kernel, const TimedRun& timed) {
  const Outputs now = read_outputs(*timed.device, plan_of(kernel, timed), timed.run.expected, timed.problem.precision);
  if (!now.guard_intact) return false;
  if (!differ(timed.run.outputs, now.arrays)) return true;
  if (timed.run.others.empty() && !kernel.operation(timed.problem, timed.run.inputs).order_free) return false;
  return all_right(compare_outputs(kernel, timed.run, now.arrays));
}

// Why a device that computes on this host's cores can't have reached this rate; empty: it may have.
std::string beyond_these_cores(const TimedRun& timed, double value, Rate rate, double bytes) {
  constexpr double most = 3;
  const DeviceFacts& facts = timed.device->facts();
  if (!facts.on_host_cores || facts.backend == "host" || rate == Rate::gigaops) return "";
  const auto measured = [&] {
    return rate == Rate::gigabytes ? host_memory_rate(bytes) : host_arithmetic_rate(timed.problem.precision);
  };
  double own = measured();
  for (int again = 0; again < 4 && value > most * own; ++again)
    own = std::max(own, measured());  // other processes may use them
  if (value <= most * own) return "";
  return fmt::format("{:.3g} {} is {:.3g} times what our own loop reaches on these cores{}", value, text(rate),
                     value / own, rate == Rate::gigabytes ? " in buffers of this size" : "");
}

void fill(const Kernel& kernel, TimedRun& timed, const Timing& timing) {
  const Precision precision = timed.problem.precision;
  ComputeResult& result = timed.result;
  result.time = compute_time(timing);
  const std::optional<Rate> rate = rate_of(kernel.name, precision);
  if (!rate) return;
  const Work work = kernel.work(timed.problem);
  const DeviceSpecs& specs = timed.device->facts().specs;
  const std::optional<Peak> peak = *rate == Rate::gigabytes   ? memory_peak(specs)
                                   : *rate == Rate::gigaflops ? arithmetic_peak(specs, precision)
                                                              : std::nullopt;
  const double amount = *rate == Rate::gigabytes ? work.bytes : work.flops;
  if (!set_rate(result, timing, amount, *rate, peak)) return;
  if (const std::string why = beyond_these_cores(timed, amount / timing.wall_ms.median * 1e-6, *rate, work.bytes);
      !why.empty())
    return reject(result, "rejected: " + why);
  // Data that fits a cache says nothing about the memory behind it.
  if (!peak || (*rate == Rate::gigabytes && work.bytes < beyond_caches_bytes)) return;
  const double share = result.rate.or_empty().value.or_empty() / peak->value;
  result.share_of_peak = share;
  result.peak_origin = peak->origin;
  if (share > 1.05)
    *result.peak_origin.get() += *rate == Rate::gigabytes ? "; partly from a cache" : "; the reported clock is too low";
}

TimedRun timed_run(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, double empty_run_ms,
                   ProblemRun run, int repeat) {
  TimedRun timed{.device = &device, .problem = problem, .variant = variant, .empty_run_ms = empty_run_ms};
  timed.steps = static_cast<int>(plan_of(kernel, timed).steps.size());
  timed.run = std::move(run);
  timed.result = result_of(device, kernel, problem, variant, repeat, timed.run);
  return timed;
}

// The host's run of a problem, with the inputs and the reference of another device's run.
ProblemRun run_like(Device& host, const Kernel& kernel, const Problem& problem, const ProblemRun& other) {
  ProblemRun run{.problem = problem, .inputs = other.inputs, .expected = other.expected};
  const Plan plan = kernel.plan(problem, Variant::host, host.facts().capabilities);
  Outputs now = run_once(host, plan, run.inputs, run.expected, problem.precision);
  run.outputs = std::move(now.arrays);
  run.guard_intact = now.guard_intact;
  run.comparisons = compare_outputs(kernel, run, run.outputs);
  return run;
}

// Times those whose result is right, alternating, and puts time, rate and share of the peak into their results; if
// the result was not right before or while it was timed, or the rate is impossible, the reason.
void time_runs(const Kernel& kernel, std::vector<TimedRun>& runs, const TimeRules& rules, const Trace& trace) {
  std::vector<Candidate> candidates;
  std::vector<TimedRun*> right;
  for (TimedRun& timed : runs) {
    if (!timed.run.right()) {
      reject(timed.result, "not timed: the result is wrong");
      continue;
    }
    trace("loading");
    timed.device->load(plan_of(kernel, timed), timed.run.inputs);
    timed.device->poison();
    right.push_back(&timed);
    candidates.push_back(candidate(timed, [device = timed.device](int times) { return device->run(times); }));
  }
  if (right.empty()) return;
  trace("timing");
  const std::vector<Timing> timings = time_together(candidates, rules);
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!still_right(kernel, *right[i])) {
      right[i]->result.agreement.get()->outcome = std::string("outside");
      reject(right[i]->result, "rejected: the result was wrong during timing");
    } else {
      fill(kernel, *right[i], timings[i]);
    }
  }
}

// The row of the same run including the copies that a program makes before and after it.
ComputeResult timed_with_copies(const Kernel& kernel, const TimedRun& timed, const TimeRules& rules) {
  Device& device = *timed.device;
  const std::vector<int> fresh = inputs_sent_per_run(kernel.name, timed.problem.size);
  const std::vector<int> outputs = plan_of(kernel, timed).outputs;
  const auto run = [&](int times) {
    const Stopwatch time;
    for (int i = 0; i < times; ++i) {
      for (const int input : fresh) device.send(input, timed.run.inputs.at(static_cast<std::size_t>(input)));
      device.run(1);
      for (const int output : outputs) device.read(output);
    }
    return RunTime{.wall_ms = time.ms()};
  };
  ComputeResult row = timed.result;
  *row.variant.get() += ", with copies";
  row.rate = {};
  row.share_of_peak = {};
  row.peak_origin = {};
  row.time = compute_time(time_together({candidate(timed, run)}, rules).front());
  return row;
}

// Work that keeps a CPU busy for milliseconds takes a GPU less time than the launch itself.
Problem longer(const Kernel& kernel, Problem problem) {
  if (kernel.name == std::string_view("fma-peak"))
    problem.size["rounds"] = problem.precision == Precision::fp16 ? 1024 : 8192;
  return problem;
}

bool is_copy(const Kernel& kernel) { return kernel.name == std::string_view("copy"); }

class Bench : private DeviceSession {
 public:
  Bench(Device& device, Device* host, const VerifyOptions& options, const Reporter& reporter)
      : DeviceSession(device, options, reporter), host_(host) {}

  void run(const std::vector<const Kernel*>& kernels) {
    build(kernels);
    for (const Kernel* kernel : kernels) {
      if (is_copy(*kernel)) copies(*kernel);
      for (const Precision precision : kernel->precisions) {
        if (wanted(precision)) run(*kernel, precision);
      }
    }
    reporter_.partial_result(part_);
  }

 private:
  void build(const std::vector<const Kernel*>& kernels) {
    std::ranges::copy_if(kernels, std::back_inserter(built_), [](const Kernel* k) { return !is_copy(*k); });
    if (std::ranges::find(kernels, std::string_view("launch"), &Kernel::name) == kernels.end())
      built_.push_back(&launch_kernel());
    label(kernels);
    step("building");
    device_.build(built_, options_.build_options);
    if (host_) host_->build(built_, "");
    const Problem problem{.precision = Precision::uint32, .size = {{"items", 1}}, .seed = options_.seed};
    label_ = "launch";
    step("an empty one");
    const DeviceFacts& facts = device_.facts();
    device_.load(launch_kernel().plan(problem, facts.variants.front(), facts.capabilities),
                 launch_kernel().inputs(problem));
    device_.run(1);
    std::vector<double> ms;
    for (int i = 0; i < 11; ++i) ms.push_back(device_.run(1).wall_ms);
    empty_run_ms_ = median(ms);
  }

  void copies(const Kernel& copy) {
    for (const TimedProblem& timed : timed_problems()) {
      if (!timed.is_asked(copy, options_.effort)) continue;
      std::size_t bytes = static_cast<std::size_t>(options_.size ? *options_.size : timed.size.at("bytes"));
      const std::size_t most = device_.facts().capabilities.largest_buffer_bytes;
      if (most > 0) bytes = std::min(bytes, most);
      label_ = "copy";
      try {
        std::vector<ComputeResult> rows =
            bench_copies(device_, host_, std::max<std::size_t>(4, bytes), options_.seed, empty_run_ms_, rules(),
                         [this](const std::string& what) { step(what); });
        std::ranges::move(rows, std::back_inserter(*part_.compute.get()));
      } catch (const DeviceError& error) {
        not_run(copy, std::nullopt, "error", error.what());
      }
      report();
    }
  }

  void run(const Kernel& kernel, Precision precision) {
    std::vector<TimedProblem> problems;
    std::ranges::copy_if(timed_problems(), std::back_inserter(problems), [&](const TimedProblem& timed) {
      return timed.is_asked(kernel, options_.effort) && timed.precision == precision;
    });
    if (problems.empty()) return;
    if (!offers(kernel, precision)) return;
    if (precision == Precision::fp16 && device_.facts().backend == "cuda" &&
        rate_of(kernel.name, precision) == Rate::gigaflops)
      return not_run(kernel, precision, "missing",
                     "our PTX targets GPUs without half-precision arithmetic, so its speed would mislead");
    if (options_.size) {
      problems.resize(1);
      for (auto& [name, value] : problems.front().size) {
        if (!is_fixed_size(name) && name != "rounds") value = *options_.size;
      }
    }
    for (const TimedProblem& timed : problems) {
      const Problem problem{.precision = precision, .size = timed.size, .seed = options_.seed};
      label_ = problem_name(kernel, problem);
      if (time_.ms() > usable_share * static_cast<double>(options_.limits.time.count()))
        return not_run(kernel, precision, "time", label_ + ": no time left for this size");
      if (!attempt(kernel, precision, [&] { one(kernel, problem, timed.sweep && options_.effort == Effort::full); }))
        return;
    }
  }

  void one(const Kernel& kernel, const Problem& problem, bool sweep) {
    if (const std::string why = why_too_large(device_, kernel, problem); !why.empty())
      return not_run(kernel, problem.precision, "memory", label_ + ": " + why);
    const Problem mine = device_.facts().on_host_cores ? problem : longer(kernel, problem);
    const Variant variant = variant_for(kernel, mine);
    std::vector<TimedRun> runs;
    runs.push_back(timed_run(device_, kernel, mine, variant, empty_run_ms_,
                             run_problem(device_, kernel, mine, variant, checked_runs, trace()), checked_runs));
    if (!runs.front().run.right()) {  // as in verify()
      DeviceModes modes;
      classify_run(device_, kernel, variant, options_, runs.front().run, trace(), modes, runs.front().result);
      device_.build(built_, options_.build_options);
    }
    // A launch on the host is a function call, and it has no half precision.
    if (host_ && problem.precision != Precision::fp16 && kernel.name != std::string_view("launch")) {
      step("the same on the host");
      runs.push_back(timed_run(*host_, kernel, problem, Variant::host, 0,
                               mine.size == problem.size
                                   ? run_like(*host_, kernel, problem, runs.front().run)
                                   : run_problem(*host_, kernel, problem, Variant::host, 1, trace()),
                               1));
    }
    time_runs(kernel, runs, rules(sweep), trace());
    if (sweep && runs.front().result.time.get() && device_.facts().backend != "host") {
      step("timing with copies");
      part_.compute.get()->push_back(timed_with_copies(kernel, runs.front(), rules(sweep)));
    }
    for (TimedRun& timed : runs) part_.compute.get()->push_back(std::move(timed.result));
    report();
  }

  // Measured on a smaller problem: much faster where one of the variants is twenty times slower.
  Variant variant_for(const Kernel& kernel, const Problem& problem) {
    Problem small = problem;
    const std::vector<Sizes> sizes = kernel.sizes(problem.precision, Effort::quick);
    if (!sizes.empty()) small.size = sizes.back();
    return choose(kernel, small);
  }

  TimeRules rules(bool sweep = false) const {
    return {.spend_ms = options_.effort != Effort::full ? 300.0 : sweep ? 400.0 : 1000.0};
  }

  Device* host_;
  double empty_run_ms_ = 0;
};

}  // namespace

void bench_on(Device& device, Device* host, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
              const Reporter& reporter) {
  Bench(device, host, options, reporter).run(kernels);
}

}  // namespace envdoctor::kernels
