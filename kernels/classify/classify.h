#pragma once
// What kind of wrong a result is. Works on any two arrays with an Operation; experiments on the device are handed in as
// callbacks, and each is optional.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/core/compare_results.h"
#include "kernels/reference/fp_probe.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/kernel.h"

namespace envdoctor::kernels {

// One run, and what is known of it.
struct Observation {
  const Operation& operation;
  const Array& got;
  const Expected& expected;
  const Comparison& comparison;
  std::vector<const Array*> repeats{};      // further runs on the same input
  std::size_t repeats_equal = 0;            // further runs on the same input that gave the very same bits
  bool guard_changed = false;               // bytes beside a buffer were overwritten
  int guard_bits = 0;                       // so many bits of them; 0: not counted
  bool cut = false;                         // the end of a buffer never arrived
  bool by_place = false;                    // the same rows give other bits elsewhere
  bool stale = false;                       // the bits are those of the inputs before
  std::string changed_input{};              // how much of an input the device doesn't hold as it was sent; empty: nothing
  bool changed_before_launch = false;       // already when it had been sent
};

// What can be tried to confirm a kind. A function that is empty, or returns none, was not available.
struct Experiments {
  std::optional<MeasuredPrecision> measured{};  // of the same device and library
  std::optional<FpMode> mode{};
  // What is right where functions may be as inexact as fast-math options allow; an infinite bound: anything is.
  std::function<std::optional<Expected>()> relaxed{};
  // Which of the operation's functions are off in single evaluations: "exp, by up to 21 ulp"; none: none is.
  std::function<std::optional<std::string>()> inexact_functions{};
  // On other inputs the wrong elements are those that are wrong here.
  std::function<std::optional<bool>()> same_places{};
  std::function<std::optional<bool>()> right_when_read_again{};  // wrong when read once, right when read twice
  // The same operation at another size, on its own inputs: right or not; a size to start from, and this run's.
  std::function<std::optional<bool>(std::int64_t size)> right_at{};
  // Below small_size no driver has a limit; so that a wrong result there has another cause.
  std::int64_t small_size = 256, this_size = 1;
  std::function<std::optional<bool>()> right_without_optimisation{};
  // How many additions are missing where every number is 1; 0 where none is, or something else is wrong as well.
  std::function<std::optional<std::size_t>()> additions_lost{};
  std::function<std::optional<bool>()> right_in_groups_of_one{};  // with one work-item in each work-group
  // What the device can do without (device.h, Switch), each with the same operation tried so.
  struct Without {
    WrongResult kind = WrongResult::unnamed;
    std::string text{};
    std::function<std::optional<bool>()> right{};
  };
  std::vector<Without> without{};
  // The same in plain arithmetic of the same precision on the CPU, compared with the same reference.
  std::function<std::optional<Comparison>()> twin{};
};

struct Classification {
  std::optional<WrongResult> kind{};    // none: there is nothing to explain
  std::string text{};                   // "TF32 inputs, rounded to nearest"
  std::string confirmed_by{};           // "replay, precision probes"; empty: only what it looks like
  std::optional<std::int64_t> limit{};  // size_limit: the largest size that is right
  [[nodiscard]] std::string_view cause() const { return kind ? envdoctor::text(*kind) : ""; }
};

Classification classify(const Observation& observation, const Experiments& experiments = {});

// Into the evidence: cause, pattern ("TF32 inputs, …; where"), confirmed_by, limit, repeatable.
void write(const Classification& found, const Observation& observation, ComputeResult& result);

// The largest size that is right, between one that is and one that isn't; none where sizes beside the boundary don't
// agree with its being one, or where it can't be found in `most_runs` runs.
std::optional<std::int64_t> largest_right(std::int64_t right, std::int64_t wrong,
                                          const std::function<std::optional<bool>(std::int64_t)>& right_at,
                                          int most_runs = 60);

}  // namespace envdoctor::kernels
