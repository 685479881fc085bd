// The same work done twice whose numbers differ: "Run 1: loss 0.51", "Run 2: loss 0.48"; a log of epochs that starts
// again with the same first loss; two columns of losses; a statement that is entered twice.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "knowledge/lower_case.h"
#include "probe/paste/number_arrays.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_of_line = 300, most_lines = 4096, few_lines = 200;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

// Names of what a run computes, as against how long it took.
constexpr const char* metric =
    R"((?i)\b((?:[a-z0-9]+[ _/-]){0,2}(?:loss|acc(?:uracy)?|top[- ]?[15]|auc|f1|map|miou|iou|ppl|perplexity|psnr|result|output|sum|mean|logits?|logprob|grad[ _]?norm|checksum|norm|mse|rmse|reward|prediction))\b[ :=]{1,4}(?:tensor\()?(-?[0-9]+\.[0-9]+(?:e[-+]?[0-9]+)?))";

struct Run {
  std::size_t row = 0;
  std::string name{}, metric{};
  int number = 0;
  double value = 0;
};

// "Run 3: top1 = 2.50%"
std::optional<Run> run_at(std::string_view line, std::size_t row) {
  static const RE2 head(
      R"((?i)^[\s>#*|\[=-]{0,8}(run|trial|attempt|execution|repeat|try) ?(?:#|no\.? ?|number )?([0-9]{1,2})\b[\]):=\s-]{1,6})");
  static const RE2 value(metric);
  static const RE2 bare(R"(^(?:tensor\()?(-?[0-9]+\.[0-9]{3,}(?:e[-+]?[0-9]+)?)(?:\)|,|\s|$))");
  Run run{.row = row};
  re2::StringPiece rest = piece(line);
  if (!RE2::Consume(&rest, head, &run.name, &run.number)) return std::nullopt;
  if (RE2::PartialMatch(rest, bare, &run.value)) {
    static const RE2 unit(R"(^[-0-9.e+]+ ?(?:[mun]?s|sec|seconds|min|[KMGT]i?B|fps|it)\b)");
    return RE2::PartialMatch(rest, unit) ? std::nullopt : std::optional(run);
  }
  return RE2::PartialMatch(rest, value, &run.metric, &run.value) ? std::optional(run) : std::nullopt;
}

// "Second run:", "Trial 2": a heading whose first value stands in one of the next lines.
std::optional<Run> run_below(const std::vector<std::string_view>& lines, std::size_t row) {
  static const RE2 head(
      R"((?i)^[\s>#*=\[-]{0,8}(?:(first|second|third|1st|2nd|3rd) (?:run|time|trial|try|attempt|execution)|(?:(?:training|test|inference) )?(?:run|trial|attempt|execution) ?#?([1-9]))[\]:*=\s-]{0,8}$)");
  static const RE2 value(metric);
  constexpr std::size_t most_below = 4;
  std::string ordinal, digit;
  if (lines[row].size() > 60 || !RE2::FullMatch(piece(lines[row]), head, &ordinal, &digit)) return std::nullopt;
  Run run{.name = "below", .number = (digit.empty() ? lower_case(ordinal) : digit)[0]};
  for (run.row = row + 1; run.row < std::min(lines.size(), row + 1 + most_below); ++run.row) {
    if (RE2::PartialMatch(piece(lines[run.row].substr(0, most_of_line)), value, &run.metric, &run.value)) return run;
  }
  return std::nullopt;
}

std::optional<std::size_t> by_named_runs(const std::vector<std::string_view>& lines) {
  std::map<std::string, Run> first;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    auto run = run_at(lines[i].substr(0, most_of_line), i);
    if (!run) run = run_below(lines, i);
    if (!run) continue;
    const auto [other, is_new] = first.try_emplace(lower_case(run->name + " " + run->metric), *run);
    if (!is_new && other->second.number != run->number && other->second.value != run->value) return i;
  }
  return std::nullopt;
}

struct Step {
  std::size_t row = 0;
  std::string key{};
  double value = 0;
};

// "Epoch: [0][3/27]  Time 0.2  Loss 5.432": its key is "epoch 0 3 27".
std::optional<Step> step_at(std::string_view line, std::size_t row) {
  static const RE2 head(
      R"((?i)\b((?:epoch|iter(?:ation)?|step)s?[ :=#\[(]{1,4}[0-9]+(?:[\])/,:\[ ]{1,3}(?:epoch|iter(?:ation)?|step|batch)?[ :=#\[]{0,3}[0-9]+\b){0,3}))");
  static const RE2 value(R"((?i)\b(?:[a-z]+[ _])?loss[ :=]{1,4}\[?(?:tensor\()?([0-9]+\.[0-9]{2,}(?:e[-+]?[0-9]+)?))");
  re2::StringPiece rest = piece(line);
  std::string key;
  Step step{.row = row};
  if (!RE2::FindAndConsume(&rest, head, &key) || !RE2::PartialMatch(rest, value, &step.value)) return std::nullopt;
  for (const char c : key) step.key += std::isalnum(static_cast<unsigned char>(c)) ? c : ' ';
  return step;
}

// The steps of a log are counted from the start once more, the first losses agree and later ones don't: the same
// initial values and the same data. Lines of several processes stand side by side, not one log after the other.
std::optional<std::size_t> by_restart(const std::vector<std::string_view>& lines) {
  constexpr std::size_t fewest = 3;
  constexpr double most_apart = 0.2, of_rounding = 1e-4;
  std::vector<Step> steps;
  for (std::size_t i = 0; i < lines.size(); ++i) {
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
  static const RE2 form(
      R"(tensor\((-?[0-9]+\.[0-9]+)[^()]*cuda[^()]*(?:\(\)|<[^>]*>)?\)[\s,|;]{1,12}tensor\((-?[0-9]+\.[0-9]+)[^()]*cuda)");
  std::size_t equal = 0;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    double a = 0, b = 0;
    if (!contains(lines[i], "tensor(") || !RE2::PartialMatch(piece(lines[i].substr(0, most_of_line)), form, &a, &b))
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
  static const RE2 item(R"(^\s*#?([0-9]{1,2})[.):]+\)?\s+)");
  static const RE2 number(R"(^(-?[0-9]+\.[0-9]{2,}(?:[eE][-+]?[0-9]+)?)\b)");
  static const RE2 other(R"(^(?:[0-9]+(?: ?(?:s|ms|sec|min)\b)?|[A-Za-z_]+|.))");
  static const RE2 counter(R"(^[0-9])"), time(R"(.*[a-z]$)");
  Printed printed;
  re2::StringPiece rest = piece(line), part;
  RE2::Consume(&rest, item, &printed.item);
  double value = 0;
  while (!rest.empty()) {
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
  static const RE2 form(
      R"((?i)\b(?:time|elapsed|latency|speed|bandwidth|throughput|temp(?:erature)?|power|util\w*|mem(?:ory)?|clock|lr|learning rate|eta)\b|/s\b|\b(?:fps|[KMGT]i?B|[KMG]Hz|watts?)\b)");
  static const RE2 took(R"((?i)[,; ]+time ?[=:] ?[0-9.]+ ?s\b)");  // at the end of an epoch's losses
  std::string text(line);
  RE2::GlobalReplace(&text, took, "");
  return RE2::PartialMatch(text, form);
}

// Lines that are the same but for the last digits of their numbers: the same step of two runs, or the items of a list
// of runs. Steps of one run differ in their own number.
std::optional<std::size_t> by_equal_lines(const std::vector<std::string_view>& lines) {
  constexpr double of_rounding = 1e-5, of_a_list = 1e-3, of_a_seed = 0.1;
  constexpr int fewest_items = 3;
  constexpr std::size_t most_forms = 256;
  static const RE2 seeded(R"((?i)\b(?:seed|rand(?:om)?(?:_seed)?)\b[ =:]{1,3}[0-9]+|manual_seed|set_seed|determinis)");
  const bool seed = std::ranges::any_of(
      lines, [](std::string_view line) { return RE2::PartialMatch(piece(line.substr(0, most_of_line)), seeded); });
  std::map<std::string, Printed> first;
  std::map<std::string, int> items;
  for (std::size_t i = 0; i < lines.size() && first.size() < most_forms; ++i) {
    const std::string_view line = trimmed(lines[i].substr(0, most_of_line));
    if (!contains(line, ".") || speaks_of_time(line)) continue;
    Printed printed = printed_at(line);
    if (printed.numbers.empty()) continue;
    const std::string form = printed.form;
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

// The values of a table's row, without the columns of times and of what doesn't come of the work.
std::vector<double> values_of_row(std::string_view line, const std::vector<std::string_view>& columns) {
  static const RE2 other(R"((?i).*(?:time|dur|eta|lr|speed|mem|secs?|it/s)\b.*)");
  const std::vector<std::string_view> fields = words_of(line);
  std::vector<double> values;
  for (std::size_t i = 0; i < fields.size() && fields.size() == columns.size(); ++i) {
    if (RE2::FullMatch(piece(columns[i]), other)) continue;
    const auto value = number_of<double>(fields[i]);
    if (!value) return {};
    values.push_back(*value);
  }
  return values;
}

// "epoch  train_loss  valid_loss  dur" above the same first row twice, and other rows below it: skorch, fastai.
std::optional<std::size_t> by_tables(const std::vector<std::string_view>& lines) {
  static const RE2 heading(
      R"((?i)\s*(?:epoch|iter\w*|step)s?\s+(?:[a-z_@%0-9-]+\s+){0,8}[a-z_@%0-9-]*(?:loss|acc)\w*.*)");
  constexpr double most_apart = 0.05;
  struct Table {
    std::vector<std::string_view> columns{};
    std::vector<std::vector<double>> rows{};
  };
  std::optional<Table> first, second;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = trimmed(lines[i].substr(0, most_of_line));
    if (contains(line, "loss") && line.find('.') == line.npos && RE2::FullMatch(piece(line), heading)) {
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

// The statement of ">>> f(x)" or "In [3]: f(x)".
std::string_view statement_of(std::string_view line) {
  static const RE2 form(R"(^\s{0,4}(?:>>> |In \[[0-9]+\]: )(.{4,200})$)");
  re2::StringPiece statement;
  if (!RE2::FullMatch(piece(line), form, &statement)) return {};
  return trimmed({statement.data(), statement.size()});
}

bool may_be_random(std::string_view statement) {
  const std::string small = lower_case(statement);
  return contains(small, "rand") || contains(small, "sampl") || contains(small, "drop") || contains(small, "shuf") ||
         contains(small, "time") || contains(small, "memory") || contains(small, "empty") || contains(small, "train") ||
         contains(small, "step") || contains(small, "next") || contains(small, "fit") || contains(small, "=");
}

// A statement without an assignment and without random numbers that shows two values.
std::optional<std::size_t> by_statement(const std::vector<std::string_view>& lines) {
  static const RE2 form(
      R"(^\s{0,4}(?:Out\[[0-9]+\]: ?)?(?:tensor|array|Array)?\(?(-?[0-9]+\.[0-9]{3,}(?:e[-+]?[0-9]+)?))");
  std::map<std::string_view, std::pair<double, std::size_t>> seen;  // with the count of statements before
  for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string_view statement = statement_of(lines[i].substr(0, most_of_line));
    double value = 0;
    if (statement.empty() || may_be_random(statement) || !RE2::PartialMatch(piece(lines[i + 1]), form, &value))
      continue;
    const auto [other, is_new] = seen.try_emplace(statement, value, i);
    if (is_new || other->second.first == value) continue;
    // Only the statement itself, again and again: what stands between may have changed its inputs.
    bool alone = true;
    for (std::size_t j = other->second.second + 1; j < i; ++j) {
      const std::string_view between = statement_of(lines[j]);
      alone = alone && (between.empty() || between == statement);
    }
    const double most = std::fmax(std::fabs(value), std::fabs(other->second.first));
    if (alone && std::fabs(value - other->second.first) < 0.05 * most) return i + 1;
    other->second = {value, i};
  }
  return std::nullopt;
}

}  // namespace

bool starts_repeated_runs(std::string_view line) {
  static const RE2 form(
      R"((?i)^[\s>#*|\[=-]{0,8}(?:first (?:run|time|trial|try)|1st run|(?:training |test |inference )?run|trial|attempt|execution|repeat|try) ?(?:#|no\.? ?|number )?(?:[0-9]{1,2}\b|:)|\b(?:epoch|iter(?:ation)?|step)s?[ :=#\[(]{1,4}[0-9]+|tensor\([^()]+\)[\s,|;]{1,12}tensor\(|^\s{0,4}(?:>>> |In \[[0-9]+\]: )|^\s*(?:epoch|iter\w*|step)s?\s+[a-z_]*(?:loss|acc))");
  return RE2::PartialMatch(piece(line.substr(0, most_of_line)), form);
}

bool starts_list_of_runs(std::string_view line) {
  static const RE2 form(R"(^\s*#?[0-9]{1,2}[.):]+\s+-?[0-9]+\.[0-9]{2})");
  const std::size_t first = line.find_first_not_of(" \t");
  if (first == line.npos || (line[first] != '#' && std::isdigit(static_cast<unsigned char>(line[first])) == 0))
    return false;
  return RE2::PartialMatch(piece(line.substr(0, most_of_line)), form);
}

Snapshot parse_repeated_runs(const std::string& text) {
  Snapshot snapshot;
  std::vector<std::string_view> lines = lines_of(text);
  if (lines.size() > most_lines) lines.resize(most_lines);
  std::optional<std::size_t> row = by_columns(lines);
  if (!row) row = by_named_runs(lines);
  if (!row && speaks_of_a_gpu(text)) row = by_statement(lines);
  if (!row) row = by_restart(lines);
  if (!row) row = by_tables(lines);
  if (!row && lines.size() < few_lines) row = by_equal_lines(lines);
  if (row) add_symptom(snapshot, {SymptomClass::noted, "runs-differ"}, *row, trimmed(lines[*row]));
  return snapshot;
}

}  // namespace envdoctor
