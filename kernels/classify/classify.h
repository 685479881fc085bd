#pragma once
// Classifies wrong results. Works on any two arrays with an Operation; experiments on the device are passed in as
// callbacks, and each is optional.
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/classify/precision_probes.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/kernel.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {

// One run and its known facts.
struct Observation {
  const Operation& operation;
  const Array& got;
  const Expected& expected;
  const Comparison& comparison;
  std::vector<const Array*> repeats{};  // further runs on the same input
  std::size_t repeats_equal = 0;        // further runs on the same input that gave the same bits
  bool guard_changed = false;           // bytes beside a buffer were overwritten
  int guard_bits = 0;                   // the number of changed bits; 0: not counted
  bool cut = false;                     // the end of a buffer never arrived
  bool by_place = false;                // the same rows give different bits at other places
  bool stale = false;                   // the results are those of the previous inputs
  std::string changed_input{};          // how much of an input differs on the device from what was sent; empty: nothing
  bool changed_before_launch = false;   // already before the launch
};

// Experiments that can confirm a kind. A function that is empty, or returns none, is not available.
struct Experiments {
  std::optional<MeasuredPrecision> measured{};  // of the same device and library
  std::optional<FpMode> mode{};
  // The reference if functions may be as inexact as fast-math options allow; an infinite bound allows any value.
  std::function<std::optional<Expected>()> relaxed{};
  // The operation's functions that are inexact in single evaluations: "exp, by up to 21 ulp"; none: none is.
  std::function<std::optional<std::string>()> inexact_functions{};
  // Whether on other inputs the same elements are wrong.
  std::function<std::optional<bool>()> same_places{};
  std::function<std::optional<bool>()> right_when_read_again{};  // wrong when read once, right when read twice
  // The same operation at another size, on its own inputs: right or not; from a start size to this run's size.
  std::function<std::optional<bool>(std::int64_t size)> right_at{};
  // No driver has a limit below small_size, so a wrong result there has another cause.
  std::int64_t small_size = 256, this_size = 1;
  std::function<std::optional<bool>()> right_without_optimisation{};
  // How many additions are missing where every number is 1; 0 if none is, or if something else is wrong as well.
  std::function<std::optional<std::size_t>()> additions_lost{};
  std::function<std::optional<bool>()> right_in_groups_of_one{};  // with one work-item in each work-group
  // The optional parts of the device (device.h, Switch), each with the operation's result without it.
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
  std::string confirmed_by{};           // "replay, precision probes"; empty: judged only by its pattern
  std::optional<std::int64_t> limit{};  // size_limit: the largest size that is right
  [[nodiscard]] std::string_view cause() const { return kind ? envdoctor::text(*kind) : ""; }
};

Classification classify(const Observation& observation, const Experiments& experiments = {});

// Writes into the evidence: cause, pattern ("TF32 inputs, …; where"), confirmed_by, limit, repeatable.
void write(const Classification& found, const Observation& observation, ComputeResult& result);

// The largest right size, between one that is right and one that isn't; none if sizes next to the boundary don't
// confirm it, or if it can't be found in `most_runs` runs.
std::optional<std::int64_t> largest_right(std::int64_t right, std::int64_t wrong,
                                          const std::function<std::optional<bool>(std::int64_t)>& right_at,
                                          int most_runs = 60);

}  // namespace envdoctor::kernels
