// Errors that a script prints with a numeric switch on and with it off, such as "tf32=True err 3e-4" beside
// "tf32=False err 1e-7", or PASS and FAIL below headings that name the options of a compiler.
#include <fmt/format.h>
#include <re2/re2.h>

#include <array>
#include <cctype>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_row = 300;

struct Switch {
  const char* name;
  const char* off;  // an expression for it being off
  const char* any;  // for it being named at all
};
constexpr std::array switches = {
    Switch{
        "tf32",
        R"((?i)(?:no|non|without)[ _-]?tf32|(?:tf32|tensor_?float_?32(?:_execution)?)["']?\]? ?[=:(] ?(?:false|0|off|no)\b|precision["'(]{0,2} ?[=:(] ?["']?highest\b|\bhighest +(?:matmul )?precision\b)",
        R"((?i)tf32|tensor_?float_?32|precision["'(]{0,2} ?[=:(] ?["']?(?:highest|high|medium)\b|\b(?:highest|high|medium|default) +matmul precision\b)"},
    Switch{
        "fast-math",
        R"((?i)(?:no|without)[ _-]fast[ _-]?math|fast[ _-]?math["']? ?[=:] ?(?:false|0|off|no)\b|options?["']? ?[=:]? ?(?:""|''|\(?none\)?|default))",
        R"((?i)fast[ _-]?math|-cl-fast-relaxed-math|-cl-unsafe-math|options?["']? ?[=:]? ?(?:""|''|\(?none\)?|default))"},
};

enum class State { unnamed, off, on };

int count_of(const RE2& form, std::string_view line) {
  int count = 0;
  re2::StringPiece rest = piece_of(line);
  while (count < 8 && RE2::FindAndConsume(&rest, form)) ++count;
  return count;
}

// Where both stand in a line, it compares them, and shows what the switch does.
State state_in(std::string_view line, const RE2& off, const RE2& any) {
  const int named = count_of(any, line);
  if (named == 0) return State::unnamed;
  return named > count_of(off, line) ? State::on : State::off;
}

struct Shown {
  double error = -1;
  bool passes = false, fails = false;
};

Shown shown_in(std::string_view line) {
  static const LazyRegex error(
      R"((?i)(?:\b(?:err(?:or)?s?|diff(?:erence)?|abs|rel(?:ative)?|deviation|ulps?)\b|_(?:err|diff)\b|(?:mean|max|norm)\(\))[^0-9\n]{0,24}[:= ] ?(?:tensor\()?([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)\b)",
      RE2::Latin1);
  static const LazyRegex other(R"((?i)[0-9] ?(?:[mµ]?s|sec|seconds|[gt]flops?|it/s|img/s|gb/s)\b|\bloss\b|accuracy)",
                               RE2::Latin1);
  static const LazyRegex pass(R"(\b(?:PASS(?:ED)?|OK)\b)", RE2::Latin1),
      fail(R"(\b(?:FAIL(?:ED)?|MISMATCH|WRONG)\b)", RE2::Latin1);
  const re2::StringPiece text = piece_of(line);
  Shown shown{.passes = RE2::PartialMatch(text, pass), .fails = RE2::PartialMatch(text, fail)};
  double value = 0;
  re2::StringPiece rest = text;
  if (RE2::PartialMatch(text, other)) return shown;
  while (RE2::FindAndConsume(&rest, error, &value)) shown.error = value;
  return shown;
}

// "…error at:" above rows that end in one number: these are errors.
bool heads_errors(std::string_view line) {
  static const LazyRegex form(R"((?i)\b(?:err(?:or)?s?|diff(?:erence)?s?|residuals?)\b[\w .()]{0,24}:\s*$)",
                              RE2::Latin1);
  return RE2::PartialMatch(piece_of(line), form);
}

double error_at_end(std::string_view line) {
  static const LazyRegex form(R"([:=] ?([0-9]\.[0-9]+e-[0-9]+)\s*$)", RE2::Latin1);
  double value = -1;
  return RE2::PartialMatch(piece_of(line), form, &value) ? value : -1;
}

// "allow_tf32   max_err" above rows that begin with True and False.
bool heads_table(std::string_view line) {
  static const LazyRegex form(
      R"((?i)^[\W]*[\w-]+(?:\s*\|\s*|\s{2,}|\t).*(?:\b|_)(?:err(?:or)?|diff(?:erence)?|deviation)(?:\b|_))",
      RE2::Latin1);
  return line.find('=') == std::string_view::npos && RE2::PartialMatch(piece_of(line), form);
}

// The state and the last number of such a row.
State state_of_row(std::string_view line, double& value) {
  static const LazyRegex form(
      R"((?i)^\W*(true|false|on|off|yes|no|enabled|disabled)\b.*?\b([0-9]+\.?[0-9]*(?:e[-+]?[0-9]+)?)\W*$)",
      RE2::Latin1);
  std::string word;
  if (!RE2::PartialMatch(piece_of(line), form, &word, &value)) return State::unnamed;
  const char first = static_cast<char>(std::tolower(static_cast<unsigned char>(word[0])));
  const bool off = first == 'f' || first == 'n' || first == 'd' || (first == 'o' && word.size() == 3);
  return off ? State::off : State::on;
}

struct Side {
  double worst = -1;
  int passed = 0, failed = 0;
  std::size_t row = 0;

  void take(const Shown& shown, std::size_t at) {
    if (shown.error > worst || (shown.fails && failed == 0)) row = at;
    worst = std::max(worst, shown.error);
    passed += shown.passes && !shown.fails ? 1 : 0;
    failed += shown.fails ? 1 : 0;
  }
};

bool differ(const Side& on, const Side& off) {
  constexpr double many_times = 20, least = 2e-5, right = 1e-3;
  const bool by_size = off.worst >= 0 && off.worst < right && on.worst > least && on.worst > many_times * off.worst;
  return by_size || (off.passed > 0 && off.failed == 0 && on.failed > 0);
}

}  // namespace

bool starts_switched_errors(std::string_view line) { return line.size() < 2000; }

Snapshot parse_switched_errors(const std::string& text) {
  Snapshot snapshot;
  const std::vector<std::string_view> lines = lines_of(text);
  for (const Switch& one : switches) {
    const RE2 is_off(one.off, RE2::Latin1), is_named(one.any, RE2::Latin1);
    Side on, off;
    State below = State::unnamed;  // of the heading above
    bool in_table = false, errors_below = false;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const std::string_view line = lines[i].substr(0, longest_row);
      const State own = state_in(line, is_off, is_named);
      Shown shown = shown_in(line);
      if (own != State::unnamed && errors_below && shown.error < 0) shown.error = error_at_end(line);
      errors_below = heads_errors(line) || (errors_below && own != State::unnamed);
      if (double value = 0; in_table) {
        const State of_row = state_of_row(line, value);
        shown.error = value;
        if (of_row != State::unnamed) (of_row == State::on ? on : off).take(shown, i);
        if (of_row != State::unnamed || line.find_first_not_of(" -=|+:\t") == std::string_view::npos) continue;
        in_table = false;
      }
      if (own != State::unnamed && heads_table(line)) {
        in_table = true;
        continue;
      }
      const bool tells = shown.error >= 0 || shown.passes || shown.fails;
      if (own != State::unnamed && !tells) below = own;
      const State state = own != State::unnamed ? own : below;
      if (tells && state != State::unnamed) (state == State::on ? on : off).take(shown, i);
    }
    if (!differ(on, off)) continue;
    Symptom& symptom =
        add_symptom(snapshot, {SymptomClass::noted, "switch-changes-results"}, on.row, trimmed(lines[on.row]));
    symptom.details["switch"] = one.name;
    if (off.worst >= 0 && on.worst >= 0) {
      symptom.details["on"] = fmt::format("{:.2g}", on.worst);
      symptom.details["off"] = fmt::format("{:.2g}", off.worst);
    }
  }
  return snapshot;
}

}  // namespace envdoctor
