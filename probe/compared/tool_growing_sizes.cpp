// Rows of one program for growing sizes that are right up to a boundary of 32 bits and wrong above it: a table with a
// column of errors, a printed result that is the same for all smaller sizes, or a verdict at the end of each row.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <map>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_size_row = 200, most_size_rows = 256, fewest_right = 2;

struct Boundary {
  double largest = 0;
  const char* name = nullptr;
};
// An index, a count of bytes, a row or column of a square, and the blocks of a grid's second dimension.
constexpr std::array boundaries = {Boundary{2147483648.0, "2^31"}, Boundary{4294967296.0, "2^32"},
                                   Boundary{46340, "the root of 2^31"}, Boundary{65535, "65535"},
                                   Boundary{65536, "65536"}};

struct Field {
  std::string_view text{};
  std::size_t begin = 0, end = 0;  // in its line
  std::optional<double> number{};
  bool fraction = false;
};

struct SizeRow {
  std::size_t row = 0;
  std::vector<Field> fields{};
};

// What stands between the factors of a product: "×" is told by its first byte.
constexpr std::string_view product_signs = "xX*\xc3";

// "5070913536", "0.000122", "100.0%", "1,048,576", and "70000x40000", which is a product.
std::optional<double> number_of_field(std::string_view text) {
  static const LazyRegex product(R"([0-9]{1,12}(?:[xX*×][0-9]{1,12}){1,3})");
  static const LazyRegex grouped(R"([0-9]{1,3}(?:,[0-9]{3}){1,4})", RE2::Latin1);
  while (!text.empty() && std::string_view("%,;:)").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
  const std::size_t equal = text.rfind('=');
  if (equal != std::string_view::npos) text.remove_prefix(equal + 1);
  if (!text.empty() && (text[0] == '(' || text[0] == '+')) text.remove_prefix(1);
  if (const auto number = number_of<double>(text)) return number;
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  const re2::StringPiece piece = piece_of(text);
  if (contains(text, ",") && RE2::FullMatch(piece, grouped)) {
    std::string digits(text);
    std::erase(digits, ',');
    return number_of<double>(digits);
  }
  if (text.find_first_of(product_signs) == text.npos || !RE2::FullMatch(piece, product)) return std::nullopt;
  static const LazyRegex factor(R"(([0-9]{1,12}))", RE2::Latin1);
  re2::StringPiece rest = piece;
  double all = 1, one = 0;
  while (RE2::FindAndConsume(&rest, factor, &one)) all *= one;
  return all;
}

SizeRow row_of(std::string_view line, std::size_t row) {
  SizeRow found{.row = row};
  if (line.size() > longest_size_row) return found;
  for (const std::string_view word : words_of(line)) {
    if (word == "|") continue;
    Field field{.text = word, .begin = static_cast<std::size_t>(word.data() - line.data())};
    field.end = field.begin + word.size();
    field.number = number_of_field(word);
    field.fraction = contains(word, ".");
    found.fields.push_back(field);
  }
  return found;
}

bool same_form(const SizeRow& one, const SizeRow& other) {
  if (one.fields.size() != other.fields.size() || one.fields.size() < 2) return false;
  for (std::size_t i = 0; i < one.fields.size(); ++i) {
    const bool number = one.fields[i].number.has_value(), its = other.fields[i].number.has_value();
    if (number != its && one.fields[i].text != "-" && other.fields[i].text != "-") return false;
  }
  return true;
}

// What a column holds: the cell of the line above whose end is nearest, or the words before it in its own row.
std::string name_of_column(const std::vector<std::string_view>& lines, const SizeRow& row, std::size_t column) {
  const Field& field = row.fields[column];
  std::string words;
  for (std::size_t i = 0; i < column; ++i) {
    if (!row.fields[i].number)
      words += std::string(row.fields[i].text) + ' ';
    else
      words.clear();
  }
  const std::size_t equal = field.text.rfind('=');
  if (equal != std::string_view::npos) words += std::string(field.text.substr(0, equal));
  if (words.find_first_of("abcdefghijklmnopqrstuvwxyz") != std::string::npos && words.size() > 2)
    return lower_case(words);
  // "0 zeros"
  if (column + 1 < row.fields.size() && !row.fields[column + 1].number && row.fields[column + 1].text.size() > 2)
    return lower_case(row.fields[column + 1].text);
  for (std::size_t above = row.row; above-- > 0 && above + 3 > row.row;) {
    const std::string_view line = lines[above];
    static const LazyRegex cell(R"(([^\s|]+(?: [^\s|]+)*))", RE2::Latin1);
    if (line.size() > longest_size_row || line.find_first_not_of(" -=|+:") == std::string_view::npos) continue;
    re2::StringPiece rest = piece_of(line), found;
    std::string nearest;
    std::vector<std::string> cells;
    std::size_t apart = 8;
    while (RE2::FindAndConsume(&rest, cell, &found)) {
      const auto begin = static_cast<std::size_t>(found.data() - line.data()), end = begin + found.size();
      const auto between = [](std::size_t a, std::size_t b) { return a > b ? a - b : b - a; };
      const std::size_t distance = std::min(between(end, field.end), between(begin, field.begin));
      if (found != "#") cells.push_back(found.as_string());
      if (distance >= apart) continue;
      apart = distance;
      nearest = found.as_string();
    }
    if (cells.size() == row.fields.size()) nearest = cells[column];
    return lower_case(nearest);
  }
  return {};
}

enum class Holds { other, errors, results };

Holds what_holds(const std::string& name) {
  static const LazyRegex measured(
      R"(\b(?:time|ms|us|secs?|seconds?|elapsed|latency|ratio|speed\w*|[gt]?flops?|[gmt]i?b(?:/s)?|bandwidth|mem\w*|util\w*|clock|loss|acc\w*)\b|/s\b)",
      RE2::Latin1);
  static const LazyRegex errors(
      R"(\berr|diff?\b|differ|wrong|mismatch|\bbad\b|zeros?\b|\bnans?\b|fail|corrupt|incorrect|misplaced|unsorted|out.of.order|lost|missing|invalid|deviation|max ?\||\|max|\|.*-.*\|)",
      RE2::Latin1);
  static const LazyRegex results(R"(\b(?:\w*sum|mean|max|min|maximum|minimum|result|value|checksum|norm|got|answer)\b)",
                                 RE2::Latin1);
  if (name.empty() || RE2::PartialMatch(name, measured)) return Holds::other;
  if (RE2::PartialMatch(name, errors)) return Holds::errors;
  return RE2::PartialMatch(name, results) ? Holds::results : Holds::other;
}

enum class Verdict { none, right, wrong };

Verdict verdict_in(const SizeRow& row) {
  static constexpr std::array right = {"ok", "pass", "passed", "true", "correct", "match", "equal", "good"};
  static constexpr std::array wrong = {"fail", "failed", "false", "wrong", "incorrect", "mismatch", "differs", "bad"};
  static constexpr std::array memory = {"memory", "oom", "alloc", "allocation", "needs", "killed", "skipped"};
  Verdict verdict = Verdict::none;
  for (const Field& field : row.fields) {
    std::string word = lower_case(field.text);
    std::erase_if(word, [](char c) { return std::isalpha(static_cast<unsigned char>(c)) == 0; });
    if (std::ranges::find(memory, word) != memory.end()) return Verdict::none;
    if (std::ranges::find(right, word) != right.end()) verdict = Verdict::right;
    if (std::ranges::find(wrong, word) != wrong.end()) verdict = Verdict::wrong;
  }
  return verdict;
}

// Rows [0, cut) are right and the others wrong, by one column or by their verdicts. A result that is another one for
// sizes far above may be another one.
bool changes_at(const std::vector<std::string_view>& lines, const std::vector<SizeRow>& rows, std::size_t cut,
                std::size_t sizes, bool near_boundary) {
  constexpr double small = 1e-2, many_times = 20, same = 1e-4, far = 1e-2;
  const auto all = [&](std::size_t begin, std::size_t end, const auto& is) {
    return std::all_of(rows.begin() + static_cast<std::ptrdiff_t>(begin),
                       rows.begin() + static_cast<std::ptrdiff_t>(end), is);
  };
  const auto is = [](Verdict verdict) { return [verdict](const SizeRow& row) { return verdict_in(row) == verdict; }; };
  if (all(0, cut, is(Verdict::right)) && all(cut, rows.size(), is(Verdict::wrong))) return true;
  for (std::size_t column = 0; column < rows[0].fields.size(); ++column) {
    if (column == sizes || !all(0, rows.size(), [&](const SizeRow& row) { return row.fields[column].number; }))
      continue;
    const Holds holds = what_holds(name_of_column(lines, rows[0], column));
    const auto value = [&](const SizeRow& row) { return *row.fields[column].number; };
    double most = 0;
    for (std::size_t i = 0; i < cut; ++i) most = std::fmax(most, std::fabs(value(rows[i])));
    if (holds == Holds::errors && most <= small && all(cut, rows.size(), [&](const SizeRow& row) {
          return !(std::fabs(value(row)) < std::fmax(small, many_times * most));
        }))
      return true;
    const double first = value(rows[0]), scale = std::fmax(std::fabs(first), same);
    const auto near = [&](const SizeRow& row) { return std::fabs(value(row) - first) <= same * scale; };
    const auto off = [&](const SizeRow& row) { return !(std::fabs(value(row) - first) < far * std::fmax(scale, far)); };
    if (holds == Holds::results && near_boundary && rows[0].fields[column].fraction && all(0, cut, near) &&
        all(cut, rows.size(), off))
      return true;
  }
  return false;
}

struct Change {
  std::size_t row = 0;
  const char* boundary = nullptr;
  bool near = false;  // sizes close to the boundary were tried
};

std::optional<Change> change_in(const std::vector<std::string_view>& lines, const std::vector<SizeRow>& rows) {
  constexpr double closely = 0.9, least_of_index = 1e9;
  if (rows.size() <= fewest_right) return std::nullopt;
  for (std::size_t column = 0; column < rows[0].fields.size(); ++column) {
    bool grows = true;
    for (std::size_t i = 0; i < rows.size() && grows; ++i) {
      const auto& size = rows[i].fields[column].number;
      grows = size && *size == std::trunc(*size) && (i == 0 || *size > *rows[i - 1].fields[column].number);
    }
    if (!grows) continue;
    for (const Boundary& boundary : boundaries) {
      std::size_t cut = 0;
      while (cut < rows.size() && *rows[cut].fields[column].number < boundary.largest) ++cut;
      // A size that is the boundary may be either.
      const bool on = cut < rows.size() && *rows[cut].fields[column].number == boundary.largest;
      for (const std::size_t at : {cut, cut + 1}) {
        if (at < fewest_right || at >= rows.size() || (at > cut && !on)) continue;
        const double right = *rows[at - 1].fields[column].number, wrong = *rows[at].fields[column].number;
        const bool below = right >= closely * boundary.largest, above = wrong <= boundary.largest / closely;
        // Between two small sizes that are far apart lies many a number.
        if (boundary.largest < least_of_index && !(below && above)) continue;
        if (changes_at(lines, rows, at, column, below || above))
          return Change{rows[at].row, boundary.name, below || above};
      }
    }
  }
  return std::nullopt;
}

// What single and double precision give for one size on one device.
struct Precisions {
  std::optional<double> single{}, twice{};
  double size = 0;
  std::string device{};
  std::size_t row = 0;
};

// "4500 /gpu:0 float32 -1.00005": the precision, the size before it and the value behind it.
std::optional<Precisions> precisions_of(const SizeRow& row) {
  Precisions found{.row = row.row};
  bool single = false, twice = false;
  for (const Field& field : row.fields) {
    const std::string word = lower_case(field.text);
    single = single || contains(word, "float32") || contains(word, "fp32");
    twice = twice || contains(word, "float64") || contains(word, "fp64");
    if (contains(word, "gpu") || contains(word, "cuda") || contains(word, "cpu")) found.device = word;
    if (!field.number) continue;
    if (!single && !twice && !field.fraction) found.size = *field.number;
    if (single || twice) (single ? found.single : found.twice) = field.number;
  }
  if (single == twice || found.size <= 0 || (!found.single && !found.twice)) return std::nullopt;
  return found;
}

// The error of single precision grows with the size to many roundings, and double precision has none.
std::optional<std::size_t> digits_lost(const std::vector<SizeRow>& rows) {
  constexpr double many_roundings = 1e-5, most = 1e-2, right = 1e-9;
  std::map<std::string, std::map<double, Precisions>> devices;
  for (const SizeRow& row : rows) {
    const auto one = precisions_of(row);
    if (!one) continue;
    Precisions& both = devices[one->device].try_emplace(one->size, *one).first->second;
    if (one->single) both.single = one->single, both.row = row.row;
    if (one->twice) both.twice = one->twice;
  }
  for (const auto& [device, sizes] : devices) {
    double before = 0, first = 0;
    std::size_t row = 0, compared = 0;
    bool grows = true;
    for (const auto& [size, both] : sizes) {
      if (!both.single || !both.twice || *both.twice == 0) continue;
      const double error = std::fabs(*both.single / *both.twice - 1);
      if (compared++ == 0) first = *both.twice;
      grows = grows && error + right >= before && std::fabs(*both.twice - first) < right * std::fabs(first);
      before = error;
      row = both.row;
    }
    if (grows && compared >= 3 && before > many_roundings && before < most) return row;
  }
  return std::nullopt;
}

// The number that a statement such as "x.numel()" or "a.size" shows; 0: another statement.
double count_below(const std::vector<std::string_view>& lines, std::size_t statement) {
  static const LazyRegex asks(R"(^(?:>>> |In ?\[[0-9]+\]: )(?:print\()?[\w.]+\.(?:numel\(\)|nelement\(\)|size)\)?\s*$)",
                              RE2::Latin1);
  static const LazyRegex shown(R"(^\s*(?:Out\[[0-9]+\]: )?([0-9]{1,13})\s*$)", RE2::Latin1);
  double count = 0;
  const bool found = statement + 1 < lines.size() && lines[statement].size() < longest_size_row &&
                     RE2::FullMatch(piece_of(lines[statement]), asks) &&
                     RE2::FullMatch(piece_of(lines[statement + 1]), shown, &count);
  return found ? count : 0;
}

bool speaks_of(const std::vector<std::string_view>& lines, const RE2& words) {
  return std::ranges::any_of(lines, [&](std::string_view line) {
    return line.size() < longest_size_row && RE2::PartialMatch(piece_of(line), words);
  });
}

// More elements than a 32-bit index reaches: one element of an array that holds a single value is another one than in a
// smaller array, or a product of random numbers is all zeros.
std::optional<std::size_t> wrong_beyond_index(const std::vector<std::string_view>& lines) {
  static const LazyRegex random(R"(\brandn?\(|\brandom\b)", RE2::Latin1),
      constant(R"(\b(?:zeros|ones|full)\()", RE2::Latin1),
      varied(R"(\b(?:rand\w*|arange|linspace|range|iota|load)\()", RE2::Latin1);
  static const LazyRegex element(R"(^(?:>>> |In ?\[[0-9]+\]: )(?:print\()?(\w[\w.()]*\[-?[0-9]+\])\)?\s*$)",
                                 RE2::Latin1);
  static const LazyRegex product(R"(grad_fn=<\w*(?:Conv|Mm|Addmm|Linear|MatMul)\w*>)", RE2::Latin1);
  static const LazyRegex other_number(R"([1-9]|nan|inf)", RE2::Latin1),
      cuda(R"(, device='[a-z]+:[0-9]+'.*)", RE2::Latin1), zero(R"(\b0\.)", RE2::Latin1);
  const bool of_one_value = speaks_of(lines, constant) && !speaks_of(lines, varied);
  const bool of_random = speaks_of(lines, random) && !speaks_of(lines, constant);
  if (!of_one_value && !of_random) return std::nullopt;
  std::map<std::string, std::string> beyond, below;
  std::map<std::string, std::size_t> rows;
  double count = 0;
  constexpr std::size_t fewest_zeros = 12;
  std::size_t tensor = 0, zeros = 0;  // where one is printed, and its zeros; 0: it holds something else
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    if (const double found = count_below(lines, i); found > 0) count = found;
    std::string line(lines[i].substr(0, longest_size_row)), code;
    const bool large = count >= boundaries[0].largest;
    if (of_one_value && count > 0 && RE2::FullMatch(line, element, &code)) {
      (large ? beyond : below)[code] = std::string(trimmed(lines[i + 1].substr(0, longest_size_row)));
      if (large) rows[code] = i + 1;
    }
    if (!of_random || !large) continue;
    if (contains(line, "tensor(")) tensor = i, zeros = 0;
    if (tensor == 0) continue;
    if (RE2::PartialMatch(line, product) && zeros >= fewest_zeros) return tensor;
    RE2::Replace(&line, cuda, "");
    re2::StringPiece rest(line);
    while (RE2::FindAndConsume(&rest, zero)) ++zeros;
    if (line.starts_with(">>> ") || RE2::PartialMatch(line, other_number)) tensor = 0;
  }
  for (const auto& [code, value] : beyond) {
    const auto same = below.find(code);
    if (same != below.end() && same->second != value) return rows[code];
  }
  return std::nullopt;
}

bool has_large_number(std::string_view line) {
  std::size_t digits = 0;
  for (const char c : line) {
    digits = std::isdigit(static_cast<unsigned char>(c)) != 0 ? digits + 1 : c == ',' && digits > 0 ? digits : 0;
    if (digits >= 5) return true;
  }
  return false;
}

}  // namespace

bool starts_growing_sizes(std::string_view line) {
  if (line.size() > longest_size_row) return false;
  static const LazyRegex product(R"(\b[0-9]{4,6}[xX*×][0-9]{2,6}\b)");
  return has_large_number(line) ||
         (line.find_first_of(product_signs) != line.npos && RE2::PartialMatch(piece_of(line), product));
}

Snapshot parse_growing_sizes(const std::string& text) {
  Snapshot snapshot;
  if (!speaks_of_a_gpu(text)) return snapshot;
  const std::vector<std::string_view> lines = lines_of(text);
  if (const auto row = wrong_beyond_index(lines)) {
    add_symptom(snapshot, {SymptomClass::wrong_result, "above-a-size"}, *row, trimmed(lines[*row])).details = {
        {"boundary", boundaries[0].name}, {"near", "no"}};
    return snapshot;
  }
  std::vector<SizeRow> rows;
  for (std::size_t i = 0; i <= lines.size(); ++i) {
    SizeRow row = i < lines.size() ? row_of(lines[i], i) : SizeRow{};
    const bool follows = !rows.empty() && rows.size() < most_size_rows && same_form(rows.back(), row);
    if (follows || (rows.empty() && row.fields.size() > 1)) {
      rows.push_back(std::move(row));
      continue;
    }
    if (const auto change = change_in(lines, rows)) {
      Symptom& symptom =
          add_symptom(snapshot, {SymptomClass::wrong_result, "above-a-size"}, change->row, trimmed(lines[change->row]));
      symptom.details["boundary"] = change->boundary;
      symptom.details["near"] = change->near ? "yes" : "no";
      return snapshot;
    }
    if (const auto lost = digits_lost(rows))
      add_symptom(snapshot, {SymptomClass::noted, "sum-loses-digits"}, *lost, trimmed(lines[*lost]));
    rows.clear();
    if (row.fields.size() > 1) rows.push_back(std::move(row));
  }
  return snapshot;
}

}  // namespace envdoctor
