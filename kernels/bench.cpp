#include "kernels/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/time_run.h"

namespace envdoctor::kernels {
namespace {

std::string word(const Text& text) { return text.get() ? *text.get() : ""; }

// Whether a kernel has a problem that is timed.
bool is_timed(const Kernel& kernel, Effort effort) {
  return std::ranges::any_of(timed_problems(), [&](const TimedProblem& problem) {
    return kernel.name == std::string_view(problem.kernel) && (problem.quick || effort == Effort::full);
  });
}

// Our own loop that says what these cores can do at most: of bytes or of operations in this precision.
struct OwnLoop {
  const char* kernel = "";
  double best = 0;
};

}  // namespace

void settle_host_cores(std::vector<ComputeResult>& results, const std::vector<Target>& targets) {
  constexpr double impossible_share = 2;
  const auto on_host_cores = [&](const ComputeResult& result) {
    return std::ranges::any_of(targets, [&](const Target& t) { return t.is_cpu && result.device.is(t.subject); });
  };
  const auto key = [](const ComputeResult& result) {
    const std::string unit = word(result.rate.get()->unit);
    return unit + (unit == "GB/s" ? "" : " " + word(result.precision));
  };
  std::map<std::string, OwnLoop> loops;
  for (const ComputeResult& result : results) {
    const bool memory = result.kernel.is("triad");
    if (!result.device.is("host") || !result.rate.get() || !(memory || result.kernel.is("fma-peak"))) continue;
    OwnLoop& loop = loops[key(result)];
    loop.kernel = memory ? "triad" : "fma-peak";
    loop.best = std::max(loop.best, *result.rate.get()->value.get());
  }
  for (ComputeResult& result : results) {
    const bool cached = result.rate.get() && result.rate.get()->unit.is("GB/s") && result.bytes.get() &&
                        *result.bytes.get() < beyond_caches_bytes;
    if (!result.rate.get() || !on_host_cores(result) || word(result.kernel).starts_with("copy") || cached) continue;
    const auto loop = loops.find(key(result));
    if (loop == loops.end() || loop->second.best <= 0) continue;
    const double share = *result.rate.get()->value.get() / loop->second.best;
    if (share > impossible_share && loop->first != "GB/s") {
      refuse(result, fmt::format("refused: {:.3g} times what these cores did in our own loop", share));
    } else if (!(result.device.is("host") && result.kernel.is(loop->second.kernel))) {
      result.share_of_peak = share;
      result.peak_origin = fmt::format("our own {} on these cores", loop->second.kernel);
    }
  }
}

Snapshot bench(const std::vector<Target>& targets, const VerifyOptions& options) {
  // The host is timed beside the first of the others, and alone only where there is none.
  std::vector<Target> others;
  std::ranges::copy_if(targets, std::back_inserter(others), [](const Target& t) { return t.backend != "host"; });
  if (others.empty()) others = targets;
  const std::string first = others.empty() ? "" : others.front().subject;
  const ChildWork work = [first](const Job& job, const VerifyOptions& how, const Told& told) {
    const bool with_host = job.target.subject == first && job.target.backend != "host";
    with_device(job, how, told, [&](Device& device, const Told& named) {
      const auto host = with_host ? open_host({}) : nullptr;
      bench_on(device, host.get(), job.kernels, how, named);
    });
  };
  std::vector<const Kernel*> wanted = wanted_kernels(timed_kernels(), options);
  std::erase_if(wanted, [&](const Kernel* kernel) { return !is_timed(*kernel, options.effort); });
  Snapshot snapshot = in_children(others, wanted, options, work, Turns::one_after_the_other);
  settle_host_cores(*snapshot.compute.get(), targets);
  return snapshot;
}

}  // namespace envdoctor::kernels
