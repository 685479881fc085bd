#include "kernels/bench/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace envdoctor::kernels {
namespace {

// Whether a kernel has a problem that is timed.
bool is_timed(const Kernel& kernel, Effort effort) {
  return std::ranges::any_of(timed_problems(),
                             [&](const TimedProblem& problem) { return problem.is_asked(kernel, effort); });
}

// Our own loop that measures the maximum rate of these cores: in bytes or in operations.
const char* own_loop(const std::string& unit) { return unit == "GB/s" ? "triad" : "fma-peak"; }

}  // namespace

const std::vector<Kernel>& timed_kernels() {
  static const std::vector<Kernel> kernels = [] {
    std::vector<Kernel> list = {launch::kernel, {.name = "copy"}, fma_peak::kernel};
    for (const Kernel& kernel : all_kernels()) list.push_back(kernel);
    return list;
  }();
  return kernels;
}

const std::vector<TimedProblem>& timed_problems() {
  using enum Precision;
  static constexpr std::int64_t small = 1 << 22, large = 1 << 24;
  static const std::vector<TimedProblem> problems = [] {
    std::vector<TimedProblem> list = {
        {"launch", uint32, {{"items", 1}}, true},
        {"copy", uint32, {{"bytes", 32 << 20}}, true},
        {"triad", fp32, {{"n", 3 << 20}}, true},
        {"triad", fp32, {{"n", large}}},
        {"triad", fp64, {{"n", small}}},
        {"reduce", fp32, {{"n", small}}, true},
        {"reduce", fp32, {{"n", large}}},
        // 20 ms on two cores: in shorter runs, waking the threads matters.
        {"fma-peak", fp32, {{"n", 1 << 20}, {"rounds", 1280}}, true},
        {"fma-peak", fp64, {{"n", 1 << 20}, {"rounds", 128}}},
        {"fma-peak", fp16, {{"n", 1 << 20}, {"rounds", 256}}},
        {"gemm", fp32, {{"k", 512}, {"m", 512}, {"n", 512}}, true, true},
        {"gemm", fp64, {{"k", 512}, {"m", 512}, {"n", 512}}},
        {"gemm", fp16, {{"k", 512}, {"m", 512}, {"n", 512}}},
        {"gemv", fp32, {{"k", 4096}, {"m", 4096}}},
        {"lstm", fp32, {{"hidden", 256}, {"inputs", 256}, {"steps", 1}}, true, true},
        {"dot", fp32, {{"k", 65536}, {"rows", 64}}},
        {"map", fp32, {{"n", 1 << 16}}},
        {"conv2d",
         fp32,
         {{"batch", 1},
          {"channels", 64},
          {"filters", 64},
          {"groups", 1},
          {"height", 56},
          {"pad", 1},
          {"stride", 1},
          {"width", 56}}},
        {"scan", int32, {{"n", 1 << 20}}},
        {"softmax", fp32, {{"n", 1000}, {"rows", 1024}}},
        {"layernorm", fp32, {{"n", 768}, {"rows", 1024}}},
        {"fft-butterfly", fp32, {{"n", 1024}, {"transforms", 1024}}},
        {"stencil", fp32, {{"height", 1024}, {"steps", 8}, {"width", 1024}}},
        {"sort", uint32, {{"n", 65536}}},
        {"histogram", uint32, {{"n", 1 << 21}}},
        {"hash-chain", uint32, {{"items", 1 << 14}, {"rounds", 4096}}},
    };
    for (std::int64_t n = 16; n <= 1024; n *= 2) {
      if (n != 256) list.push_back({"lstm", fp32, {{"hidden", n}, {"inputs", n}, {"steps", 1}}, false, true});
      if (n != 512) list.push_back({"gemm", fp32, {{"k", n}, {"m", n}, {"n", n}}, false, true});
    }
    for (std::int64_t batch = 1; batch <= 256; batch *= 4)
      list.push_back({"gemm", fp32, {{"k", 1024}, {"m", batch}, {"n", 1024}}, false, true});
    return list;
  }();
  return problems;
}

std::vector<int> inputs_sent_per_run(std::string_view kernel, const Sizes& size) {
  if (kernel == "lstm") return {2};
  if (kernel == "gemm" && size.at("m") == size.at("k")) return {0, 1};
  return {0};
}

std::optional<Rate> rate_of(std::string_view kernel, Precision precision) {
  if (kernel == "launch") return std::nullopt;
  if (kernel == "map") return Rate::gigaops;  // functions evaluated
  for (const char* arithmetic : {"fma-peak", "gemm", "conv2d", "fft-butterfly", "hash-chain"}) {
    if (kernel == arithmetic) return is_floating(precision) ? Rate::gigaflops : Rate::gigaops;
  }
  return Rate::gigabytes;
}

void set_host_core_shares(std::vector<ComputeResult>& results, const std::vector<Target>& targets) {
  constexpr double impossible_share = 2;
  const auto on_host_cores = [&](const ComputeResult& result) {
    return std::ranges::any_of(targets, [&](const Target& t) { return t.is_cpu && result.device.is(t.subject); });
  };
  const auto key = [](const ComputeResult& result) {
    const std::string& unit = result.rate.or_empty().unit.or_empty();
    return std::pair(unit, unit == "GB/s" ? "" : result.precision.or_empty());
  };
  std::map<std::pair<std::string, std::string>, double> best;
  for (const ComputeResult& result : results) {
    const ComputeRate& rate = result.rate.or_empty();
    if (result.device.is("host") && result.kernel.is(own_loop(rate.unit.or_empty())))
      best[key(result)] = std::max(best[key(result)], rate.value.or_empty());
  }
  for (ComputeResult& result : results) {
    const ComputeRate& rate = result.rate.or_empty();
    const bool memory = rate.unit.is("GB/s");
    const bool cached = memory && result.bytes.get() && *result.bytes.get() < beyond_caches_bytes;
    const double own = best[key(result)];
    if (!result.rate.get() || !on_host_cores(result) || result.kernel.or_empty().starts_with("copy") || cached ||
        own <= 0)
      continue;
    const char* loop = own_loop(rate.unit.or_empty());
    const double share = rate.value.or_empty() / own;
    if (share > impossible_share && !memory) {
      reject(result, fmt::format("rejected: {:.3g} times what our own loop reached on these cores", share));
    } else if (!(result.device.is("host") && result.kernel.is(loop))) {
      result.share_of_peak = share;
      result.peak_origin = fmt::format("our own {} on these cores", loop);
    }
  }
}

Snapshot bench(const std::vector<Target>& targets, const VerifyOptions& options) {
  // The host is timed together with the first other device, and alone only if there is none.
  std::vector<Target> others;
  std::ranges::copy_if(targets, std::back_inserter(others), [](const Target& t) { return t.backend != "host"; });
  if (others.empty()) others = targets;
  const std::string first = others.empty() ? "" : others.front().subject;
  const ChildWork work = [first](const Job& job, const VerifyOptions& how, const Reporter& reporter) {
    const bool with_host = job.target.subject == first && job.target.backend != "host";
    with_device(job, how, reporter, [&](Device& device, const Reporter& remembering) {
      const auto host = with_host ? open_host({}) : nullptr;
      bench_on(device, host.get(), job.kernels, how, remembering);
    });
  };
  std::vector<const Kernel*> wanted = selected_kernels(timed_kernels(), options);
  std::erase_if(wanted, [&](const Kernel* kernel) { return !is_timed(*kernel, options.effort); });
  Snapshot snapshot = run_in_children(others, wanted, options, work, Order::sequential);
  set_host_core_shares(*snapshot.compute.get(), targets);
  return snapshot;
}

}  // namespace envdoctor::kernels
