#pragma once
// What the rules of naming are given, and those of them that tell arithmetics apart. A rule names or passes.
#include <optional>
#include <vector>

#include "kernels/hypotheses.h"
#include "kernels/naming.h"
#include "kernels/patterns.h"

namespace envdoctor::kernels {

struct NamingCase {
  const Trial& trial;
  const Experiments& experiments;
  Pattern pattern{};
  std::optional<Replay> replay{};
  std::vector<std::size_t> unstable{};                       // places where repeats differ
  mutable std::optional<std::optional<bool>> unoptimised{};  // whether it is right so, once tried
  [[nodiscard]] bool wrong() const { return !trial.comparison.right(); }
  [[nodiscard]] std::optional<bool> right_without_optimisation() const {
    if (!unoptimised && experiments.right_without_optimisation) unoptimised = experiments.right_without_optimisation();
    return unoptimised.value_or(std::nullopt);
  }
};

// In the order in which they are asked.
std::optional<Name> lost_terms(const NamingCase& c);
std::optional<Name> accumulator(const NamingCase& c);
std::optional<Name> narrowed_inputs(const NamingCase& c);
std::optional<Name> truncation(const NamingCase& c);
std::optional<Name> by_ladder_alone(const NamingCase& c);
std::optional<Name> flushed(const NamingCase& c);
std::optional<Name> fast_math(const NamingCase& c);

}  // namespace envdoctor::kernels
