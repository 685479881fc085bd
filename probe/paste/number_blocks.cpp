#include "probe/paste/number_blocks.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_blocks = 512, longest_line = 2000, most_of_repr = 200, most_words_above = 12;

// Every character of a text is asked for these: calls of the library would cost most of the search for numbers.
bool is_digit_of(char c) { return c >= '0' && c <= '9'; }
bool is_word_of(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit_of(c) || c == '_'; }

struct Maker {
  std::string_view start{};
  bool host = false;
};
constexpr std::array makers{Maker{"tensor("},           Maker{"Array("},
                            Maker{"array(", true},      Maker{"tf.Tensor("},
                            Maker{"np.float32(", true}, Maker{"np.float64(", true},
                            Maker{"DeviceArray("},      Maker{"Tensor("},
                            Maker{"ndarray("},          Maker{"cupy.array("}};

// The maker at `at` of the line, unless it is a call: "torch.tensor(".
const Maker* maker_at(std::string_view line, std::size_t at) {
  if (is_digit_of(line[at]) || !is_word_of(line[at])) return nullptr;
  if (at > 0 && (is_word_of(line[at - 1]) || line[at - 1] == '.')) return nullptr;
  for (const Maker& maker : makers) {
    if (line.substr(at).starts_with(maker.start)) return &maker;
  }
  return nullptr;
}

// "12.5 ms", "3.4x", "85%", "606 samples/sec": a measurement.
bool has_unit_behind(std::string_view rest) {
  static const LazyRegex unit(
      R"(^(?: (?:[munµ]?s|secs?|seconds?|min|minutes|hours?|[kKMGT]i?B|[kKMGT]?B/s|[MGT]?[Ff]lops?|[kKMG]?Hz|W|C|it/s|fps|epochs?|steps?|iterations?|images?|samples/\w+|[GT]FLOPS?|x|%)(?:\W|$)))");
  if (rest.empty()) return false;
  const char first = rest[0];
  if (first == '/' || (is_word_of(first) && !is_digit_of(first))) return true;
  return first == ' ' && rest.size() > 1 && !is_digit_of(rest[1]) && RE2::PartialMatch(piece_of(rest), unit);
}

// One line's cursor: a call's arguments and quoted words hold no results.
class Line {
 public:
  explicit Line(std::string_view text) : text_(text) {}

  // The next place where a number or an array may begin, from `from`; none: the line holds no more.
  std::size_t next(std::size_t from) {
    for (std::size_t i = from; i < text_.size(); ++i) {
      const char c = text_[i];
      if (depth_ == 0 && begins_value(i)) return i;
      if (c == '(' && (depth_ > 0 || i + 1 >= text_.size() || !maker_at(text_, i + 1))) ++depth_;
      if (c == ')' && depth_ > 0) --depth_;
      if (c == '#' && i > 0 && text_[i - 1] == ' ') depth_ = 0;  // a comment
      if ((c == '"' || c == '\'') && depth_ == 0) {
        const std::size_t end = text_.find(c, i + 1);
        if (end != std::string_view::npos && end < i + 60) i = end;
      }
    }
    return std::string_view::npos;
  }

 private:
  bool begins_value(std::size_t i) const {
    const char c = text_[i];
    const char before = i > 0 ? text_[i - 1] : ' ';
    if (is_word_of(before)) return false;  // as at most places
    if (maker_at(text_, i)) return true;
    if (c == '[')
      return !is_word_of(before) && before != ']' && before != ')' &&
             text_.substr(i + 1).find_first_not_of("[ -+.0123456789nitTF\n\r") != 0;
    const bool sign = (c == '-' || c == '+') && i + 1 < text_.size();
    const std::size_t first = sign ? i + 1 : i;
    const std::string_view rest = text_.substr(first);
    const bool word = rest.starts_with("nan") || rest.starts_with("inf") || rest.starts_with("NaN");
    if (!is_digit_of(text_[first]) && !(word && (rest.size() == 3 || !is_word_of(rest[3])))) return false;
    if ((before == ':' || before == ',') && i > 1 && is_digit_of(text_[i - 2]))
      return false;  // a part of a time, or of a list
    return std::string_view(" \t=:|*>,`~").find(before) != std::string_view::npos;
  }

  std::string_view text_;
  int depth_ = 0;
};

bool only_blanks(std::string_view text) { return text.find_first_not_of(" \t\r,;>]") == std::string_view::npos; }

// A row of numbers without brackets from `at` of the line, which is moved behind it; none: no number, a date, a unit.
std::optional<NumberArray> row_at(std::string_view line, std::size_t& at) {
  NumberArray array;
  std::size_t next = at;
  while (next < line.size()) {
    std::size_t end = next;
    auto one = number_array_at(line.substr(0, std::min(line.size(), line.find_first_of(" \t,|)];*`", next))), end);
    if (!one || one->numbers.size() != 1 || !one->shape.empty()) break;
    const std::string_view rest = line.substr(end);
    if (!rest.empty() && std::string_view(" \t,;|)]*`%\r").find(rest[0]) == std::string_view::npos) break;
    if (has_unit_behind(rest)) break;
    array.numbers.push_back(one->numbers.front());
    at = end;
    next = line.find_first_not_of(" \t", end);
    if (next == std::string_view::npos) break;
    if (line[next] == ',') next = line.find_first_not_of(" \t", next + 1);
    if (next == std::string_view::npos) break;
    const char c = line[next];
    if (!is_digit_of(c) && c != '-' && c != 'n' && c != 'i') break;
  }
  return array.numbers.empty() ? std::nullopt : std::optional(array);
}

// The word behind a number in "10.5 (gpu)"; empty: none stands there.
std::string_view side_behind(std::string_view rest) {
  static const LazyRegex form(R"(^ ?[(\[]([A-Za-z]{2,12})[)\]])", RE2::Latin1);
  re2::StringPiece word;
  if (rest.substr(0, 2).find_first_of("([") != rest.npos) RE2::PartialMatch(piece_of(rest), form, &word);
  return {word.data(), word.size()};
}

// "[0] 0.53", "[3]: 1.25" of a debugger: the index is part of the label.
bool is_index(std::string_view line, std::size_t at) {
  static const LazyRegex form(R"(^\[[0-9]{1,5}\][ :=])", RE2::Latin1);
  return RE2::PartialMatch(piece_of(line.substr(at)), form);
}

// What stands behind the numbers of "tensor(": ", device='cuda:0', dtype=torch.float16)".
void read_repr(std::string_view rest, NumberBlock& block) {
  static const LazyRegex device(
      R"(device='?([a-z]+(?::[0-9]+)?)|<(?:NDArray|RowSparseNDArray) [0-9x]+ @([a-z]+\([0-9]+\))|^\s*\[torch\.(Cuda)\w*Tensor)",
      RE2::Latin1);
  std::string named, context, torch7;
  if (RE2::PartialMatch(piece_of(rest), device, &named, &context, &torch7)) {
    block.device = !named.empty() ? named : !context.empty() ? context : "cuda";
    block.made = true;
  }
  block.half = contains(rest, "float16") && !contains(rest, "bfloat16");
}

// An opening bracket at the end belongs to a call: "f(".
std::string_view without_marks(std::string_view label) {
  constexpr std::string_view marks = " \t\r:=>|*`'\"~-#,;{(";
  const auto first = label.find_first_not_of(marks);
  if (first == std::string_view::npos) return {};
  return label.substr(first, label.find_last_not_of(marks.substr(0, marks.size() - 1)) - first + 1);
}

bool is_prompt(std::string_view line) {
  static const LazyRegex form(R"(^\s{0,4}(?:>>> ?|In ?\[[0-9]*\]: ?|julia> |[a-z0-9]{1,3}> ))", RE2::Latin1);
  return line.substr(0, 16).find_first_of(">[") != line.npos && RE2::PartialMatch(piece_of(line), form);
}
std::string_view behind_prompt(std::string_view line) {
  return trimmed(line.substr(line.find_first_of(">:") + (contains(line, ">>>") ? 3 : 1)));
}

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text), lines_(lines_of(text)) {}

  std::vector<NumberBlock> scan() {
    static const LazyRegex kernel_time(R"(\[ {0,6}\d{1,7}\.\d{6}\] )", RE2::Latin1);
    for (row_ = 0; row_ < lines_.size() && blocks_.size() < most_blocks; ++row_) {
      const std::string_view line = lines_[row_];
      if (begin_of(row_) + line.size() < end_ || line.size() > longest_line || trimmed(line).empty()) continue;
      const std::size_t done = begin_of(row_) < end_ ? end_ - begin_of(row_) : 0;
      const bool prompt = done == 0 && is_prompt(line);
      if (prompt) {
        prompt_ = behind_prompt(line);
        prompt_row_ = row_;
      }
      if (prompt || (done == 0 && is_code(line))) {
        code_ = prompt ? prompt_ : line.starts_with("$ ") ? std::string_view() : trimmed(line);
        code_row_ = row_;
        const std::size_t comment = line.find('#');
        if (comment != std::string_view::npos && comment > 0) {
          code_ = trimmed(code_.substr(0, code_.find('#')));
          values(line, comment + 1, true);
        }
        continue;
      }
      values(line, std::max(done, match_length(kernel_time, line)), false);
    }
    return std::move(blocks_);
  }

 private:
  std::size_t begin_of(std::size_t row) const { return static_cast<std::size_t>(lines_[row].data() - text_.data()); }

  void values(std::string_view line, std::size_t from, bool comment) {
    Line cursor(line);
    std::size_t label_begin = from;
    for (std::size_t at = cursor.next(from); at != std::string_view::npos && blocks_.size() < most_blocks;) {
      std::size_t end = at;
      if (!take(line, at, end, label_begin, comment)) {
        end = std::max(at + 1, std::min(line.find_first_of(" \t=:|,", at + 1), line.size()));
        if (line[at] == '[' && is_index(line, at)) end = line.find(']', at) + 1;
      } else {
        label_begin = end;
      }
      if (end >= line.size()) break;
      at = cursor.next(end);
    }
  }

  bool take(std::string_view line, std::size_t at, std::size_t& end, std::size_t label_begin, bool comment) {
    NumberBlock block{.row = row_};
    const Maker* maker = maker_at(line, at);
    const std::size_t begin = begin_of(row_);
    std::size_t stop = 0;  // in the text
    if (maker || (line[at] == '[' && !is_index(line, at))) {
      stop = begin + at + (maker ? maker->start.size() : 0);
      if (text_.substr(stop).starts_with('[') || maker) {
        auto array = number_array_at(text_, stop);
        if (!array) return false;
        block.array = std::move(*array);
      }
      const std::string_view rest = text_.substr(std::min(stop, text_.size()));
      // "[ 12.345678] usb 1-1": when it was logged.
      if (!maker && block.array.numbers.size() == 1 && !only_blanks(rest.substr(0, rest.find('\n')))) return false;
      block.made = maker != nullptr;
      block.host = maker && maker->host;
      block.traced = maker && (maker->start == "Array(" || maker->start == "DeviceArray(");
      const std::size_t closed = text_.find(')', stop);
      const std::size_t tail = closed < stop + most_of_repr ? closed : std::min(stop, text_.size());
      read_repr(maker ? text_.substr(stop, tail - stop) : text_.substr(stop, 60), block);
      if (maker) stop = std::min(text_.size(), tail + (tail < text_.size() && text_[tail] == ')' ? 1 : 0));
    } else if (line[at] == '[') {
      return false;
    } else {
      std::size_t local = at;
      auto row = row_at(line, local);
      if (!row) return false;
      block.array = std::move(*row);
      block.percent = line.substr(local).starts_with('%');
      stop = begin + local;
      const bool labelled =
          at > 0 && line.substr(label_begin, at - label_begin).find_first_of(":=|>-") != std::string_view::npos;
      const bool alone = only_blanks(line.substr(0, at)) && only_blanks(line.substr(local));
      const std::string_view written = line.substr(at, local - at);
      const bool whole = written.find_first_of(".nie") == std::string_view::npos;
      const bool last = only_blanks(line.substr(local)) || !side_behind(line.substr(local)).empty();
      const bool words_before = !without_marks(line.substr(label_begin, at - label_begin)).empty();
      const bool many_digits = std::ranges::count_if(written, is_digit_of) >= 4;
      if (block.array.numbers.size() < 2 && !labelled && !alone && !comment &&
          (whole || (!last && !(many_digits && words_before))))
        return false;
      if (alone && at < local && joins(block)) {
        end_ = stop;
        end = local;
        return true;
      }
    }
    if (block.array.numbers.empty()) return false;
    const std::string_view first = text_.substr(begin + at, stop - begin - at);
    block.fractions = first.find_first_of(".e") != std::string_view::npos &&
                      (contains(first, ".") || contains(first, "e-") || contains(first, "e+"));
    const std::string_view number = first.substr(std::min(first.find_first_of("-0123456789"), first.size()));
    for (const char c : number.substr(0, number.find_first_of(", \n])"))) block.digits += is_digit_of(c) ? 1 : 0;
    block.last_row = row_;
    while (block.last_row + 1 < lines_.size() && begin_of(block.last_row + 1) < stop) ++block.last_row;
    std::string_view label = line.substr(label_begin, at - label_begin);
    if (stop < text_.size()) {
      if (const std::string_view side = side_behind(text_.substr(stop, 20)); !side.empty()) label = side;
    }
    block.label = without_marks(label);
    // "y = {Tensor: (2, 3)} tensor([…])"
    const std::string_view before = line.substr(0, at);
    if (maker && contains(before, "{") && contains(before, "="))
      block.label = without_marks(before.substr(0, before.find_first_of("=({")));
    block.words_from = blocks_.empty() ? 0 : std::min(row_, blocks_.back().last_row + 1);
    block.words_from = std::max(block.words_from, row_ - std::min(row_, most_words_above));
    const bool by_prompt = !prompt_.empty() && row_ < prompt_row_ + 60;
    const bool by_code = !code_.empty() && (code_row_ == row_ || code_row_ >= block.words_from) && code_row_ + 4 > row_;
    if (by_prompt)
      block.statement = prompt_;
    else if (by_code && (block.label.empty() || code_row_ == row_))
      block.statement = code_;
    blocks_.push_back(std::move(block));
    end_ = stop;
    end = stop - begin;
    return true;
  }

  // A further row of numbers without brackets, of as many as the row above.
  bool joins(const NumberBlock& next) {
    if (blocks_.empty() || next.array.numbers.size() < 2) return false;
    NumberBlock& above = blocks_.back();
    if (above.last_row + 1 != row_ || above.made || !above.array.shape.empty() ||
        above.array.numbers.size() < next.array.numbers.size() || above.array.numbers.size() > 4096)
      return false;
    above.array.numbers.insert(above.array.numbers.end(), next.array.numbers.begin(), next.array.numbers.end());
    above.last_row = row_;
    return true;
  }

  std::string_view text_;
  std::vector<std::string_view> lines_;
  std::vector<NumberBlock> blocks_{};
  std::size_t row_ = 0, end_ = 0, prompt_row_ = 0, code_row_ = 0;
  std::string_view prompt_{}, code_{};
};

}  // namespace

// Whether a call or a word that begins a statement may stand in it.
bool may_be_code(std::string_view line) {
  for (std::size_t at = line.find('('); at != std::string_view::npos && at > 0; at = line.find('(', at + 1)) {
    const char before = line[at - 1];
    if (is_word_of(before) || before == ']' || before == ')') return true;
  }
  if (contains(line, "print (") || contains(line, "assert (") || line.starts_with("$ ")) return true;
  const std::size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
  const std::string_view first = line.substr(begin, line.find(' ', begin) - begin);
  constexpr std::array starts{"import", "from",  "with",   "def", "return", "assert", "elif", "raise",
                              "auto",   "float", "double", "int", "const",  "for",    "if",   "while"};
  return std::ranges::find(starts, first) != starts.end();
}

bool is_code(std::string_view line) {
  static const LazyRegex form(
      R"(^\s*(?:(?:print|assert)\b ?\(|(?:import|from|with|def|return|assert|elif|raise|auto|float|double|int|const) [\w({]|(?:for \w[\w, ]* in|if|while) .*[:{]\s*$|[\w.\[\], ]+ ?[-+*/]?= ?[^=\s].*[\w\])]\(|[A-Za-z_]\w*(?:\.\w+)+\(|[A-Za-z_]\w*(?:\.\w+)*\([^()]*[A-Za-z_][^()]*\)(?:\s|$|\.|\[))|^\$ )",
      RE2::Latin1);
  static const LazyRegex shown(
      R"(^\s*(?:[\w.]+ ?[:=] ?(?:\{[^}]+\} ?)?)?(?:tensor|array|Array|tf\.Tensor|np\.float(?:32|64)|DeviceArray)\()",
      RE2::Latin1);
  static const LazyRegex labelled(R"(\) ?(?:[:=]|->|=>) ?(?:tensor\(|array\(|\[|-?[0-9]|-?nan|-?inf))", RE2::Latin1);
  if (line.size() > 400 || line.find_first_of("( ") == std::string_view::npos) return false;
  return may_be_code(line) && RE2::PartialMatch(piece_of(line), form) && !RE2::PartialMatch(piece_of(line), shown) &&
         !RE2::PartialMatch(piece_of(line), labelled);
}

std::vector<NumberBlock> number_blocks(std::string_view text) { return Scanner(text).scan(); }

}  // namespace envdoctor
