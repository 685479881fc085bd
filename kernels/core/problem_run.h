#pragma once
// One problem on one device: run, compared, classified.
#include "evidence/compute_results.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/verify.h"

namespace envdoctor::kernels {

using Trace = std::function<void(const std::string&)>;  // is given the name of the next step

// "gemm fp32 k=64 m=64 n=64".
std::string problem_name(const Kernel& kernel, const Problem& problem);

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
bool all_right(const std::vector<Comparison>& comparisons);
bool differ(const std::vector<Array>& one, const std::vector<Array>& other);  // in any bit
// The outputs of one run, poisoned before.
Outputs run_once(Device& device, const Plan& plan, const std::vector<Array>& inputs,
                 const std::vector<Expected>& expected, Precision precision);

// Why this device can't hold the problem: "needs 64 MiB, more than the device offers"; empty: it can.
std::string why_too_large(const Device& device, const Kernel& kernel, const Problem& problem);

// The row of the snapshot.
ComputeResult result_of(const Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                        const ProblemRun& run);

// Classifies what is wrong with a run, with further runs on the device where they help: precision probes, other sizes,
// a build without optimisation. What the device had built is replaced. Writes the kind into `result`.
void classify_run(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, const VerifyOptions& options,
              const ProblemRun& run, const Trace& trace, ComputeResult& result);

// What all work on one device in a child shares: the rows so far, which are reported after each, and the names of
// steps, from which the parent says where the child ended.
class DeviceSession {
 protected:
  DeviceSession(Device& device, const VerifyOptions& options, const Reporter& reporter);
  [[nodiscard]] bool wanted(Precision precision) const;
  // The option's variant, or the faster of the device's for this problem, found by a try-out of about 20 ms where there
  // is a choice. The other isn't tried, nor compiled for the first time, where the likelier one takes less than
  // `no_matter_ms`.
  Variant choose(const Kernel& kernel, const Problem& problem, double no_matter_ms = 0.5) const;
  void not_run(const Kernel& kernel, std::optional<Precision> precision, std::string_view kind, const std::string& why);
  // False if `work` throws DeviceError, or the device has no such precision; which is reported.
  bool attempt(const Kernel& kernel, Precision precision, const std::function<void()>& work);
  bool offers(const Kernel& kernel, Precision precision);
  void report() const;  // the rows so far, and that there are more to come
  void step(const std::string& what) const { reporter_.step(label_ + ": " + what); }
  [[nodiscard]] Trace trace() const;
  void label(const std::vector<const Kernel*>& kernels);

  Device& device_;
  const VerifyOptions& options_;
  const Reporter& reporter_;
  Snapshot part_{};
  std::vector<const Kernel*> built_{};
  std::string label_{};  // of what is being done
  Stopwatch time_{};
};

}  // namespace envdoctor::kernels
