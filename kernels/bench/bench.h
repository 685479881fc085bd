#pragma once
// Times devices on problems that they compute correctly: one device after the other, in separate children, alternating
// with the plain C++ of this host, so that both run under the same conditions.
#include "kernels/bench/time_run.h"
#include "kernels/core/verify.h"

namespace envdoctor::kernels {

// What is timed: a problem of a kernel.
struct TimedProblem {
  const char* kernel = "";
  Precision precision = Precision::fp32;
  Sizes size{};
  bool quick = false;  // also part of the short run
  bool sweep =
      false;  // one of many sizes that show from which size on a device is faster: timed with its copies as well
  [[nodiscard]] bool is_asked(const Kernel& of, Effort effort) const {
    return of.name == std::string_view(kernel) && (quick || effort == Effort::full);
  }
};
const std::vector<TimedProblem>& timed_problems();  // in the order of reports

// The unit of this kernel's speed: bytes moved, floating operations, other operations; none: only time.
std::optional<Rate> rate_of(std::string_view kernel, Precision precision);

constexpr double beyond_caches_bytes = 32 << 20;  // a run that moves this much measures memory, not caches

// The inputs of this problem that a program would send for each run, unlike weights, which stay on the device.
std::vector<int> inputs_sent_per_run(std::string_view kernel, const Sizes& size);

// The kernels of that list: the reference kernels, and those that are only timed. "copy" is only a name: see
// bench_copies().
const std::vector<Kernel>& timed_kernels();

// The sections `compute` and `compute_not_run`, as verify(). Effort::tiny is Effort::quick. Rows have a time only where
// the result was right, before and while it was timed, and a rate only where it is possible; otherwise the reason in
// its place.
Snapshot bench(const std::vector<Target>& targets, const VerifyOptions& options);

// The same through frameworks' own operations, over batches that grow: a few layers, in float32.
Snapshot bench_frameworks(const std::vector<Target>& targets, const VerifyOptions& options);

// The rate of this host's cores now, by our own loops, in about 10 ms: GFLOP/s in this precision (fp16: as fp32, twice
// as wide twice over); GB/s from and to buffers of so many bytes in all.
double host_arithmetic_rate(Precision precision);
double host_memory_rate(double bytes);

// In a child: times these kernels on a device that is open already, and on `host`, which may be null.
void bench_on(Device& device, Device* host, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
              const Reporter& reporter);

// Fills in the share of the peak for devices that compute on the host's cores: relative to our own loops in the same
// run on these cores. Rejects a rate of twice that or more.
void set_host_core_shares(std::vector<ComputeResult>& results, const std::vector<Target>& targets);

// Copies `bytes` in all ways that the device has: to it and from it, from any memory and from pinned memory (on a
// GPU from that of each NUMA node of the host, where there are several), and from one place of it to another; on
// `host`, which may be null, memory to memory. Rows "copy-in", "copy-out", "copy-device", with the variant "pageable"
// or "pinned". What arrived is compared after it was timed: a wrong copy has no speed. A rate
// counts every byte once.
std::vector<ComputeResult> bench_copies(Device& device, Device* host, std::size_t bytes, std::uint64_t seed,
                                        double empty_run_ms, const TimeRules& rules,
                                        const std::function<void(const std::string&)>& step);

}  // namespace envdoctor::kernels
