// A log of TensorFlow that stands still for minutes right after it has opened the GPU: the driver compiles kernels.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// Seconds of the day, of "2018-09-05 09:54:50.375588: I tensorflow/…"; nullopt: no such line.
std::optional<int> second_of(std::string_view line) {
  static const LazyRegex form(R"(\d{4}-\d\d-\d\d (\d\d):(\d\d):(\d\d)\.\d+: [IWE] )", RE2::Latin1);
  int hours = 0, minutes = 0, seconds = 0;
  re2::StringPiece rest = piece_of(line.substr(0, 200));
  if (!RE2::Consume(&rest, form, &hours, &minutes, &seconds)) return std::nullopt;
  return (hours * 60 + minutes) * 60 + seconds;
}

}  // namespace

bool starts_log_gaps(std::string_view line) {
  return contains(line, "Adding visible gpu devices") && second_of(line).has_value();
}

Snapshot parse_log_gaps(const std::string& text) {
  constexpr int longest_usual = 60, a_day = 24 * 3600, half_an_hour = 1800;
  Snapshot snapshot;
  std::optional<int> opened;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const auto second = second_of(line);
    if (!second) continue;
    const int passed = opened ? (*second - *opened + a_day) % a_day : 0;
    if (passed > longest_usual && passed < half_an_hour) {
      add_symptom(snapshot, {SymptomClass::slow, "first-run"}, at, line).details["seconds"] = std::to_string(passed);
      break;
    }
    opened = starts_log_gaps(line) ? second : std::nullopt;
  }
  return snapshot;
}

}  // namespace envdoctor
