// In a child: the kernels of one group on one device, smallest sizes first, until the time is up.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "kernels/problem_run.h"

namespace envdoctor::kernels {
namespace {

using Clock = std::chrono::steady_clock;

// Of the time of a group: work that wouldn't end before this isn't begun.
constexpr double usable_share = 0.7;
constexpr double meaningful_flops = 1e7;

class Verifier {
 public:
  Verifier(Device& device, const VerifyOptions& options, const Told& told)
      : device_(device), options_(options), told_(told) {
    part_.compute.fill();
    part_.compute_not_run.fill();
  }

  void run(const std::vector<const Kernel*>& kernels) {
    if (build(kernels)) {
      for (const Kernel* kernel : kernels) {
        for (const Precision precision : kernel->precisions) {
          if (wanted(precision)) run(*kernel, precision);
        }
      }
    }
    told_.so_far(part_);
  }

 private:
  bool wanted(Precision precision) const {
    return options_.precisions.empty() ||
           std::ranges::find(options_.precisions, precision) != options_.precisions.end();
  }

  // False if this group can't be built and was told so.
  bool build(const std::vector<const Kernel*>& kernels) {
    for (const Kernel* kernel : kernels) words_ = words_.empty() ? kernel->name : words_ + ", " + kernel->name;
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
    if (!device_.facts().abilities.has(precision))
      return not_run(kernel, precision, "missing", fmt::format("the device has no {}", text(precision)));
    std::vector<Sizes> sizes = kernel.sizes(precision, options_.effort);
    if (options_.size) {
      sizes.resize(1);
      for (auto& [name, value] : sizes.front()) {
        if (!keeps_its_size(name)) value = *options_.size;
      }
    }
    std::optional<Variant> variant;
    double last_ms = 0;
    double last_flops = 0;
    for (const Sizes& size : sizes) {
      const Problem problem{.precision = precision, .size = size, .seed = options_.seed};
      words_ = text(kernel, problem);
      const double flops = kernel.work(problem).flops;
      // Small problems say what starting costs, not what computing does.
      const double expected_ms = last_flops > meaningful_flops ? last_ms * flops / last_flops : 0;
      if (spent_ms() + expected_ms > usable_share * static_cast<double>(options_.limits.time.count()))
        return not_run(kernel, precision, "time", words_ + ": no time was left for this size");
      const auto start = Clock::now();
      try {
        if (const std::string why = too_large(device_, kernel, problem); !why.empty())
          return not_run(kernel, precision, "memory", words_ + ": " + why);
        if (!variant || &size == &sizes.back()) variant = choose(kernel, problem);
        one(kernel, problem, *variant);
      } catch (const NotOffered& missing) {
        return not_run(kernel, precision, "missing", missing.what());
      } catch (const DeviceError& error) {
        return not_run(kernel, precision, "error", words_ + ": " + error.what());
      }
      last_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
      last_flops = flops;
    }
  }

  Variant choose(const Kernel& kernel, const Problem& problem) {
    if (options_.variant && device_.facts().variants.size() > 1) return *options_.variant;
    step("trying out both ways to write it");
    // In the short form compiling the other way for the first time would cost more than it could save.
    constexpr double cheaper_than_compiling_ms = 20;
    return options_.effort == Effort::full ? choose_variant(device_, kernel, problem)
                                           : choose_variant(device_, kernel, problem, cheaper_than_compiling_ms);
  }

  void one(const Kernel& kernel, const Problem& problem, Variant variant) {
    const auto trace = [this](const std::string& what) { step(what); };
    const ProblemRun run = run_problem(device_, kernel, problem, variant, options_.repeat, trace);
    ComputeResult result = result_of(device_, kernel, problem, variant, options_.repeat, run);
    part_.compute.get()->push_back(result);
    tell();  // stands if naming takes the child down
    name_run(device_, kernel, problem, variant, options_, run, trace, result);
    part_.compute.get()->back() = std::move(result);
    tell();
    // Naming may have built this kernel alone, or with other options.
    if (!run.right()) device_.build(built_, options_.build_options);
  }

  void not_run(const Kernel& kernel, std::optional<Precision> precision, const char* kind, const std::string& why) {
    ComputeNotRun row{
        .device = device_.facts().subject, .kernel = std::string(kernel.name), .why = fmt::format("{}: {}", kind, why)};
    if (precision) row.precision = std::string(text(*precision));
    part_.compute_not_run.get()->push_back(row);
    tell();
  }

  // What is known so far, and that there is more to come.
  void tell() const {
    told_.so_far(part_);
    step("told");
  }
  void step(const std::string& what) const { told_.step(words_ + ": " + what); }
  double spent_ms() const { return std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }

  Device& device_;
  const VerifyOptions& options_;
  const Told& told_;
  Snapshot part_{};
  std::vector<const Kernel*> built_{};
  std::string words_{};  // what is being done, for a parent that must say where it ended
  Clock::time_point start_ = Clock::now();
};

}  // namespace

bool keeps_its_size(const std::string& name) {
  static const std::set<std::string> names = {"batch", "groups", "items", "pad", "rows", "steps", "stride"};
  return names.contains(name);
}

void verify_on(Device& device, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
               const Told& told) {
  Verifier(device, options, told).run(kernels);
}

void verify_job(const Job& job, const VerifyOptions& options, const Told& told) {
  with_device(job, options, told,
              [&](Device& device, const Told& named) { verify_on(device, job.kernels, options, named); });
}

}  // namespace envdoctor::kernels
