// A table that a person's own script prints of a model: a row per layer with its difference between two sides, of which
// one is far off after others that agree; and Polygraphy's verdict on each layer's output.
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

constexpr std::size_t longest_layer_row = 200, fewest_before = 2;
// Below the one, layers agree; above the other, no rounding of one layer's inputs explains it.
constexpr double agrees = 1e-4, far_off = 0.02;

// The last number of "NAME … 1.1e-06", a mark such as "<--" behind it left out; NaN: no such row.
double difference_in(std::string_view line, std::string& name) {
  static const LazyRegex form(
      R"(\s*([A-Za-z_][\w./:-]*)\s[^\n]*?([0-9]\.[0-9]*(?:e[+-]?[0-9]+)?|0)(?:\s*(?:<[-=]*|\*+|!+|FAIL\w*|ok|OK))?\s*)",
      RE2::Latin1);
  double value = NAN;
  if (line.size() > longest_layer_row || !RE2::FullMatch(piece_of(line), form, &name, &value)) return NAN;
  return value;
}

// The head of such a table, or the code that prints one.
bool announces(std::string_view line) {
  const std::string low = lower_case(line.substr(0, longest_layer_row));
  const bool of_layers = contains(low, "layer") || contains(low, "module") || contains(low, "l.name");
  const bool of_differences = contains(low, "diff") || contains(low, "max|") || contains(low, "rel") ||
                              contains(low, "err") || contains(low, "abs(");
  const bool columns = contains(low, "  ") || contains(low, "\t") || contains(low, "|") || contains(low, "abs(");
  return of_layers && of_differences && columns;
}

// "[E]         FAILED | Output: 'resize1_out' | Difference exceeds tolerance", after others that passed.
void outputs_of_polygraphy(std::string_view text, Snapshot& snapshot) {
  static const LazyRegex form(R"(\b(PASSED|FAILED) \| Output: '([^'\n]{1,100})')", RE2::Latin1);
  std::size_t row = 0, before = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    std::string verdict, name;
    if (!contains(line, " | Output: '") || !RE2::PartialMatch(piece_of(line), form, &verdict, &name)) continue;
    if (verdict == "PASSED") {
      ++before;
    } else {
      if (before >= fewest_before)
        add_symptom(snapshot, {SymptomClass::wrong_result, "layer"}, at, line).details["layer"] = name;
      return;
    }
  }
}

}  // namespace

bool starts_layer_differences(std::string_view line) {
  return announces(line) || contains(line, "for l in") || contains(line, " | Output: '");
}

Snapshot parse_layer_differences(const std::string& text) {
  Snapshot snapshot;
  outputs_of_polygraphy(text, snapshot);
  std::size_t row = 0, before = 0;
  bool of_layers = false, announced = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    of_layers = of_layers || contains(line, "layers");
    if (announces(line) || (of_layers && contains(line, "name") && contains(line, "abs("))) {
      announced = true;
      before = 0;
      continue;
    }
    std::string name;
    const double value = announced ? difference_in(line, name) : NAN;
    if (std::isnan(value)) continue;
    if (value < agrees) {
      ++before;
    } else if (value >= far_off && before >= fewest_before) {
      Symptom& symptom = add_symptom(snapshot, {SymptomClass::wrong_result, "layer"}, at, line);
      symptom.details["layer"] = name;
      return snapshot;
    } else {
      announced = false;  // differences that grow from layer to layer
    }
  }
  return snapshot;
}

}  // namespace envdoctor
