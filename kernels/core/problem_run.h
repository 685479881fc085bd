#pragma once
// One problem on one device: run, compared, classified.
#include <map>
#include <optional>
#include <set>

#include "evidence/compute_results.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/verify.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {

// How the steps of naming begin, which a row that has run already doesn't need.
inline constexpr std::string_view naming_step = "naming, ";
using Trace = std::function<void(const std::string&)>;  // is given the name of the next step

// "gemm fp32 k=64 m=64 n=64".
std::string problem_name(const Kernel& kernel, const Problem& problem);

// Outputs as they stand; without a reference each is its whole buffer, in the problem's precision.
struct Outputs {
  std::vector<Array> arrays{};
  bool guard_intact = true;
  int guard_bits = 0;  // changed in the bands beside one of the buffers that were read, at most
  bool cut = false;    // the end of one never arrived
};

// The outputs of launches that were timed to choose a variant: those that differ in any bit.
using TryOuts = std::map<Variant, std::vector<Outputs>>;

// An input that the device doesn't hold any more as it was sent.
struct ChangedInput {
  int input = 0;
  std::size_t first = 0, changed = 0, bytes = 0;  // bytes: of the whole input
  bool before_launch = false;                     // as soon as it was sent
};

// Runs it `repeat` times with outputs poisoned before each, and compares with the reference and the runs with each
// other; one more time on other inputs, where it is run more than once. Throws DeviceError.
struct ProblemRun {
  Problem problem{};                        // with the inputs that all below is of
  std::vector<Array> inputs{};
  std::vector<Expected> expected{};
  std::vector<Array> outputs{};             // of the first run; of the first wrong one, if any is wrong
  std::vector<Comparison> comparisons{};    // of those, one per output
  std::vector<std::vector<Array>> others{};  // the outputs of runs that differ from those
  bool guard_intact = true;
  int guard_bits = 0;                       // changed in bands beside buffers
  bool cut = false;                         // the end of an output never arrived
  std::optional<ChangedInput> changed_input{};
  bool other_inputs = false;                // wrong on other inputs alone: all of the above is of those
  bool by_place = false;                    // wrong only in that the same rows give other bits elsewhere
  bool improbable = false;                  // wrong only in that chance doesn't explain it, here and on other inputs
  bool stale = false;                       // the outputs are those of the inputs before
  [[nodiscard]] bool right() const;
  [[nodiscard]] bool beyond_chance() const;  // further off somewhere than chance explains
};
// `tried`: of this variant, whose outputs are compared as well.
ProblemRun run_problem(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                       const Trace& trace, const std::vector<Outputs>& tried = {});

// What run_problem() is made of.
Outputs read_outputs(Device& device, const Plan& plan, const std::vector<Expected>& expected, Precision precision);
// With the reference; where there is none, by the kernel's spot check. One comparison per output.
std::vector<Comparison> compare_outputs(const Kernel& kernel, const ProblemRun& run, const std::vector<Array>& outputs);
// The run of which these outputs were tried out, if they are wrong.
std::optional<ProblemRun> wrong_try_out(const Kernel& kernel, const ProblemRun& run, const std::vector<Outputs>& tried);
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
// a build without optimisation. What the device had built is replaced. Writes the kind into `result`. Further runs are
// begun as long as `time_left` says so; empty: always.
class DeviceModes;
void classify_run(Device& device, const Kernel& kernel, Variant variant, const VerifyOptions& options, const ProblemRun& run,
                  const Trace& trace, DeviceModes& modes, ComputeResult& result);

// What the precision probes and single operations show of a device, measured once for each precision and variant.
class DeviceModes {
 public:
  explicit DeviceModes(std::function<bool()> time_left = {}) : time_left_(std::move(time_left)) {}
  [[nodiscard]] bool time_left() const { return !time_left_ || time_left_(); }

 private:
  friend struct DeviceExperiments;
  using Key = std::pair<Precision, Variant>;
  std::function<bool()> time_left_;
  std::map<Key, std::optional<MeasuredPrecision>> measured_{};
  std::map<Key, std::optional<FpMode>> modes_{};
  std::map<Key, std::optional<std::set<std::string>>> functions_{};
};

// What all work on one device in a child shares: the rows so far, which are reported after each, and the names of
// steps, from which the parent says where the child ended.
class DeviceSession {
 protected:
  DeviceSession(Device& device, const VerifyOptions& options, const Reporter& reporter);
  [[nodiscard]] bool wanted(Precision precision) const;
  // The option's variant, or the faster of the device's for this problem, found by a try-out of about 20 ms where there
  // is a choice. The other isn't tried, nor compiled for the first time, where the likelier one takes less than
  // `no_matter_ms`. `tried` takes what the launches gave.
  Variant choose(const Kernel& kernel, const Problem& problem, double no_matter_ms = 0.5, TryOuts* tried = nullptr);
  void not_run(const Kernel& kernel, std::optional<Precision> precision, std::string_view kind, const std::string& why);
  // False if `work` throws DeviceError, or the device has no such precision; which is reported.
  bool attempt(const Kernel& kernel, Precision precision, const std::function<void()>& work);
  bool offers(const Kernel& kernel, Precision precision);
  // Writes into the rows how many of the host's cores were busy while launches were tried out.
  void note_host_cores();
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
  double launches_ms_ = 0, cpu_of_launches_ms_ = 0;
};

}  // namespace envdoctor::kernels
