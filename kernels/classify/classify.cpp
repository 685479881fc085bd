#include "kernels/classify/classify.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "evidence/median.h"
#include "kernels/classify/error_patterns.h"
#include "kernels/classify/replay.h"

namespace envdoctor::kernels {
namespace {

struct Context {
  const Observation& observation;
  const Experiments& experiments;
  Pattern pattern{};
  std::optional<Replay> replay{};
  std::vector<std::size_t> unstable{};                       // places where repeats differ
  mutable std::optional<std::optional<bool>> unoptimised{};  // whether it is right so, once tried
  mutable std::optional<std::optional<bool>> same_places{};
  [[nodiscard]] bool wrong() const { return !observation.comparison.right(); }
  [[nodiscard]] std::optional<bool> right_without_optimisation() const {
    if (!unoptimised && experiments.right_without_optimisation) unoptimised = experiments.right_without_optimisation();
    return unoptimised.value_or(std::nullopt);
  }
  // The evidence that a place is at fault, not the computation there: it varies between runs, or stays with other
  // inputs. Empty: nothing.
  [[nodiscard]] std::string proof_of_place() const {
    if (!unstable.empty()) return "repeat";
    if (!same_places && experiments.same_places) same_places = experiments.same_places();
    return same_places && *same_places == true ? "other inputs" : "";
  }
};

// A rule recognises a case or gives no answer.
using Rule = std::optional<Classification> (*)(const Context&);

// A transfer failed; the computation is not at fault.
std::optional<Classification> transfer(const Context& c) {
  const Observation& o = c.observation;
  if (o.cut) return Classification{WrongResult::transfer, "the end of what was read back never arrived", "fill"};
  if (o.changed_before_launch)
    return Classification{WrongResult::transfer, "what was sent did not arrive: " + o.changed_input + " differ",
                          "read back"};
  if (!c.wrong() || !c.experiments.right_when_read_again || c.experiments.right_when_read_again() != true) return {};
  return Classification{WrongResult::transfer, "read back too early: a second reading is right", "second reading"};
}

std::optional<Classification> inputs_overwritten(const Context& c) {
  if (c.observation.changed_input.empty()) return {};
  return Classification{WrongResult::inputs_overwritten, "a launch changed its inputs: " + c.observation.changed_input,
                        "read back"};
}

std::optional<Classification> stale(const Context& c) {
  if (!c.observation.stale) return {};
  return Classification{WrongResult::stale, "the results of the inputs before came back", "other inputs"};
}

std::optional<Classification> by_place(const Context& c) {
  if (!c.observation.by_place) return {};
  return Classification{WrongResult::tile, "the same rows give other bits here than elsewhere", "moved rows"};
}

std::optional<Classification> out_of_bounds(const Context& c) {
  if (!c.observation.guard_changed) return {};
  if (c.observation.guard_bits == 1)
    return Classification{WrongResult::bit_flip, "a single bit beside a buffer flipped", "guard"};
  return Classification{WrongResult::out_of_bounds, "memory beside the output was overwritten", "guard"};
}

std::optional<Classification> limit(const Context& c) {
  const Experiments& e = c.experiments;
  if (!c.wrong() || !c.unstable.empty() || !e.right_at) return {};
  const auto found = largest_right(e.small_size, e.this_size, e.right_at);
  if (!found) return {};
  return Classification{WrongResult::size_limit, fmt::format("correct up to {}, wrong from {} on", *found, *found + 1),
                        "bisection", found};
}

std::optional<Classification> not_written(const Context& c) {
  if (c.observation.comparison.poison == 0) return {};
  if (auto by_size = limit(c)) return by_size;
  return Classification{WrongResult::not_written, "the kernel did not write its whole output", "poison"};
}

// Bits that flip between runs, or against a whole-number answer: one in a word is memory, a block of rows one compute
// unit.
std::optional<Classification> one_bit(const Context& c) {
  // Inputs of fewer bits may also leave one element outside the bound, by chance with one wrong bit.
  if (c.wrong() && c.pattern.shape == Shape::one_bit && !(c.replay && c.replay->holds))
    return Classification{WrongResult::bit_flip, "single bits flipped", c.proof_of_place()};
  if (c.wrong() && c.pattern.shape == Shape::stuck_bit && c.unstable.empty())
    return Classification{WrongResult::bit_flip, "one bit of each word is stuck", c.proof_of_place()};
  if (c.unstable.empty() || c.unstable.size() > 8 || 16 * c.unstable.size() > c.observation.got.count()) return {};
  for (const Array* repeat : c.observation.repeats) {
    for (const std::size_t i : c.unstable) {
      const std::uint64_t turned = repeat->bits(i) ^ c.observation.got.bits(i);
      if (turned != 0 && std::popcount(turned) != 1) return {};
    }
  }
  return Classification{WrongResult::bit_flip, fmt::format("{} bits differ between runs", c.unstable.size()), "repeat"};
}

std::optional<Classification> zero_sign(const Context& c) {
  const Observation& o = c.observation;
  if (!c.wrong() || !is_floating(o.got.precision)) return {};
  const bool all = std::ranges::all_of(
      o.comparison.wrong, [&](std::size_t i) { return o.got.value(i) == 0 && o.expected.right_value(i) == 0; });
  if (!all) return {};
  return Classification{WrongResult::zero_sign, "zeros have the other sign", ""};
}

std::optional<Classification> last_element(const Context& c) {
  const Observation& o = c.observation;
  if (!c.unstable.empty() || o.comparison.wrong.size() != 1 || o.got.count() < 2 || o.repeats_equal == 0 ||
      o.comparison.wrong.front() != o.got.count() - 1)
    return {};
  return Classification{WrongResult::last_element, "nothing but the last element is wrong, in every run", "repeat"};
}

// Bins that lost counts which others gained.
std::optional<Classification> moved_count(const Context& c) {
  const Observation& o = c.observation;
  const auto& wrong = o.comparison.wrong;
  if (is_floating(o.got.precision) || !o.operation.counts || wrong.size() < 2 || 8 * wrong.size() > o.got.count())
    return {};
  double sum = 0;
  for (const std::size_t i : wrong) sum += o.got.value(i) - o.expected.right_value(i);
  if (sum != 0) return {};
  return Classification{WrongResult::moved_count,
                        fmt::format("{} counts are wrong, but their sum is right", wrong.size()), "sum"};
}

std::string joined(const std::set<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

// A function that is inexact wherever it is evaluated: not only in one element or place.
std::optional<Classification> function(const Context& c) {
  const Observation& o = c.observation;
  // A value that is right for another element is not inexact, even where functions are laid out in rows.
  const bool moved = c.pattern.shape == Shape::other_index || c.pattern.shape == Shape::byte_order;
  if (!c.wrong() || !c.unstable.empty() || o.operation.functions.empty() || moved) return {};
  if (!o.operation.row_for_each_function) {
    if (!c.experiments.inexact_functions) return {};
    const std::optional<std::string> found = c.experiments.inexact_functions();
    if (!found || found->empty()) return {};
    return Classification{WrongResult::function, "inexact: " + *found, "single evaluations"};
  }
  std::map<std::size_t, std::size_t> rows;
  const auto columns = static_cast<std::size_t>(std::max<std::int64_t>(1, o.operation.columns));
  for (const std::size_t i : o.comparison.wrong) ++rows[i / columns];
  std::set<std::string> names;
  for (const auto& [row, count] : rows) {
    if (row >= o.operation.functions.size() || count < 3) return {};
    names.insert(o.operation.functions[row]);
  }
  if (2 * names.size() > o.operation.functions.size()) return {};
  return Classification{WrongResult::function, "inexact: " + joined(names), "place"};
}

// The effect of another rounding than to nearest in single operations, which is the limit here.
std::optional<Classification> rounding_mode(const Context& c) {
  const Observation& o = c.observation;
  const auto& mode = c.experiments.mode;
  if (!c.wrong() || !mode || mode->rounding.empty() || mode->rounding == "to nearest") return {};
  double largest = 0;  // the largest right value: intermediate values are rounded
  for (std::size_t i = 0; i < o.expected.count(); ++i) {
    const double size = std::fabs(o.expected.right_value(i));
    if (o.expected.exact && std::isfinite(size)) largest = std::max(largest, size);
  }
  const std::optional<Expected> loose = c.experiments.relaxed ? c.experiments.relaxed() : std::nullopt;
  const bool all = std::ranges::all_of(o.comparison.wrong, [&](std::size_t i) {
    const double right = o.expected.right_value(i), got = o.got.value(i);
    if (std::isinf(right)) return std::fabs(got) >= largest_finite(o.got.precision) / 2;  // divided by 2 then
    if (mode->rounding == "down" && got == -1 && right == 1) return true;  // the sign of x - x, which is -0 then
    if (loose && std::isinf(loose->bound_of(i))) return true;              // (a + b) - a
    // A bound is for rounding to nearest: twice that, as u is twice as large. A number rounded to a whole one is off
    // by 1.
    return std::fabs(got - right) <=
               2 * o.expected.bound_of(i) + 2 * ulp(o.got.precision, std::max(largest, std::fabs(right))) ||
           (std::fabs(got - right) == 1 && std::trunc(got) == got && std::trunc(right) == right);
  });
  if (!all) return {};
  return Classification{WrongResult::rounding_mode, "numbers are rounded " + mode->rounding + ", not to nearest",
                        "probe of single operations"};
}

struct Place {
  Shape shape;
  WrongResult kind;
  const char* text;
};
constexpr std::array<Place, 7> named_places{
    {{Shape::tile, WrongResult::tile, "one block of the output is wrong"},
     {Shape::every_nth, WrongResult::tile, "one lane of the output is wrong"},
     {Shape::tail, WrongResult::tail, "the end of the output is wrong"},
     {Shape::columns, WrongResult::columns, "whole columns are wrong"},
     {Shape::other_index, WrongResult::other_index, "correct values at wrong positions"},
     {Shape::byte_order, WrongResult::other_index, "correct values with their bytes in reverse order"},
     {Shape::zeros, WrongResult::zeros, "results are zero"}}};

std::optional<Classification> place(const Context& c) {
  if (!c.wrong()) return {};
  const auto found = std::ranges::find(named_places, c.pattern.shape, &Place::shape);
  if (found != named_places.end()) return Classification{found->kind, found->text, c.proof_of_place()};
  const Observation& o = c.observation;
  if (o.comparison.not_numbers == o.comparison.wrong.size())
    return Classification{WrongResult::not_a_number, "NaN or infinity instead of a number", ""};
  const bool lost = std::ranges::all_of(o.comparison.wrong, [&](std::size_t i) {
    return is_floating(o.got.precision) && !(std::fabs(o.expected.right_value(i)) <= largest_finite(o.got.precision));
  });
  if (!lost) return {};
  return Classification{WrongResult::not_a_number, "infinity or NaN is lost", ""};
}

std::optional<Classification> tile(const Context& c) {
  static constexpr std::array sure = {Shape::tile, Shape::every_nth, Shape::other_index, Shape::byte_order};
  if (std::ranges::find(sure, c.pattern.shape) != sure.end()) return place(c);
  // A few places that are wrong with any data.
  const Comparison& comparison = c.observation.comparison;
  const bool numbers = comparison.not_numbers < comparison.wrong.size();
  if (c.pattern.shape != Shape::isolated || !numbers || !c.unstable.empty() || c.proof_of_place().empty()) return {};
  return Classification{WrongResult::tile, "the same places of the output are wrong on other inputs, too",
                        c.proof_of_place()};
}

std::optional<Classification> barrier(const Context& c);
std::optional<Classification> unstable_by_barrier(const Context& c) {
  const bool many = 64 * c.observation.comparison.wrong.size() >= c.observation.got.count();
  return c.unstable.empty() || !many ? std::nullopt : barrier(c);
}

std::optional<Classification> unstable(const Context& c) {
  if (c.unstable.empty()) return {};
  const std::string many = fmt::format("{} elements differ between runs on the same input", c.unstable.size());
  if (c.observation.operation.order_free && !c.wrong())
    return Classification{WrongResult::order, many + "; the order of additions is not fixed", "repeat"};
  return Classification{WrongResult::nondeterministic, many, "repeat"};
}

// The CPU-comparison rule: more than eight times the CPU's root mean square error is another arithmetic; less is the
// calculation's own error.
std::optional<Classification> ill_conditioned(const Context& c) {
  if (!c.wrong() || !c.experiments.twin || c.observation.comparison.not_numbers > 0) return {};
  const std::optional<Comparison> twin = c.experiments.twin();
  if (!twin || twin->right() || c.observation.comparison.mean_square_over_bound > 64 * twin->mean_square_over_bound)
    return {};
  return Classification{WrongResult::unstable, "plain arithmetic on the CPU is as inaccurate", "twin"};
}

// The result is right without one library: that library is the cause.
std::optional<Classification> one_library(const Context& c) {
  if (!c.wrong()) return {};
  for (const Experiments::Without& without : c.experiments.without) {
    if (without.right() == true) return Classification{without.kind, without.text, "switched off"};
  }
  return {};
}

std::optional<Classification> miscompiled(const Context& c) {
  if (!c.wrong() || c.right_without_optimisation() != true) return {};
  Classification found{WrongResult::miscompiled, "correct when built without optimisation", "without optimisation"};
  if (const auto by_size = limit(c)) {
    found.text += "; with it " + by_size->text;
    found.limit = by_size->limit;
  }
  return found;
}

// Items of a group that don't wait for each other do no harm in groups of one.
std::optional<Classification> barrier(const Context& c) {
  if (!c.wrong() || !c.experiments.right_in_groups_of_one || c.experiments.right_in_groups_of_one() != true) return {};
  return Classification{WrongResult::barrier,
                        "correct with one work-item per group: barriers do not synchronize the items of a group",
                        "groups of one"};
}

// A constant factor between almost all results and the right values.
std::optional<Classification> scaled(const Context& c) {
  const Expected& expected = c.observation.expected;
  const std::vector<std::size_t>& wrong = c.observation.comparison.wrong;
  if (wrong.size() < 8) return {};
  std::vector<double> ratios;
  for (const std::size_t i : wrong) ratios.push_back(c.observation.got.value(i) / expected.right_value(i));
  std::erase_if(ratios, [](double ratio) { return !std::isfinite(ratio); });
  if (ratios.empty()) return {};
  const double factor = median(ratios);
  // Rounding aside, which is far more than this where a mean is large.
  const auto fits = [&](std::size_t i) {
    const double right = factor * expected.right_value(i);
    return std::fabs(c.observation.got.value(i) - right) <=
           1e-4 * std::fabs(right) + std::fabs(factor) * expected.bound_of(i);
  };
  if (factor == 0 || 10 * static_cast<std::size_t>(std::ranges::count_if(wrong, fits)) < 9 * wrong.size()) return {};
  return Classification{WrongResult::scaled, fmt::format("results are {:.6g} times the expected values", factor), ""};
}

// Bins that lack counts, and none with too many: neither bit flips, which go both ways, nor a common factor.
std::optional<Classification> lost_counts(const Context& c) {
  const Observation& o = c.observation;
  if (!c.wrong() || !o.operation.counts) return {};
  std::vector<const Array*> runs = o.repeats;
  runs.push_back(&o.got);
  std::set<std::size_t> places(c.unstable.begin(), c.unstable.end());
  places.insert(o.comparison.wrong.begin(), o.comparison.wrong.end());
  double most = 0;
  bool any_left = false;
  for (const Array* run : runs) {
    double lost = 0;
    for (const std::size_t i : places) {
      const double missing = o.expected.right_value(i) - run->value(i);
      if (missing < 0) return {};
      lost += missing;
      any_left = any_left || (missing > 0 && run->value(i) > 0);
    }
    most = std::max(most, lost);
  }
  const bool stuck = c.pattern.shape == Shape::stuck_bit || (c.pattern.shape == Shape::one_bit && c.unstable.empty());
  if (places.size() < 3 || !any_left || stuck || scaled(c)) return {};
  return Classification{WrongResult::lost_additions,
                        fmt::format("{} counts are missing, and no bin has too many", most), "sum"};
}

// Sums by atomics that lack whole terms: of ones, a whole number.
std::optional<Classification> lost_additions(const Context& c) {
  const Observation& o = c.observation;
  const bool zeros = c.pattern.shape == Shape::zeros, one_bit = c.pattern.shape == Shape::one_bit && c.unstable.empty();
  if (!c.wrong() || !o.operation.order_free || !c.experiments.additions_lost || zeros || one_bit || scaled(c))
    return {};
  const std::optional<std::size_t> lost = c.experiments.additions_lost();
  if (!lost || *lost == 0) return {};
  return Classification{WrongResult::lost_additions,
                        fmt::format("{} additions are missing where every number is 1", *lost), "sums of ones"};
}

// An error that is independent of size, time and optimiser is no fault of memory, of scheduling or of a limit.
std::optional<Classification> other_calculation(const Context& c) {
  const Experiments& e = c.experiments;
  if (!c.wrong() || !c.unstable.empty() || c.right_without_optimisation() != false) return {};
  const bool many = 8 * c.observation.comparison.wrong.size() >= c.observation.got.count();
  if (e.right_at && many && e.right_at(e.small_size) == false)
    return Classification{WrongResult::other_calculation,
                          "the same wrong results at every size, in every run and without optimisation: "
                          "the device computed something else",
                          "other sizes, without optimisation"};
  // Where there is no size to change: other inputs.
  const bool spread = c.pattern.shape == Shape::all || c.pattern.shape == Shape::scattered;
  if (e.right_at || !spread || c.proof_of_place().empty()) return {};
  return Classification{WrongResult::other_calculation,
                        "wrong in the same way on other inputs, in every run and without optimisation: "
                        "the device computed something else",
                        "other inputs, without optimisation"};
}

std::optional<Classification> unnamed(const Context& c) {
  if (c.wrong()) return Classification{WrongResult::unnamed, "outside the error bound, cause unknown", ""};
  if (c.replay && c.replay->suspect())
    return Classification{WrongResult::unnamed,
                          fmt::format("within the error bound, but {:.0f} times the usual error",
                                      8 * c.replay->plain / c.replay->suspect_threshold),
                          ""};
  return {};
}

WrongResult of_11_bits(const MeasuredPrecision& measured) {
  return measured.half_range ? WrongResult::fp16_inputs : WrongResult::tf32_inputs;
}

// Whether each wrong element, not most, is in the range of sums of inputs narrowed like this.
bool explains_all(const Context& c, const InputModel& model) {
  const Observation& o = c.observation;
  return std::ranges::all_of(o.comparison.wrong, [&](std::size_t i) {
    return std::fabs(o.got.value(i) - narrowed_dot(o.operation.terms(i), model)) <=
           2 * o.expected.bound_of(i) + ulp(o.got.precision, o.expected.right_value(i));
  });
}

// 2^-11.7 at any length is TF32 or fp16 inputs, and so on; the precision probes distinguish the two.
std::optional<Classification> narrowed_inputs(const Context& c) {
  if (!c.replay || !c.replay->suspect() || !c.replay->holds) return {};
  const InputModel& best = *c.replay->best;
  if (!explains_all(c, best)) return {};
  Classification found{best.kind, best.text, "replay"};
  const auto& measured = c.experiments.measured;
  if (measured && measured->input_bits == best.bits) found.confirmed_by += ", precision probes";
  if (!c.replay->tf32_or_fp16) return found;
  if (measured && measured->input_bits == 11) {
    found.kind = of_11_bits(*measured);
    found.text = measured->half_range ? "fp16 inputs, rounded to nearest" : "TF32 inputs, rounded to nearest";
    return found;
  }
  for (const Experiments::Without& without : c.experiments.without) {
    if (without.kind == WrongResult::tf32_inputs && without.right() == true)
      return Classification{WrongResult::tf32_inputs, "TF32 inputs, rounded to nearest", "replay, switched off"};
  }
  found.kind = WrongResult::narrow_inputs;
  found.text = "inputs rounded to 11 bits: TF32 or fp16";
  return found;
}

std::optional<Classification> lost_terms(const Context& c) {
  if (!c.replay || !c.replay->suspect() || !c.replay->lost) return {};
  return Classification{WrongResult::lost_terms, fmt::format("the {} term of each sum is missing", c.replay->lost),
                        "replay"};
}

std::optional<Classification> accumulator(const Context& c) {
  if (!c.replay || !c.replay->suspect()) return {};
  const int bits = significand_bits(c.observation.got.precision);
  const auto& measured = c.experiments.measured;
  if (bits > 11 && c.replay->result_bits > 0 && c.replay->result_bits <= 11 &&
      (!measured || measured->accumulator_bits <= 11))
    return Classification{WrongResult::fp16_accumulator, "sums are kept in fp16",
                          measured ? "11-bit results, precision probes" : "11-bit results"};
  if (measured && measured->accumulator_bits < bits && measured->accumulator_bits > 0)
    return Classification{
        measured->accumulator_bits <= 11 ? WrongResult::fp16_accumulator : WrongResult::narrow_accumulator,
        fmt::format("sums are kept in {} bits", measured->accumulator_bits), "precision probes"};
  return {};
}

// A sum rounded to nearest has errors of both signs; truncation always goes towards zero. It may stay below the suspect
// threshold.
std::optional<Classification> truncation(const Context& c) {
  const auto& measured = c.experiments.measured;
  const bool by_probes = measured && measured->truncates == true;
  const auto depth = static_cast<double>(c.observation.operation.depth);
  const bool by_bias = c.replay && c.replay->suspect() && c.replay->bias > 0.5 &&
                       c.replay->plain < depth * unit_roundoff(c.observation.got.precision);
  if (!by_probes && (!by_bias || measured)) return {};
  return Classification{WrongResult::truncating_accumulator, "sums are truncated instead of rounded",
                        by_probes ? (by_bias ? "bias, precision probes" : "precision probes") : "bias"};
}

// If there are no terms to replay.
std::optional<Classification> by_probes_alone(const Context& c) {
  const auto& measured = c.experiments.measured;
  const int bits = is_floating(c.observation.got.precision) ? significand_bits(c.observation.got.precision) : 0;
  if (!measured || c.replay || !c.wrong() || measured->input_bits >= bits) return {};
  const WrongResult kind = measured->input_bits >= 24   ? WrongResult::fp32_inputs
                           : measured->input_bits == 11 ? of_11_bits(*measured)
                           : measured->input_bits == 8  ? WrongResult::bf16_inputs
                                                        : WrongResult::narrow_inputs;
  return Classification{kind, fmt::format("inputs are rounded to {} bits", measured->input_bits), "precision probes"};
}

std::optional<Classification> flushed(const Context& c) {
  if (c.wrong()) {
    // Double precision must keep subnormals.
    const auto flushed = [&](std::size_t i) {
      return right_when_flushed(c.observation.got, i, c.observation.expected);
    };
    const bool all = std::ranges::all_of(c.observation.comparison.wrong, flushed);
    if (!all) return {};
    return Classification{WrongResult::flush_to_zero, "subnormal numbers are flushed to zero", "value by value"};
  }
  if (c.observation.comparison.flushed == 0) return {};
  return Classification{WrongResult::flush_to_zero,
                        fmt::format("{} subnormal numbers flushed to zero", c.observation.comparison.flushed),
                        "four-result rule"};
}

// Only what these options excuse, element by element: functions of the relaxed table, NaN and infinities.
std::optional<Classification> fast_math(const Context& c) {
  const Observation& o = c.observation;
  const auto& mode = c.experiments.mode;
  if (!c.wrong() || !mode || mode->fast_math.empty() || !c.experiments.relaxed) return {};
  const std::optional<Expected> relaxed = c.experiments.relaxed();
  if (!relaxed || relaxed->count() != o.got.count()) return {};
  const Comparison left = compare(o.got, *relaxed);
  const bool all = std::ranges::all_of(
      left.wrong, [&](std::size_t i) { return std::isinf(relaxed->bound_of(i)) && !o.got.is_poison(i); });
  if (!all) return {};
  return Classification{WrongResult::fast_math, fmt::format("fast-math: {}", fmt::join(mode->fast_math, ", ")),
                        "probe of single operations"};
}

}  // namespace

// A size limit: right up to it, wrong above, every time.
std::optional<std::int64_t> largest_right(std::int64_t right, std::int64_t wrong,
                                          const std::function<std::optional<bool>(std::int64_t)>& right_at,
                                          int most_runs) {
  int runs = 0;
  const auto is = [&](std::int64_t size, bool expected) {
    const std::optional<bool> answer = ++runs <= most_runs ? right_at(size) : std::nullopt;
    return answer && *answer == expected;
  };
  if (right < 1 || wrong <= right || !is(right, true) || !is(wrong, false)) return {};
  const std::int64_t start = right, end = wrong;
  while (wrong - right > 1) {
    const std::int64_t middle = right + (wrong - right) / 2;
    const std::optional<bool> answer = ++runs <= most_runs ? right_at(middle) : std::nullopt;
    if (!answer) return {};
    (*answer ? right : wrong) = middle;
  }
  if (right == start) return {};  // where nothing below was tried
  // A size that isn't a multiple of a tile looks the same at first, but then neighbouring sizes disagree.
  for (const std::int64_t near : {right - 1, right - 2, right - 7}) {
    if (near > start && !is(near, true)) return {};
  }
  for (const std::int64_t near : {wrong + 1, wrong + 2, wrong + 7, wrong + (end - wrong) / 2}) {
    if (near < end && !is(near, false)) return {};
  }
  return right;
}

Classification classify(const Observation& observation, const Experiments& experiments) {
  Context c{observation, experiments};
  const bool fits = observation.got.precision == observation.expected.precision &&
                    observation.got.count() == observation.expected.count();
  if (!fits) return {WrongResult::unnamed, "the output has the wrong type or length", ""};
  if (!observation.comparison.right())
    c.pattern =
        pattern_of(observation.got, observation.expected, observation.comparison.wrong, observation.operation.columns);
  std::set<std::size_t> places;
  for (const Array* repeat : observation.repeats) {
    for (const std::size_t i : differing(observation.got, *repeat)) places.insert(i);
  }
  c.unstable.assign(places.begin(), places.end());
  c.replay = replay(observation.operation, observation.got);
  for (const Rule rule : {transfer,
                          inputs_overwritten,
                          by_place,
                          out_of_bounds,
                          stale,
                          not_written,
                          zero_sign,
                          last_element,
                          moved_count,
                          lost_counts,
                          lost_additions,
                          fast_math,
                          function,
                          rounding_mode,
                          one_bit,
                          tile,
                          unstable_by_barrier,
                          unstable,
                          lost_terms,
                          narrowed_inputs,
                          accumulator,
                          truncation,
                          by_probes_alone,
                          flushed,
                          one_library,
                          ill_conditioned,
                          miscompiled,
                          limit,
                          barrier,
                          place,
                          scaled,
                          other_calculation,
                          unnamed}) {
    if (std::optional<Classification> found = rule(c)) return *found;
  }
  return {};
}

void write(const Classification& found, const Observation& observation, ComputeResult& result) {
  if (!observation.repeats.empty())
    result.repeatable = std::ranges::all_of(
        observation.repeats, [&](const Array* repeat) { return differing(observation.got, *repeat).empty(); });
  if (!found.kind) return;
  Agreement& agreement = result.agreement.fill();
  agreement.cause = std::string(found.cause());
  const std::string where = agreement.pattern.get() ? "; " + *agreement.pattern.get() : "";
  agreement.pattern = found.text + where;
  if (!found.confirmed_by.empty()) agreement.confirmed_by = found.confirmed_by;
  if (found.limit) result.limit = *found.limit;
}

}  // namespace envdoctor::kernels
