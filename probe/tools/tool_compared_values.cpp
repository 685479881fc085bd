// Values of a device and of a reference, each under a label of its own: "cpu: 0.1234  gpu: 0.1251", an array below
// "On GPU:", columns under "index cpu gpu", rows under "cuDNN vs correct".
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include "knowledge/lower_case.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_entries = 256, most_apart = 24, longest_line = 400;

enum class Side { none, device, reference, both };

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

bool names_device(std::string_view word) {
  return is_one_of(word, {"gpu", "cuda", "mps", "xpu", "npu", "hip", "rocm", "opencl", "vulkan", "metal", "triton",
                          "cudnn", "cublas", "cupy", "tensorrt", "trt", "sycl", "directml", "dml", "webgpu"});
}

// "device" and "got" may be said of anything.
bool may_be_device(std::string_view word) {
  return is_one_of(word, {"device", "kernel", "got", "actual", "computed", "compiled", "inductor"});
}

bool names_reference(std::string_view word) {
  return is_one_of(word, {"cpu", "host", "numpy", "np", "ref", "reference", "expected", "correct", "golden", "gold",
                          "truth", "desired", "scipy", "exact", "eager", "fp64", "float64"});
}

// Words of a label that don't say what the value is.
bool says_nothing(std::string_view word) {
  return is_one_of(word, {"on", "the", "of", "in", "with", "using", "from", "print", "for", "by", "is", "are", "at",
                          "result", "results", "output", "outputs", "value", "values", "tensor", "array", "to", "and"});
}

bool says_result(std::string_view word) {
  return is_one_of(word, {"result", "results", "output", "outputs", "sum", "answer", "checksum"});
}

// Of a label with such a word the value is no result of a calculation: two sides may differ in it.
bool says_other(std::string_view word) {
  return is_one_of(
      word,
      {"time",    "times",    "timing",   "ms",        "us",          "sec",         "secs",      "second",  "seconds",
       "elapsed", "took",     "duration", "memory",    "mem",         "ram",         "usage",     "util",    "load",
       "speed",   "speedup",  "rate",     "fps",       "throughput",  "bandwidth",   "clock",     "temp",    "power",
       "core",    "cores",    "thread",   "threads",   "count",       "num",         "number",    "index",   "idx",
       "size",    "shape",    "version",  "id",        "rank",        "driver",      "used",      "free",    "limit",
       "bytes",   "mb",       "gb",       "mib",       "gib",         "peak",        "step",      "steps",   "epoch",
       "epochs",  "batch",    "gflops",   "tflops",    "flops",       "layers",      "devices",   "gpus",    "cpus",
       "model",   "latency",  "ratio",    "frequency", "performance", "score",       "benchmark", "loss",    "acc",
       "accuracy", "argument", "arguments", "channels", "dimension",  "dimensions",  "dim",       "dims",    "args",
       "utilization", "available", "visible", "iteration", "iterations", "allocated", "reserved", "name",    "type",
       "error",   "err",      "diff",     "difference", "tolerance",  "seed",        "width",     "height",  "total",
       "max",     "length",   "percent",  "bits",      "pid",         "port",        "capability", "weight", "bus"});
}

// What a label says, without the side.
struct Label {
  Side side = Side::none;
  bool surely = false;  // a GPU or a CPU is named
  bool result = false;
  bool other = false;
  std::string subject{};  // "y" of "y_cpu"
  std::string device{};
  std::size_t words = 0;
};

Label label_of(std::string_view text) {
  Label label;
  const std::string small = lower_case(text.substr(0, longest_line));
  const auto is_letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = 0; at < small.size();) {
    if (!is_letter(small[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < small.size() && is_letter(small[at])) ++at;
    const std::string_view word = std::string_view(small).substr(begin, at - begin);
    ++label.words;
    const bool sure = names_device(word), device = sure || may_be_device(word);
    if (device || names_reference(word)) {
      const Side side = device ? Side::device : Side::reference;
      // "(a.cuda() @ b.cuda()).cpu()" is the device's.
      const bool fetched = word == "cpu" && small.substr(at).starts_with("()");
      if (fetched && label.side == Side::device) continue;
      label.side = label.side == Side::none || label.side == side ? side : Side::both;
      label.surely = label.surely || sure || word == "cpu" || word == "numpy";
      if (sure && label.device.empty()) label.device = std::string(word);
      continue;
    }
    label.result = label.result || says_result(word);
    label.other = label.other || says_other(word);
    if (!says_nothing(word)) label.subject += std::string(word) + " ";
  }
  return label;
}

struct Entry {
  std::size_t row = 0;
  Label label{};
  bool above = false;  // the label is a line of its own, which may be a statement or a sentence
  bool fractions = false;
  std::size_t digits = 0;  // of the first number
  NumberArray array{};
};

// "12.5 ms", "3.4x", "85%": a measurement, or a count of something.
bool has_unit(std::string_view rest) {
  rest = rest.substr(0, 16);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  if (rest.starts_with('%')) return true;
  if (rest.empty() || !std::isalpha(static_cast<unsigned char>(rest[0]))) return false;
  const std::size_t end = std::min(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"),
                                   rest.size());
  // A word that is a label itself follows: "cpu 0.5 gpu 0.6".
  return label_of(rest.substr(0, end)).side == Side::none && !is_one_of(rest.substr(0, end), {"and", "vs", "but"});
}

// The array or number at `at` of `text`, which is moved behind it. A bare number goes no further than its line.
std::optional<Entry> value_at(std::string_view text, std::size_t& at) {
  static const RE2 maker(R"((?:tensor|array|Array|tf\.Tensor|torch\.tensor|cupy\.array|np\.float32|np\.float64)\()");
  re2::StringPiece rest(text.data() + at, text.size() - at);
  const bool made = RE2::Consume(&rest, maker);
  std::size_t begin = text.size() - rest.size();
  while (begin < text.size() && (text[begin] == ' ' || text[begin] == '\t')) ++begin;
  if (begin >= text.size()) return std::nullopt;
  const bool brackets = text[begin] == '[' || text[begin] == '{';
  if (text[begin] == '{') ++begin;
  const std::size_t line_end = std::min(text.find('\n', begin), text.size());
  std::size_t end = begin;
  auto array = number_array_at(brackets || made ? text : text.substr(0, line_end), end);
  if (!array || (!brackets && !made && !array->shape.empty() && array->shape.find('[') != std::string::npos))
    return std::nullopt;
  Entry entry{.array = std::move(*array)};
  const std::string_view first = text.substr(begin, end - begin);
  entry.fractions = contains(first, ".") || contains(first, "e-");
  for (const char c : first.substr(0, first.find_first_of(", \n]")))
    entry.digits += std::isdigit(static_cast<unsigned char>(c)) ? 1 : 0;
  at = end;
  const std::size_t behind = text.find_last_not_of(" \t", end - 1) + 1;
  if (!brackets && !made && text[behind - 1] != ',' && has_unit(text.substr(end, line_end - std::min(end, line_end))))
    return std::nullopt;
  return entry;
}

// "y_cpu = 0.25, y_gpu = 0.26": each label of a line with its value. False: the line has none.
bool labelled_values(std::string_view text, std::size_t begin, std::string_view line, std::size_t row, std::size_t& end,
                     std::vector<Entry>& all) {
  static const RE2 form(
      R"(([A-Za-z][\w ./@+()\[\]-]{0,48}?) ?(?:[:=]|->|=>)\s{0,8}((?:tensor\(|array\(|Array\(|tf\.Tensor\()?[\[{]{0,4} ?(?:-?[0-9]|-?inf|-?nan)))");
  re2::StringPiece rest(line.data(), line.size());
  re2::StringPiece label, value;
  bool any = false;
  while (all.size() < most_entries && RE2::FindAndConsume(&rest, form, &label, &value)) {
    const Label said = label_of(std::string_view(label.data(), label.size()));
    std::size_t at = begin + static_cast<std::size_t>(value.data() - line.data());
    any = true;
    if (said.side == Side::none || said.side == Side::both || said.other) continue;
    auto entry = value_at(text, at);
    if (!entry) continue;
    entry->row = row;
    entry->label = said;
    all.push_back(std::move(*entry));
    end = std::max(end, at);
    const std::size_t used = at - begin;
    if (used >= line.size()) break;
    rest = re2::StringPiece(line.data() + used, line.size() - used);
  }
  return any;
}

bool starts_array(std::string_view line) {
  static const RE2 form(R"(^[\s>|#]{0,12}(?:tensor\(|array\(|Array\(|tf\.Tensor\(|<tf\.Tensor[^\[]{0,80}\[|\[|\{)?[\[{ ]{0,6}(?:-?[0-9]|-?inf\b|-?nan\b))");
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), form);
}

std::vector<Entry> entries_in(std::string_view text) {
  std::vector<Entry> all;
  std::string_view above;
  std::size_t row = 0, end = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t begin = static_cast<std::size_t>(line.data() - text.data());
    const std::size_t its_row = row++;
    if (begin < end || line.size() > longest_line || all.size() >= most_entries) continue;
    if (trimmed(line).empty()) continue;
    const bool array = starts_array(line);
    if (array && !above.empty()) {
      Label label = label_of(above);
      std::size_t at = begin + line.find_first_not_of(" \t>|#");
      if ((label.side == Side::device || label.side == Side::reference) && !label.other) {
        if (auto entry = value_at(text, at)) {
          entry->row = its_row;
          entry->above = true;
          entry->label = std::move(label);
          all.push_back(std::move(*entry));
          end = at;
        }
      }
      above = {};
      continue;
    }
    if (labelled_values(text, begin, line, its_row, end, all) || array || line.size() > 100) {
      above = {};
      continue;
    }
    above = line;
  }
  return all;
}

struct Difference {
  double relative = 0;
  const char* by = nullptr;
  std::size_t row = 0;
  std::string device{};
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

std::optional<Difference> of_arrays(const Entry& device, const Entry& reference) {
  const double relative = relative_difference(device.array, reference.array);
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  if (const char* by = difference(device.array, reference.array)) return Difference{relative, by};
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
      if (!same_subject || all[i].label.subject == all[of].label.subject) return i;
    }
    return of;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t other = partner(i, true);
    if (other == i && all[i].array.numbers.size() > 1) other = partner(i, false);
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

std::optional<Columns> columns_of(std::string_view line, std::size_t row) {
  const std::vector<std::string_view> fields = fields_of(line);
  if (line.size() > 120 || fields.size() < 2 || fields.size() > 8) return std::nullopt;
  Columns columns{.row = row, .count = fields.size()};
  std::size_t devices = 0, references = 0, versus = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Label label = label_of(fields[i]);
    if (label.other || label.side == Side::both || fields[i].find_first_of("(=") != std::string_view::npos)
      return std::nullopt;
    versus += is_one_of(lower_case(fields[i]), {"vs", "vs.", "versus"}) ? 1 : 0;
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
    while (next < lines.size() && device.numbers.size() < most_rows && add_row(*columns, lines[next], device, reference))
      ++next;
    if (device.numbers.size() < fewest) continue;
    const double relative = relative_difference(device, reference);
    if (relative == 0 || std::isnan(relative)) continue;
    const char* by = lost_to_nan(device, reference) ? "nan" : std::isinf(relative) ? "infinite" : relative < 0.02 ? "rounding" : "value";
    return Difference{relative, by, i, columns->name};
  }
  return std::nullopt;
}

}  // namespace

bool starts_compared_values(std::string_view line) {
  const Side side = label_of(line).side;
  return side != Side::none;
}

Snapshot parse_compared_values(const std::string& text) {
  Snapshot snapshot;
  if (!speaks_of_a_gpu(text)) return snapshot;
  std::optional<Difference> worst = in_columns(lines_of(text));
  for (const auto& [device, reference] : pairs_of(entries_in(text))) {
    const auto found = between(device, reference);
    if (found && (!worst || found->relative > worst->relative)) worst = found;
  }
  if (!worst) return snapshot;
  Symptom& symptom = add_symptom(snapshot, {SymptomClass::noted, "values-differ"}, worst->row,
                                 trimmed(lines_of(text)[worst->row]));
  symptom.details["by"] = worst->by;
  symptom.details["relative"] = fmt::format("{:.3g}", worst->relative);
  if (!worst->device.empty()) symptom.details["device"] = worst->device;
  return snapshot;
}

}  // namespace envdoctor
