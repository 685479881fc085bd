// In a child: the timed problems of one group of kernels on one device, and on the host beside it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kernels/bench_copies.h"
#include "kernels/bench_side.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double usable_share = 0.8;  // of the time of a group
constexpr int checked_runs = 2;

const Kernel& launch_kernel() { return timed_kernels().front(); }

// A GPU is through with what keeps a CPU busy for milliseconds before its launch has been paid for.
Problem longer(const Kernel& kernel, Problem problem) {
  if (kernel.name == std::string_view("fma-peak"))
    problem.size["rounds"] = problem.precision == Precision::fp16 ? 1024 : 8192;
  return problem;
}

bool is_copy(const Kernel& kernel) { return kernel.name == std::string_view("copy"); }

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
    std::vector<TimedProblem> problems;
    for (const TimedProblem& timed : timed_problems()) {
      if (kernel.name != std::string_view(timed.kernel) || precision != timed.precision) continue;
      if (options_.effort == Effort::full || timed.quick) problems.push_back(timed);
    }
    if (problems.empty()) return;
    if (!device_.facts().abilities.has(precision))
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
    if (const std::string why = too_large(device_, kernel, problem); !why.empty())
      return not_run(kernel, problem.precision, "memory", words_ + ": " + why);
    const auto trace = [this](const std::string& what) { step(what); };
    const Problem mine = device_.facts().on_host_cores ? problem : longer(kernel, problem);
    const Variant variant = choose(kernel, mine);
    std::vector<Side> sides;
    sides.push_back(side_of(device_, kernel, mine, variant, empty_run_ms_,
                            run_problem(device_, kernel, mine, variant, checked_runs, trace), checked_runs));
    name(kernel, mine, sides.front());
    // A launch on the host is a call of a function, and it has no half precision.
    if (host_ && problem.precision != Precision::fp16 && kernel.name != std::string_view("launch")) {
      step("the same on the host");
      sides.push_back(side_of(*host_, kernel, problem, Variant::host, 0,
                              mine.size == problem.size ? run_like(*host_, kernel, problem, sides.front().run)
                                                        : run_problem(*host_, kernel, problem, Variant::host, 1, trace),
                              1));
    }
    time_sides(kernel, sides, rules(ladder), trace);
    if (ladder && sides.front().result.time.get() && device_.facts().backend != "host") {
      step("timing with copies");
      part_.compute.get()->push_back(timed_with_copies(kernel, sides.front(), rules(ladder)));
    }
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

  TimeRules rules(bool ladder = false) const {
    return {.spend_ms = options_.effort != Effort::full ? 300.0 : ladder ? 400.0 : 1000.0};
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
