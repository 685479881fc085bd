// Values of a device and of a reference, whatever way they are printed: "cpu: 0.1234  gpu: 0.1251", an array below
// "On GPU:", two calls that differ in a device, columns under "index cpu gpu". Also NaN in a tensor, and copies that
// are not what they were made of.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "knowledge/lower_case.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/compared_values.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace compared {
namespace {

constexpr std::size_t most_apart = 24, lines_of_section = 20, longest_heading = 120;
constexpr double largest_rounding = 0.02, most_of_half = 65504;

re2::StringPiece piece_of(std::string_view text) { return {text.data(), text.size()}; }

// A block with all that its words say of it.
struct Entry {
  const NumberBlock* block = nullptr;
  Label label{};
  std::string card{};  // "RTX 3080", where a heading names one
  bool explicit_side = false;
  bool assumed = false;  // a reference only because nothing names a device
  bool statement = false;
  bool heading = false;  // its side stands on a line of its own
  bool tf32_off = false;
  std::size_t row() const { return block->row; }
  const NumberArray& array() const { return block->array; }
  bool single() const { return block->array.numbers.size() == 1; }
  bool whole() const { return !block->fractions; }
};

// "Element #0: CPU value": the last part that names a side.
Label label_beside(std::string_view text) {
  static const RE2 prompt_output(R"(^Out ?\[[0-9]+\]$)");
  if (RE2::FullMatch(piece_of(text), prompt_output)) return {};
  const std::size_t cut = text.find_last_of(":,;|#\t");
  if (cut == std::string_view::npos) return label_of(text);
  Label last = label_of(text.substr(cut + 1));
  return last.side == Side::none ? label_of(text) : last;
}

std::string card_in(std::string_view line) {
  static const RE2 form(
      R"((?i)\b((?:RTX|GTX|Tesla|Quadro|Titan|Radeon|RX) ?[A-Z]?[0-9]{3,4}(?: ?(?:Ti|Super|XT))?|[AVHP]100|T4|P40|K80|A40|L40S?)\b)");
  std::string card;
  if (line.size() <= longest_heading) RE2::PartialMatch(piece_of(line), form, &card);
  return lower_case(card);
}

bool is_tf32_off(std::string_view line) {
  static const RE2 form(
      R"((?i)TF32_OVERRIDE=0|allow_tf32 ?= ?False|without tf32|tf32 (?:off|disabled)|precision\(?['"=(]{1,3}highest)");
  return RE2::PartialMatch(piece_of(line), form);
}

bool speaks_of_a_difference(std::string_view line) {
  static const RE2 words(R"((?i)mismatch|differ|\bdiff\b|\bvs\b|wrong|incorrect|not (?:match|equal))");
  return RE2::PartialMatch(piece_of(line.substr(0, 400)), words);
}

void take_side(Entry& entry, const Label& from) {
  if (entry.label.side != Side::none || from.side == Side::both) return;
  entry.label.side = from.side;
  entry.label.surely = from.surely;
  entry.label.precision = from.precision;
  entry.label.device = from.device;
  entry.explicit_side = from.side != Side::none;
}

class Reader {
 public:
  explicit Reader(std::string_view text) : blocks_(number_blocks(text)), lines_(lines_of(text)) {
    const std::vector<Shown> shown = shown_by_script(text, blocks_);
    std::size_t next = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      while (next < shown.size() && shown[next].block < i) ++next;
      add(blocks_[i], next < shown.size() && shown[next].block == i ? &shown[next] : nullptr);
    }
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<NumberBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }

 private:
  struct Heading {
    std::size_t row = 0;
    Label label{};
    std::string card{};
    bool tf32_off = false;
    bool known = false;
  };

  // The nearest line without numbers above a block that names a side or a card; it holds for the next blocks, too.
  void look_above(const NumberBlock& block) {
    for (std::size_t row = block.row; row-- > block.words_from;) {
      const std::string_view line = lines_[row];
      if (line.size() > longest_heading || trimmed(line).empty()) continue;
      Label label = label_of(line);
      std::string card = card_in(line);
      const bool off = is_tf32_off(line);
      if (label.side == Side::none && card.empty() && !off) continue;
      if (label.side == Side::both || (label.other && !off && card.empty())) continue;
      heading_ = {row, std::move(label), std::move(card), off, true};
      return;
    }
  }

  void add(const NumberBlock& block, const Shown* shown) {
    Entry entry{.block = &block};
    look_above(block);
    Label own = label_beside(block.label);
    own.result = own.result || speaks_of_a_difference(lines_[block.row]);
    if (own.side == Side::both || own.other || block.percent) return;
    entry.label = own;
    entry.label.side = Side::none;
    const bool on_device = !block.device.empty() && block.device != "cpu";
    if (on_device) {
      entry.label.side = Side::device;
      entry.label.surely = entry.explicit_side = true;
      entry.label.device = block.device.substr(0, block.device.find_first_of(":("));
    }
    if (block.device == "cpu") take_side(entry, {.side = Side::reference, .surely = true});
    take_side(entry, own);
    if (shown || !block.statement.empty()) {
      const Label code = label_of(shown ? std::string_view(shown->code) : block.statement);
      if (code.other && entry.single() && !shown) return;
      take_side(entry, code);
      entry.statement = true;
      entry.label.result = entry.label.result || !code.other || shown;
      entry.label.products = code.products || contains(shown ? shown->code : block.statement, "@");
      entry.label.plain = code.plain;
      entry.label.subject += shown ? label_of(shown->computed).subject : code.subject;
    }
    if (block.host) take_side(entry, {.side = Side::reference});
    if (block.traced) take_side(entry, {.side = Side::framework});
    const bool near = heading_.known && heading_.row + lines_of_section > block.row && heading_.row < block.row;
    if (near && !heading_.tf32_off && !heading_.label.other && entry.label.side == Side::none) {
      take_side(entry, heading_.label);
      entry.heading = entry.explicit_side;
      entry.label.result = entry.label.result || heading_.label.result || heading_.label.words <= 3;
      if (own.words == 0) entry.label.words = heading_.label.words;
    }
    if (near) {
      entry.card = heading_.card;
      entry.tf32_off = heading_.tf32_off;
    }
    if (entry.label.side == Side::none) {
      entry.label.side = Side::reference;
      entry.assumed = true;
    }
    entries_.push_back(std::move(entry));
  }

  std::vector<NumberBlock> blocks_;
  std::vector<std::string_view> lines_;
  std::vector<Entry> entries_{};
  Heading heading_{};
};

struct Difference {
  double relative = 0;
  const char* by = nullptr;
  std::size_t row = 0;
  std::string device{};
  bool products = true;  // no: statements show that nothing was multiplied in matrices
};

// Both sides are named, and the rest of the words is the same.
bool is_sure(const Entry& device, const Entry& reference) {
  if (device.label.subject != reference.label.subject) return false;
  if (!device.explicit_side) return false;
  if (reference.explicit_side) return true;
  if (device.heading && device.block == reference.block + 1 && reference.block->label.empty() && !device.single())
    return true;
  return reference.block->made && (device.block->made || device.statement) &&
         (!device.label.subject.empty() || device.statement);
}

// 2^24, above which float32 cannot count by one: a sum of ones ends there.
bool is_stuck(double number, double other) {
  return std::fabs(number - 16777216) < 20 && std::fabs(other) > 1.5 * number && std::isfinite(other);
}

// Of single numbers no more is known than their labels, so the labels must call them results, or the numbers must
// nearly agree.
std::optional<Difference> of_numbers(const Entry& device, const Entry& reference) {
  const double a = device.array().numbers.front(), b = reference.array().numbers.front();
  if (is_stuck(a, b) || is_stuck(b, a)) return Difference{1, "stuck"};
  if (is_sure(device, reference) && std::isnan(a) != std::isnan(b)) return Difference{1, "nan"};
  const double relative = relative_difference(device.array(), reference.array());
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  const std::size_t digits = std::max(device.block->digits, reference.block->digits);
  // "expected 0.1234, got 0.0": of few digits it may be a version.
  const bool tested = !device.label.surely && !reference.label.surely && digits >= 4;
  const bool shown = device.block->made && is_sure(device, reference);
  const bool said =
      device.tf32_off != reference.tf32_off || device.label.result || reference.label.result || tested || shown;
  if (device.whole() && reference.whole() && !shown) return std::nullopt;
  if (std::isinf(relative) && !said) return std::nullopt;
  if (std::isinf(relative))
    return std::fabs(b) > most_of_half ? Difference{relative, "infinite"} : Difference{2, "value"};
  const bool near = relative < largest_rounding && std::min(device.block->digits, reference.block->digits) >= 5;
  const bool zero = (a == 0) != (b == 0) && digits >= 5 && is_sure(device, reference);
  if (!said && !near && !zero) return std::nullopt;
  return Difference{relative, near ? "rounding" : "value"};
}

// Whole numbers of which float32 holds only some: they differ by one where they went through it.
bool beyond_float32(const Entry& entry) {
  return entry.whole() && std::ranges::any_of(entry.array().numbers, [](double one) { return one > 16777216; });
}

std::optional<Difference> of_arrays(const Entry& device, const Entry& reference) {
  double relative = relative_difference(device.array(), reference.array());
  const bool sure = is_sure(device, reference);
  if (sure && relative == 0 && lost_to_nan(reference.array(), device.array())) return Difference{1, "nan"};
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  if (const char* by = difference(device.array(), reference.array())) return Difference{relative, by};
  if (beyond_float32(device) && beyond_float32(reference)) return Difference{relative, "whole"};
  const bool short_labels = device.label.words <= 5 && reference.label.words <= 5;
  if (!sure || ((device.heading || reference.heading) && !short_labels)) return std::nullopt;
  if (std::isinf(relative)) return Difference{relative, "infinite"};
  return Difference{relative, relative < largest_rounding ? "rounding" : "value"};
}

bool may_pair(const Entry& one, const Entry& other) {
  if (one.tf32_off != other.tf32_off) return true;
  if (!one.card.empty() && !other.card.empty() && one.card != other.card) return true;
  return one.label.side != other.label.side && !(one.assumed && other.assumed);
}

struct Pair {
  const Entry *device = nullptr, *reference = nullptr;
};

// Each value with the first one of the other side before it that has no partner yet: loops print one side after the
// other, or all of one side first.
std::vector<Pair> pairs_of(const std::vector<Entry>& all) {
  std::vector<Pair> pairs;
  std::vector<bool> used(all.size());
  const auto partner = [&](std::size_t of, bool same_subject) {
    for (std::size_t i = of - std::min(of, most_apart); i < of; ++i) {
      if (used[i] || !may_pair(all[i], all[of]) || !same_shape(all[i].array(), all[of].array())) continue;
      if (!same_subject && (all[i].assumed || all[of].assumed)) continue;
      if (all[i].assumed && all[i].label.subject.empty() && i + 2 < of && all[i].tf32_off == all[of].tf32_off) continue;
      if (!same_subject || all[i].label.subject == all[of].label.subject) return i;
    }
    return of;
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::size_t other = partner(i, true);
    if (other == i && !all[i].single()) other = partner(i, false);
    if (other == i) continue;
    used[i] = used[other] = true;
    const bool first =
        all[i].label.side != all[other].label.side ? all[i].label.side > all[other].label.side : all[other].tf32_off;
    pairs.push_back({&all[first ? i : other], &all[first ? other : i]});
  }
  return pairs;
}

std::optional<Difference> between(const Entry& device, const Entry& reference) {
  if (device.single() && device.label.subject != reference.label.subject) return std::nullopt;
  auto found = device.single() ? of_numbers(device, reference) : of_arrays(device, reference);
  if (!found) return found;
  // Half precision differs; only what it makes of the numbers as a whole tells more.
  if ((device.label.precision || reference.label.precision) && (device.single() || found->relative < 0.1))
    return std::nullopt;
  if (std::isinf(found->relative) && lost_to_nan(device.array(), reference.array())) found->by = "nan";
  if (reference.tf32_off && std::isfinite(found->relative)) found->by = "tf32";
  found->row = device.row();
  const auto plain = [](const Entry& entry) { return entry.statement && entry.label.plain && !entry.label.products; };
  found->products = !plain(device) || !plain(reference);
  found->device = device.label.device;
  return found;
}

// Two arrays, one after the other and under no words, that differ by some rounding: the same was computed twice.
std::optional<Difference> of_neighbours(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t fewest = 4, fewest_digits = 5;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const NumberBlock &one = blocks[i - 1], &other = blocks[i];
    if (one.array.numbers.size() < fewest || one.array.shape.empty() || !same_shape(one.array, other.array) ||
        !one.label.empty() || !other.label.empty() || one.digits < fewest_digits || other.row > one.last_row + 3)
      continue;
    const char* by = difference(other.array, one.array);
    if (by && std::string_view(by) == "rounding")
      return Difference{relative_difference(other.array, one.array), "neighbours", other.row};
  }
  return std::nullopt;
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

// Two single numbers of which one is where float32 cannot count on.
std::optional<Difference> of_counts(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t most_rows = 12;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i - std::min(i, most_apart); j < std::min(blocks.size(), i + most_apart); ++j) {
      const NumberBlock &one = blocks[i], &other = blocks[j];
      if (one.array.numbers.size() == 1 && other.array.numbers.size() == 1 && one.row < other.row + most_rows &&
          other.row < one.row + most_rows && one.digits >= 6 && other.fractions == one.fractions &&
          is_stuck(one.array.numbers.front(), other.array.numbers.front()))
        return Difference{1, "stuck", one.row};
    }
  }
  return std::nullopt;
}

// The largest difference of all pairs.
std::optional<Difference> largest_difference(const Reader& reader) {
  std::optional<Difference> worst = in_columns(reader.lines());
  for (const Pair& pair : pairs_of(reader.entries())) {
    const auto found = between(*pair.device, *pair.reference);
    if (found && (!worst || found->relative > worst->relative)) worst = found;
  }
  if (!worst) worst = of_neighbours(reader.blocks());
  return worst ? worst : of_counts(reader.blocks());
}

// "f(x)[0] - f(y)": one function's results for two inputs that should agree.
bool subtracts_same_call(std::string_view statement) {
  static const RE2 form(R"(([A-Za-z_]\w*)\([^-]{1,80}\)[^-(]{0,12} ?- ?([A-Za-z_]\w*)\()");
  std::string one, other;
  if (statement.starts_with("print(")) statement.remove_prefix(6);
  return RE2::PartialMatch(piece_of(statement), form, &one, &other) && one == other;
}

// An array that is a difference: "print(a - b)" shows it, or its label says so.
bool subtracts(const NumberBlock& block) {
  static const RE2 form(R"(^(?:print\()?[\w.\[\]()]{1,60} ?- ?[A-Za-z_][\w.\[\]()]{0,60}\)?$)");
  static const RE2 label(R"((?i)^\W*(?:abs(?:olute)? )?(?:diff(?:erence)?s?|errors?)\W*$)");
  const std::string_view code = block.statement;
  return subtracts_same_call(code) || RE2::FullMatch(piece_of(code), form) ||
         RE2::FullMatch(piece_of(block.label), label);
}

// A number that single precision holds only as a subnormal one, and a zero beside it.
std::optional<Difference> of_subnormals(const std::vector<NumberBlock>& blocks, bool of_a_device) {
  constexpr double least_float = 1.17549435e-38, least_of_all = 1e-46, least_double = 2.2250738585072014e-308;
  constexpr std::size_t most_rows = 4;
  const auto single = [](const NumberBlock& one) { return one.array.numbers.size() == 1; };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double small = single(blocks[i]) ? std::fabs(blocks[i].array.numbers[0]) : 1;
    const bool of_float = of_a_device && small < least_float && small > least_of_all;
    if (small == 0 || (!of_float && small >= least_double)) continue;
    for (std::size_t j = i + 1; j < blocks.size() && blocks[j].row <= blocks[i].row + most_rows; ++j) {
      if (single(blocks[j]) && blocks[j].array.numbers[0] == 0) return Difference{small, "subnormal", blocks[j].row};
    }
  }
  return std::nullopt;
}

// The array that holds the largest difference of two results.
std::optional<Difference> of_subtractions(const std::vector<NumberBlock>& blocks) {
  std::optional<Difference> worst;
  for (const NumberBlock& block : blocks) {
    if (block.array.shape.empty() || !subtracts(block)) continue;
    for (const double one : block.array.numbers) {
      if (std::isfinite(one) && std::fabs(one) > (worst ? worst->relative : 0))
        worst = Difference{std::fabs(one), "abs", block.row};
    }
  }
  return worst;
}

// Whether a device is spoken of, or NumPy's result is compared with a framework's.
bool may_be_of_a_device(const std::string& text) {
  static const RE2 numpy(R"((?:^|[\s_])np\b|(?i)\bnumpy\b)"), framework(R"((?i)\b(?:tf|torch|keras|mxnet|mx|jax)\b)");
  return speaks_of_a_gpu(text) || contains(text, "TF32") ||
         (RE2::PartialMatch(text, numpy) && RE2::PartialMatch(text, framework));
}

// Five digits are printed, of which half precision gives three: where every number is one of half precision, and chance
// hardly makes them so, they were computed in it. Numbers of eight bits may be bfloat16's.
bool fits_half(const NumberArray& array) {
  constexpr double unlikely = 1e-4;
  double chance = 1;
  bool eight_bits = true;
  std::vector<double> seen;
  for (double number : array.numbers) {
    number = std::fabs(number);
    if (!std::isfinite(number) || number == 0) continue;
    if (number < 6.2e-5 || number > 65504) return false;
    const double printed = std::pow(10, std::floor(std::log10(number)) - 4);
    const auto off = [number](int bits) {
      const double step = std::exp2(std::floor(std::log2(number)) - bits);
      return std::fabs(number - step * std::round(number / step));
    };
    if (off(10) > 0.51 * printed) return false;
    eight_bits = eight_bits && off(7) <= 0.51 * printed;
    const double three = printed * 100;
    if (std::fabs(number - three * std::round(number / three)) < 0.01 * printed) continue;  // a round number
    if (std::ranges::find(seen, number) != seen.end() || seen.size() > 64) continue;
    seen.push_back(number);
    chance *= std::fmin(1, printed / std::exp2(std::floor(std::log2(number)) - 10));
  }
  return chance < unlikely && !eight_bits;
}

// ">>> x.to(1)": the tensor that follows is a copy of the one before.
bool copies(std::string_view statement) {
  static const RE2 form(R"(\W*\w+\.(?:to|cuda)\([^()]*\)\W*)", RE2::Latin1);
  return RE2::FullMatch(piece_of(statement), form);
}

// A tensor of one device that is not what stands before it on another one, though it is its copy.
const NumberBlock* changed_copy(const std::vector<NumberBlock>& blocks) {
  const auto of_gpu = [](const NumberBlock& block) {
    return block.device.starts_with("cuda:") || block.device.starts_with("privateuseone:");
  };
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const NumberBlock &copy = blocks[i], &from = blocks[i - 1];
    const bool named = copies(copy.statement) || (copy.statement == from.statement && copy.statement.size() < 20);
    if (named && !copy.statement.empty() && of_gpu(copy) && of_gpu(from) && copy.device != from.device &&
        copy.array.shape == from.array.shape && copy.array.numbers != from.array.numbers)
      return &copy;
  }
  return nullptr;
}

struct Nan {
  std::size_t row = 0;
  bool half = false;
};

// A NaN in a tensor; one that holds nothing else was made so, unless something speaks of half precision.
std::optional<Nan> nan_in(const std::vector<NumberBlock>& blocks, const std::string& text) {
  const NumberBlock* alone = nullptr;
  for (const NumberBlock& one : blocks) {
    const auto nan = std::ranges::count_if(one.array.numbers, [](double number) { return std::isnan(number); });
    if (nan == 0 || (!one.made && one.array.numbers.size() < 4)) continue;
    if (nan == std::ssize(one.array.numbers) && !one.half) {
      if (!alone) alone = &one;
      continue;
    }
    return Nan{one.row, one.half || contains(text, "dtype=torch.float16") || fits_half(one.array)};
  }
  return alone ? std::optional(Nan{alone->row}) : std::nullopt;
}

}  // namespace
}  // namespace compared

bool starts_compared_values(std::string_view line) {
  return compared::label_of(line).side != compared::Side::none || contains(line, "tensor(") ||
         contains(line, "array([") || contains(line, "Array([") || contains(line, "[[");
}

Snapshot parse_compared_values(const std::string& text) {
  using enum SymptomClass;
  Snapshot snapshot;
  const compared::Reader reader(text);
  const auto note = [&](Kind kind, std::size_t row) -> Symptom& {
    return add_symptom(snapshot, kind, row, trimmed(reader.lines()[row]));
  };
  if (const NumberBlock* copy = compared::changed_copy(reader.blocks())) {
    note({wrong_result, "peer-copy"}, copy->row).details["device"] = copy->device;
    return snapshot;
  }
  if (const auto nan = compared::nan_in(reader.blocks(), text))
    note({noted, nan->half ? "nan-in-half-tensor" : "nan-in-tensor"}, nan->row);
  const bool named =
      std::ranges::any_of(reader.blocks(), [](const NumberBlock& one) { return one.traced || !one.device.empty(); });
  const bool of_a_device = named || compared::may_be_of_a_device(text);
  auto worst = compared::of_subnormals(reader.blocks(), of_a_device);
  if (!worst && of_a_device) worst = compared::largest_difference(reader);
  if (!worst && !of_a_device) return snapshot;
  if (const auto most = compared::of_subtractions(reader.blocks()); most && !worst) {
    Symptom& symptom = note({noted, "printed-difference"}, most->row);
    symptom.details["kind"] = most->by;
    symptom.details["value"] = fmt::format("{:.3g}", most->relative);
  }
  if (!worst) return snapshot;
  Symptom& symptom = note({noted, "values-differ"}, worst->row);
  symptom.details["by"] = worst->by;
  symptom.details["relative"] = fmt::format("{:.3g}", worst->relative);
  if (!worst->products) symptom.details["products"] = "no";
  if (!worst->device.empty()) symptom.details["device"] = worst->device;
  return snapshot;
}

}  // namespace envdoctor
