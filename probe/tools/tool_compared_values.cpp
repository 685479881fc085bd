// Values of a device and of a reference, each under a label of its own: "cpu: 0.1234  gpu: 0.1251", an array below
// "On GPU:", columns under "index cpu gpu", rows under "cuDNN vs correct".
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <iterator>

#include "knowledge/lower_case.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/compared_values.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace compared {
namespace {

constexpr std::size_t most_entries = 256, most_apart = 24, longest_line = 400;

bool may_be_in_label(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_ ./@+()[]-").find(c) != std::string_view::npos;
}

struct Labelled {
  std::string_view label{}, value{};
};

// The first label in the text that a colon, an equals sign or an arrow parts from a number or an array.
std::optional<Labelled> next_labelled(std::string_view text) {
  static const RE2 form(
      R"(\s{0,8}((?:tensor\(|array\(|Array\(|tf\.Tensor\()?(?:[\[{]{0,4} ?(?:-?[0-9]|-?inf|-?nan)|\[{1,4}(?:True|False))))");
  constexpr std::size_t longest_label = 49;
  for (std::size_t at = text.find_first_of(":=>"); at != std::string_view::npos;
       at = text.find_first_of(":=>", at + 1)) {
    std::size_t end = at;  // of the label
    if (text[at] == '>') {
      if (at == 0 || (text[at - 1] != '-' && text[at - 1] != '=')) continue;
      --end;
    }
    while (end > 0 && text[end - 1] == ' ') --end;
    std::size_t begin = end, first = end;
    while (first > 0 && end - first < longest_label && may_be_in_label(text[first - 1])) {
      --first;
      if (std::isalpha(static_cast<unsigned char>(text[first]))) begin = first;
    }
    re2::StringPiece rest(text.data() + at + 1, text.size() - at - 1), value;
    if (begin > 0 && (text[begin - 1] == '\'' || text[begin - 1] == '"') && text[at] == ':') continue;  // 'cuda:0'
    if (begin < end && RE2::Consume(&rest, form, &value))
      return Labelled{text.substr(begin, end - begin), {value.data(), value.size()}};
  }
  return std::nullopt;
}

// "y_cpu = 0.25, y_gpu = 0.26": each label of a line with its value. False: the line has none.
bool labelled_values(std::string_view text, std::size_t begin, std::string_view line, std::size_t row, std::size_t& end,
                     const Label& section, std::vector<Entry>& all) {
  static const RE2 words(R"((?i)mismatch|differ|wrong|incorrect|not (?:match|equal))");
  std::string_view rest = line;
  std::optional<bool> mismatch;
  bool any = false;
  while (all.size() < most_entries) {
    const auto next = next_labelled(rest);
    if (!next) break;
    Label said = label_of(next->label);
    rest = line.substr(static_cast<std::size_t>(next->value.data() + next->value.size() - line.data()));
    if (said.side == Side::none && section.side != Side::none) {
      said.side = section.side;
      said.surely = section.surely;
      said.device = section.device;
      said.result = said.result || section.result;
    }
    std::size_t at = begin + static_cast<std::size_t>(next->value.data() - line.data());
    any = true;
    if (!mismatch) mismatch = RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), words);
    said.result = said.result || *mismatch;
    if (said.side == Side::none || said.side == Side::both || said.other) continue;
    auto entry = value_at(text, at);
    if (!entry) continue;
    entry->row = row;
    entry->label = said;
    all.push_back(std::move(*entry));
    end = std::max(end, at);
    const std::size_t used = at - begin;
    if (used >= line.size()) break;
    rest = line.substr(used);
  }
  return any;
}

// ">>> x.sum()", "In [3]: x.sum()"
bool is_statement(std::string_view line) {
  static const RE2 form(R"(^\s{0,4}(?:>>> |In \[[0-9]+\]: )[\w(][^=]{3,100}$)");
  return RE2::FullMatch(re2::StringPiece(line.data(), line.size()), form);
}

// "host 1.4142 device 0.0000", "10.5000 (gpu) vs 12.5000 (cpu)": two numbers beside their sides, in a line that speaks
// of results.
void sides_without_separator(std::string_view line, std::size_t row, std::vector<Entry>& all) {
  static const RE2 speaks(R"((?i)mismatch|match|differ|wrong|expected|result|\bvs\b|\bdiff\b|\[[0-9]+\])");
  static const RE2 before(
      R"((?i)\b(cpu|gpu|host|device|cuda|ref|reference|expected|got|actual)(?: value -)? {1,4}(-?[0-9]+\.[0-9]{2,}(?:e[-+]?[0-9]+)?|-?nan|-?inf)\b)");
  static const RE2 behind(
      R"((?i)(-?[0-9]+\.[0-9]{2,}(?:e[-+]?[0-9]+)?|-?\bnan|-?\binf) ?[(\[](cpu|gpu|host|device|cuda|ref|reference|expected|actual)[)\]])");
  const re2::StringPiece text(line.data(), line.size());
  if (!RE2::PartialMatch(text, speaks) || label_of(line.substr(0, line.find("diff"))).other) return;
  for (const bool label_first : {true, false}) {
    std::vector<Entry> found;
    re2::StringPiece rest = text;
    std::string label, value;
    while (RE2::FindAndConsume(&rest, label_first ? before : behind, label_first ? &label : &value,
                               label_first ? &value : &label)) {
      std::size_t at = 0;
      if (auto entry = value_at(value, at)) {
        entry->row = row;
        entry->label = label_of(label);
        entry->label.result = true;
        found.push_back(std::move(*entry));
      }
    }
    if (found.size() != 2 || found[0].label.side == found[1].label.side) continue;
    std::ranges::move(found, std::back_inserter(all));
    return;
  }
}

// A line with one side and no value: what follows without a side of its own is that side's.
struct Section {
  std::size_t row = 0;
  Label label{};
};
constexpr std::size_t lines_of_heading = 3, lines_of_section = 20;

std::vector<Entry> entries_in(std::string_view text) {
  std::vector<Entry> all;
  std::string_view above;
  Section section;
  std::size_t row = 0, end = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t begin = static_cast<std::size_t>(line.data() - text.data());
    const std::size_t its_row = row++;
    if (begin < end || line.size() > longest_line || all.size() >= most_entries) continue;
    if (trimmed(line).empty()) continue;
    const bool array = starts_array(line);
    if (array && !above.empty()) {
      Label label = label_of(above);
      if (label.side == Side::none && its_row <= section.row + lines_of_heading) label = section.label;
      const bool statement = is_statement(above);
      std::size_t at = begin + line.find_first_not_of(" \t>|#");
      if (statement || ((label.side == Side::device || label.side == Side::reference) && !label.other)) {
        if (auto entry = value_at(text, at); entry && label.side != Side::both) {
          entry->row = its_row;
          entry->above = true;
          entry->label = std::move(label);
          if (statement) {
            name_side(*entry, above.substr(above.find_first_of(" :") + 1));
            entry->label.result = !entry->label.other;
          }
          all.push_back(std::move(*entry));
          end = at;
        }
      }
      above = {};
      continue;
    }
    if (its_row > section.row + lines_of_section) section = {};
    sides_without_separator(line, its_row, all);
    if (labelled_values(text, begin, line, its_row, end, section.label, all) || array || line.size() > 100) {
      above = {};
      continue;
    }
    above = line;
    if (Label label = label_of(line); label.side == Side::device || label.side == Side::reference)
      section = {its_row,
                 label.other || line.find_first_of("=(") != std::string_view::npos ? Label{} : std::move(label)};
  }
  return all;
}

struct Difference {
  double relative = 0;
  const char* by = nullptr;
  std::size_t row = 0;
  std::string device{};
  bool products = true;  // no: statements show that nothing was multiplied in matrices
};

bool is_whole(const Entry& entry) { return !entry.fractions; }

// Of single numbers no more is known than their labels, so the labels must call them results, or the numbers must
// nearly agree.
std::optional<Difference> of_numbers(const Entry& device, const Entry& reference) {
  const double relative = relative_difference(device.array, reference.array);
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  // "expected 0.1234, got 0.0": of few digits it may be a version.
  const bool tested = !device.label.surely && !reference.label.surely && std::max(device.digits, reference.digits) >= 4;
  const bool said = device.label.result || reference.label.result || tested;
  if (is_whole(device) && is_whole(reference)) return std::nullopt;
  if (std::isinf(relative)) return said ? std::optional(Difference{relative, "infinite"}) : std::nullopt;
  const bool near = relative < 0.02 && std::min(device.digits, reference.digits) >= 5;
  if (!said && !near) return std::nullopt;
  return Difference{relative, near ? "rounding" : "value"};
}

// Whole numbers of which float32 holds only some: they differ by one where they went through it.
bool beyond_float32(const Entry& entry) {
  return is_whole(entry) && std::ranges::any_of(entry.array.numbers, [](double one) { return one > 16777216; });
}

std::optional<Difference> of_arrays(const Entry& device, const Entry& reference) {
  const double relative = relative_difference(device.array, reference.array);
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  if (const char* by = difference(device.array, reference.array)) return Difference{relative, by};
  if (beyond_float32(device) && beyond_float32(reference)) return Difference{relative, "whole"};
  const bool labels_agree = device.label.subject == reference.label.subject && device.label.surely;
  const bool short_labels = device.label.words <= 4 && reference.label.words <= 4;
  if (!labels_agree || ((device.above || reference.above) && !short_labels)) return std::nullopt;
  if (std::isinf(relative)) return Difference{relative, "infinite"};
  return Difference{relative, relative < 0.02 ? "rounding" : "value"};
}

// Each value with the first one of the other side before it that has no partner yet: loops print one side after the
// other, or all of one side first.
std::vector<std::pair<Entry, Entry>> pairs_of(std::vector<Entry> all) {
  std::vector<std::pair<Entry, Entry>> pairs;
  std::vector<bool> used(all.size());
  const auto partner = [&](std::size_t of, bool same_subject) {
    for (std::size_t i = of - std::min(of, most_apart); i < of; ++i) {
      if (used[i] || all[i].label.side == all[of].label.side || !same_shape(all[i].array, all[of].array)) continue;
      if (!same_subject && all[i].assumed) continue;
      if (!same_subject || all[i].label.subject == all[of].label.subject) return i;
    }
    return of;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t other = partner(i, true);
    if (other == i && all[i].array.numbers.size() > 1 && !all[i].assumed) other = partner(i, false);
    if (other == i) continue;
    used[i] = used[other] = true;
    const bool first = all[i].label.side == Side::device;
    pairs.emplace_back(all[first ? i : other], all[first ? other : i]);
  }
  return pairs;
}

std::optional<Difference> between(const Entry& device, const Entry& reference) {
  if (!same_shape(device.array, reference.array)) return std::nullopt;
  const bool single = device.array.numbers.size() == 1;
  if (single && device.label.subject != reference.label.subject) return std::nullopt;
  auto found = single ? of_numbers(device, reference) : of_arrays(device, reference);
  if (found) {
    if (std::isinf(found->relative) && lost_to_nan(device.array, reference.array)) found->by = "nan";
    found->row = device.row;
    const auto plain = [](const Entry& entry) {
      return entry.above && entry.label.plain && !entry.label.products && !contains(entry.statement, "@");
    };
    found->products = !plain(device) || !plain(reference);
    found->device = device.label.device;
  }
  return found;
}

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
    const Label label = label_of(fields[i]);
    if (label.other || label.side == Side::both || fields[i].find_first_of("(=") != std::string_view::npos)
      return std::nullopt;
    versus += is_versus(lower_case(fields[i])) ? 1 : 0;
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
                     : relative < 0.02              ? "rounding"
                                                    : "value";
    return Difference{relative, by, i, columns->name};
  }
  return std::nullopt;
}

// The largest difference of all pairs.
std::optional<Difference> largest_difference(std::string_view text) {
  std::optional<Difference> worst = in_columns(lines_of(text));
  std::array sources{entries_in(text), printed_by_script(text)};
  for (std::vector<Entry>& entries : sources) {
    for (const auto& [device, reference] : pairs_of(std::move(entries))) {
      const auto found = between(device, reference);
      if (found && (!worst || found->relative > worst->relative)) worst = found;
    }
  }
  return worst;
}

}  // namespace
}  // namespace compared

bool starts_compared_values(std::string_view line) { return compared::label_of(line).side != compared::Side::none; }

Snapshot parse_compared_values(const std::string& text) {
  Snapshot snapshot;
  if (!speaks_of_a_gpu(text)) return snapshot;
  const auto worst = compared::largest_difference(text);
  if (!worst) return snapshot;
  Symptom& symptom =
      add_symptom(snapshot, {SymptomClass::noted, "values-differ"}, worst->row, trimmed(lines_of(text)[worst->row]));
  symptom.details["by"] = worst->by;
  symptom.details["relative"] = fmt::format("{:.3g}", worst->relative);
  if (!worst->products) symptom.details["products"] = "no";
  if (!worst->device.empty()) symptom.details["device"] = worst->device;
  return snapshot;
}

}  // namespace envdoctor
