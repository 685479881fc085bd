#pragma once
// How fast devices compute what they compute right. One device after the other, in children of their own, and turn by
// turn with the plain C++ of this host, so that both see the same machine.
#include "kernels/peak.h"
#include "kernels/verify.h"

namespace envdoctor::kernels {

// What is timed: a kernel's problem, and what its speed is told in.
struct TimedProblem {
  const char* kernel = "";
  Precision precision = Precision::fp32;
  Sizes size{};
  bool quick = false;  // also part of the short run
  bool ladder = false; // one of many sizes, from which is told where a device begins to be worth it: with its copies as well
};
const std::vector<TimedProblem>& timed_problems();  // in kernels/bench_problems.cpp, as they are reported

// What speed means for this kernel: bytes moved, floating operations, other operations; nothing: time alone.
std::optional<Rate> rate_of(std::string_view kernel, Precision precision);

constexpr double beyond_caches_bytes = 32 << 20;  // a run that moves as much says how fast memory is

// Which inputs of this problem a program would send anew for each run, as weights stay where they are.
std::vector<int> sent_anew(std::string_view kernel, const Sizes& size);

// The kernels of that roster: the reference kernels, and those that exist to be timed. "copy" is a name alone: see
// bench_copies.h.
const std::vector<Kernel>& timed_kernels();

// The sections `compute` and `compute_not_run`, as verify(). Effort::tiny is Effort::quick. Rows have a time only where
// the result was right, before and while it was timed, and a rate only where it is possible; the reason stands in its
// place.
Snapshot bench(const std::vector<Target>& targets, const VerifyOptions& options);

// The same through frameworks' own operations, over batches that grow: a few layers, in float32.
Snapshot bench_frameworks(const std::vector<Target>& targets, const VerifyOptions& options);

// In a child: times these kernels on a device that is open already, and on `host`, which may be null.
void bench_on(Device& device, Device* host, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
              const Told& told);

// Shares of devices that compute on the host's cores: of what our own loops of the same run reach there. A rate of
// twice that and more is refused.
void settle_host_cores(std::vector<ComputeResult>& results, const std::vector<Target>& targets);

}  // namespace envdoctor::kernels
