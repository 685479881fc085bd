// Values of a device and of a reference in columns under "index cpu gpu", and tables that hold no results.
#include <re2/re2.h>

#include <cmath>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor::compared {
namespace {

// Columns: "i cpu gpu" above rows of as many fields, and "A vs B" above rows that end in two numbers.
struct Columns {
  std::size_t row = 0, device = 0, reference = 0, count = 0;  // count 0: the last two numbers of a row
  bool device_first = false;
  std::string name{};
};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (const std::string_view word : words_of(line)) {
    if (word != "|") fields.push_back(word);
  }
  return fields;
}

bool is_versus(std::string_view word) { return word == "vs" || word == "vs." || word == "versus"; }

std::optional<Columns> columns_of(std::string_view line, std::size_t row) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (line.size() > 120 || fields.size() < 2 || fields.size() > 8) return std::nullopt;
  Columns columns{.row = row, .count = fields.size()};
  std::size_t devices = 0, references = 0, versus = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (is_versus(lower_case(fields[i]))) {
      ++versus;
      continue;
    }
    const Label label = label_of(fields[i]);
    if (label.other || label.side == Side::both || fields[i].find_first_of("(=") != std::string_view::npos)
      return std::nullopt;
    if (label.side == Side::device) {
      ++devices;
      columns.device = i;
      columns.name = label.device;
    }
    if (label.side == Side::reference) {
      ++references;
      columns.reference = i;
    }
  }
  if (devices != 1 || references != 1) return std::nullopt;
  columns.device_first = columns.device < columns.reference;
  if (versus > 0) columns.count = 0;
  return columns;
}

std::optional<double> number_in(std::string_view field) {
  while (field.ends_with(',') || field.ends_with(';')) field.remove_suffix(1);
  if (!contains(field, ".") && !contains(field, "nan") && !contains(field, "inf")) return std::nullopt;
  std::size_t at = 0;
  const auto array = number_array_at(field, at);
  return array && array->shape.empty() && at == field.size() ? std::optional(array->numbers.front()) : std::nullopt;
}

bool add_row(const Columns& columns, std::string_view line, NumberArray& device, NumberArray& reference) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (fields.size() < 2 || (columns.count > 0 && fields.size() != columns.count)) return false;
  const std::size_t last = fields.size() - 1;
  const std::size_t at_device = columns.count > 0 ? columns.device : columns.device_first ? last - 1 : last;
  const std::size_t at_reference = columns.count > 0 ? columns.reference : columns.device_first ? last : last - 1;
  const auto a = number_in(fields[at_device]), b = number_in(fields[at_reference]);
  if (!a || !b) return false;
  device.numbers.push_back(*a);
  reference.numbers.push_back(*b);
  return true;
}

}  // namespace

std::optional<Difference> in_columns(const std::vector<std::string_view>& lines) {
  constexpr std::size_t most_rows = 1024, fewest = 3;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > 120 || lines[i].find_first_of("uUeEfF") == std::string_view::npos) continue;
    const auto columns = columns_of(lines[i], i);
    if (!columns) continue;
    NumberArray device, reference;
    std::size_t next = i + 1;
    if (next < lines.size() && lines[next].find_first_not_of(" -=|+:") == std::string_view::npos) ++next;  // a ruler
    while (next < lines.size() && device.numbers.size() < most_rows &&
           add_row(*columns, lines[next], device, reference))
      ++next;
    if (device.numbers.size() < fewest) continue;
    const double relative = relative_difference(device, reference);
    if (relative == 0 || std::isnan(relative)) continue;
    const char* by = lost_to_nan(device, reference) ? "nan"
                     : std::isinf(relative)         ? "infinite"
                     : relative < largest_rounding  ? "rounding"
                                                    : "value";
    return Difference{relative, by, i, columns->name};
  }
  return std::nullopt;
}

std::string without_process_tables(std::string_view text) {
  static const LazyRegex head(R"(\s*(?:[A-Z]+ +)?PID +(?:[A-Z%+]+ ?)+.*)", RE2::Latin1);
  static const LazyRegex row(R"(\s*(?:[\w.-]+ +)?\d+ .*)", RE2::Latin1);
  std::string kept;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    const re2::StringPiece piece = piece_of(line.substr(0, 200));
    inside = (contains(line, "PID") && RE2::FullMatch(piece, head)) || (inside && RE2::FullMatch(piece, row));
    if (!inside) kept += line;
    kept += '\n';
  }
  return kept;
}

}  // namespace envdoctor::compared
