#pragma once
// Runs, compares and classifies one problem on one device.
#include <map>
#include <optional>
#include <set>

#include "evidence/compute_results.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/verify.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {

// The prefix of classification steps, which a row that has already run doesn't need.
inline constexpr std::string_view naming_step = "naming, ";
using Trace = std::function<void(const std::string&)>;  // receives the name of the next step

// "gemm fp32 k=64 m=64 n=64".
std::string problem_name(const Kernel& kernel, const Problem& problem);

// Outputs as read; without a reference each is its whole buffer, in the problem's precision.
struct Outputs {
  std::vector<Array> arrays{};
  bool guard_intact = true;
  int guard_bits = 0;  // changed in the bands beside one of the buffers that were read, at most
  bool cut = false;    // the end of a buffer never arrived
};

// The distinct outputs of launches that were timed to choose a variant.
using TryOuts = std::map<Variant, std::vector<Outputs>>;

// An input that has changed on the device.
struct ChangedInput {
  int input = 0;
  std::size_t first = 0, changed = 0, bytes = 0;  // bytes: of the whole input
  bool before_launch = false;                     // before any launch
};

// Runs it `repeat` times with outputs poisoned before each, and compares with the reference and the runs with each
// other; one more time on other inputs, where it is run more than once. Throws DeviceError.
struct ProblemRun {
  Problem problem{};  // with the inputs of all results below
  std::vector<Array> inputs{};
  std::vector<Expected> expected{};
  std::vector<Array> outputs{};              // of the first run, or of the first wrong one
  std::vector<Comparison> comparisons{};     // one per output
  std::vector<std::vector<Array>> others{};  // the outputs of runs that differ from those
  bool guard_intact = true;
  int guard_bits = 0;  // changed in bands beside buffers
  bool cut = false;    // the end of an output never arrived
  std::optional<ChangedInput> changed_input{};
  bool other_inputs = false;  // wrong only on other inputs: then everything above is about those
  bool by_place = false;      // wrong only because the same rows give different bits at other places
  bool improbable = false;    // wrong only because it exceeds the probable bound, here and on other inputs
  bool stale = false;         // the outputs are those of the previous inputs
  [[nodiscard]] bool right() const;
  [[nodiscard]] bool beyond_chance() const;  // exceeds the probable bound somewhere
};
// `tried`: the try-outs of this variant, whose outputs are compared as well.
ProblemRun run_problem(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                       const Trace& trace, const std::vector<Outputs>& tried = {});

// The parts of run_problem().
Outputs read_outputs(Device& device, const Plan& plan, const std::vector<Expected>& expected, Precision precision);
// Compares with the reference, or if there is none by the kernel's spot check. One comparison per output.
std::vector<Comparison> compare_outputs(const Kernel& kernel, const ProblemRun& run, const std::vector<Array>& outputs);
// The run with these try-out outputs, if they are wrong.
std::optional<ProblemRun> wrong_try_out(const Kernel& kernel, const ProblemRun& run, const std::vector<Outputs>& tried);
bool all_right(const std::vector<Comparison>& comparisons);
bool differ(const std::vector<Array>& one, const std::vector<Array>& other);  // in any bit
// The outputs of one run, which are poisoned before it.
Outputs run_once(Device& device, const Plan& plan, const std::vector<Array>& inputs,
                 const std::vector<Expected>& expected, Precision precision);

// Why the problem doesn't fit on this device: "needs 64 MiB, more than the device offers"; empty: it can.
std::string why_too_large(const Device& device, const Kernel& kernel, const Problem& problem);

// The row of the snapshot.
ComputeResult result_of(const Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                        const ProblemRun& run);

// Classifies a wrong run, with further runs on the device if they help: precision probes, other sizes,
// a build without optimisation. Replaces the device's current build. Writes the kind into `result`. Further runs are
// begun as long as `time_left` says so; empty: always.
class DeviceModes;
void classify_run(Device& device, const Kernel& kernel, Variant variant, const VerifyOptions& options,
                  const ProblemRun& run, const Trace& trace, DeviceModes& modes, ComputeResult& result);

// The results of precision probes and single operations on a device, measured once per precision and variant.
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

// Shared by all work on one device in a child: the rows so far, which are reported after each, and the names of
// steps, from which the parent reports where the child ended.
class DeviceSession {
 protected:
  DeviceSession(Device& device, const VerifyOptions& options, const Reporter& reporter);
  [[nodiscard]] bool wanted(Precision precision) const;
  // The variant from the options, or the device's faster one for this problem, found by a try-out of about 20 ms if
  // there is a choice. The other isn't tried, nor compiled for the first time, if the likelier one takes less than
  // `no_matter_ms`. `tried` receives the launches' outputs.
  Variant choose(const Kernel& kernel, const Problem& problem, double no_matter_ms = 0.5, TryOuts* tried = nullptr);
  void not_run(const Kernel& kernel, std::optional<Precision> precision, std::string_view kind, const std::string& why);
  // False if `work` throws DeviceError, or the device lacks the precision, both of which are reported.
  bool attempt(const Kernel& kernel, Precision precision, const std::function<void()>& work);
  bool offers(const Kernel& kernel, Precision precision);
  // Writes into the rows how many of the host's cores were busy while launches were tried out.
  void note_host_cores();
  void report() const;  // the rows so far, and that more will follow
  void step(const std::string& what) const { reporter_.step(label_ + ": " + what); }
  [[nodiscard]] Trace trace() const;
  void label(const std::vector<const Kernel*>& kernels);

  Device& device_;
  const VerifyOptions& options_;
  const Reporter& reporter_;
  Snapshot part_{};
  std::vector<const Kernel*> built_{};
  std::string label_{};  // of the current work
  Stopwatch time_{};
  double launches_ms_ = 0, cpu_of_launches_ms_ = 0;
};

}  // namespace envdoctor::kernels
