// The maximum rate of this host's cores, measured on demand, so that an impossible rate can be
// rejected.
#include <algorithm>

#include "kernels/bench/bench.h"

namespace envdoctor::kernels {
namespace {

// The best of the runs that fit into a few milliseconds, in units of 1e9 per second.
double best_rate(const Kernel& kernel, const Problem& problem, double amount) {
  constexpr double spend_ms = 10;
  const auto host = open_host({});
  host->build({&kernel}, "");
  host->load(kernel.plan(problem, Variant::host, host->facts().capabilities), kernel.inputs(problem));
  double best_ms = host->run(1).wall_ms;
  const Stopwatch time;
  do {
    best_ms = std::min(best_ms, host->run(1).wall_ms);
  } while (time.ms() < spend_ms);
  return amount / std::max(best_ms, 1e-6) * 1e-6;
}

}  // namespace

double host_arithmetic_rate(Precision precision) {
  const bool half = precision == Precision::fp16;
  const Kernel& kernel = fma_peak::kernel;
  const Problem problem{.precision = half ? Precision::fp32 : precision, .size = {{"n", 1 << 15}, {"rounds", 512}}};
  return (half ? 4 : 1) * best_rate(kernel, problem, kernel.work(problem).flops);
}

double host_memory_rate(double bytes) {
  constexpr double least = 12 * 1024;
  const double count = std::clamp(bytes, least, beyond_caches_bytes) / 12;  // three arrays of fp32
  const Problem problem{.precision = Precision::fp32, .size = {{"n", static_cast<std::int64_t>(count)}}};
  const Kernel& kernel = kernel_named("triad");
  return best_rate(kernel, problem, kernel.work(problem).bytes);
}

}  // namespace envdoctor::kernels
