#pragma once
// Shared by the checks of computed results: one finding per device, however many kernels show it.
#include <functional>

#include "checks/engine/diagnosis.h"
#include "checks/facts/facts.h"

namespace envdoctor::compute {

struct Row {
  std::size_t index = 0;  // into /compute
  const ComputeResult* result = nullptr;
  const Agreement* agreement = nullptr;
  std::optional<WrongResult> cause{};  // none: the result is right
  [[nodiscard]] bool outside() const { return agreement->outcome.is("outside"); }
  // Outside the probable bound only, which proves nothing.
  [[nodiscard]] bool by_chance() const { return agreement->bound.is("probable"); }
  [[nodiscard]] bool by_framework() const { return result->backend.is("framework"); }
};

// The results that were compared with a reference.
std::vector<Row> rows(const Snapshot& snapshot);

// "gpu:0000:65:00.0" where the snapshot knows the device's PCI address; otherwise the device as named in the result.
std::string subject(const Snapshot& snapshot, const ComputeResult& result);
// Whether several of this host's cores were busy while this device, which claims not to be a CPU, computed.
bool burns_host_cores(const Snapshot& snapshot, const std::string& device);
// Whether this is one of the host's CPU devices: our own C++, a CPU device of OpenCL, or a device that keeps the host's
// cores busy.
bool is_cpu(const Snapshot& snapshot, const std::string& device);

// Outcome, pattern and samples of each row, most significant first.
std::vector<Evidence> proof(const std::vector<Row>& rows);
// "in gemm fp32 k=64 m=64 n=64, dot fp32 n=4096 and 3 more".
std::string in_problems(const std::vector<Row>& rows);

// One finding of `id` for each device that has rows which `picked` picks, described by `describe`; otherwise passed, or
// unknown where no result is known or one can't be trusted.
void judge(const Snapshot& snapshot, Answers& answers, const std::function<bool(const Row&)>& picked,
           const std::function<void(Finding&, const std::vector<Row>&)>& describe);
// The same for one cause, and a finding of `id` for each difference of this kind that a program prints.
void judge_cause(const Facts& facts, Answers& answers, WrongResult cause,
                 const std::function<void(Finding&, const std::vector<Row>&)>& describe);
// Only the differences that a program prints. Kinds: flush_to_zero, fast_math, tf32_inputs; unnamed: wrong.
void add_printed(const Facts& facts, Answers& answers, WrongResult kind);

// Whether this row failed by itself, not because the device lacks something or is in use. Larger
// sizes for which no time was left don't count as long as smaller ones ran.
bool stopped(const Snapshot& snapshot, const ComputeNotRun& row);

// Causes that mean a narrower arithmetic than requested, not a fault.
bool is_narrow(std::optional<WrongResult> cause);

}  // namespace envdoctor::compute
