// What printed numbers show of themselves, without words that name their sides: copies that are not what they were made
// of, NaN in a tensor, counts that end at 2^24, differences that a statement prints.
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor::compared {
namespace {

// The largest subnormal number of `from` that is zero in `flushed`, where the other numbers are the same; 0: none.
double largest_flushed(const std::vector<double>& from, const std::vector<double>& flushed, bool of_a_device) {
  constexpr double least_float = 1.17549435e-38, least_of_all = 1e-46, least_double = 2.2250738585072014e-308;
  double largest = 0;
  if (from.size() != flushed.size()) return 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    const double small = std::fabs(from[i]);
    const bool subnormal =
        small > 0 && (small < least_double || (of_a_device && small < least_float && small > least_of_all));
    if (subnormal && flushed[i] == 0)
      largest = std::fmax(largest, small);
    else if (!(std::fabs(from[i] - flushed[i]) <= 1e-3 * small))  // NaN as well
      return 0;
  }
  return largest;
}

// "f(x)[0] - f(y)": one function's results for two inputs that should agree.
bool subtracts_same_call(std::string_view statement) {
  static const LazyRegex form(R"(([A-Za-z_]\w*)\([^-]{1,80}\)[^-(]{0,12} ?- ?([A-Za-z_]\w*)\()", RE2::Latin1);
  std::string one, other;
  if (statement.starts_with("print(")) statement.remove_prefix(6);
  return RE2::PartialMatch(piece_of(statement), form, &one, &other) && one == other;
}

// An array that is a difference: "print(a - b)" shows it, or its label says so.
bool subtracts(const NumberBlock& block) {
  static const LazyRegex form(R"(^(?:print\()?[\w.\[\]()]{1,60} ?- ?[A-Za-z_][\w.\[\]()]{0,60}\)?$)", RE2::Latin1);
  static const LazyRegex label(R"((?i)^\W*(?:abs(?:olute)? )?(?:diff(?:erence)?s?|errors?)\W*$)", RE2::Latin1);
  const std::string_view code = block.statement;
  return subtracts_same_call(code) || RE2::FullMatch(piece_of(code), form) ||
         RE2::FullMatch(piece_of(block.label), label);
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

// A statement without the library that it calls: "M.cumsum(a)". Empty: it calls none of these, or draws numbers.
struct Call {
  std::string code{};
  bool of_numpy = false;
};

Call call_of(std::string_view statement) {
  constexpr std::size_t longest = 200;
  static const LazyRegex library(R"(\b(?:numpy|np|cupy|cp|jnp|jax\.numpy)\.)", RE2::Latin1);
  static const LazyRegex numpy(R"(^\W*(?:print\()?(?:numpy|np)\.)", RE2::Latin1);
  static const LazyRegex copied(R"(M\.(?:asarray|array|asnumpy)\(([\w.\[\]]+)\)|\.get\(\))", RE2::Latin1);
  static const LazyRegex drawn(R"(rand|empty|seed|choice|shuffle|permut)", RE2::Latin1);
  if (statement.size() > longest || !has_any(statement, {"np.", "cp.", "numpy.", "cupy."}) ||
      RE2::PartialMatch(piece_of(statement), drawn))
    return {};
  Call call{.code = std::string(statement), .of_numpy = RE2::PartialMatch(piece_of(statement), numpy)};
  if (RE2::GlobalReplace(&call.code, library, "M.") == 0) return {};
  RE2::GlobalReplace(&call.code, copied, R"(\1)");
  return call;
}

// ">>> x.to(1)": the tensor that follows is a copy of the one before.
bool copies(std::string_view statement) {
  static const LazyRegex form(R"(\W*\w+\.(?:to|cuda)\([^()]*\)\W*)", RE2::Latin1);
  return (contains(statement, ".to(") || contains(statement, ".cuda(")) && RE2::FullMatch(piece_of(statement), form);
}

}  // namespace

bool is_stuck(double number, double other) {
  return std::fabs(number - 16777216) < 20 && std::fabs(other) > 1.5 * number && std::isfinite(other);
}

std::optional<Difference> of_same_calls(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t most_rows = 6;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i + 1; j < blocks.size() && blocks[j].row <= blocks[i].row + most_rows; ++j) {
      const Call one = call_of(blocks[i].statement), other = call_of(blocks[j].statement);
      if (one.code.empty() || one.code != other.code || one.of_numpy == other.of_numpy ||
          !same_shape(blocks[i].array, blocks[j].array))
        continue;
      const NumberBlock &device = one.of_numpy ? blocks[j] : blocks[i], &host = one.of_numpy ? blocks[i] : blocks[j];
      const double relative = relative_difference(device.array, host.array);
      const bool rounding = (device.fractions || host.fractions) && relative < largest_rounding;
      if (relative > 0 && !rounding) return Difference{relative, "value", blocks[j].row};
    }
  }
  return std::nullopt;
}

std::optional<Difference> of_wider_sums(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t most_rows = 12;
  constexpr double many_roundings = 5e-6, most = 0.5;
  static const LazyRegex form(R"(^(?:print\()?(?:[a-z]+\.(?:sum|mean|cumsum)\()?([A-Za-z_]\w*)\b.*)", RE2::Latin1);
  static const LazyRegex sum(R"(\b(?:sum|mean|cumsum|var)\()", RE2::Latin1);
  static const LazyRegex wide(R"(\bdouble\b|float64|\bf8\b)", RE2::Latin1), narrow(R"(half|float16|int)", RE2::Latin1);
  const auto code = [&](std::size_t k) { return piece_of(blocks[k].statement.substr(0, 200)); };
  const auto is_sum = [&](std::size_t k) {
    return blocks[k].array.numbers.size() == 1 && RE2::PartialMatch(code(k), sum) &&
           !RE2::PartialMatch(code(k), narrow);
  };
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    if (!is_sum(i)) continue;
    for (std::size_t j = i + 1; j < blocks.size() && blocks[j].row <= blocks[i].row + most_rows; ++j) {
      if (!is_sum(j)) continue;
      const bool one_wide = RE2::PartialMatch(code(i), wide), other_wide = RE2::PartialMatch(code(j), wide);
      std::string variable, same;
      if (one_wide == other_wide || !RE2::FullMatch(code(i), form, &variable) ||
          !RE2::FullMatch(code(j), form, &same) || variable != same)
        continue;
      const NumberBlock &single = blocks[one_wide ? j : i], &twice = blocks[one_wide ? i : j];
      const double relative = relative_difference(single.array, twice.array);
      if (relative > many_roundings && relative < most) return Difference{relative, "stuck", single.row};
    }
  }
  return std::nullopt;
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

// Two single numbers of which one is where float32 cannot count on.
std::optional<Difference> of_counts(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t most_rows = 12;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i - std::min(i, most_between); j < std::min(blocks.size(), i + most_between); ++j) {
      const NumberBlock &one = blocks[i], &other = blocks[j];
      if (one.array.numbers.size() == 1 && other.array.numbers.size() == 1 && one.row < other.row + most_rows &&
          other.row < one.row + most_rows && one.digits >= 6 && other.fractions == one.fractions &&
          is_stuck(one.array.numbers.front(), other.array.numbers.front()))
        return Difference{1, "stuck", one.row};
    }
  }
  return std::nullopt;
}

// A number that single precision holds only as a subnormal one, and a zero beside it.
std::optional<Difference> of_subnormals(const std::vector<NumberBlock>& blocks, bool of_a_device) {
  constexpr std::size_t most_rows = 4;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    for (std::size_t j = i + 1; j < blocks.size() && blocks[j].row <= blocks[i].row + most_rows; ++j) {
      if (const double lost = largest_flushed(blocks[i].array.numbers, blocks[j].array.numbers, of_a_device); lost > 0)
        return Difference{lost, "subnormal", blocks[j].row};
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

std::optional<std::size_t> equal_to_zero(const std::vector<std::string_view>& lines) {
  constexpr double least_normal = 1.17549435e-38;
  static const LazyRegex typed(R"(^(?:>>> |In ?\[[0-9]+\]: )(.+?)( ?== ?0\.?0?)?\s*$)", RE2::Latin1),
      small(R"(([0-9.]+e-[0-9]+))", RE2::Latin1);
  std::string shown;  // the statement whose value is a subnormal number
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    std::string code, zero, number;
    if (lines[i].size() > 200 || lines[i + 1].size() > 200 ||
        !(lines[i].starts_with(">>>") || lines[i].starts_with("In")) ||
        !RE2::FullMatch(piece_of(lines[i]), typed, &code, &zero))
      continue;
    if (!zero.empty() && code == shown && contains(lines[i + 1], "True")) return i + 1;
    if (!zero.empty() || !RE2::PartialMatch(piece_of(lines[i + 1]), small, &number)) continue;
    const double value = std::atof(number.c_str());
    if (value > 0 && value < least_normal) shown = code;
  }
  return std::nullopt;
}

std::optional<std::size_t> wrong_in_one_type(const std::vector<std::string_view>& lines) {
  constexpr double many_times = 50, much = 0.1;
  static const LazyRegex field(R"(([A-Za-z_|][\w|]*)\s*[=:]\s*(-?(?:[0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?|nan|inf))\b)",
                               RE2::Latin1);
  struct Row {
    std::size_t row = 0;
    bool cpu = false;
    std::string type{};
    std::map<std::string, double> values{};
  };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < lines.size() && rows.size() < 64; ++i) {
    std::string device;
    Row row{.row = i};
    re2::StringPiece rest;
    const bool names_a_type =
        std::ranges::any_of(std::to_array<const char*>({"16", "32", "64", "half", "HALF", "ouble", "OUBLE"}),
                            [&](const char* part) { return contains(lines[i], part); });
    if (lines[i].size() > 200 || !names_a_type ||
        !first_letter_begins(lines[i], {"cpu", "cuda", "gpu", "xpu", "mps", "hip", "npu"}))
      continue;
    static const LazyRegex form(
        R"((?i)^\W*(cpu|cuda|gpu|xpu|mps|hip|npu)(?::\d)?[\s|,:/]+(?:torch\.|jnp\.|tf\.)?(float(?:16|32|64)|bfloat16|[bf]p?(?:16|32|64)|half|double)\b(.*)$)",
        RE2::Latin1);
    if (!RE2::FullMatch(piece_of(lines[i]), form, &device, &row.type, &rest)) continue;
    row.cpu = device == "cpu" || device == "CPU";
    for (std::string name, value; RE2::FindAndConsume(&rest, field, &name, &value);)
      row.values[name] = std::atof(value.c_str());
    rows.push_back(row);
  }
  // A count of NaN that the CPU hasn't, or a difference from the reference many times the CPU's.
  const auto is_wrong = [&](const Row& device, const Row& cpu) {
    return std::ranges::any_of(device.values, [&](const auto& entry) {
      const auto& [name, value] = entry;
      const auto same = cpu.values.find(name);
      if (same == cpu.values.end() || !std::isfinite(same->second)) return false;
      if (contains(name, "nan")) return same->second == 0 && value > 0;
      const bool error = contains(name, "diff") || contains(name, "err");
      return error && !(value < much) && !(value < many_times * same->second);
    });
  };
  bool agrees = false;
  std::optional<std::size_t> wrong;
  for (const Row& device : rows) {
    for (const Row& cpu : rows) {
      if (device.cpu || !cpu.cpu || device.type != cpu.type || device.values.empty()) continue;
      if (!is_wrong(device, cpu))
        agrees = true;
      else if (!wrong)
        wrong = device.row;
    }
  }
  return agrees ? wrong : std::nullopt;
}

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

// Beyond the largest number of half precision; masks hold the smallest, so that one doesn't count.
bool is_beyond(double number) { return std::isinf(number) && number > 0; }

// A NaN in a tensor; one that holds nothing else was made so, unless something speaks of half precision.
std::optional<Nan> nan_in(const std::vector<NumberBlock>& blocks, const std::string& text) {
  const NumberBlock* alone = nullptr;
  for (const NumberBlock& one : blocks) {
    if (one.half && std::ranges::any_of(one.array.numbers, is_beyond)) return Nan{one.row, true};
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

}  // namespace envdoctor::compared
