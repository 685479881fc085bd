// Values of a device and of a reference, whatever way they are printed: "cpu: 0.1234  gpu: 0.1251", an array below
// "On GPU:", two calls that differ in a device.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace compared {
namespace {

constexpr std::size_t lines_of_section = 20, longest_heading = 120;
constexpr double most_of_half = 65504;

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
  static const LazyRegex prompt_output(R"(^Out ?\[[0-9]+\]$)", RE2::Latin1);
  if (text.starts_with("Out") && RE2::FullMatch(piece_of(text), prompt_output)) return {};
  const std::size_t cut = text.find_last_of(":,;|#\t");
  if (cut == std::string_view::npos) return label_of(text);
  Label last = label_of(text.substr(cut + 1));
  return last.side == Side::none ? label_of(text) : last;
}

std::string card_in(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b((?:RTX|GTX|Tesla|Quadro|Titan|Radeon|RX) ?[A-Z]?[0-9]{3,4}(?: ?(?:Ti|Super|XT))?|[AVHP]100|T4|P40|K80|A40|L40S?)\b)",
      RE2::Latin1);
  std::string card;
  if (line.size() <= longest_heading && line.find_first_of("0123456789") != line.npos &&
      has_any(line, {"rtx", "gtx", "tesla", "quadro", "titan", "radeon", "rx", "a100", "v100", "h100", "p100", "t4",
                     "p40", "k80", "a40", "l40"}))
    RE2::PartialMatch(piece_of(line), form, &card);
  return lower_case(card);
}

// "CL_DEVICE_NAME: gfx902": what follows was computed there. A device of OpenCL may be the CPU.
Side side_of_device_name(std::string_view line) {
  static const LazyRegex form(
      R"((?i)^\W*(?:CL_)?(?:(?:opencl|sycl|using|selected|running on) )?device[_ ](?:name)? ?[:=]+ ?(.*\S))",
      RE2::Latin1);
  static const LazyRegex cpu(R"((?i)\b(?:ryzen|epyc|threadripper|xeon|core\(tm\)|i[3579]-[0-9]|pocl|cpu|llvmpipe)\b)",
                             RE2::Latin1);
  re2::StringPiece name;
  if (line.size() > longest_heading || !has_any(line, {"device"}) || !RE2::PartialMatch(piece_of(line), form, &name))
    return Side::none;
  return RE2::PartialMatch(name, cpu) ? Side::reference : Side::device;
}

bool is_tf32_off(std::string_view line) {
  static const LazyRegex form(
      R"((?i)TF32_OVERRIDE=0|allow_tf32 ?= ?False|without tf32|tf32 (?:off|disabled)|precision\(?['"=(]{1,3}highest)",
      RE2::Latin1);
  return has_any(line, {"tf32", "precision"}) && RE2::PartialMatch(piece_of(line), form);
}

// "    67108864      16777216     float     sum      -1   6021.4 …": sizes, times and rates of nccl-tests.
bool of_nccl_tests(std::string_view line) {
  static const LazyRegex form(
      R"(^ +\d+ +\d+ +(?:u?int\d+|half|float|double|bfloat16|f8e\dm\d) +(?:sum|prod|max|min|avg|none)\b)", RE2::Latin1);
  return line.starts_with(' ') && RE2::PartialMatch(piece_of(line), form);
}

bool speaks_of_a_difference(std::string_view line) {
  static const LazyRegex words(R"((?i)mismatch|differ|\bdiff\b|\bvs\b|wrong|incorrect|not (?:match|equal))",
                               RE2::Latin1);
  line = line.substr(0, 400);
  return has_any(line, {"mismatch", "diff", "vs", "wrong", "incorrect", "not "}) &&
         RE2::PartialMatch(piece_of(line), words);
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
  explicit Reader(std::string_view text)
      : blocks_(number_blocks(text)), lines_(lines_of(text)), shown_(shown_by_script(text, blocks_)) {
    const std::vector<Shown>& shown = shown_;
    std::size_t next = 0;
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      while (next < shown.size() && shown[next].block < i) ++next;
      add(blocks_[i], next < shown.size() && shown[next].block == i ? &shown[next] : nullptr);
    }
  }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<NumberBlock>& blocks() const { return blocks_; }
  [[nodiscard]] const std::vector<std::string_view>& lines() const { return lines_; }
  [[nodiscard]] const std::vector<Shown>& shown() const { return shown_; }

 private:
  struct Heading {
    std::size_t row = 0;
    Label label{};
    std::string card{};
    bool tf32_off = false;
    bool known = false;
    bool of_device = false;  // a device's name, below which its limits may stand
  };

  bool is_device_name(std::size_t row) {
    const Side named = side_of_device_name(lines_[row]);
    if (named == Side::none) return false;
    heading_ = {.row = row, .label = {.side = named, .surely = true}, .known = true, .of_device = true};
    return true;
  }

  // The nearest line without numbers above a block that names a side or a card; it holds for the next blocks, too.
  void look_above(const NumberBlock& block) {
    for (std::size_t row = block.row; row-- > block.words_from;) {
      const std::string_view line = lines_[row];
      if (line.size() > longest_heading || trimmed(line).empty()) continue;
      if (is_device_name(row)) return;
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
    if (is_device_name(block.row)) return;  // "Ryzen 5"
    look_above(block);
    Label own = label_beside(block.label);
    own.result = own.result || speaks_of_a_difference(lines_[block.row]);
    if (own.side == Side::both || own.other || block.percent || of_nccl_tests(lines_[block.row])) return;
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
    if (near && !heading_.tf32_off && (!heading_.of_device || own.words <= 2) && !heading_.label.other &&
        entry.label.side == Side::none) {
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
  std::vector<Shown> shown_;
  std::vector<Entry> entries_{};
  Heading heading_{};
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
  // "cpu nan: 0", "gpu nan: 3712": how many of them are none.
  const bool of_nan = contains(device.label.subject, "nan ") || contains(device.label.subject, "nans ");
  if (of_nan && is_sure(device, reference) && a > 0 && b == 0) return Difference{1, "nan"};
  if (device.whole() && reference.whole() && !shown) return std::nullopt;
  if (std::isinf(relative) && !said) return std::nullopt;
  if (std::isinf(relative))
    return std::fabs(b) > most_of_half ? Difference{relative, "infinite"} : Difference{2, "value"};
  // A number that nothing names is another thing, unless the two are of one size.
  const bool unnamed =
      (device.assumed && device.label.subject.empty()) || (reference.assumed && reference.label.subject.empty());
  if (unnamed && relative > 1) return std::nullopt;
  const bool near = relative < largest_rounding && std::min(device.block->digits, reference.block->digits) >= 5;
  const bool zero = (a == 0) != (b == 0) && digits >= 5 && is_sure(device, reference);
  if (!said && !near && !zero) return std::nullopt;
  return Difference{relative, near ? "rounding" : "value"};
}

// Whole numbers of which float32 holds only some: they differ by one where they went through it.
bool beyond_float32(const Entry& entry) {
  return entry.whole() && std::ranges::any_of(entry.array().numbers, [](double one) { return one > 16777216; });
}

double largest_apart(const NumberArray& one, const NumberArray& other) {
  double most = 0;
  for (std::size_t i = 0; i < std::min(one.numbers.size(), other.numbers.size()); ++i)
    most = std::fmax(most, std::fabs(one.numbers[i] - other.numbers[i]));
  return most;
}

std::optional<Difference> of_arrays(const Entry& device, const Entry& reference) {
  double relative = relative_difference(device.array(), reference.array());
  const bool sure = is_sure(device, reference);
  if (sure && relative == 0 && lost_to_nan(reference.array(), device.array())) return Difference{1, "nan"};
  if (relative == 0 || std::isnan(relative)) return std::nullopt;
  if (const char* by = difference(device.array(), reference.array())) return Difference{relative, by};
  if (beyond_float32(device) && beyond_float32(reference)) return Difference{relative, "whole"};
  // Whole numbers are not rounded, but pixels are.
  if (sure && device.whole() && reference.whole() && relative < 1) {
    const double apart = largest_apart(device.array(), reference.array());
    return apart > 1 ? std::optional(Difference{relative, "whole"}) : std::nullopt;
  }
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
    for (std::size_t i = of - std::min(of, most_between); i < of; ++i) {
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

// A script prints the same twice, of which once under "with tf.device('/cpu:0')".
std::optional<Difference> of_same_prints(const Reader& reader) {
  static const LazyRegex drawn(R"((?i)rand|seed|dropout|shuffle|sample|time)", RE2::Latin1);
  static const LazyRegex cpu(R"((?i)with [^:]*device\([^)]*cpu)", RE2::Latin1);
  std::optional<Difference> worst;
  for (const Shown& one : reader.shown()) {
    for (const Shown& other : reader.shown()) {
      const std::string code = one.code.substr(0, one.code.find("  ")),
                        its = other.code.substr(0, other.code.find("  "));
      if (code != its || RE2::PartialMatch(one.code, cpu) || !RE2::PartialMatch(other.code, cpu) ||
          RE2::PartialMatch(one.code, drawn) || RE2::PartialMatch(other.code, drawn))
        continue;
      const NumberArray &device = reader.blocks()[one.block].array, &host = reader.blocks()[other.block].array;
      const double relative = same_shape(device, host) ? relative_difference(device, host) : 0;
      if (relative > 0 && (!worst || relative > worst->relative))
        worst =
            Difference{relative, relative < largest_rounding ? "rounding" : "value", reader.blocks()[one.block].row};
    }
  }
  return worst;
}

// The largest difference of all pairs.
std::optional<Difference> largest_difference(const Reader& reader) {
  std::optional<Difference> worst = in_columns(reader.lines());
  for (const Pair& pair : pairs_of(reader.entries())) {
    const auto found = between(*pair.device, *pair.reference);
    if (found && (!worst || found->relative > worst->relative)) worst = found;
  }
  if (!worst) worst = of_same_prints(reader);
  if (!worst) worst = of_same_calls(reader.blocks());
  if (!worst) worst = of_neighbours(reader.blocks());
  if (!worst) worst = of_wider_sums(reader.blocks());
  return worst ? worst : of_counts(reader.blocks());
}

// Whether a device is spoken of, or NumPy's result is compared with a framework's.
bool may_be_of_a_device(const std::string& text) {
  static const LazyRegex numpy(R"((?:^|[\s_])np\b|(?i)\bnumpy\b)", RE2::Latin1),
      framework(R"((?i)\b(?:tf|torch|keras|mxnet|mx|jax)\b)", RE2::Latin1);
  return speaks_of_a_gpu(text) || contains(text, "TF32") ||
         (RE2::PartialMatch(text, numpy) && RE2::PartialMatch(text, framework));
}

}  // namespace
}  // namespace compared

bool starts_compared_values(std::string_view line) {
  return compared::label_of(line).side != compared::Side::none || contains(line, "tensor(") ||
         contains(line, "array([") || contains(line, "Array([") || contains(line, "[[");
}

Snapshot parse_compared_values(const std::string& block) {
  using enum SymptomClass;
  Snapshot snapshot;
  const std::string text = compared::without_process_tables(block);
  const compared::Reader reader(text);
  const auto note = [&](Kind kind, std::size_t row) -> Symptom& {
    return add_symptom(snapshot, kind, row, trimmed(reader.lines()[row]));
  };
  if (const NumberBlock* copy = compared::changed_copy(reader.blocks())) {
    note({wrong_result, "peer-copy"}, copy->row).details["device"] = copy->device;
    return snapshot;
  }
  if (const auto row = compared::equal_to_zero(reader.lines())) note({lost, "subnormal-numbers"}, *row);
  if (const auto row = compared::wrong_in_one_type(reader.lines()))
    note({wrong_result, "results-of-cpu-and-gpu"}, *row);
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
