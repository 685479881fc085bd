#pragma once
// Whether devices compute the results of the reference kernels. Each device runs the kernels in separate
// children, one after the other, in groups; all devices in parallel. The parent loads no driver.
#include <optional>

#include "evidence/snapshot.h"
#include "host/process/subprocess.h"
#include "kernels/devices/device.h"

namespace envdoctor::kernels {

struct VerifyOptions {
  Effort effort = Effort::full;
  std::vector<std::string> kernels{};   // by name; empty: all
  std::vector<Precision> precisions{};  // empty: all
  std::optional<std::int64_t> size{};   // replaces every size of each kernel
  std::optional<Variant> variant{};     // instead of the faster one; the host has its own
  int repeat = 3;                       // runs of each problem, compared bit by bit
  std::uint64_t seed = 1;
  Limits limits{.time = Milliseconds(30'000)};  // of one group of kernels
  Milliseconds whole{120'000};
  std::string build_options{};   // options for the devices' compilers
  std::size_t vector_bytes = 0;  // write for vectors of 32 or 64 bytes, instead of the device's own
  std::size_t guard_bytes = 4096;
  std::string (*code_name)(std::string_view api, std::int64_t code) = nullptr;
  std::function<void(const std::vector<std::string>&)> progress{};
};

// The sections `compute` and `compute_not_run`, in the order of targets and kernels. A reason begins with one word:
// missing (the device lacks the precision), memory, time, busy (in use), build, error (of a call); or with how
// the child ended: crash, exit, timeout, memory, malformed.
Snapshot verify(const std::vector<Target>& targets, const VerifyOptions& options);

// In a child: these kernels on that device. `partial_result` repeatedly receives the rows so far; `step` the name of
// the next step.
struct Job {
  Target target{};
  std::vector<const Kernel*> kernels{};
};
struct Reporter {
  std::function<void(const Snapshot&)> partial_result{};
  std::function<void(const std::string&)> step{};
};
using ChildWork = std::function<void(const Job& job, const VerifyOptions& options, const Reporter& reporter)>;
// Opens the job's device for `work`. The calls made for each of its steps are reported with that step's name, so that a
// crash in a call is attributed to that step.
void with_device(const Job& job, const VerifyOptions& options, const Reporter& reporter,
                 const std::function<void(Device& device, const Reporter& reporter)>& work);
void verify_job(const Job& job, const VerifyOptions& options, const Reporter& reporter);
// The same on a device that is open already.
void verify_on(Device& device, const std::vector<const Kernel*>& kernels, const VerifyOptions& options,
               const Reporter& reporter);

// The core of verify(): runs `work` for each target and group of kernels, and fills the sections as verify() does. If
// run one after the other, the devices share the available time.
enum class Order { concurrent, sequential };
Snapshot run_in_children(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
                         const VerifyOptions& options, const ChildWork& work, Order turns);

// The kernels of a list that the options select.
std::vector<const Kernel*> selected_kernels(const std::vector<Kernel>& roster, const VerifyOptions& options);

// Whether a size says what is computed, not how much: "steps".
bool is_fixed_size(const std::string& name);

}  // namespace envdoctor::kernels
