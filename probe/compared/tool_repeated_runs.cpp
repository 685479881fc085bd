// The same work done twice whose numbers differ: "Run 1: loss 0.51", "Run 2: loss 0.48"; a log of epochs that starts
// again with the same first loss; two columns of losses, or of all that two runs print; a statement that is entered
// twice.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>

#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/compared/compared_values.h"
#include "probe/paste/number_blocks.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/shell_session.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_of_line = 300, most_lines = 4096, few_lines = 200;

// "Run 3: top1 = 0.25", "GPU Run 1:", "2nd inference": which run, of what.
struct Run {
  std::string of{};  // the words without the number
  std::string number{};
  std::size_t end = 0;   // of its words in the line
  bool heading = false;  // nothing else stands on the line
};

bool any_digit_in(std::string_view line) { return line.find_first_of("0123456789") != line.npos; }

std::optional<Run> run_at(std::string_view line) {
  static const LazyRegex numbered(
      R"((?i)^([\s>#*|\[=:-]{0,8}(?:[a-z]{1,12}:? ){0,2}(?:run|trial|attempt|execution|repeat|try|infer(?:ence)?|pass) ?(?:#|no\.? ?|number )?)([0-9]{1,2})\b[\]):=*|\s-]{0,8})",
      RE2::Latin1);
  static const LazyRegex ordinal(
      R"((?i)^([\s>#*=\[-]{0,8}(?:[a-z]{1,12} )?)(first|second|third|1st|2nd|3rd) (?:run|time|trial|try|attempt|execution|infer(?:ence)?|pass)\b[\]:*=\s-]{0,8})",
      RE2::Latin1);
  Run run;
  line = line.substr(0, most_of_line);
  re2::StringPiece rest = piece_of(line);
  const bool found = (any_digit_in(line) &&
                      has_any(line, {"run", "trial", "attempt", "execution", "repeat", "try", "infer", "pass"}) &&
                      RE2::Consume(&rest, numbered, &run.of, &run.number)) ||
                     (has_any(line, {"first", "second", "third", "1st", "2nd", "3rd"}) &&
                      RE2::Consume(&rest, ordinal, &run.of, &run.number));
  if (!found) return std::nullopt;
  run.of = lower_case(run.of);
  run.end = static_cast<std::size_t>(rest.data() - line.data());
  run.heading = trimmed({rest.data(), rest.size()}).empty();
  return run;
}

bool speaks_of_time(std::string_view line);

// What a run prints: its numbers, by their place in it and their label.
bool differ_between_runs(const NumberBlock& one, const NumberBlock& other, std::string_view line) {
  constexpr double most_apart = 0.2;
  if (one.label != other.label && one.row != one.last_row) return false;
  if (!one.fractions)  // "nan at [3 4 5]", "nan at [3 5]"
    return contains(lower_case(line), "nan") && one.array.shape.starts_with('[') &&
           one.array.numbers != other.array.numbers;
  if (!same_shape(one.array, other.array) || one.array.numbers == other.array.numbers) return false;
  const double apart = relative_difference(one.array, other.array);
  return one.array.numbers.size() == 1 ? std::isfinite(apart) : apart < most_apart && apart > 0;
}

// The first number that is another one than at the same place of an earlier run.
std::optional<std::size_t> by_runs(const std::vector<std::string_view>& lines, const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t most_lines_of_run = 40;
  struct Section {
    Run run{};
    std::vector<const NumberBlock*> printed{};
  };
  std::vector<Section> sections;
  std::size_t next = 0;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const auto run = run_at(lines[row]);
    if (!run) continue;
    Section section{.run = *run};
    while (next < blocks.size() && blocks[next].row < row) ++next;
    for (std::size_t i = next; i < blocks.size() && blocks[i].row < row + (run->heading ? most_lines_of_run : 1); ++i) {
      if (blocks[i].row > row && run_at(lines[blocks[i].row])) break;
      const bool own_number = blocks[i].row == row && !blocks[i].fractions && blocks[i].array.shape.empty();
      if (!own_number && !speaks_of_time(lines[blocks[i].row])) section.printed.push_back(&blocks[i]);
    }
    sections.push_back(std::move(section));
  }
  for (std::size_t i = 1; i < sections.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Section &one = sections[j], &other = sections[i];
      if (one.run.of != other.run.of || one.run.number == other.run.number) continue;
      for (std::size_t k = 0; k < std::min(one.printed.size(), other.printed.size()); ++k) {
        if (differ_between_runs(*one.printed[k], *other.printed[k], lines[other.printed[k]->row]))
          return other.printed[k]->row;
      }
    }
  }
  return std::nullopt;
}

// Numbers alone, one a line, of which some agree to the last digit and the others nearly: the same was computed again.
std::optional<std::size_t> by_column(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t fewest = 3, fewest_digits = 8;
  constexpr double of_rounding = 1e-3;
  const auto alone = [](const NumberBlock& one) {
    return one.array.numbers.size() == 1 && one.label.empty() && one.fractions && one.digits >= fewest_digits;
  };
  for (std::size_t begin = 0; begin < blocks.size();) {
    std::size_t end = begin;
    while (end < blocks.size() && alone(blocks[end]) && (end == begin || blocks[end].row == blocks[end - 1].row + 1))
      ++end;
    std::size_t equal = 0, near = 0, row = 0;
    const double first = begin < end ? blocks[begin].array.numbers[0] : 0;
    for (std::size_t i = begin + 1; i < end; ++i) {
      const double number = blocks[i].array.numbers[0];
      equal += number == first ? 1 : 0;
      if (number == first || std::fabs(number - first) > of_rounding * std::fabs(first)) continue;
      ++near;
      row = blocks[i].row;
    }
    if (end - begin >= fewest && equal > 0 && near > 0 && equal + near + 1 == end - begin) return row;
    begin = std::max(end, begin + 1);
  }
  return std::nullopt;
}

// "3 ' Paris' -0.0382748134": rows that are counted, say the same and end in a number, of which one returns to the
// digit after others that are near. A loss does not return.
std::optional<std::size_t> by_answers(const std::vector<std::string_view>& lines) {
  static const LazyRegex form(R"(\s*[0-9]{1,3}[.):]?\s+(\S.{0,120}?)\s+(-?[0-9]+\.[0-9]{7,})\s*)", RE2::Latin1);
  constexpr double most_apart = 0.05;
  std::string words;
  std::vector<double> numbers;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string own;
    double number = 0;
    const std::size_t first = std::min(lines[i].find_first_not_of(" \t\r\f"), lines[i].size());
    const bool counted = first < lines[i].size() && std::isdigit(static_cast<unsigned char>(lines[i][first])) != 0;
    if (!counted || lines[i].size() > most_of_line || !RE2::FullMatch(piece_of(lines[i]), form, &own, &number) ||
        own.find_first_of("0123456789=") != std::string::npos || speaks_of_time(lines[i])) {
      words.clear();
      continue;
    }
    if (own != words) numbers.clear();
    words = own;
    const auto near = [&](double one) { return std::fabs(one - number) < most_apart * std::fabs(number); };
    const bool returns = numbers.size() >= 2 && numbers.back() != number &&
                         std::ranges::find(numbers, number) != numbers.end() && std::ranges::all_of(numbers, near);
    if (returns) return i;
    numbers.push_back(number);
  }
  return std::nullopt;
}

// An array that is printed three times in a row and moves to and fro in its last digits: no steps of an iteration.
std::optional<std::size_t> by_arrays(const std::vector<NumberBlock>& blocks) {
  constexpr std::size_t fewest_numbers = 4, fewest_digits = 5;
  constexpr double of_rounding = 1e-4;
  for (std::size_t i = 2; i < blocks.size(); ++i) {
    const NumberBlock &one = blocks[i - 2], &two = blocks[i - 1], &three = blocks[i];
    const auto follows = [](const NumberBlock& before, const NumberBlock& after) {
      const double apart = same_shape(before.array, after.array) ? relative_difference(before.array, after.array) : 0;
      return after.row == before.last_row + 1 && apart > 0 && apart < of_rounding;
    };
    if (one.array.numbers.size() < fewest_numbers || one.digits < fewest_digits || !one.label.empty() ||
        !two.label.empty() || !three.label.empty() || !follows(one, two) || !follows(two, three))
      continue;
    for (std::size_t k = 0; k < one.array.numbers.size(); ++k) {
      const double a = one.array.numbers[k], b = two.array.numbers[k], c = three.array.numbers[k];
      if ((b > a && b > c) || (b < a && b < c)) return three.row;
    }
  }
  return std::nullopt;
}

// "4bda… /tmp/run_1/checkpoint", "1dae… /tmp/run_2/checkpoint": of files that should be the same some are, and some are
// not.
std::optional<std::size_t> by_checksums(const std::vector<std::string_view>& lines) {
  static const LazyRegex form(R"(^([0-9a-f]{32,64})\s+\*?(\S*[_a-z][12]\S*)$)", RE2::Latin1);
  std::map<std::string, std::string> seen;
  std::optional<std::size_t> row;
  bool any_equal = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string sum, name;
    if (!RE2::FullMatch(piece_of(lines[i].substr(0, most_of_line)), form, &sum, &name)) continue;
    std::erase_if(name, [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
    const auto [known, is_new] = seen.try_emplace(name, sum);
    any_equal = any_equal || (!is_new && known->second == sum);
    if (!is_new && known->second != sum) row = i;
  }
  return any_equal ? row : std::nullopt;
}

struct Step {
  std::size_t row = 0;
  std::string key{};
  double value = 0;
};

// "Epoch: [0][3/27]  Time 0.2  Loss 5.432": its key is "epoch 0 3 27".
std::optional<Step> step_at(std::string_view line, std::size_t row) {
  static const LazyRegex head(
      R"((?i)\b((?:epoch|iter(?:ation)?|step)s?[ :=#\[(]{1,4}[0-9]+(?:[\])/,:\[ ]{1,3}(?:epoch|iter(?:ation)?|step|batch)?[ :=#\[]{0,3}[0-9]+\b){0,3}))",
      RE2::Latin1);
  static const LazyRegex value(
      R"((?i)\b(?:[a-z]+[ _])?loss[ :=]{1,4}\[?(?:tensor\()?([0-9]+\.[0-9]{2,}(?:e[-+]?[0-9]+)?))", RE2::Latin1);
  re2::StringPiece rest = piece_of(line);
  std::string key;
  Step step{.row = row};
  if (!has_any(line, {"loss"}) || !RE2::FindAndConsume(&rest, head, &key) ||
      !RE2::PartialMatch(rest, value, &step.value))
    return std::nullopt;
  for (const char c : key) step.key += std::isalnum(static_cast<unsigned char>(c)) ? c : ' ';
  return step;
}

// The device that a command chooses: "mps", of "python train.py --device=mps"; empty: none.
std::string device_named_in(std::string_view line) {
  static const LazyRegex form(
      R"((?:--(?:device|accelerator|platform|backend)[= ]|\bJAX_PLATFORM(?:S|_NAME)=|\b(?:CUDA|HIP)_VISIBLE_DEVICES=)(\S+))",
      RE2::Latin1);
  re2::StringPiece named;
  const bool may_name = contains(line, "--") || contains(line, "JAX_PLATFORM") || contains(line, "_VISIBLE_DEVICES=");
  return may_name && RE2::PartialMatch(piece_of(line), form, &named) ? named.as_string() : "";
}

// "7" of "python train.py --seed 7"; empty: none. Runs with another seed are not the same run.
std::string seed_named_in(std::string_view line) {
  static const LazyRegex form(
      R"((?i)(?:--|\b)(?:random[-_]?)?seed(?:[-_]?(?:value|everything))?(?:[ =:]{1,3}|\()([0-9]{1,12})\b)",
      RE2::Latin1);
  re2::StringPiece named;
  return RE2::PartialMatch(piece_of(line), form, &named) ? named.as_string() : "";
}

bool has_several_seeds(const std::vector<std::string_view>& lines) {
  std::string seed;
  for (const std::string_view line : lines) {
    if (!contains(line, "eed")) continue;
    std::string named = seed_named_in(line.substr(0, most_of_line));
    if (!named.empty() && !seed.empty() && named != seed) return true;
    if (!named.empty()) seed = std::move(named);
  }
  return false;
}

// The steps of a log are counted from the start once more, the first losses agree and later ones don't: the same
// initial values and the same data. Lines of several processes stand side by side, not one log after the other.
std::optional<std::size_t> by_restart(const std::vector<std::string_view>& lines) {
  constexpr std::size_t fewest = 3;
  constexpr double most_apart = 0.2, of_rounding = 1e-4;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!steps.empty() && !device_named_in(lines[i].substr(0, most_of_line)).empty()) return std::nullopt;
    if (auto step = step_at(lines[i].substr(0, most_of_line), i)) steps.push_back(std::move(*step));
  }
  std::size_t again = 1;
  while (again < steps.size() && steps[again].key != steps[0].key) ++again;
  if (again < fewest || again >= steps.size() ||
      std::fabs(steps[again].value - steps[0].value) > of_rounding * steps[0].value)
    return std::nullopt;
  for (std::size_t i = 0; i < again && again + i < steps.size(); ++i) {
    const Step &one = steps[i], &other = steps[again + i];
    if (one.key != other.key) return std::nullopt;
    if (one.value == other.value) continue;
    const double apart = std::fabs(one.value - other.value) / std::fmax(one.value, other.value);
    return apart < most_apart ? std::optional(other.row) : std::nullopt;
  }
  return std::nullopt;
}

// "tensor(4.8671, device='cuda:0')   tensor(4.8671, device='cuda:0')": the first rows agree, later ones don't.
std::optional<std::size_t> by_columns(const std::vector<std::string_view>& lines) {
  static const LazyRegex form(
      R"(tensor\((-?[0-9]+\.[0-9]+)[^()]*cuda[^()]*(?:\(\)|<[^>]*>)?\)[\s,|;]{1,12}tensor\((-?[0-9]+\.[0-9]+)[^()]*cuda)",
      RE2::Latin1);
  std::size_t equal = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double a = 0, b = 0;
    if (!contains(lines[i], "tensor(") || !RE2::PartialMatch(piece_of(lines[i].substr(0, most_of_line)), form, &a, &b))
      continue;
    if (a == b) {
      ++equal;
    } else if (equal > 0 && std::fabs(a - b) < 0.2 * std::fmax(std::fabs(a), std::fabs(b))) {
      return i;
    }
  }
  return std::nullopt;
}

// A line without the digits of its numbers, and these; with the number that it begins with as an item of a list.
struct Printed {
  std::string form{};
  std::vector<double> numbers{};
  int item = 0;
  bool counts = false;  // has an integer: an epoch, a step
};

Printed printed_at(std::string_view line) {
  static const LazyRegex item(R"(^\s*#?([0-9]{1,2})[.):]+\)?\s+)", RE2::Latin1);
  static const LazyRegex number(R"(^(-?[0-9]+\.[0-9]{2,}(?:[eE][-+]?[0-9]+)?)\b)", RE2::Latin1);
  static const LazyRegex other(R"(^(?:[0-9]+(?: ?(?:s|ms|sec|min)\b)?|[A-Za-z_]+|.))", RE2::Latin1);
  static const LazyRegex counter(R"(^[0-9])", RE2::Latin1), time(R"(.*[a-z]$)", RE2::Latin1),
      time_of_day(R"(^[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:[.,][0-9]+)?)", RE2::Latin1);
  Printed printed;
  re2::StringPiece rest = piece_of(line), part;
  RE2::Consume(&rest, item, &printed.item);
  double value = 0;
  while (!rest.empty()) {
    if (RE2::Consume(&rest, time_of_day)) continue;
    if (RE2::Consume(&rest, number, &value)) {
      printed.numbers.push_back(value);
      printed.form += '#';
      continue;
    }
    const auto* begin = rest.data();
    if (!RE2::Consume(&rest, other)) break;
    part = {begin, static_cast<std::size_t>(rest.data() - begin)};
    if (RE2::PartialMatch(part, counter)) {
      if (RE2::FullMatch(part, time)) continue;  // how long it took
      printed.counts = true;
    }
    printed.form.append(part.data(), part.size());
  }
  return printed;
}

bool speaks_of_time(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b(?:time|elapsed|latency|speed|bandwidth|throughput|temp(?:erature)?|power|util\w*|mem(?:ory)?|clock|lr|learning rate|eta)\b|/s\b|\b(?:fps|[KMGT]i?B|[KMG]Hz|watts?)\b)",
      RE2::Latin1);
  static const LazyRegex took(R"((?i)[,; ]+time ?[=:] ?[0-9.]+ ?s\b)", RE2::Latin1);  // at the end of an epoch's losses
  if (!has_any(line, {"time"})) return RE2::PartialMatch(piece_of(line), form);
  std::string text(line);
  RE2::GlobalReplace(&text, took, "");
  return RE2::PartialMatch(text, form);
}

// "[1613602600.236562]": seconds since 1970, which differ on each line.
bool starts_with_a_time(std::string_view line) {
  constexpr std::size_t digits = 10;
  const std::size_t first = line.starts_with('[') || line.starts_with('(') ? 1 : 0;
  return line.find_first_not_of("0123456789", first) == first + digits && line[first + digits] == '.';
}

// Lines that are the same but for the last digits of their numbers: the same step of two runs, or the items of a list
// of runs. Steps of one run differ in their own number.
std::optional<std::size_t> by_equal_lines(const std::vector<std::string_view>& lines) {
  constexpr double of_rounding = 1e-5, of_a_list = 1e-3, of_a_seed = 0.1;
  constexpr int fewest_items = 3;
  constexpr std::size_t most_forms = 256;
  static const LazyRegex seeded(
      R"((?i)\b(?:seed|rand(?:om)?(?:_seed)?)\b[ =:]{1,3}[0-9]+|manual_seed|set_seed|determinis)", RE2::Latin1);
  const bool seed = std::ranges::any_of(
      lines, [](std::string_view line) { return RE2::PartialMatch(piece_of(line.substr(0, most_of_line)), seeded); });
  std::map<std::string, Printed> first;
  std::map<std::string, int> items;
  static const LazyRegex heading(
      R"((?i)(?:epoch|step|iteration|trial|fold|round)s?[ :#\[]{1,3}[0-9]+(?: ?/ ?[0-9]+)?[\] :=-]*)", RE2::Latin1);
  std::string device, part;
  for (std::size_t i = 0; i < lines.size() && first.size() < most_forms; ++i) {
    const std::string_view line = trimmed(lines[i].substr(0, most_of_line));
    if (RE2::FullMatch(piece_of(line), heading)) part = line;  // steps of one run below their numbers
    // A run on another device is not the same run.
    if (std::string named = device_named_in(line); !named.empty() && named != device) {
      device = std::move(named);
      first.clear();
      items.clear();
    }
    if (!contains(line, ".") || starts_with_a_time(line) || speaks_of_time(line)) continue;
    Printed printed = printed_at(line);
    if (printed.numbers.empty()) continue;
    const std::string form = part + '\n' + printed.form;
    const auto [known, is_new] = first.try_emplace(form, printed);
    const Printed& before = known->second;
    items[form] += printed.item > 0 ? 1 : 0;
    if (is_new || before.numbers.size() != printed.numbers.size()) continue;
    double apart = 0;
    for (std::size_t k = 0; k < printed.numbers.size(); ++k) {
      const double a = before.numbers[k], b = printed.numbers[k];
      if (a != b) apart = std::fmax(apart, std::fabs(a - b) / std::fmax(std::fabs(a), std::fabs(b)));
    }
    const bool list =
        printed.item == before.item + items[form] - 1 && items[form] >= fewest_items && printed.numbers.size() > 1;
    if (apart > 0 && ((printed.counts && apart < of_rounding) || (list && apart < of_a_list) ||
                      (printed.counts && seed && apart < of_a_seed)))
      return i;
  }
  return std::nullopt;
}

// Whether two lines are the same but for the last digits of their numbers.
bool nearly_equal(std::string_view one, std::string_view other) {
  constexpr double of_a_seed = 0.1;
  const Printed a = printed_at(one), b = printed_at(other);
  if (a.form != b.form || a.numbers.empty() || a.numbers == b.numbers || a.numbers.size() != b.numbers.size())
    return false;
  for (std::size_t i = 0; i < a.numbers.size(); ++i) {
    const double x = a.numbers[i], y = b.numbers[i];
    if (std::fabs(x - y) > of_a_seed * std::fmax(std::fabs(x), std::fabs(y))) return false;
  }
  return true;
}

// "3,5c3,5".
bool is_place_of_diff(std::string_view line) {
  static const LazyRegex form(R"([0-9]+(?:,[0-9]+)?[acd][0-9]+(?:,[0-9]+)?)", RE2::Latin1);
  return RE2::FullMatch(piece_of(line), form);
}

// A line without its numbers and hashes.
std::string words_alone(std::string_view line) {
  static const LazyRegex number(R"(\b(?:[0-9a-f]{8,}|[0-9][0-9.]*(?:[eE][-+]?[0-9]+)?)\b)", RE2::Latin1);
  std::string words(trimmed(line));
  return RE2::GlobalReplace(&words, number, "#") > 0 ? words : std::string();
}

// What diff shows of the outputs of two runs: lines that are nearly equal, or, where the files' names say that they
// are runs, lines that are alike but for their numbers and hashes. Without a seed only hashes of results tell.
std::optional<std::size_t> by_diff(const std::vector<ShellCommand>& session, bool seeded) {
  static const LazyRegex hash(R"((?i)hash|checksum|md5|sha\d|digest)", RE2::Latin1);
  static const LazyRegex of_runs(
      R"(.*(?:run|trial|out(?:put)?|log|rep)[_-]?[12a]\b.*(?:run|trial|out(?:put)?|log|rep)[_-]?[23b]\b.*)",
      RE2::Latin1);
  for (const ShellCommand& command : session) {
    const std::string_view typed = command.typed.text.substr(0, most_of_line);
    if (!typed.starts_with("diff ")) continue;
    std::vector<ShellLine> before, after;
    for (const ShellLine& line : command.output) {
      if (line.text.size() > most_of_line || line.text.size() < 3) continue;
      // The sign before a line of the second file is cut off where it is taken for that of a quoted mail.
      const bool has_sign = line.text.starts_with("< ") || line.text.starts_with("> ");
      (line.text.starts_with("< ") ? before : after).push_back({line.row, line.text.substr(has_sign ? 2 : 0)});
    }
    std::erase_if(after, [](const ShellLine& line) { return line.text == "---" || is_place_of_diff(line.text); });
    const bool runs = RE2::FullMatch(piece_of(typed), of_runs);
    for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
      if (speaks_of_time(after[i].text)) continue;
      const std::string words = runs ? words_alone(after[i].text) : std::string();
      if (!seeded && !RE2::PartialMatch(words, hash)) continue;
      const bool alike =
          !words.empty() && words == words_alone(before[i].text) && trimmed(before[i].text) != trimmed(after[i].text);
      if (alike || nearly_equal(before[i].text, after[i].text)) return after[i].row;
    }
  }
  return std::nullopt;
}

// "for i in 1 2 3; do python train.py --seed 7 | tail -1; done": the lines of its turns say the same but for numbers and
// hashes.
std::optional<std::size_t> by_turns_of_loop(const ShellCommand& loop) {
  constexpr std::size_t fewest = 2, most = 20;
  const auto& lines = loop.output;
  if (!loop.typed.text.starts_with("for ") || lines.size() < fewest || lines.size() > most) return std::nullopt;
  const std::string words = words_alone(lines.front().text.substr(0, most_of_line));
  for (const ShellLine& line : lines) {
    if (words.empty() || words != words_alone(line.text.substr(0, most_of_line)) || speaks_of_time(line.text))
      return std::nullopt;
  }
  const auto other = std::ranges::find_if(lines, [&](const ShellLine& line) {
    return trimmed(line.text) != trimmed(lines.front().text);
  });
  return other == lines.end() ? std::nullopt : std::optional(other->row);
}

// A command with a seed that was typed twice and printed the same lines with other last digits.
std::optional<std::size_t> by_same_command(const std::string& text) {
  constexpr std::size_t most_commands = 64, most_printed = 200;
  static const LazyRegex seeded(
      R"((?i)seed(?:_everything)?[(= '"\]]{1,4}\w|manual_seed|set_seed|PYTHONHASHSEED|determinis)", RE2::Latin1);
  const bool has_seed = RE2::PartialMatch(text, seeded);
  const std::vector<ShellCommand> session = shell_session(text);
  if (const auto row = by_diff(session, has_seed)) return row;
  if (!has_seed) return std::nullopt;
  for (std::size_t i = 1; i < std::min(session.size(), most_commands); ++i) {
    if (const auto row = by_turns_of_loop(session[i])) return row;
    for (std::size_t j = 1; j < i; ++j) {
      const auto &one = session[j].output, &other = session[i].output;
      if (session[i].typed.text != session[j].typed.text || !contains(session[i].typed.text, ".py") ||
          one.size() != other.size() || one.size() > most_printed)
        continue;
      for (std::size_t k = 0; k < one.size(); ++k) {
        if (one[k].text.size() > most_of_line || speaks_of_time(one[k].text)) continue;
        if (nearly_equal(one[k].text, other[k].text)) return other[k].row;
      }
    }
  }
  return std::nullopt;
}

// The values of a table's row, without the columns of times and of what doesn't come of the work.
std::vector<double> values_of_row(std::string_view line, const std::vector<std::string_view>& columns) {
  static const LazyRegex other(R"((?i).*(?:time|dur|eta|lr|speed|mem|secs?|it/s)\b.*)", RE2::Latin1);
  const std::vector<std::string_view> fields = words_of(line);
  std::vector<double> values;
  for (std::size_t i = 0; i < fields.size() && fields.size() == columns.size(); ++i) {
    if (RE2::FullMatch(piece_of(columns[i]), other)) continue;
    const auto value = number_of<double>(fields[i]);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

// "epoch  train_loss  valid_loss  dur" above the same first row twice, and other rows below it: skorch, fastai.
std::optional<std::size_t> by_tables(const std::vector<std::string_view>& lines) {
  static const LazyRegex heading(
      R"((?i)\s*(?:epoch|iter\w*|step)s?\s+(?:[a-z_@%0-9-]+\s+){0,8}[a-z_@%0-9-]*(?:loss|acc)\w*.*)", RE2::Latin1);
  constexpr double most_apart = 0.05;
  struct Table {
    std::vector<std::string_view> columns{};
    std::vector<std::vector<double>> rows{};
  };
  std::optional<Table> first, second;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i].substr(0, most_of_line));
    if (contains(line, "loss") && line.find('.') == line.npos && RE2::FullMatch(piece_of(line), heading)) {
      std::optional<Table>& table = first ? second : first;
      if (table) return std::nullopt;
      table = Table{.columns = words_of(line)};
      continue;
    }
    std::optional<Table>& table = second ? second : first;
    if (!table) continue;
    std::vector<double> row = values_of_row(line, table->columns);
    if (row.empty()) continue;
    table->rows.push_back(std::move(row));
    if (!second || second->columns != first->columns || second->rows.size() > first->rows.size()) continue;
    const std::vector<double>&one = first->rows[second->rows.size() - 1], &other = second->rows.back();
    if (second->rows.size() == 1 && one != other) return std::nullopt;  // of other data, or without a seed
    for (std::size_t k = 0; k < one.size(); ++k) {
      if (one[k] != other[k] && std::fabs(one[k] - other[k]) < most_apart * std::fabs(one[k])) return i;
    }
  }
  return std::nullopt;
}

// "x = f(y)", and no argument such as "weights=w" or a comparison.
bool assigns(std::string_view statement) {
  int depth = 0;
  for (std::size_t i = 0; i < statement.size(); ++i) {
    const char c = statement[i];
    depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
    if (c == '=' && depth == 0 && i > 0 && std::string_view("=!<>").find(statement[i - 1]) == std::string_view::npos &&
        (i + 1 == statement.size() || statement[i + 1] != '='))
      return true;
  }
  return false;
}

bool may_be_random(std::string_view statement) {
  const std::string small = lower_case(statement);
  return contains(small, "rand") || contains(small, "sampl") || contains(small, "drop") || contains(small, "shuf") ||
         contains(small, "time") || contains(small, "memory") || contains(small, "empty") || contains(small, "train") ||
         contains(small, "step") || contains(small, "next") || contains(small, "fit") || assigns(small);
}

// A statement without an assignment and without random numbers that shows two values, with no other between them,
// which may have changed its inputs.
std::optional<std::size_t> by_statement(const std::vector<std::string_view>& lines,
                                        const std::vector<NumberBlock>& blocks) {
  constexpr double most_apart = 0.05;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const NumberBlock &one = blocks[i - 1], &other = blocks[i];
    if (other.statement.size() < 4 || one.statement != other.statement || may_be_random(other.statement) ||
        one.statement.data() == other.statement.data() || !other.fractions ||
        (one.label != other.label && !(one.label.starts_with("Out") && other.label.starts_with("Out"))))
      continue;
    const auto code = std::ranges::count_if(lines.begin() + static_cast<std::ptrdiff_t>(other.words_from),
                                            lines.begin() + static_cast<std::ptrdiff_t>(other.row), is_code);
    if (code > 1) continue;
    const double apart = same_shape(one.array, other.array) ? relative_difference(one.array, other.array) : 0;
    if (apart > 0 && apart < most_apart) return other.row;
  }
  return std::nullopt;
}

// How many names a head such as "Step Temp Press Temp Press" has twice, behind that of the steps; 0: it is none.
std::size_t names_of_twins(const std::vector<std::string_view>& head) {
  const std::size_t names = head.size() / 2;
  if (head.size() < 3 || head.size() % 2 == 0 || head.size() > 41) return 0;
  for (std::size_t i = 1; i <= names; ++i) {
    const bool word = std::isalpha(static_cast<unsigned char>(head[i].front())) != 0;
    if (!word || head[i] != head[i + names]) return 0;
  }
  return names;
}

// Two runs pasted side by side: their columns agree at first and drift apart later.
std::optional<std::size_t> by_twin_columns(const std::vector<std::string_view>& lines) {
  constexpr std::size_t fewest_equal = 1;
  std::size_t names = 0, equal = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::vector<std::string_view> cells = words_of(lines[i].substr(0, most_of_line));
    if (const std::size_t head = names_of_twins(cells); head > 0) {
      names = head;
      equal = 0;
    }
    if (names == 0 || cells.size() != 2 * names + 1) continue;
    bool numbers = true, same = true;
    for (std::size_t k = 1; k <= names; ++k) {
      const auto one = number_of<double>(cells[k]), other = number_of<double>(cells[k + names]);
      numbers = numbers && one && other;
      same = same && one == other;
    }
    if (!numbers) continue;
    if (!same && equal >= fewest_equal) return i;
    if (!same) names = 0;  // they never agreed: two different things
    equal += same ? 1 : 0;
  }
  return std::nullopt;
}

}  // namespace

bool starts_repeated_runs(std::string_view line) {
  static const LazyRegex form(
      R"((?i)\b(?:epoch|iter(?:ation)?|step)s?[ :=#\[(]{1,4}[0-9]+|tensor\([^()]+\)[\s,|;]{1,12}tensor\(|^\s{0,4}(?:>>> |In \[[0-9]+\]: )|\bfor \w+ in (?:[0-9]+ [0-9]|\$\(seq |\{1\.\.)|\bfor /L %+\w in \(|\b1\.\.[0-9]+ ?\| ?(?:%|ForEach-Object) ?\{|^\s*(?:epoch|iter\w*|step)s?\s+(?:[a-z_]*(?:loss|acc)|[a-z]+\s+[a-z]+))",
      RE2::Latin1);
  line = line.substr(0, most_of_line);
  const bool may_match =
      has_any(line, {"epoch", "iter", "step", "tensor(", ">>> ", "in [", " in $(seq ", " in (", "1.."}) ||
      (has_any(line, {"for "}) && has_any(line, {" in "}) && any_digit_in(line));
  return (may_match && RE2::PartialMatch(piece_of(line), form)) || run_at(line).has_value();
}

bool starts_list_of_runs(std::string_view line) {
  static const LazyRegex form(
      R"(^\s*(?:\[+ *-?[0-9]+\.[0-9]{4}|#?[0-9]{1,2}[.):]+\s+-?[0-9]+\.[0-9]{2}|-?[0-9]+\.[0-9]{7,}\s*$|[0-9]{1,3}[.):]?\s+\S.*\s-?[0-9]+\.[0-9]{7,}\s*$|[0-9a-f]{32}[0-9a-f]*\s+\*?\S+[_a-z]1\b))",
      RE2::Latin1);
  // Most lines with a number in front begin with a time, which a look at what follows its first digits tells.
  const std::size_t first = std::min(line.find_first_not_of(" \t#-"), line.size());
  const std::size_t digits = std::min(line.find_first_not_of("0123456789abcdef", first), line.size()) - first;
  const char next = first + digits < line.size() ? line[first + digits] : ' ';
  const bool may_start = line.substr(first).starts_with('[') || digits >= 32 ||
                         (digits > 0 && (next == '.' || next == ')' || next == ':')) ||
                         (digits > 0 && digits <= 3 && next == ' ' && line.size() < most_of_line);
  if (!may_start) return false;
  return RE2::PartialMatch(piece_of(line.substr(0, most_of_line)), form);
}

Snapshot parse_repeated_runs(const std::string& block) {
  Snapshot snapshot;
  const std::string text = compared::without_process_tables(block);
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::optional<std::size_t> row = by_columns(lines);
  if (!row) row = by_twin_columns(lines);
  const std::vector<NumberBlock> blocks = number_blocks(text);
  if (!row) row = by_runs(lines, blocks);
  if (!row && speaks_of_a_gpu(text)) row = by_statement(lines, blocks);
  if (!row) row = by_column(blocks);
  if (!row) row = by_answers(lines);
  if (!row && speaks_of_a_gpu(text)) row = by_arrays(blocks);
  if (!row) row = by_checksums(lines);
  const bool same_seed = !has_several_seeds(lines);
  if (!row && same_seed) row = by_restart(lines);
  if (!row && same_seed) row = by_tables(lines);
  if (!row && same_seed && lines.size() < few_lines) row = by_equal_lines(lines);
  if (!row && same_seed && speaks_of_a_gpu(text)) row = by_same_command(text);
  if (row) add_symptom(snapshot, {SymptomClass::noted, "runs-differ"}, *row, trimmed(lines[*row]));
  return snapshot;
}

}  // namespace envdoctor
