#include "kernels/naming.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "kernels/naming_case.h"

namespace envdoctor::kernels {
namespace {

using Case = NamingCase;
using Rule = std::optional<Name> (*)(const Case&);

std::optional<Name> out_of_bounds(const Case& c) {
  if (!c.trial.guard_changed) return {};
  return Name{"out-of-bounds", "memory beside the output was overwritten", "guard"};
}

std::optional<Name> limit(const Case& c) {
  const Experiments& e = c.experiments;
  if (!c.wrong() || !c.unstable.empty() || !e.right_at) return {};
  const auto found = largest_right(e.small_size, e.this_size, e.right_at);
  if (!found) return {};
  return Name{"size-limit", fmt::format("right up to {}, wrong from {} on", *found, *found + 1), "bisection", found};
}

std::optional<Name> not_written(const Case& c) {
  if (c.trial.comparison.poison == 0) return {};
  if (auto by_size = limit(c)) return by_size;
  return Name{"not-written", "the kernel did not run in full", "poison"};
}

// Bits that turn between runs, or against a whole-number answer: one in a word is memory, a block of rows one compute
// unit.
std::optional<Name> one_bit(const Case& c) {
  // Inputs of fewer bits, too, may leave one element outside, and by chance one bit of it.
  if (c.wrong() && c.pattern.shape == Shape::one_bit && !(c.replay && c.replay->holds))
    return Name{"bit-flip", "single bits turned", c.unstable.empty() ? "" : "repeat"};
  if (c.unstable.empty() || c.unstable.size() > 8 || 16 * c.unstable.size() > c.trial.got.count()) return {};
  for (const Array* repeat : c.trial.repeats) {
    for (const std::size_t i : c.unstable) {
      const std::uint64_t turned = repeat->bits(i) ^ c.trial.got.bits(i);
      if (turned != 0 && std::popcount(turned) != 1) return {};
    }
  }
  return Name{"bit-flip", fmt::format("{} bits differ between runs", c.unstable.size()), "repeat"};
}

std::optional<Name> tile(const Case& c) {
  if (!c.wrong() || (c.pattern.shape != Shape::tile && c.pattern.shape != Shape::every_nth)) return {};
  return Name{"tile",
              c.pattern.shape == Shape::tile ? "one block of the output is wrong" : "one lane of the output is wrong",
              c.unstable.empty() ? "" : "repeat"};
}

std::optional<Name> unstable(const Case& c) {
  if (c.unstable.empty()) return {};
  const std::string many = fmt::format("{} elements differ between runs on the same input", c.unstable.size());
  if (c.trial.operation.order_free && !c.wrong())
    return Name{"order", many + "; sums are formed in a free order", "repeat"};
  return Name{"nondeterministic", many, "repeat"};
}

// The twin rule: eight times its error, in the root of the mean square, is another arithmetic; less is the
// calculation's.
std::optional<Name> ill_conditioned(const Case& c) {
  if (!c.wrong() || !c.experiments.twin || c.trial.comparison.not_numbers > 0) return {};
  const std::optional<Comparison> twin = c.experiments.twin();
  if (!twin || twin->right() || c.trial.comparison.mean_square_over_bound > 64 * twin->mean_square_over_bound)
    return {};
  return Name{"unstable", "the CPU's plain arithmetic is as far off", "twin"};
}

// Right as soon as one library is left out: it is that library.
std::optional<Name> one_library(const Case& c) {
  if (!c.wrong()) return {};
  for (const Experiments::Without& without : c.experiments.without) {
    if (without.right() == true) return Name{without.cause, without.text, "switched off"};
  }
  return {};
}

std::optional<Name> miscompiled(const Case& c) {
  if (!c.wrong() || c.right_without_optimisation() != true) return {};
  Name name{"miscompiled", "right when built without optimisation", "without optimisation"};
  if (const auto by_size = limit(c)) {
    name.text += "; with it " + by_size->text;
    name.limit = by_size->limit;
  }
  return name;
}

// Items of a group that don't wait for each other do no harm where each is alone.
std::optional<Name> barrier(const Case& c) {
  if (!c.wrong() || !c.experiments.right_in_groups_of_one || c.experiments.right_in_groups_of_one() != true) return {};
  return Name{"barrier", "right with one work-item in a group: items of a group don't wait for each other",
              "groups of one"};
}

// One factor between nearly all that was got and what is right.
std::optional<Name> scaled(const Case& c) {
  const Expected& expected = c.trial.expected;
  const std::vector<std::size_t>& wrong = c.trial.comparison.wrong;
  if (wrong.size() < 8 || 2 * wrong.size() < c.trial.got.count()) return {};
  const auto right = [&](std::size_t i) { return expected.exact ? expected.exact->value(i) : expected.value[i]; };
  std::vector<double> ratios;
  for (const std::size_t i : wrong) ratios.push_back(c.trial.got.value(i) / right(i));
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
  if (10 * ratios.size() < 9 * wrong.size()) return {};
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::ranges::nth_element(ratios, middle);
  const double factor = *middle;
  const auto fits = [&](double ratio) { return std::fabs(ratio - factor) <= 1e-4 * std::fabs(factor); };
  if (factor == 0 || 10 * static_cast<std::size_t>(std::ranges::count_if(ratios, fits)) < 9 * ratios.size()) return {};
  return Name{"scaled", fmt::format("results are {:.6g} times what they should be", factor), ""};
}

// What neither size nor time nor the optimiser changes is no fault of memory, of scheduling or of a limit.
std::optional<Name> other_calculation(const Case& c) {
  const Experiments& e = c.experiments;
  if (!c.wrong() || !c.unstable.empty() || 2 * c.trial.comparison.wrong.size() < c.trial.got.count()) return {};
  if (!e.right_at || e.right_at(e.small_size) != false || c.right_without_optimisation() != false) return {};
  return Name{"other-calculation",
              "the same wrong results at every size, in every run and without optimisation: another calculation than "
              "the one asked for",
              "other sizes, without optimisation"};
}

std::optional<Name> place(const Case& c) {
  if (!c.wrong()) return {};
  switch (c.pattern.shape) {
    case Shape::tail:
      return Name{"tail", "the end of the output is wrong", ""};
    case Shape::columns:
      return Name{"columns", "whole columns are wrong", ""};
    case Shape::other_index:
      return Name{"other-index", "right values at wrong places", ""};
    case Shape::zeros:
      return Name{"zeros", "results are zero", ""};
    default:
      break;
  }
  if (c.trial.comparison.not_numbers != c.trial.comparison.wrong.size()) return {};
  return Name{"not-a-number", "NaN or infinity where a number belongs", ""};
}

std::optional<Name> unnamed(const Case& c) {
  if (c.wrong()) return Name{"unnamed", "outside the bound, cause unknown", ""};
  if (c.replay && c.replay->suspect())
    return Name{
        "unnamed",
        fmt::format("within the bound, but {:.0f} times the usual error", 8 * c.replay->plain / c.replay->suspect_line),
        ""};
  return {};
}

}  // namespace

Name name(const Trial& trial, const Experiments& experiments) {
  Case c{trial, experiments};
  const bool fits = trial.got.precision == trial.expected.precision && trial.got.count() == trial.expected.count();
  if (!fits) return {"unnamed", "not the shape that was asked for", ""};
  if (!trial.comparison.right())
    c.pattern = pattern_of(trial.got, trial.expected, trial.comparison.wrong, {.columns = trial.operation.columns});
  std::set<std::size_t> places;
  for (const Array* repeat : trial.repeats) {
    for (const std::size_t i : differing(trial.got, *repeat)) places.insert(i);
  }
  c.unstable.assign(places.begin(), places.end());
  c.replay = replay(trial.operation, trial.got);
  for (const Rule rule :
       {out_of_bounds,   not_written, one_bit,         tile,    unstable,  lost_terms,        accumulator,
        narrowed_inputs, truncation,  by_ladder_alone, flushed, fast_math, one_library,       ill_conditioned,
        miscompiled,     limit,       barrier,         place,   scaled,    other_calculation, unnamed}) {
    if (std::optional<Name> found = rule(c)) return *found;
  }
  return {};
}

void write(const Name& name, const Trial& trial, ComputeResult& result) {
  if (!trial.repeats.empty())
    result.repeatable =
        std::ranges::all_of(trial.repeats, [&](const Array* repeat) { return differing(trial.got, *repeat).empty(); });
  if (name.cause.empty()) return;
  Agreement& agreement = result.agreement.fill();
  agreement.cause = name.cause;
  const std::string where = agreement.pattern.get() ? "; " + *agreement.pattern.get() : "";
  agreement.pattern = name.text + where;
  if (!name.confirmed_by.empty()) agreement.confirmed_by = name.confirmed_by;
  if (name.limit) result.limit = *name.limit;
}

}  // namespace envdoctor::kernels
