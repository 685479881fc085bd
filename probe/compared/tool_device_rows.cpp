// What a program prints of each of several devices: the same result, of which one differs ("cuda:2 result 0.0", or the
// rows of a loop over the devices), or their names in the order in which CUDA numbers them.
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

constexpr std::size_t longest_device_row = 160, fewest_devices = 3;

struct DeviceRow {
  std::size_t row = 0;
  NumberArray array{};
};

bool is_loop_over_devices(std::string_view line) {
  if (!contains(line, "for")) return false;
  static const LazyRegex form(
      R"(\bfor \w+(?:, ?\w+)? in [^\n]*(?:device_count\(\)|devices\([^)]*\))|\bfor ?\([^\n]*(?:num|n|device)_?(?:devices|gpus|count))",
      RE2::Latin1);
  return RE2::PartialMatch(piece_of(line), form);
}

// "cuda:2 result 0.5", "GPU 1: tensor(0.5000)"; nothing that a monitor shows of a device.
std::optional<NumberArray> result_of_device(std::string_view line, int& ordinal) {
  static const LazyRegex form(
      R"((?i)^[\s>#*-]{0,6}(?:cuda|gpu|device|xpu)[ :#_]{0,2}([0-9]{1,2})\b([^0-9\n-]*?)((?:tensor\(|array\()?\[{0,4}-?[0-9]))",
      RE2::Latin1);
  constexpr std::size_t farthest_number = 20;
  if (!first_letter_begins(line, {"cuda", "gpu", "device", "xpu"}) ||
      line.find_first_of("0123456789") > farthest_number)
    return std::nullopt;
  std::string said;
  re2::StringPiece value;
  if (!RE2::PartialMatch(piece_of(line), form, &ordinal, &said, &value)) return std::nullopt;
  const compared::Label label = compared::label_of(said);
  if (label.other ||
      (!label.result && !label.plain && !std::string_view(value.data(), value.size()).starts_with("tensor(")))
    return std::nullopt;
  std::size_t at = static_cast<std::size_t>(value.data() - line.data());
  const std::vector<NumberBlock> blocks = number_blocks(line.substr(at));
  if (blocks.empty() || !blocks[0].fractions) return std::nullopt;
  return blocks[0].array;
}

// Numbers alone: a row that a loop prints.
std::optional<NumberArray> numbers_alone(std::string_view line) {
  std::size_t at = std::min(line.find_first_not_of(" \t"), line.size());
  auto array = number_array_at(line, at);
  if (!array || at < line.size() || !contains(line, ".")) return std::nullopt;
  return array;
}

bool asks_for_names(std::string_view line) {
  if (!contains(line, "for ")) return false;
  constexpr std::string_view calls[] = {"get_device_name(", "getDeviceProperties(", "get_device_properties(",
                                        "get_device_details(", ".device_kind"};
  return std::ranges::any_of(calls, [&](std::string_view call) { return contains(line, call); });
}

// "['NVIDIA RTX A4000', 'NVIDIA T400']": the names of a list, in its order; empty: something else.
std::vector<std::string> names_in_list(std::string_view line) {
  static const LazyRegex form(
      R"(\[(?:b?['"](?:NVIDIA|Tesla|GeForce|Quadro|TITAN|AMD|Radeon)[^'"\[\]]{2,60}['"](?:, )?){2,16}\])", RE2::Latin1);
  static const LazyRegex one(R"(['"]([^'"]+)['"])", RE2::Latin1);
  line = trimmed(line);
  re2::StringPiece rest = piece_of(line);
  std::vector<std::string> names;
  if (!RE2::FullMatch(rest, form)) return names;
  for (std::string name; RE2::FindAndConsume(&rest, one, &name);) names.push_back(name);
  return names;
}

// "1 Quadro P2000", "cuda:0: Tesla K40c", "0 0000:02:00.0 b'TITAN V'", or a name alone, which is the next one of the
// loop; empty: no name.
std::string name_in_row(std::string_view line, std::size_t& ordinal) {
  static const LazyRegex form(
      R"(^\s*(?:(?:cuda|gpu|GPU|device|Device)?[ :]?([0-9]{1,2})\b[\s:,)\]-]{1,4})?(?:['"]?[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-9]['"]?[\s,]{1,3})?b?['"]?((?:NVIDIA|Tesla|GeForce|Quadro|TITAN|RTX|GTX|Titan|AMD Radeon|AMD Instinct|Radeon) ?[\w (),+.-]{1,50}?)['"]?\s*$)",
      RE2::Latin1);
  std::string number, name;
  if (!RE2::FullMatch(piece_of(line), form, &number, &name)) return {};
  if (!number.empty()) ordinal = static_cast<std::size_t>(std::strtoul(number.c_str(), nullptr, 10));
  return name;
}

// The names that the first such loop prints.
class NamesOfLoop {
 public:
  void line(std::string_view line, std::size_t row, Snapshot& snapshot) {
    if (next_ == 0 && asks_for_names(line)) in_loop_ = true;
    if (!in_loop_) return;
    if (const std::vector<std::string> names = names_in_list(line); !names.empty()) {
      for (const std::string& name : names) note(next_, name, row, line, snapshot);
      in_loop_ = false;
      return;
    }
    std::size_t ordinal = next_;
    const std::string name = name_in_row(line, ordinal);
    if (name.empty()) {
      in_loop_ = next_ == 0;  // the loop itself may take several lines
      return;
    }
    note(ordinal, name, row, line, snapshot);
  }

 private:
  void note(std::size_t ordinal, const std::string& name, std::size_t row, std::string_view line, Snapshot& snapshot) {
    Symptom& symptom = add_symptom(snapshot, {SymptomClass::noted, "program-device"}, row, line);
    symptom.details = {{"ordinal", std::to_string(ordinal)}, {"name", name}};
    next_ = ordinal + 1;
  }

  bool in_loop_ = false;
  std::size_t next_ = 0;
};

bool agree(const NumberArray& a, const NumberArray& b) {
  return a.numbers.size() == b.numbers.size() && relative_difference(a, b) < 1e-3;
}

// Most devices agree, and one of the others is far off.
std::optional<std::size_t> outlier_of(const std::vector<DeviceRow>& rows) {
  if (rows.size() < fewest_devices) return std::nullopt;
  for (const DeviceRow& one : rows) {
    const auto same =
        std::ranges::count_if(rows, [&](const DeviceRow& other) { return agree(other.array, one.array); });
    if (same * 2 <= std::ssize(rows)) continue;
    const auto far = std::ranges::find_if(rows, [&](const DeviceRow& other) {
      return other.array.numbers.size() == one.array.numbers.size() && !agree(other.array, one.array);
    });
    return far == rows.end() ? std::nullopt : std::optional(far->row);
  }
  return std::nullopt;
}

}  // namespace

bool starts_device_rows(std::string_view line) {
  int ordinal = 0;
  line = line.substr(0, longest_device_row);
  return is_loop_over_devices(line) || asks_for_names(line) || result_of_device(line, ordinal).has_value();
}

Snapshot parse_device_rows(const std::string& text) {
  Snapshot snapshot;
  std::vector<DeviceRow> labelled, looped;
  bool in_loop = false, ended = false;
  std::size_t row = 0;
  NamesOfLoop names;
  for (std::string_view line : lines_of(text)) {
    line = line.substr(0, longest_device_row);
    names.line(line, row, snapshot);
    int ordinal = 0;
    if (auto array = result_of_device(line, ordinal); array && labelled.size() == static_cast<std::size_t>(ordinal))
      labelled.push_back({row, std::move(*array)});
    in_loop = in_loop || is_loop_over_devices(line);
    if (auto array = in_loop && !ended ? numbers_alone(line) : std::nullopt) {
      looped.push_back({row, std::move(*array)});
    } else {
      ended = ended || !looped.empty();
    }
    ++row;
  }
  for (const auto* rows : {&labelled, &looped}) {
    if (const auto far = outlier_of(*rows)) {
      add_symptom(snapshot, {SymptomClass::noted, "devices-differ"}, *far, trimmed(lines_of(text)[*far]));
      break;
    }
  }
  return snapshot;
}

}  // namespace envdoctor
