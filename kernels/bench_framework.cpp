// The operations of frameworks, timed over batches that grow: from which on a GPU is worth it.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/bench.h"
#include "kernels/problem_run.h"
#include "kernels/time_run.h"

namespace envdoctor::kernels {
namespace {

// One layer, and the batches that are sent through it.
struct Series {
  const char* kernel = "";
  Sizes layer{};
  const char* batch = "";  // the size that counts them
  std::vector<std::int64_t> batches{};
};

const std::vector<Series>& all_series(Effort effort) {
  static const std::vector<Series> full = {
      {"gemm", {{"k", 512}, {"n", 512}}, "m", {1, 8, 64, 512}},
      {"conv2d",
       {{"channels", 16}, {"filters", 32}, {"groups", 1}, {"height", 28}, {"pad", 1}, {"stride", 1}, {"width", 28}},
       "batch",
       {1, 8, 64}},
      {"softmax", {{"n", 1000}}, "rows", {1, 32, 1024}},
      {"layernorm", {{"n", 512}}, "rows", {1, 32, 1024}},
      {"lstm", {{"hidden", 128}, {"inputs", 64}}, "steps", {1, 8, 64, 512}},
  };
  static const std::vector<Series> quick = {
      {"gemm", {{"k", 128}, {"n", 128}}, "m", {1, 16}},
      {"lstm", {{"hidden", 64}, {"inputs", 32}}, "steps", {1, 16}},
  };
  return effort == Effort::full ? full : quick;
}

class FrameworkBench {
 public:
  FrameworkBench(Device& device, const VerifyOptions& options, const Told& told)
      : device_(device), options_(options), told_(told) {
    part_.compute.fill();
    part_.compute_not_run.fill();
  }

  void run(const std::vector<const Kernel*>& kernels) {
    for (const Series& series : all_series(options_.effort)) {
      const auto kernel = std::ranges::find(kernels, std::string_view(series.kernel), &Kernel::name);
      if (kernel == kernels.end()) continue;
      std::vector<std::int64_t> batches = series.batches;
      if (options_.size) batches = {*options_.size};
      for (const std::int64_t batch : batches) {
        Problem problem{.size = series.layer, .seed = options_.seed};
        problem.size[series.batch] = batch;
        one(**kernel, problem);
      }
    }
    told_.so_far(part_);
  }

 private:
  void one(const Kernel& kernel, const Problem& problem) {
    const std::string words = text(kernel, problem);
    const auto trace = [&](const std::string& what) { told_.step(words + ": " + what); };
    try {
      const ProblemRun run = run_problem(device_, kernel, problem, Variant::host, 2, trace);
      ComputeResult result = result_of(device_, kernel, problem, Variant::host, 2, run);
      trace("timing");
      if (run.right()) {
        time(kernel, problem, result);
      } else {
        result.time = failed("not timed: the result is not right");
      }
      part_.compute.get()->push_back(std::move(result));
    } catch (const DeviceError& error) {
      const bool missing = dynamic_cast<const NotOffered*>(&error) != nullptr;
      part_.compute_not_run.get()->push_back(
          {.device = device_.facts().subject,
           .kernel = std::string(kernel.name),
           .precision = std::string(text(problem.precision)),
           .why = (missing ? "missing: " : "error: " + words + ": ") + error.what()});
    }
    told_.so_far(part_);
    told_.step("told");
  }

  void time(const Kernel& kernel, const Problem& problem, ComputeResult& result) {
    const TimeRules rules{.spend_ms = options_.effort == Effort::full ? 1000.0 : 300.0};
    const Timing timing =
        time_together(
            {{.run = [this](int times) { return device_.run(times); }, .on_host_cores = device_.facts().on_host_cores}},
            rules)
            .front();
    const double value = kernel.work(problem).flops * 1e-6 / timing.wall_ms.median;
    // Matrix units go beyond what a GPU tells of itself, so that the limit here is that of any device.
    if (const std::string why = impossible(value, Rate::gigaflops, std::nullopt); !why.empty())
      return refuse(result, "refused: " + why);
    result.time = compute_time(timing);
    result.rate = ComputeRate{.value = value, .unit = text(Rate::gigaflops)};
  }

  Device& device_;
  const VerifyOptions& options_;
  const Told& told_;
  Snapshot part_{};
};

// Our own multiply-adds on the host's cores: what frameworks do there is held against them.
void add_host_peak(Snapshot& snapshot, const std::vector<Target>& targets, VerifyOptions options) {
  if (std::ranges::none_of(targets, &Target::is_cpu)) return;
  options.kernels = {"fma-peak"};
  options.precisions = {Precision::fp32};
  options.size.reset();
  options.effort = Effort::quick;
  Snapshot own = bench({{.subject = "host", .backend = "host", .is_cpu = true}}, options);
  auto& results = *snapshot.compute.get();
  std::ranges::move(*own.compute.get(), std::back_inserter(results));
  settle_host_cores(results, targets);
}

}  // namespace

Snapshot bench_frameworks(const std::vector<Target>& targets, const VerifyOptions& options) {
  const ChildWork work = [](const Job& job, const VerifyOptions& how, const Told& told) {
    with_device(job, how, told,
                [&](Device& device, const Told& named) { FrameworkBench(device, how, named).run(job.kernels); });
  };
  Snapshot snapshot =
      in_children(targets, wanted_kernels(framework_kernels(), options), options, work, Turns::one_after_the_other);
  add_host_peak(snapshot, targets, options);
  return snapshot;
}

}  // namespace envdoctor::kernels
