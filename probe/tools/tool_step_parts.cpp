// The parts of a training step as a program prints them, "data 0.713s  h2d 0.004s  fwd 0.061s": how much of the step is
// spent waiting for data.
#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_step_row = 300;

struct StepParts {
  double data = 0, others = 0, whole = 0, model = 0;
  int parts = 0;
  bool has_data = false;
  bool computes = false;  // the other part is named as the model's
};

std::optional<StepParts> step_parts(std::string_view line) {
  static const LazyRegex part(
      R"(([A-Za-z][\w+/-]*(?:[ _](?:time|load(?:ing|er)?|wait))?)\s?[:=]?\s?([0-9]+\.?[0-9]*) ?(ms|s)\b)", RE2::Latin1);
  static const LazyRegex data(
      R"((?:get|next|load|read|fetch|sample)_batch|(?:data|batch)?[ _-]?(?:data|load(?:ing|er)?|fetch|input|io)(?:[ _-]?(?:time|wait|load(?:ing|er)?))?)",
      RE2::Latin1);
  static const LazyRegex whole(R"((?:step|iter\w*|batch|total|time)(?:[ _]time)?)", RE2::Latin1),
      other(R"(eta|elapsed|epoch|eval\w*|save)", RE2::Latin1),
      model(R"((?:model|forward|fwd|compute|net|gpu|train(?:ing)?)(?:[ _]time)?)", RE2::Latin1);
  if (line.size() > longest_step_row || line.find_first_of("0123456789") == line.npos ||
      !has_any(line, {"data", "load", "fetch", "io", "input", "_batch"}))
    return std::nullopt;
  StepParts parts;
  re2::StringPiece rest = piece_of(line);
  std::string name, unit;
  double value = 0;
  while (RE2::FindAndConsume(&rest, part, &name, &value, &unit)) {
    name = lower_case(name);
    if (unit == "ms") value /= 1e3;
    if (RE2::FullMatch(name, other)) continue;
    ++parts.parts;
    if (RE2::FullMatch(name, data)) {
      parts.data += value;
      parts.has_data = true;
    } else if (RE2::FullMatch(name, whole)) {
      parts.whole = value;
    } else {
      const bool of_model = RE2::FullMatch(name, model);
      parts.computes = parts.computes || of_model;
      if (of_model) parts.model += value;
      parts.others += value;
    }
  }
  if (!parts.has_data || parts.parts < (parts.computes ? 2 : 3)) return std::nullopt;
  // "step 0.011s" beside a longer part is that of the optimizer.
  if (parts.whole < std::fmax(parts.data, parts.model)) parts.others += parts.whole, parts.whole = 0;
  if (parts.whole == 0) parts.whole = parts.data + parts.others;
  return parts.whole > 0 ? std::optional(parts) : std::nullopt;
}

struct TimedPart {
  double seconds = 0;
  bool reads = false;  // else it trains
  std::string per{};
};

// "next(generator): 9.87 s/batch", "train_on_batch : 610 ms/batch": one part of a step, timed alone.
std::optional<TimedPart> timed_part(std::string_view line) {
  static const LazyRegex form(
      R"(\s*([A-Za-z][\w .()/-]{1,40}?) ?[:=] ?([0-9]+\.?[0-9]*) ?(ms|s|secs?|seconds) ?(?:/|per ) ?(batch|step|iteration|iter|it)\b.{0,80})",
      RE2::Latin1);
  static const LazyRegex reads(
      R"((?i).*(?:\bdata|(?:batch|image|train)[_ ]?gen|\b(?:up|down)?load|fetch|\binput\b|\bnext ?\(|prepar|augment|preproc|\bread|\b(?:en|de)cod(?:e|ing)\b).*)",
      RE2::Latin1);
  static const LazyRegex trains(
      R"((?i).*(?:train_?(?:on_batch|step)|\btrain(?:ing)?\b|model|forward|\bgpu\b|\bfit\b).*)", RE2::Latin1);
  std::string name, unit;
  TimedPart part;
  if (line.size() > longest_step_row ||
      !has_any(line, {"/batch", "/step", "/it", "/ batch", "/ step", "/ it", "per batch", "per step", "per it"}) ||
      !RE2::FullMatch(piece_of(line), form, &name, &part.seconds, &unit, &part.per))
    return std::nullopt;
  part.reads = RE2::FullMatch(name, reads);
  if (part.reads == RE2::FullMatch(name, trains)) return std::nullopt;
  if (unit == "ms") part.seconds /= 1e3;
  return part;
}

// Both parts, in lines close to each other. A loader with a few processes makes up for a time that is little longer.
void by_timed_parts(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  constexpr std::size_t close = 4;
  std::optional<TimedPart> before;
  std::size_t before_at = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const auto part = timed_part(lines[at]);
    if (!part) continue;
    if (before && before->reads != part->reads && before->per == part->per && at - before_at < close) {
      const double data = part->reads ? part->seconds : before->seconds;
      const double work = part->reads ? before->seconds : part->seconds;
      if (data > work && data < 3 * work) return;
      Symptom& symptom = add_symptom(snapshot, {SymptomClass::noted, "step-times"}, at, trimmed(lines[at]));
      symptom.details = {{"step", fmt::format("{:.4g}", data + work)}, {"data", fmt::format("{:.4g}", data)}};
      return;
    }
    before = part;
    before_at = at;
  }
}

// "9120 function calls (8990 primitive calls) in 131.2 seconds" of cProfile; 0: another line.
double profiled_seconds(std::string_view line) {
  static const LazyRegex form(
      R"(\b[0-9]+ function calls (?:\([0-9]+ primitive calls\) )?in ([0-9.]+) (?:CPU )?seconds)", RE2::Latin1);
  double seconds = 0;
  return line.size() < longest_step_row && RE2::PartialMatch(piece_of(line), form, &seconds) ? seconds : 0;
}

// The longest cumulative time of a function that reads data, below that line; of a loader with processes of its own it
// is the wait for them.
void by_profile(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  static const LazyRegex entry(R"(^\s*[0-9/]+\s+[0-9.]+\s+[0-9.]+\s+([0-9.]+)\s+[0-9.]+\s+(\S.*)$)", RE2::Latin1);
  static const LazyRegex reads(
      R"((?i)data_?(?:set|load)\w*\.py:[0-9]+\((?:__next__|__getitem__|_next_data|_get_data|_try_get_data|load_\w+|fetch)\)|\bfetch\.py:[0-9]+\(fetch\)|\{?imread\}?|\bimage_?loader\b)",
      RE2::Latin1);
  static const LazyRegex trains(R"((?i)\((?:forward|backward|_call_impl|train\w*|\w*step|fit)\)|run_backward|\bcuda)",
                                RE2::Latin1);
  double whole = 0, most = 0;
  std::size_t at = 0;
  bool model = false;  // else it is a script that only prepares data
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (const double seconds = profiled_seconds(lines[i]); seconds > 0) {
      if (whole > 0) break;
      whole = seconds;
      continue;
    }
    double cumulated = 0;
    std::string function;
    model = model || (whole > 0 && RE2::PartialMatch(piece_of(lines[i].substr(0, longest_step_row)), trains));
    if (whole == 0 || lines[i].size() > longest_step_row ||
        !RE2::FullMatch(piece_of(lines[i]), entry, &cumulated, &function) || !RE2::PartialMatch(function, reads) ||
        cumulated <= most)
      continue;
    most = cumulated;
    at = i;
  }
  if (!model || most <= 0 || most > whole) return;
  Symptom& symptom = add_symptom(snapshot, {SymptomClass::noted, "step-times"}, at, trimmed(lines[at]));
  symptom.details = {{"step", fmt::format("{:.4g}", whole)}, {"data", fmt::format("{:.4g}", most)}};
}

}  // namespace

bool starts_step_parts(std::string_view line) {
  return step_parts(line).has_value() || profiled_seconds(line) > 0 || timed_part(line).has_value();
}

// The first steps fill caches and start the loader's processes, so that several are averaged.
Snapshot parse_step_parts(const std::string& text) {
  constexpr int fewest = 3;
  Snapshot snapshot;
  double data = 0, whole = 0;
  int steps = 0;
  std::size_t row = 0, last = 0;
  const std::vector<std::string_view> lines = lines_of(text);
  for (const std::string_view line : lines) {
    if (const auto parts = step_parts(line)) {
      data += parts->data;
      whole += parts->whole;
      ++steps;
      last = row;
    }
    ++row;
  }
  if (steps < fewest) {
    by_profile(lines, snapshot);
    if (!snapshot.log.get()) by_timed_parts(lines, snapshot);
    return snapshot;
  }
  Symptom& symptom = add_symptom(snapshot, {SymptomClass::noted, "step-times"}, last, trimmed(lines[last]));
  symptom.details = {{"step", fmt::format("{:.4g}", whole / steps)}, {"data", fmt::format("{:.4g}", data / steps)}};
  return snapshot;
}

}  // namespace envdoctor
