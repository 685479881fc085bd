// In a child: the kernels of one group on one device, smallest sizes first, until the time is up.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/core/problem_run.h"

namespace envdoctor::kernels {
namespace {

// Of the time of a group: work that wouldn't end before this isn't started.
constexpr double usable_share = 0.7;
constexpr double meaningful_flops = 1e7;

class Verifier : private DeviceSession {
 public:
  Verifier(Device& device, const VerifyOptions& options, const Reporter& reporter)
      : DeviceSession(device, options, reporter) {}

  void run(const std::vector<const Kernel*>& kernels) {
    if (build(kernels)) {
      // The largest sizes wait until everything has run once.
      for (const bool large : {false, true}) {
        for (const Kernel* kernel : kernels) {
          for (const Precision precision : kernel->precisions) {
            if (wanted(precision)) run(*kernel, precision, large);
          }
        }
      }
    }
    note_host_cores();
    classify_wrong_ones();
    reporter_.partial_result(part_);
  }

 private:
  // False if this group can't be built, which is reported.
  bool build(const std::vector<const Kernel*>& kernels) {
    label(kernels);
    step("building");
    try {
      device_.build(kernels, options_.build_options);
      built_ = kernels;
      return true;
    } catch (const DeviceError& error) {
      if (kernels.size() > 1) throw;
      not_run(*kernels.front(), std::nullopt, "build", error.what());
      return false;
    }
  }

  // A kernel's progress in one precision.
  struct Progress {
    std::optional<Variant> variant{};
    double last_ms = 0;
    Work last{};
    bool stopped = false;
  };

  static bool is_large(const Sizes& size) {
    return std::ranges::any_of(size, [](const auto& one) { return one.second > 1 << 23; });
  }

  void run(const Kernel& kernel, Precision precision, bool large) {
    Progress& progress = progress_[{&kernel, precision}];
    progress.stopped = progress.stopped || (!large && !offers(kernel, precision));
    if (progress.stopped) return;
    std::vector<Sizes> sizes = kernel.sizes(precision, options_.effort);
    if (options_.size) {
      if (large) return;
      sizes.resize(1);
      for (auto& [name, value] : sizes.front()) {
        if (!is_fixed_size(name)) value = *options_.size;
      }
    } else {
      std::erase_if(sizes, [&](const Sizes& size) { return is_large(size) != large; });
    }
    // In the short form compiling the other variant for the first time would cost more than it could save.
    const double no_matter_ms = options_.effort == Effort::full ? 0.5 : 20;
    std::optional<Variant>& variant = progress.variant;
    progress.stopped = true;  // unless it completes
    for (const Sizes& size : sizes) {
      const Problem problem{.precision = precision, .size = size, .seed = options_.seed};
      label_ = problem_name(kernel, problem);
      const Work work = kernel.work(problem);
      // Small problems show the cost of starting, not of computing; a large one must not be started if it can't finish.
      double expected_ms = 0;
      if (large && progress.last.bytes > 0) expected_ms = 1.5 * progress.last_ms * work.bytes / progress.last.bytes;
      if (progress.last.flops > meaningful_flops) expected_ms = progress.last_ms * work.flops / progress.last.flops;
      // Variants are tried out at the last size, which takes as many launches again as its runs, and slower
      // ones.
      if (!options_.variant && device_.facts().variants.size() > 1 && &size == &sizes.back()) expected_ms *= 2.5;
      if (time_.ms() + expected_ms > usable_share * static_cast<double>(options_.limits.time.count()))
        return not_run(kernel, precision, "time", label_ + ": no time left for this size");
      const Stopwatch time;
      if (const std::string why = why_too_large(device_, kernel, problem); !why.empty())
        return not_run(kernel, precision, "memory", label_ + ": " + why);
      const bool done = attempt(kernel, precision, [&] {
        TryOuts tried;
        if (!variant || &size == &sizes.back()) variant = choose(kernel, problem, no_matter_ms, &tried);
        one(kernel, problem, *variant, tried);
      });
      if (!done) return;
      progress.last_ms = time.ms();
      progress.last = work;
    }
    progress.stopped = false;
  }

  void one(const Kernel& kernel, const Problem& problem, Variant variant, const TryOuts& tried) {
    const auto of = [&](Variant one) {
      const auto found = tried.find(one);
      return found == tried.end() ? std::vector<Outputs>{} : found->second;
    };
    ProblemRun run = run_problem(device_, kernel, problem, variant, options_.repeat, trace(), of(variant));
    // A variant that was tried out but not chosen must be right as well.
    std::vector<std::pair<Variant, ProblemRun>> others;
    if (!run.other_inputs) {
      for (const auto& [other, outputs] : tried) {
        if (other == variant) continue;
        if (auto wrong = wrong_try_out(kernel, run, outputs)) others.emplace_back(other, std::move(*wrong));
      }
    }
    add_row(kernel, variant, std::move(run));
    for (auto& [other, wrong] : others) add_row(kernel, other, std::move(wrong));
    report();
  }

  void add_row(const Kernel& kernel, Variant variant, ProblemRun run) {
    ComputeResult result = result_of(device_, kernel, run.problem, variant, options_.repeat, run);
    if (run.right()) {
      classify_run(device_, kernel, variant, options_, run, trace(), modes_, result);
    } else {
      wrong_.push_back({&kernel, variant, label_, part_.compute.get()->size(), std::move(run)});
      forget_what_is_too_much();
    }
    part_.compute.get()->push_back(std::move(result));
  }

  // Wrong runs are kept completely until all have run, as far as memory permits: the last ones are the largest.
  void forget_what_is_too_much() {
    constexpr std::size_t most_bytes = 128 << 20;
    std::size_t bytes = 0;
    for (WrongRun& wrong : wrong_) {
      for (const Expected& expected : wrong.run.expected) bytes += 3 * 8 * expected.count();
      for (const auto* list : {&wrong.run.inputs, &wrong.run.outputs}) {
        for (const Array& array : *list) bytes += array.bytes.size();
      }
    }
    if (bytes > most_bytes) wrong_.back().run = {.problem = wrong_.back().run.problem};
  }

  // After all rows have been run and judged: classification takes time, and may crash the child.
  void classify_wrong_ones() {
    for (WrongRun& wrong : wrong_) {
      if (!modes_.time_left()) return;
      label_ = wrong.label;
      ComputeResult& result = part_.compute.get()->at(wrong.row);
      try {
        if (wrong.run.comparisons.empty()) {
          device_.build(built_, options_.build_options);
          wrong.run = run_problem(device_, *wrong.kernel, wrong.run.problem, wrong.variant, 2, trace());
        }
        if (wrong.run.right()) result.agreement.get()->cause = std::string(text(WrongResult::nondeterministic));
        const Trace naming = [this](const std::string& what) { step(std::string(naming_step) + what); };
        classify_run(device_, *wrong.kernel, wrong.variant, options_, wrong.run, naming, modes_, result);
      } catch (const DeviceError&) {
        continue;  // the row stays without a classification
      }
      report();
    }
  }

  struct WrongRun {
    const Kernel* kernel = nullptr;
    Variant variant = Variant::host;
    std::string label{};
    std::size_t row = 0;
    ProblemRun run{};
  };

  [[nodiscard]] bool naming_time_left() const {
    constexpr double share = 0.85;  // of the group's time
    if (naming_began_ms_ < 0) naming_began_ms_ = time_.ms();
    const auto limit = static_cast<double>(options_.limits.time.count());
    const double most_ms = std::max(8000.0, limit / 4);  // the next groups need time too
    return time_.ms() < share * limit && time_.ms() - naming_began_ms_ < most_ms;
  }

  std::map<std::pair<const Kernel*, Precision>, Progress> progress_{};
  std::vector<WrongRun> wrong_{};
  mutable double naming_began_ms_ = -1;
  DeviceModes modes_{[this] { return naming_time_left(); }};
};

}  // namespace

bool is_fixed_size(const std::string& name) {
  static const std::set<std::string> names = {"batch", "channels", "filters", "groups", "items",
                                              "pad",   "rows",     "steps",   "stride"};
  return names.contains(name);
}

void verify_on(Device& device, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
               const Reporter& reporter) {
  Verifier(device, options, reporter).run(kernels);
}

void with_device(const Job& job, const VerifyOptions& options, const Reporter& reporter,
                 const std::function<void(Device& device, const Reporter& reporter)>& work) {
  std::string doing = "opening";
  const Reporter remembering{.partial_result = reporter.partial_result, .step = [&](const std::string& what) {
                               doing = what;
                               reporter.step(what);
                             }};
  const auto device =
      open_device(job.target, {.trace = [&](const std::string& call) { reporter.step(doing + ", " + call); },
                               .code_name = options.code_name,
                               .vector_bytes = options.vector_bytes,
                               .guard_bytes = options.guard_bytes});
  work(*device, remembering);
}

void verify_job(const Job& job, const VerifyOptions& options, const Reporter& reporter) {
  with_device(job, options, reporter, [&](Device& device, const Reporter& remembering) {
    verify_on(device, job.kernels, options, remembering);
  });
}

}  // namespace envdoctor::kernels
