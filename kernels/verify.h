#pragma once
// Whether devices compute what the reference kernels must give. Each device works through the kernels in children of
// its own, one after the other, in groups; all devices side by side. The parent loads no driver.
#include <optional>

#include "evidence/snapshot.h"
#include "host/apart.h"
#include "kernels/device.h"

namespace envdoctor::kernels {

struct VerifyOptions {
  Effort effort = Effort::full;
  std::vector<std::string> kernels{};      // by name; empty: all
  std::vector<Precision> precisions{};     // empty: all
  std::optional<std::int64_t> size{};      // in place of each kernel's own: every one of its sizes
  std::optional<Variant> variant{};        // instead of trying out which is faster; the host has its own
  int repeat = 3;                          // runs of each problem, compared bit by bit
  std::uint64_t seed = 1;
  Limits limits{.time = Milliseconds(30'000)};  // of one group of kernels
  Milliseconds whole{120'000};
  std::string build_options{};             // for the devices' compilers
  std::size_t vector_bytes = 0;            // write for vectors of 32 or 64 bytes, instead of the device's own
  std::size_t guard_bytes = 4096;
  std::string (*code_name)(std::string_view api, std::int64_t code) = nullptr;
  std::function<void(const std::vector<std::string>&)> progress{};
};

// The sections `compute` and `compute_not_run`, in the order of targets and kernels. A reason begins with one word:
// missing (the device has no such precision), memory, time, busy (others use it), build, error (of a call); or with how
// the child ended: crash, exit, timeout, memory, malformed.
Snapshot verify(const std::vector<Target>& targets, const VerifyOptions& options);

// The devices of a snapshot, the host last: each OpenCL device whose driver came through, each CUDA device. `layers`: a
// libOpenCL is to be gone through, as applications do whose user put layers in (OPENCL_LAYERS); empty: the drivers' own
// calls.
std::vector<Target> targets_of(const Snapshot& snapshot, const std::string& layers = "");

// In a child: these kernels on that device. `tell` takes what is known so far, again and again; `step` what comes next.
struct Job {
  Target target{};
  std::vector<const Kernel*> kernels{};
};
struct Told {
  std::function<void(const Snapshot&)> so_far{};
  std::function<void(const std::string&)> step{};
};
using ChildWork = std::function<void(const Job& job, const VerifyOptions& options, const Told& told)>;
// Opens the job's device for `work`, whose steps are told with the calls made for them: a crash in a call is then
// blamed on what it was made for.
void with_device(const Job& job, const VerifyOptions& options, const Told& told,
                 const std::function<void(Device& device, const Told& told)>& work);
void verify_job(const Job& job, const VerifyOptions& options, const Told& told);
// The same on a device that is open already.
void verify_on(Device& device, const std::vector<const Kernel*>& kernels, const VerifyOptions& options, const Told& told);

// What verify() is made of: `work` for each target and group of kernels, with the sections filled as told above. One
// after the other, the devices share what time there is.
enum class Turns { side_by_side, one_after_the_other };
Snapshot in_children(const std::vector<Target>& targets, const std::vector<const Kernel*>& kernels,
                     const VerifyOptions& options, const ChildWork& work, Turns turns);

// The kernels of a roster that the options name.
std::vector<const Kernel*> wanted_kernels(const std::vector<Kernel>& roster, const VerifyOptions& options);

// Whether a size tells how a problem is meant, not how large it is: "steps".
bool keeps_its_size(const std::string& name);

}  // namespace envdoctor::kernels
