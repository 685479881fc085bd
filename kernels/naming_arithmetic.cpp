// Which arithmetic made a result: from its numbers, the ladder and the single operations.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "kernels/naming_case.h"

namespace envdoctor::kernels {

// 2^-11.7 at any length is TF32 or fp16 inputs, and so on; the ladder tells the two apart.
std::optional<Name> narrowed_inputs(const NamingCase& c) {
  if (!c.replay || !c.replay->suspect() || !c.replay->holds) return {};
  const Hypothesis& best = *c.replay->best;
  Name name{best.cause, best.text, "replay"};
  const auto& ladder = c.experiments.ladder;
  if (ladder && ladder->input_bits == best.bits) name.confirmed_by += ", ladder";
  if (!c.replay->tf32_or_fp16) return name;
  if (ladder && ladder->input_bits == 11) {
    name.cause = ladder->half_range ? "fp16-inputs" : "tf32-inputs";
    name.text = ladder->half_range ? "fp16 inputs, rounded to nearest" : "TF32 inputs, rounded to nearest";
    return name;
  }
  for (const Experiments::Without& without : c.experiments.without) {
    if (without.cause == "tf32-inputs" && without.right() == true)
      return Name{"tf32-inputs", "TF32 inputs, rounded to nearest", "replay, switched off"};
  }
  name.cause = "narrow-inputs";
  name.text = "inputs rounded to 11 bits: TF32 or fp16";
  return name;
}

std::optional<Name> lost_terms(const NamingCase& c) {
  if (!c.replay || !c.replay->suspect() || !c.replay->lost) return {};
  return Name{"lost-terms", fmt::format("the {} term of each sum is missing", c.replay->lost), "replay"};
}

std::optional<Name> accumulator(const NamingCase& c) {
  if (!c.replay || !c.replay->suspect()) return {};
  const int bits = significand_bits(c.trial.got.precision);
  const auto& ladder = c.experiments.ladder;
  if (bits > 11 && c.replay->result_bits > 0 && c.replay->result_bits <= 11 &&
      (!ladder || ladder->accumulator_bits <= 11))
    return Name{"fp16-accumulator", "sums are kept in fp16",
                ladder ? "results of 11 bits, ladder" : "results of 11 bits"};
  if (ladder && ladder->accumulator_bits < bits && ladder->accumulator_bits > 0)
    return Name{ladder->accumulator_bits <= 11 ? "fp16-accumulator" : "narrow-accumulator",
                fmt::format("sums are kept in {} bits", ladder->accumulator_bits), "ladder"};
  return {};
}

// A sum rounded to nearest errs either way; truncation always towards zero. It may stay under the suspect line.
std::optional<Name> truncation(const NamingCase& c) {
  const auto& ladder = c.experiments.ladder;
  const bool by_ladder = ladder && ladder->truncates == true;
  const double most = static_cast<double>(c.trial.operation.depth) *
                      (is_floating(c.trial.got.precision) ? unit_roundoff(c.trial.got.precision) : 0);
  const bool by_bias = c.replay && c.replay->suspect() && c.replay->bias > 0.5 && c.replay->plain < most;
  if (!by_ladder && (!by_bias || ladder)) return {};
  return Name{"truncating-accumulator", "sums are truncated instead of rounded",
              by_ladder ? (by_bias ? "bias, ladder" : "ladder") : "bias"};
}

// Where no terms are at hand to replay.
std::optional<Name> by_ladder_alone(const NamingCase& c) {
  const auto& ladder = c.experiments.ladder;
  const int bits = is_floating(c.trial.got.precision) ? significand_bits(c.trial.got.precision) : 0;
  if (!ladder || c.replay || !c.wrong() || ladder->input_bits >= bits) return {};
  const char* cause = ladder->input_bits >= 24   ? "fp32-inputs"
                      : ladder->input_bits == 11 ? (ladder->half_range ? "fp16-inputs" : "tf32-inputs")
                      : ladder->input_bits == 8  ? "bf16-inputs"
                                                 : "narrow-inputs";
  return Name{cause, fmt::format("inputs are rounded to {} bits", ladder->input_bits), "ladder"};
}

std::optional<Name> flushed(const NamingCase& c) {
  if (c.wrong()) {
    // Double precision must keep subnormals.
    const auto flushed = [&](std::size_t i) {
      return i < c.trial.got.count() && right_when_flushed(c.trial.got, i, c.trial.expected);
    };
    const bool all = std::ranges::all_of(c.trial.comparison.wrong, flushed);
    if (!all) return {};
    return Name{"flush-to-zero", "subnormal numbers become zero", "value by value"};
  }
  if (c.trial.comparison.flushed == 0) return {};
  return Name{"flush-to-zero", fmt::format("{} subnormal numbers flushed to zero", c.trial.comparison.flushed),
              "four-result rule"};
}

std::optional<Name> fast_math(const NamingCase& c) {
  const auto& mode = c.experiments.mode;
  if (!c.wrong() || !mode || mode->fast_math.empty()) return {};
  return Name{"fast-math", fmt::format("fast-math: {}", fmt::join(mode->fast_math, ", ")),
              "probe of single operations"};
}

}  // namespace envdoctor::kernels
