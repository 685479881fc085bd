// How far two results differ, as a script prints it: "max abs diff: 0.0021", "rel_err=3e-4",
// "(a - b).abs().max()" with its value in the line below.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_of_line_with_error = 300;

struct PrintedError {
  std::size_t row = 0;
  bool difference = true;  // else an error, which may be that of a model
  bool relative = false;
  bool of_elements = false;  // the largest of the elements' own, which is large beside numbers near zero
  double value = 0;
};

bool has_digit(std::string_view line) { return line.find_first_of("0123456789") != line.npos; }

// "Max absolute difference: 1e-3"; an "error: 0.3" alone may be a test's or a model's.
std::optional<PrintedError> named_error(std::string_view line, std::size_t row) {
  static const LazyRegex form(
      R"((?i)\b((?:(?:max(?:imum)?|mean|avg|average|largest|greatest|worst|l2|linf)[ _.-]{1,2})?(?:(?:abs(?:olute)?|rel(?:ative)?)[ _.-]{1,2})?(?:(?:max(?:imum)?|mean)[ _.-]{1,2})?(?:diff?(?:erence)?|err(?:or)?|deviation|discrepancy))(?:_?s)?\b(?:[^0-9\n:=]*[:=]|[ |]{1,4})[ |]{0,4}(?:tensor\()?([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)\b)",
      RE2::Latin1);
  std::string name;
  PrintedError error{.row = row};
  const re2::StringPiece text(line.data(), line.size());
  if (!has_any(line, {"dif", "err", "deviation", "discrepancy"}) || !has_digit(line) ||
      !RE2::PartialMatch(text, form, &name, &error.value))
    return std::nullopt;
  name = lower_case(name);
  error.relative = contains(name, "rel");
  error.of_elements = contains(name, "max") || contains(name, "greatest") || contains(name, "largest");
  error.difference = !contains(name, "err");
  if (!error.difference && !error.relative && !error.of_elements) return std::nullopt;
  if (error.relative || error.of_elements) return error;
  static const LazyRegex other(
      R"((?i)loss|time|\bsec|\bms\b|memory|test|valid|\bval|train|price|frame|\bjob\b|\balgo\b|\bshares?\b)",
      RE2::Latin1);
  return RE2::PartialMatch(text, other) ? std::nullopt : std::optional(error);
}

bool is_difference(std::string_view line) {
  if (!contains(line, "abs(") && !contains(line, "abs.(") && !contains(line, "norm(") && !contains(line, "max("))
    return false;
  static const LazyRegex form(
      R"((?:abs\.?|norm|max)\([^\n]*[\w)\]] ?- ?[\w(][^\n]*\)|[\w)\]] ?- ?[\w(][^\n]*\)\.abs\(\))", RE2::Latin1);
  return RE2::PartialMatch(piece_of(line), form);
}

// "cpu vs cuda: 4.1e-4", what Polygraphy would have to allow: "elemwise error | [abs=0.5]", and what a test does not
// allow: "tensor(0.5) not less than or equal to 0.001".
std::optional<PrintedError> error_of_sides(std::string_view line, std::size_t row) {
  static const LazyRegex sides(
      R"((?i)\b(?:cpu|numpy|eager|reference) ?(?:vs\.?|versus|<->|-) ?(?:gpu|cuda|mps|xpu|hip|triton|compiled)\b[^0-9\n]*[:=] {0,4}(?:tensor\()?(0\.0[0-9]*|[0-9.]+e-[0-9]+)\b)",
      RE2::Latin1);
  static const LazyRegex tolerance(R"(Required Tolerance: elemwise error [^\n]{0,4}\[abs=([0-9.]+(?:e[-+]?[0-9]+)?)\])",
                                   RE2::Latin1);
  static const LazyRegex limit(
      R"((?:^|[ (])([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)(?:, [^()]*\))?\)? not less than (?:or equal to )?(?:0?\.[0-9]+|[0-9.]+e-[0-9]+)\b)",
      RE2::Latin1);
  PrintedError error{.row = row};
  const re2::StringPiece text(line.data(), line.size());
  const bool found =
      (has_any(line, {"cpu", "numpy", "eager", "reference"}) && RE2::PartialMatch(text, sides, &error.value)) ||
      (contains(line, "Required Tolerance") && RE2::PartialMatch(text, tolerance, &error.value)) ||
      (contains(line, "not less than") && RE2::PartialMatch(text, limit, &error.value));
  return found ? std::optional(error) : std::nullopt;
}

// A statement that takes the largest difference of two things; its value stands behind it or in the next line.
bool takes_difference(std::string_view line) {
  return is_difference(line) &&
         (contains(line, "max(") || contains(line, "maximum(") || contains(line, "mean(") || contains(line, "norm("));
}

// The functions of the text that give the largest difference of two things: "def diff(shape):", whose body takes it.
std::vector<std::string> functions_of_differences(const std::vector<std::string_view>& lines) {
  static const LazyRegex head(R"(\bdef (\w+)\()", RE2::Latin1),
      largest(R"(return\b.*(?:max|norm|mean)\()", RE2::Latin1);
  std::vector<std::string> names;
  std::string name;
  bool subtracts = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(0, most_of_line_with_error);
    if (RE2::PartialMatch(piece_of(line), head, &name)) {
      subtracts = false;
      continue;
    }
    if (name.empty()) continue;
    subtracts = subtracts || is_difference(line);
    if (!contains(line, "return")) continue;
    if (subtracts && RE2::PartialMatch(piece_of(line), largest)) names.push_back(name);
    name.clear();
  }
  return names;
}

// ">>> diff((69, 64, 2))": the value is in the next line.
bool calls_one_of(std::string_view line, const std::vector<std::string>& names) {
  static const LazyRegex call(R"(^[\s>]{0,8}(?:In ?\[[0-9]+\]: )?(?:print\()?(\w+)\([^=]*\)\s*$)", RE2::Latin1);
  std::string name;
  return !names.empty() && RE2::FullMatch(piece_of(line), call, &name) && std::ranges::find(names, name) != names.end();
}

// The largest number in size that a runner of Polygraphy gave: "Stats: mean=-11.7, …, min=-51.188 at …, max=44.031".
double size_of_output(std::string_view line) {
  static const LazyRegex form(R"(\| Stats: mean=.* min=(-?[0-9.e+-]+) at .* max=(-?[0-9.e+-]+) at )", RE2::Latin1);
  double least = 0, most = 0;
  if (!contains(line, "| Stats: ") || contains(line, "Difference") ||
      !RE2::PartialMatch(piece_of(line), form, &least, &most))
    return 0;
  return std::fmax(std::fabs(least), std::fabs(most));
}

// The line that shows what the statement above gives; MATLAB prints "ans =" first.
std::string_view line_of_value(const std::vector<std::string_view>& lines, std::size_t statement) {
  for (std::size_t i = statement + 1; i < std::min(lines.size(), statement + 4); ++i) {
    const std::string_view line = trimmed(lines[i]);
    if (!line.empty() && line != "ans =") return lines[i].substr(0, most_of_line_with_error);
  }
  return "";
}

std::optional<double> value_of_statement(std::string_view line, std::string_view next) {
  static const LazyRegex behind(R"((?:->|=>|#|: )\s*(?:tensor\()?([0-9]+\.[0-9]*(?:e[-+]?[0-9]+)?)\b[^\w]*$)",
                                RE2::Latin1);
  static const LazyRegex below(
      R"(^[\s>#]{0,8}(?:Out\[[0-9]+\]: ?)?\(?(?:[0-9]{1,3}[\s:,]{1,3})?(?:tensor\(|array\(|Array\()?([0-9]+\.[0-9]*(?:[ef][-+]?[0-9]+)?)(?:[,)\s]|$))",
      RE2::Latin1);
  // "3.1f-5" is how Julia prints single precision.
  std::string written;
  double value = 0;
  if (RE2::PartialMatch(piece_of(line), behind, &value)) return value;
  if (RE2::PartialMatch(piece_of(next), below, &written)) {
    std::ranges::replace(written, 'f', 'e');
    return std::atof(written.c_str());
  }
  return std::nullopt;
}

// Both sides are named: a difference of two losses, or of an image and its target, is none of a device.
bool compares_sides(const std::string& text) {
  static const LazyRegex reference(
      R"((?i)(?:\b|_)(?:cpu|numpy|np|ref|reference|eager|expected|baseline|fp32|float32|fp64|float64|double|scipy|golden|gpuArray|Array\(Cu\w+|collect\(Cu\w+)(?:\b|_))",
      RE2::Latin1);
  return speaks_of_a_gpu(text) && RE2::PartialMatch(text, reference);
}

// Two ways of running it on the same device: both use TF32, or neither.
bool on_one_device(const std::string& text) {
  static const LazyRegex ways(R"((?i)\beager\b|\binductor\b|torch\.compile|\bcompiled\b)", RE2::Latin1);
  static const LazyRegex other(R"((?i)(?:\b|_)(?:cpu|numpy|fp64|float64|double)(?:\b|_))", RE2::Latin1);
  return RE2::PartialMatch(text, ways) && !RE2::PartialMatch(text, other);
}

// "Reference vs. CUDA: 0.31" below a heading that speaks of differences.
std::optional<PrintedError> error_of_platforms(std::string_view line, std::size_t row) {
  static const LazyRegex form(
      R"((?i)^[\s*-]*(?:(?:reference|cpu|cuda|opencl|hip|metal|gpu)(?: \w+)? (?:vs\.?|versus) (?:reference|cpu|cuda|opencl|hip|metal|gpu)\b[^0-9:=\n]{0,20}) ?[:=] *([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)\s*$)",
      RE2::Latin1);
  PrintedError error{.row = row};
  if (!contains(line, " v") || !RE2::PartialMatch(piece_of(line), form, &error.value)) return std::nullopt;
  return error;
}

bool heads_differences(std::string_view line) {
  static const LazyRegex form(R"((?i)\b(?:difference|deviation|error)s?\b[^0-9]{0,60}:\s*$)", RE2::Latin1);
  static const LazyRegex other(R"((?i)time|speed|memory|loss|bandwidth|price)", RE2::Latin1);
  return line.size() < most_of_line_with_error && trimmed(line).ends_with(':') &&
         RE2::PartialMatch(piece_of(line), form) && !RE2::PartialMatch(piece_of(line), other);
}

// One pair of platforms agrees in one place, or another pair does, and this one is off by far more than rounding.
void compare_platforms(const std::vector<std::string_view>& lines, Snapshot& snapshot) {
  constexpr double many_times = 1000, gross = 1e-2;
  constexpr std::size_t rows_of_table = 12;
  std::optional<PrintedError> most, least;
  std::size_t heading = lines.size();
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (heads_differences(lines[i])) heading = i;
    const auto error = i > heading && i - heading < rows_of_table
                           ? error_of_platforms(lines[i].substr(0, most_of_line_with_error), i)
                           : std::nullopt;
    if (!error) continue;
    if (!most || error->value > most->value) most = error;
    if (!least || error->value < least->value) least = error;
  }
  if (most && most->value > gross && most->value > many_times * least->value)
    add_symptom(snapshot, {SymptomClass::noted, "devices-differ"}, most->row, trimmed(lines[most->row]));
}

bool compares_errors(const std::string& text) {
  static const LazyRegex reference(
      R"((?i)(?:\b|_)(?:cpu|ref|reference|eager|expected|fp64|float64|golden|allclose|mismatch|vs)(?:\b|_))",
      RE2::Latin1);
  return RE2::PartialMatch(text, reference);
}

}  // namespace

bool starts_printed_errors(std::string_view line) {
  if (size_of_output(line.substr(0, 2 * most_of_line_with_error)) > 0) return true;
  line = line.substr(0, most_of_line_with_error);
  return is_difference(line) || named_error(line, 0).has_value() || error_of_sides(line, 0).has_value() ||
         heads_differences(line);
}

Snapshot parse_printed_errors(const std::string& text) {
  Snapshot snapshot;
  if (!compares_sides(text) && !contains(text, "-runner-")) return snapshot;  // Polygraphy names its sides
  const std::vector<std::string_view> lines = lines_of(text);
  compare_platforms(lines, snapshot);
  std::optional<PrintedError> absolute, relative;
  const std::vector<std::string> functions = functions_of_differences(lines);
  double size = 0;  // of what Polygraphy compares
  const auto take = [](std::optional<PrintedError>& into, const PrintedError& error) {
    if (!into || error.value > into->value) into = error;
  };
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i].substr(0, most_of_line_with_error);
    if (contains(line, "within tolerance")) continue;  // names what is allowed, not what differs
    size = std::fmax(size, size_of_output(lines[i].substr(0, 2 * most_of_line_with_error)));
    if (const auto error = named_error(line, i)) {
      if (!error->difference && !compares_errors(text)) continue;
      if (!error->relative) {
        take(absolute, *error);
      } else if (!error->of_elements || error->value <= 1) {
        take(relative, *error);
      }
    } else if (const auto sides = error_of_sides(line, i)) {
      take(absolute, *sides);
    } else if (takes_difference(line) || calls_one_of(line, functions)) {
      if (const auto value = value_of_statement(line, line_of_value(lines, i)))
        take(absolute, {.row = i, .value = *value});
    }
  }
  const std::vector<NumberBlock> blocks = number_blocks(text);
  for (const compared::Shown& shown : compared::shown_by_script(text, blocks)) {
    const NumberBlock& block = blocks[shown.block];
    if (takes_difference(shown.code) && block.array.numbers.size() == 1)
      take(absolute, {.row = block.row, .value = std::fabs(block.array.numbers.front())});
  }
  // Of half precision only what is far off tells something, and that takes the size of the numbers.
  constexpr double far_off = 0.1;
  if (absolute && size > 0 && absolute->value > far_off * size)
    relative = PrintedError{.row = absolute->row, .relative = true, .value = absolute->value / size};
  static const LazyRegex of_apple(R"((?:\b|_)mps(?:\b|_))", RE2::Latin1),
      of_nvidia(R"((?i)(?:\b|_)cuda(?:\(|:\d|\b["']))", RE2::Latin1);
  for (const auto& error : {absolute, relative}) {
    if (!error) continue;
    Symptom& symptom =
        add_symptom(snapshot, {SymptomClass::noted, "printed-difference"}, error->row, trimmed(lines[error->row]));
    if (on_one_device(text))
      symptom.details["device"] = "the same";
    else if (RE2::PartialMatch(text, of_apple) && !RE2::PartialMatch(text, of_nvidia))
      symptom.details["device"] = "mps";
    symptom.details["kind"] = error->relative ? "rel" : "abs";
    symptom.details["value"] = fmt::format("{:.3g}", error->value);
  }
  return snapshot;
}

}  // namespace envdoctor
