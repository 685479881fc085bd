#pragma once
// From a symptom to its name. Works on any two arrays with an Operation; what can be tried again on the device is
// handed in as callbacks, and each is optional.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/compare.h"
#include "kernels/fp_mode.h"
#include "kernels/ladders.h"
#include "kernels/operation.h"

namespace envdoctor::kernels {

// One run, and what is known of it.
struct Trial {
  const Operation& operation;
  const Array& got;
  const Expected& expected;
  const Comparison& comparison;
  std::vector<const Array*> repeats{};      // further runs on the same input
  bool guard_changed = false;               // bytes beside the output buffer were overwritten
};

// What can be tried to be surer. An empty function, or one that answers none, wasn't to be had.
struct Experiments {
  std::optional<LadderReading> ladder{};    // of the same device and library
  std::optional<FpMode> mode{};
  // The same operation at another size, on its own inputs: right or not; a size to start from, and this run's.
  std::function<std::optional<bool>(std::int64_t size)> right_at{};
  // Below small_size no driver has a limit; what is wrong there is no matter of size.
  std::int64_t small_size = 256, this_size = 1;
  std::function<std::optional<bool>()> right_without_optimisation{};
  std::function<std::optional<bool>()> right_in_groups_of_one{};  // with one work-item in each work-group
  // What the device can do without (device.h, Switch), each with the same operation tried so.
  struct Without {
    std::string cause{}, text{};
    std::function<std::optional<bool>()> right{};
  };
  std::vector<Without> without{};
  // The same in plain arithmetic of the same precision on the CPU, compared with the same reference.
  std::function<std::optional<Comparison>()> twin{};
};

// `cause`, one word for programs:
//   out-of-bounds, not-written, nondeterministic, order (float atomics), bit-flip, tile,
//   tf32-inputs, bf16-inputs, fp16-inputs, fp32-inputs, narrow-inputs (11 bits, TF32 or fp16),
//   fp16-accumulator, narrow-accumulator, truncating-accumulator, flush-to-zero, fast-math, size-limit, miscompiled,
//   unstable (plain arithmetic on the CPU is as far off), cudnn, onednn, lost-terms, barrier (items of a group don't
//   wait for each other), tail, columns, other-index, not-a-number, zeros, scaled, other-calculation (the same at every
//   size, in every run, with and without optimisation), unnamed
// Empty: nothing needs a name.
struct Name {
  std::string cause{};
  std::string text{};             // "TF32 inputs, rounded to nearest"
  std::string confirmed_by{};     // "replay, ladder"; empty: by its look alone
  std::optional<std::int64_t> limit{};  // size-limit: the largest size that is right
};

Name name(const Trial& trial, const Experiments& experiments = {});

// Into the evidence: cause, pattern ("TF32 inputs, …; where"), confirmed_by, limit, repeatable.
void write(const Name& name, const Trial& trial, ComputeResult& result);

// The largest size that is right, between one that is and one that isn't; none where sizes beside the boundary don't
// agree with its being one, or where it can't be found in `most_runs` runs.
std::optional<std::int64_t> largest_right(std::int64_t right, std::int64_t wrong,
                                          const std::function<std::optional<bool>(std::int64_t)>& right_at,
                                          int most_runs = 60);

}  // namespace envdoctor::kernels
