// The operations of frameworks, timed over growing batches: from which size on a GPU is faster.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/bench/bench.h"
#include "kernels/bench/time_run.h"
#include "kernels/core/problem_run.h"

namespace envdoctor::kernels {
namespace {

// One layer, and its batch sizes.
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

class FrameworkBench : private DeviceSession {
 public:
  FrameworkBench(Device& device, const VerifyOptions& options, const Reporter& reporter)
      : DeviceSession(device, options, reporter) {}

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
    reporter_.partial_result(part_);
  }

 private:
  void one(const Kernel& kernel, const Problem& problem) {
    label_ = problem_name(kernel, problem);
    attempt(kernel, problem.precision, [&] {
      const ProblemRun run = run_problem(device_, kernel, problem, Variant::host, 2, trace());
      ComputeResult result = result_of(device_, kernel, problem, Variant::host, 2, run);
      step("timing");
      if (run.right()) {
        time(kernel, problem, result);
      } else {
        result.time = failed("not timed: the result is wrong");
      }
      part_.compute.get()->push_back(std::move(result));
      report();
    });
  }

  void time(const Kernel& kernel, const Problem& problem, ComputeResult& result) {
    const TimeRules rules{.spend_ms = options_.effort == Effort::full ? 1000.0 : 300.0};
    const Timing timing =
        time_together(
            {{.run = [this](int times) { return device_.run(times); }, .on_host_cores = device_.facts().on_host_cores}},
            rules)
            .front();
    // Matrix units exceed the peak that a GPU reports, so the limit here is that of any device.
    set_rate(result, timing, kernel.work(problem).flops, Rate::gigaflops, std::nullopt);
  }
};

// Our own multiply-adds on the host's cores: the reference for frameworks' rates there.
void add_host_peak(Snapshot& snapshot, const std::vector<Target>& targets, VerifyOptions options) {
  if (std::ranges::none_of(targets, &Target::is_cpu)) return;
  options.kernels = {"fma-peak"};
  options.precisions = {Precision::fp32};
  options.size.reset();
  options.effort = Effort::quick;
  Snapshot own = bench({{.subject = "host", .backend = "host", .is_cpu = true}}, options);
  auto& results = *snapshot.compute.get();
  std::ranges::move(*own.compute.get(), std::back_inserter(results));
  set_host_core_shares(results, targets);
}

}  // namespace

Snapshot bench_frameworks(const std::vector<Target>& targets, const VerifyOptions& options) {
  const ChildWork work = [](const Job& job, const VerifyOptions& how, const Reporter& reporter) {
    with_device(job, how, reporter, [&](Device& device, const Reporter& remembering) {
      FrameworkBench(device, how, remembering).run(job.kernels);
    });
  };
  Snapshot snapshot =
      run_in_children(targets, selected_kernels(framework_kernels(), options), options, work, Order::sequential);
  add_host_peak(snapshot, targets, options);
  return snapshot;
}

}  // namespace envdoctor::kernels
