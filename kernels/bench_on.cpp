// In a child: the timed problems of one group of kernels on one device, and on the host beside it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "kernels/bench.h"
#include "kernels/bench_copies.h"
#include "kernels/problem_run.h"
#include "kernels/time_run.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double usable_share = 0.8;  // of the time of a group
constexpr int checked_runs = 2;
constexpr double beyond_caches = 32 << 20;

const Kernel& launch_kernel() { return timed_kernels().front(); }

// A GPU is through with what keeps a CPU busy for milliseconds before its launch has been paid for.
Problem longer(const Kernel& kernel, Problem problem) {
  if (kernel.name == std::string_view("fma-peak"))
    problem.size["rounds"] = problem.precision == Precision::fp16 ? 1024 : 8192;
  return problem;
}

bool is_copy(const Kernel& kernel) { return kernel.name == std::string_view("copy"); }

// One device's part in a problem: verified, then timed.
struct Side {
  Device* device = nullptr;
  Problem problem{};
  Variant variant = Variant::host;
  ProblemRun run{};
  ComputeResult result{};
  double empty_run_ms = 0;
  int steps = 1;
};

class Bench {
 public:
  Bench(Device& device, Device* host, const VerifyOptions& options, const Told& told)
      : device_(device), host_(host), options_(options), told_(told) {
    part_.compute.fill();
    part_.compute_not_run.fill();
  }

  void run(const std::vector<const Kernel*>& kernels) {
    build(kernels);
    for (const Kernel* kernel : kernels) {
      if (is_copy(*kernel)) copies();
      for (const Precision precision : kernel->precisions) {
        if (options_.precisions.empty() ||
            std::ranges::find(options_.precisions, precision) != options_.precisions.end())
          run(*kernel, precision);
      }
    }
    told_.so_far(part_);
  }

 private:
  void build(const std::vector<const Kernel*>& kernels) {
    std::ranges::copy_if(kernels, std::back_inserter(built_), [](const Kernel* k) { return !is_copy(*k); });
    if (std::ranges::find(kernels, std::string_view("launch"), &Kernel::name) == kernels.end())
      built_.push_back(&launch_kernel());
    for (const Kernel* kernel : kernels) words_ = words_.empty() ? kernel->name : words_ + ", " + kernel->name;
    step("building");
    device_.build(built_, options_.build_options);
    if (host_) host_->build(built_, "");
    const Problem problem{.precision = Precision::uint32, .size = {{"items", 1}}, .seed = options_.seed};
    empty_run_ms_ = [&] {
      words_ = "launch";
      step("an empty one");
      const DeviceFacts& facts = device_.facts();
      device_.load(launch_kernel().plan(problem, facts.variants.front(), facts.abilities),
                   launch_kernel().inputs(problem));
      device_.run(1);
      std::vector<double> ms;
      for (int i = 0; i < 11; ++i) ms.push_back(device_.run(1).wall_ms);
      return statistics(ms).median;
    }();
  }

  void copies() {
    for (const TimedProblem& timed : timed_problems()) {
      if (timed.kernel != std::string_view("copy") || (options_.effort != Effort::full && !timed.quick)) continue;
      std::size_t bytes = static_cast<std::size_t>(options_.size ? *options_.size : timed.size.at("bytes"));
      const std::size_t most = device_.facts().abilities.largest_buffer_bytes;
      if (most > 0) bytes = std::min(bytes, most);
      words_ = "copy";
      try {
        std::vector<ComputeResult> rows =
            bench_copies(device_, host_, std::max<std::size_t>(4, bytes), options_.seed, empty_run_ms_, rules(),
                         [this](const std::string& what) { step(what); });
        std::ranges::move(rows, std::back_inserter(*part_.compute.get()));
      } catch (const DeviceError& error) {
        part_.compute_not_run.get()->push_back({.device = device_.facts().subject,
                                                .kernel = std::string("copy"),
                                                .why = std::string("error: ") + error.what()});
      }
      told_.so_far(part_);
      step("told");
    }
  }

  void run(const Kernel& kernel, Precision precision) {
    const Abilities& abilities = device_.facts().abilities;
    std::vector<TimedProblem> problems;
    for (const TimedProblem& timed : timed_problems()) {
      if (kernel.name != std::string_view(timed.kernel) || precision != timed.precision) continue;
      if (options_.effort == Effort::full || timed.quick) problems.push_back(timed);
    }
    if (problems.empty()) return;
    if ((precision == Precision::fp16 && !abilities.fp16) || (precision == Precision::fp64 && !abilities.fp64))
      return not_run(kernel, precision, "missing", fmt::format("the device has no {}", text(precision)));
    if (precision == Precision::fp16 && device_.facts().backend == "cuda" &&
        rate_of(kernel.name, precision) == Rate::gigaflops)
      return not_run(kernel, precision, "missing",
                     "our PTX is for chips without half arithmetic: it would not be theirs");
    if (options_.size) {
      problems.resize(1);
      for (auto& [name, value] : problems.front().size) {
        if (!keeps_its_size(name) && name != "rounds") value = *options_.size;
      }
    }
    for (const TimedProblem& timed : problems) {
      const Problem problem{.precision = precision, .size = timed.size, .seed = options_.seed};
      words_ = text(kernel, problem);
      if (spent_ms() > usable_share * static_cast<double>(options_.limits.time.count()))
        return not_run(kernel, precision, "time", words_ + ": no time was left for this size");
      try {
        one(kernel, problem, timed.ladder && options_.effort == Effort::full);
      } catch (const DeviceError& error) {
        return not_run(kernel, precision, "error", words_ + ": " + error.what());
      }
    }
  }

  void one(const Kernel& kernel, const Problem& problem, bool ladder) {
    if (!fits(kernel, problem)) return;
    const auto trace = [this](const std::string& what) { step(what); };
    std::vector<Side> sides;
    const auto add = [&](Device& device, const Problem& its, Variant variant, double empty_run_ms, ProblemRun run,
                         int repeat) {
      Side& side = sides.emplace_back();
      side.device = &device;
      side.problem = its;
      side.variant = variant;
      side.empty_run_ms = empty_run_ms;
      side.steps = static_cast<int>(kernel.plan(its, variant, device.facts().abilities).steps.size());
      side.run = std::move(run);
      side.result = result_of(device, kernel, its, variant, repeat, side.run);
    };
    const Problem mine = device_.facts().on_host_cores ? problem : longer(kernel, problem);
    const Variant variant = choose(kernel, mine);
    add(device_, mine, variant, empty_run_ms_, run_problem(device_, kernel, mine, variant, checked_runs, trace),
        checked_runs);
    name(kernel, mine, sides.front());
    // A launch on the host is a call of a function, and it has no half precision.
    if (host_ && problem.precision != Precision::fp16 && kernel.name != std::string_view("launch")) {
      step("the same on the host");
      add(*host_, problem, Variant::host, 0,
          mine.size == problem.size ? run_like(*host_, kernel, problem, sides.front().run)
                                    : run_problem(*host_, kernel, problem, Variant::host, 1, trace),
          1);
    }
    time(kernel, sides);
    if (ladder && sides.front().result.time.get() && device_.facts().backend != "host")
      with_copies(kernel, problem, sides.front());
    for (Side& side : sides) part_.compute.get()->push_back(std::move(side.result));
    told_.so_far(part_);
    step("told");
  }

  // What is wrong gets a name, as in verify().
  void name(const Kernel& kernel, const Problem& problem, Side& side) {
    if (side.run.right()) return;
    const auto trace = [this](const std::string& what) { step(what); };
    name_run(device_, kernel, problem, side.variant, options_, side.run, trace, side.result);
    device_.build(built_, options_.build_options);
  }

  Variant choose(const Kernel& kernel, const Problem& problem) {
    if (options_.variant && device_.facts().variants.size() > 1) return *options_.variant;
    step("trying out both ways to write it");
    // A smaller problem tells as well, and much sooner where one of the ways is twenty times slower.
    Problem small = problem;
    const std::vector<Sizes> sizes = kernel.sizes(problem.precision, Effort::quick);
    if (!sizes.empty()) small.size = sizes.back();
    return choose_variant(device_, kernel, small);
  }

  void time(const Kernel& kernel, std::vector<Side>& sides) {
    std::vector<Candidate> candidates;
    std::vector<Side*> timed;
    for (Side& side : sides) {
      if (!side.run.right()) {
        refuse(side.result, "not timed: the result is not right");
        continue;
      }
      step("loading");
      side.device->load(kernel.plan(side.problem, side.variant, side.device->facts().abilities), side.run.inputs);
      side.device->poison();
      timed.push_back(&side);
      candidates.push_back({.run = [device = side.device](int times) { return device->run(times); },
                            .on_host_cores = side.device->facts().on_host_cores,
                            .empty_run_ms = side.empty_run_ms,
                            .steps = side.steps});
    }
    if (timed.empty()) return;
    step("timing");
    const std::vector<Timing> timings = time_together(candidates, rules());
    for (std::size_t i = 0; i < timed.size(); ++i) {
      if (!still_right(kernel, *timed[i])) {
        timed[i]->result.agreement.get()->outcome = std::string("outside");
        refuse(timed[i]->result, "refused: while it was timed the result was not right");
      } else {
        fill(kernel, *timed[i], timings[i]);
      }
    }
  }

  TimeRules rules() const { return {.spend_ms = options_.effort == Effort::full ? 2000.0 : 400.0}; }

  // The same run with what a program sends before and fetches after: a row of its own.
  void with_copies(const Kernel& kernel, const Problem& problem, const Side& side) {
    step("timing with copies");
    const std::vector<int> fresh = sent_anew(kernel.name, problem.size);
    const std::vector<int> outputs = kernel.plan(problem, side.variant, device_.facts().abilities).outputs;
    const auto run = [&](int times) {
      const auto start = Clock::now();
      for (int i = 0; i < times; ++i) {
        for (const int input : fresh) device_.send(input, side.run.inputs.at(static_cast<std::size_t>(input)));
        device_.run(1);
        for (const int output : outputs) device_.read(output);
      }
      return Ran{.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count()};
    };
    ComputeResult row = side.result;
    *row.variant.get() += ", with copies";
    row.rate = {};
    row.share_of_peak = {};
    row.peak_origin = {};
    row.time = compute_time(
        time_together({{.run = run, .on_host_cores = device_.facts().on_host_cores, .empty_run_ms = empty_run_ms_}},
                      rules())
            .front());
    part_.compute.get()->push_back(std::move(row));
  }

  // The outputs as they stand, and whether nothing was written behind them.
  static std::pair<std::vector<Array>, bool> outputs_now(Device& device, const std::vector<int>& places,
                                                         const std::vector<Array>& like) {
    std::vector<Array> outputs;
    bool intact = true;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Contents contents = device.read(places[i]);
      intact = intact && contents.guard_intact;
      contents.bytes.resize(std::min(contents.bytes.size(), like.at(i).bytes.size()));
      Array& now = outputs.emplace_back();
      now.precision = like.at(i).precision;
      now.bytes = std::move(contents.bytes);
    }
    return {std::move(outputs), intact};
  }

  static std::vector<Comparison> compared(const Kernel& kernel, const Problem& problem, const ProblemRun& run,
                                          const std::vector<Array>& outputs) {
    if (run.expected.empty()) return kernel.spot_check(problem, run.inputs, outputs);
    std::vector<Comparison> all;
    for (std::size_t i = 0; i < outputs.size(); ++i) all.push_back(compare(outputs[i], run.expected.at(i)));
    return all;
  }

  // The host's run, with the inputs and the reference that the device's run has made.
  static ProblemRun run_like(Device& host, const Kernel& kernel, const Problem& problem, const ProblemRun& other) {
    ProblemRun run{.inputs = other.inputs, .expected = other.expected};
    const Plan plan = kernel.plan(problem, Variant::host, host.facts().abilities);
    host.load(plan, run.inputs);
    host.poison();
    host.run(1);
    std::tie(run.outputs, run.guard_intact) = outputs_now(host, plan.outputs, other.outputs);
    run.comparisons = compared(kernel, problem, run, run.outputs);
    return run;
  }

  // What the timed runs left is what was verified; where the device doesn't repeat itself, it is compared anew.
  static bool still_right(const Kernel& kernel, const Side& side) {
    const std::vector<int> places = kernel.plan(side.problem, side.variant, side.device->facts().abilities).outputs;
    const auto [outputs, intact] = outputs_now(*side.device, places, side.run.outputs);
    if (!intact) return false;
    bool same = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) same = same && differing(side.run.outputs[i], outputs[i]).empty();
    if (same) return true;
    if (side.run.others.empty() && !kernel.float_atomics) return false;
    return std::ranges::all_of(compared(kernel, side.problem, side.run, outputs), &Comparison::right);
  }

  static void fill(const Kernel& kernel, Side& side, const Timing& timing) {
    const Problem& problem = side.problem;
    ComputeResult& result = side.result;
    result.time = compute_time(timing);
    const std::optional<Rate> rate = rate_of(kernel.name, problem.precision);
    if (!rate) return;
    const Work work = kernel.work(problem);
    const double value = (*rate == Rate::gigabytes ? work.bytes : work.flops) * 1e-6 / timing.wall_ms.median;
    const Clues& clues = side.device->facts().clues;
    const std::optional<Peak> peak = *rate == Rate::gigabytes   ? memory_peak(clues)
                                     : *rate == Rate::gigaflops ? arithmetic_peak(clues, problem.precision)
                                                                : std::nullopt;
    if (const std::string why = impossible(value, *rate, peak); !why.empty()) return refuse(result, "refused: " + why);
    result.rate = ComputeRate{.value = value, .unit = text(*rate)};
    // What fits a cache says nothing of the memory behind it.
    if (!peak || (*rate == Rate::gigabytes && work.bytes < beyond_caches)) return;
    result.share_of_peak = value / peak->value;
    result.peak_origin = peak->origin;
    if (value > 1.05 * peak->value)
      *result.peak_origin.get() += *rate == Rate::gigabytes ? "; partly from a cache" : "; the clock is told too low";
  }

  static void refuse(ComputeResult& result, const std::string& why) {
    result.time = failed(why);
    result.rate = failed(why);
  }

  bool fits(const Kernel& kernel, const Problem& problem) {
    const Abilities& abilities = device_.facts().abilities;
    std::size_t all = 0, largest = 0;
    for (const BufferSpec& buffer : kernel.plan(problem, device_.facts().variants.front(), abilities).buffers) {
      all += buffer.bytes;
      largest = std::max(largest, buffer.bytes);
    }
    const bool too_much = (abilities.memory_bytes != 0 && all > abilities.memory_bytes) ||
                          (abilities.largest_buffer_bytes != 0 && largest > abilities.largest_buffer_bytes);
    if (too_much)
      not_run(kernel, problem.precision, "memory",
              fmt::format("{}: {} MiB are more than the device gives", words_, all >> 20));
    return !too_much;
  }

  void not_run(const Kernel& kernel, Precision precision, const char* kind, const std::string& why) {
    part_.compute_not_run.get()->push_back({.device = device_.facts().subject,
                                            .kernel = std::string(kernel.name),
                                            .precision = std::string(text(precision)),
                                            .why = fmt::format("{}: {}", kind, why)});
    told_.so_far(part_);
    step("told");
  }

  void step(const std::string& what) const { told_.step(words_ + ": " + what); }
  double spent_ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

  Device& device_;
  Device* host_;
  const VerifyOptions& options_;
  const Told& told_;
  Snapshot part_{};
  std::vector<const Kernel*> built_{};
  std::string words_{};
  double empty_run_ms_ = 0;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

void bench_on(Device& device, Device* host, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
              const Told& told) {
  Bench(device, host, options, told).run(kernels);
}

}  // namespace envdoctor::kernels
