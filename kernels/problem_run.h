#pragma once
// One problem on one device: run, compared, named, told.
#include "evidence/compute.h"
#include "kernels/compare.h"
#include "kernels/verify.h"

namespace envdoctor::kernels {

using Trace = std::function<void(const std::string&)>;  // takes words for what comes next

// "gemm fp32 k=64 m=64 n=64".
std::string text(const Kernel& kernel, const Problem& problem);

// Runs it `options.repeat` times with outputs poisoned before each, and compares with the reference and the runs with
// each other. Throws DeviceError.
struct ProblemRun {
  std::vector<Array> inputs{};
  std::vector<Expected> expected{};
  std::vector<Array> outputs{};             // of the first run; of the first wrong one, if any is wrong
  std::vector<Comparison> comparisons{};    // of those, one per output
  std::vector<std::vector<Array>> others{};  // the outputs of runs that differ from those
  bool guard_intact = true;
  [[nodiscard]] bool right() const;
};
ProblemRun run_problem(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                       const Trace& trace);

// What run_problem() is made of. Outputs as they stand; without a reference each is its whole buffer, in the problem's
// precision.
struct Outputs {
  std::vector<Array> arrays{};
  bool guard_intact = true;
};
Outputs read_outputs(Device& device, const Plan& plan, const std::vector<Expected>& expected, Precision precision);
// With the reference; where there is none, by the kernel's spot check. One comparison per output.
std::vector<Comparison> compare_outputs(const Kernel& kernel, const Problem& problem, const ProblemRun& run,
                                        const std::vector<Array>& outputs);
bool differ(const std::vector<Array>& one, const std::vector<Array>& other);  // in any bit

// Why this problem can't be had on this device: "64 MiB are more than the device gives"; empty: it can.
std::string too_large(const Device& device, const Kernel& kernel, const Problem& problem);

// The row of the snapshot.
ComputeResult result_of(const Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                        const ProblemRun& run);

// Names what is wrong with a run, with further runs on the device where they help: a ladder, other sizes, a build
// without optimisation. What the device had built is replaced. Puts the name into `result`.
void name_run(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, const VerifyOptions& options,
              const ProblemRun& run, const Trace& trace, ComputeResult& result);

// The faster of the device's variants for this problem, found by a try-out of about 20 ms where there is a choice. The
// other isn't tried, nor compiled for the first time, where the likelier one takes less than `no_matter_ms`.
Variant choose_variant(Device& device, const Kernel& kernel, const Problem& problem, double no_matter_ms = 0.5);

}  // namespace envdoctor::kernels
