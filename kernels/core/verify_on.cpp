// In a child: the kernels of one group on one device, smallest sizes first, until the time is up.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "kernels/core/problem_run.h"

namespace envdoctor::kernels {
namespace {

// Of the time of a group: work that wouldn't end before this isn't begun.
constexpr double usable_share = 0.7;
constexpr double meaningful_flops = 1e7;

class Verifier : private DeviceSession {
 public:
  Verifier(Device& device, const VerifyOptions& options, const Reporter& reporter)
      : DeviceSession(device, options, reporter) {}

  void run(const std::vector<const Kernel*>& kernels) {
    if (build(kernels)) {
      for (const Kernel* kernel : kernels) {
        for (const Precision precision : kernel->precisions) {
          if (wanted(precision)) run(*kernel, precision);
        }
      }
    }
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

  void run(const Kernel& kernel, Precision precision) {
    if (!offers(kernel, precision)) return;
    std::vector<Sizes> sizes = kernel.sizes(precision, options_.effort);
    if (options_.size) {
      sizes.resize(1);
      for (auto& [name, value] : sizes.front()) {
        if (!is_fixed_size(name)) value = *options_.size;
      }
    }
    // In the short form compiling the other variant for the first time would cost more than it could save.
    const double no_matter_ms = options_.effort == Effort::full ? 0.5 : 20;
    std::optional<Variant> variant;
    double last_ms = 0;
    double last_flops = 0;
    for (const Sizes& size : sizes) {
      const Problem problem{.precision = precision, .size = size, .seed = options_.seed};
      label_ = problem_name(kernel, problem);
      const double flops = kernel.work(problem).flops;
      // Small problems say what starting costs, not what computing does.
      const double expected_ms = last_flops > meaningful_flops ? last_ms * flops / last_flops : 0;
      if (time_.ms() + expected_ms > usable_share * static_cast<double>(options_.limits.time.count()))
        return not_run(kernel, precision, "time", label_ + ": no time left for this size");
      const Stopwatch time;
      if (const std::string why = why_too_large(device_, kernel, problem); !why.empty())
        return not_run(kernel, precision, "memory", label_ + ": " + why);
      const bool done = attempt(kernel, precision, [&] {
        if (!variant || &size == &sizes.back()) variant = choose(kernel, problem, no_matter_ms);
        one(kernel, problem, *variant);
      });
      if (!done) return;
      last_ms = time.ms();
      last_flops = flops;
    }
  }

  void one(const Kernel& kernel, const Problem& problem, Variant variant) {
    const ProblemRun run = run_problem(device_, kernel, problem, variant, options_.repeat, trace());
    ComputeResult result = result_of(device_, kernel, problem, variant, options_.repeat, run);
    part_.compute.get()->push_back(result);
    report();  // stands if classifying crashes the child
    classify_run(device_, kernel, problem, variant, options_, run, trace(), result);
    part_.compute.get()->back() = std::move(result);
    report();
    // Classifying may have built this kernel alone, or with other options.
    if (!run.right()) device_.build(built_, options_.build_options);
  }
};

}  // namespace

bool is_fixed_size(const std::string& name) {
  static const std::set<std::string> names = {"batch", "groups", "items", "pad", "rows", "steps", "stride"};
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
