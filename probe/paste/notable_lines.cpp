#include "probe/paste/notable_lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "evidence/lines.h"
#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/questions.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_kept = 5;
constexpr std::size_t longest_kept = 2048;
constexpr std::size_t weighed_at_the_beginning = 1000, weighed_at_the_end = 100;
// People say first what is wrong; long-running programs end with the error.
constexpr std::int64_t lines_of_the_beginning = 300;
constexpr std::size_t longest_beginning = std::size_t{16} * 1024, longest_read = 400;

bool holds_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [line](std::string_view word) { return contains(line, word); });
}

// "RuntimeError: …", "torch.OutOfMemoryError: …" at the start of a line: how a Python program ends.
bool ends_a_traceback(std::string_view line) {
  static const LazyRegex form(R"((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Failure|Interrupt)(?::|$))",
                              RE2::Latin1);
  return holds_any(line, {"Error", "Exception", "Exit", "Failure", "Interrupt"}) &&
         RE2::PartialMatch(piece_of(line), form) &&
         line.find_first_of(": ") >= std::min(line.find("Error"), line.find("Exception"));
}

// "---> 12     run(x)": where IPython's traceback stopped.
bool is_frame(std::string_view line) {
  static const LazyRegex form(R"(-{1,5}> *\d+ +\S.*)", RE2::Latin1);
  return line.starts_with('-') && RE2::FullMatch(piece_of(line), form);
}

// "Validation error: 84.6%": a metric, not a failure.
bool is_figure(std::string_view line) {
  if (line.find_first_of("0123456789") == line.npos) return false;
  static const LazyRegex figure(R"(.*\berrors?(?: rate)?(?: is)?[:=]? *-?\d+\.\d+(?:e[-+]?\d+)?%?\W*)", RE2::Latin1);
  return RE2::FullMatch(piece_of(line), figure);
}

// Words that occur only in a count or a name: "0 errors", "error_log=off", "loss error: 0.1".
bool only_mentions(std::string_view line) {
  // rocm-smi prints this for each sensor that a card lacks.
  const bool sensor = line.find("gpu[") != line.npos &&
                      holds_any(line, {"unable to get", "unsupported", "not supported", "not been implemented"});
  const bool table =
      line.starts_with('|') && contains(line, "not supported");  // nvidia-smi prints this for a field that a card lacks
  if (sensor || table || (contains(line, "error") && is_figure(line))) return true;
  return holds_any(line, {"0 errors",           "no error",     "without error",     "errors: 0",
                          "error: 0",           "0 failed",     "error rate",        "error_handler",
                          "errorlevel",         "mean error",   "relative error",    "absolute error",
                          "squared error",      "max error",    "could not collect", "not a git repository",
                          "cannot access peer", "error occurs", "did not improve",   "lesser bandwidth"});
}

// A sentence, not a table, code or a setting.
bool is_sentence(std::string_view line) {
  std::size_t letters = 0, words = 0, signs = 0;
  bool inside = false;
  for (const char c : line) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
    if (letter) ++letters;
    if (letter && !inside) ++words;
    inside = letter || c == '\'';
    if (c == '|' || c == '{' || c == '}' || c == ';' || c == '<' || c == '>' || c == '=' || c == '[' || c == '_')
      ++signs;
  }
  return words >= 3 && letters * 10 >= line.size() * 6 && signs <= words / 3 && line.find("   ") == line.npos;
}

// Progress output of programs: "level=INFO", "[debug]", a warning of anything but numbers.
bool is_chatter(std::string_view line, std::string_view small) {
  const bool warning = contains(small, "warning") && !contains(small, "runtimewarning");
  return warning || line.starts_with("$ ") || contains(line, " W ") || contains(line, "[W") ||
         holds_any(small,
                   {"level=info", "level=debug", "[info", "[debug", "info:", "debug:", "info ", "note:", "tip:"});
}

bool is_of_word(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// "isn't", "did not" before this place.
bool is_negated(std::string_view before) {
  static constexpr auto verbs =
      std::to_array<std::string_view>({"is", "are", "was", "were", "do", "does", "did", "can", "could", "will", "would",
                                       "has", "have", "had", "should", "ca", "wo"});
  std::size_t begin = before.size();
  while (begin > 0 && is_of_word(before[begin - 1])) --begin;
  return std::ranges::find(verbs, before.substr(begin)) != verbs.end();
}

bool holds_negation(std::string_view line) {
  for (const std::string_view word : {"n't", " not"}) {
    for (std::size_t at = line.find(word); at != line.npos; at = line.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((end == line.size() || !is_of_word(line[end])) && is_negated(line.substr(0, at))) return true;
    }
  }
  return false;
}

// Negations, changes, unexpected results, questions, and how a program ended. One pattern of all these words would take
// longer to compile than most texts take to read.
bool holds_complaint(std::string_view line) {
  static constexpr auto words = std::to_array<std::string_view>({"never",
                                                                 "no longer",
                                                                 "nothing happens",
                                                                 "instead of",
                                                                 "invalid",
                                                                 "restricted",
                                                                 "forbidden",
                                                                 "rejected",
                                                                 "blocked",
                                                                 "stuck",
                                                                 "froze",
                                                                 "frozen",
                                                                 "hang",
                                                                 "hangs",
                                                                 "hanging",
                                                                 "hung",
                                                                 "broken",
                                                                 "trouble",
                                                                 "problem",
                                                                 "issue",
                                                                 "regression",
                                                                 "throttling",
                                                                 "throttled",
                                                                 "throttles",
                                                                 "slow",
                                                                 "slower",
                                                                 "slowly",
                                                                 "slowness",
                                                                 "sluggish",
                                                                 "unstable",
                                                                 "garbage",
                                                                 "garbled",
                                                                 "nan",
                                                                 "nans",
                                                                 "diverge",
                                                                 "diverges",
                                                                 "diverged",
                                                                 "disagree",
                                                                 "disagrees",
                                                                 "differ",
                                                                 "differs",
                                                                 "different",
                                                                 "differently",
                                                                 "low utilization",
                                                                 "low utilisation",
                                                                 "low gpu utilization",
                                                                 "low gpu utilisation",
                                                                 "time consuming",
                                                                 "time-consuming",
                                                                 "long time",
                                                                 "delay",
                                                                 "bottleneck",
                                                                 "lost",
                                                                 "idle",
                                                                 "on cpu",
                                                                 "to cpu",
                                                                 "onto cpu",
                                                                 "on the cpu",
                                                                 "to the cpu",
                                                                 "onto the cpu",
                                                                 "why"});
  // These may go on.
  static constexpr auto beginnings = std::to_array<std::string_view>({"unexpected",
                                                                      "wrong",
                                                                      "incorrect",
                                                                      "freez",
                                                                      "crash",
                                                                      "disappear",
                                                                      "vanish",
                                                                      "corrupt",
                                                                      "explod",
                                                                      "inconsistent",
                                                                      "not being",
                                                                      "ran out of",
                                                                      "take too long",
                                                                      "take very long",
                                                                      "take so long",
                                                                      "takes too long",
                                                                      "takes very long",
                                                                      "takes so long",
                                                                      "twice as long",
                                                                      "times as long",
                                                                      "already taken",
                                                                      "fill up",
                                                                      "fills up",
                                                                      "waiting for",
                                                                      "no gpu usage",
                                                                      "not listed",
                                                                      "without gpu",
                                                                      "cpu only",
                                                                      "minimum required",
                                                                      "require at least",
                                                                      "requires at least",
                                                                      "returned non-zero",
                                                                      "killed by signal"});
  static constexpr auto varied =
      std::to_array<std::string_view>({"utili", "exit", "return", "signal ", "only ", "stop"});
  bool may_vary = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (!is_of_word(line[at]) || (at > 0 && is_of_word(line[at - 1]))) continue;
    const std::string_view rest = line.substr(at);
    const auto begins = [rest](std::string_view word) { return rest.starts_with(word); };
    if (std::ranges::any_of(beginnings, begins) || std::ranges::any_of(words, [&](std::string_view word) {
          return begins(word) && (rest.size() == word.size() || !is_of_word(rest[word.size()]));
        }))
      return true;
    may_vary = may_vary || std::ranges::any_of(varied, begins);
  }
  const std::size_t last = line.find_last_not_of(" )]*'\"`");
  if ((last != line.npos && line[last] == '?') || holds_negation(line)) return true;
  if (!may_vary) return false;
  static const LazyRegex form(
      R"(\b(?:utili[sz]ation (?:\w+ ){0,3}(?:low|poor)|stop(?:s|ped) \w+ing\b)"
      R"(|(?:exit(?:ed|s)?|return(?:ed|s)?)(?: with)?(?: (?:code|status|value))?[ =:]+-?[1-9]\d*\b)"
      R"(|signal \d+\b|only (?:uses?|using|reach\w*|sees?|finds?|\d+ ?%)\b))",
      RE2::Latin1);
  return RE2::PartialMatch(piece_of(line), form);
}

}  // namespace

bool complains(std::string_view line) {
  line = trimmed(line.substr(0, longest_read));
  const std::string small = lower_case(line);
  return is_sentence(line) && !is_chatter(line, small) && !only_mentions(small) && holds_complaint(small);
}

int failure_weight(std::string_view line) {
  line = trimmed(line.substr(0, 1024));
  if (line.empty() || line.starts_with('#') || line.starts_with("File \"")) return 0;
  const std::string small = lower_case(line);
  if (only_mentions(small)) return 0;
  if (ends_a_traceback(line)) return 6;
  int weight = 0;
  if (holds_any(small, {"segmentation fault", "core dumped", "fatal error", "fatal:", "panic:", "terminate called",
                        "assertion failed", "aborted", "killed"}))
    weight = 5;
  else if (holds_any(small, {"error:", "error]", "[error", "*error*", "errno", "error code", "exception:", " error ",
                             "failed to", "failure:"}) ||
           small.starts_with("error") || small.starts_with("fail"))
    weight = 4;
  else if (holds_any(
               small,
               {"failed",       "cannot ",      "can't ",        "could not",     "couldn't",      "unable to",
                "not found",    "denied",       "no such",       "not supported", "unsupported",   "incompatible",
                "mismatch",     "timed out",    "not available", "missing",       "refused",       "is not recognized",
                "error",        "falling back", "not compile",   "overflow",      "already bound", "expected)",
                "out of memory"}) ||
           is_frame(line))
    weight = 3;
  if (weight == 0 || holds_any(small, {"warning", "deprecat", "debug"})) return weight == 0 ? 0 : 1;
  if (holds_any(small, {"nvidia", "nvrm", "cuda", "gpu", "rocm", "hip", "amdgpu", "kfd", "opencl", "level zero", "sycl",
                        "xpu", "nccl", "cudnn", "libze", "i915", "vulkan", "tensorrt"}))
    ++weight;
  return weight;
}

NotableLines::NotableLines() {
  const auto& words = knowledge::report_words();
  words_ = static_cast<std::size_t>(std::distance(words.begin(), words.find("words of failure")));
}

void NotableLines::line(std::string_view line, std::int64_t number, const knowledge::LogMatcher& matcher) {
  if (number <= lines_of_the_beginning) take_beginning(line, number);
  if (!matcher.reports().test(words_)) return;
  if (++offered_ <= weighed_at_the_beginning) return weigh(line, number);
  const std::size_t place = offered_ % weighed_at_the_end;
  if (last_.size() < weighed_at_the_end) last_.resize(weighed_at_the_end);
  last_[place].first = number;
  last_[place].second.assign(line.substr(0, longest_kept));
}

void NotableLines::weigh(std::string_view line, std::int64_t number) {
  const int weight = failure_weight(line);
  if (weight < 3) return;
  // A program's last error says more than its first; of other lines the first of a kind does.
  const bool last_counts = weight >= 6;
  const auto least =
      std::ranges::min_element(kept_, {}, [](const Kept& one) { return std::pair(one.weight, -one.number); });
  if (kept_.size() == most_kept && (weight < least->weight || (weight == least->weight && !last_counts))) return;
  const std::string text = shortened(clean(trimmed(line)), longest_kept);
  if (std::ranges::find(kept_, text, &Kept::text) != kept_.end()) return;
  if (kept_.size() == most_kept) kept_.erase(least);
  kept_.push_back({weight, number, text});
}

void NotableLines::take_beginning(std::string_view line, std::int64_t number) {
  const std::size_t room = longest_beginning - std::min(longest_beginning, beginning_.size());
  beginning_.append(line.substr(0, std::min(room, longest_read))).append(1, '\n');
  if (complaints_.size() < most_kept && complains(line))
    complaints_.push_back({.line = number, .text = shortened(clean(trimmed(line)), longest_kept)});
}

void NotableLines::finish(ReadText& text) {
  std::ranges::sort(last_);
  for (const auto& [number, line] : last_) {
    if (number > 0) weigh(line, number);
  }
  auto& lines = text.notable.fill();
  for (const Kept& one : kept_) lines.push_back({.line = one.number, .text = one.text});
  if (lines.empty() && !complaints_.empty()) text.complaints = std::move(complaints_);
  for (const TextLine& line : lines) beginning_.append(line.text.or_empty()).append(1, '\n');
  if (const auto words = knowledge::question_words_in(beginning_); !words.empty())
    text.about = std::vector<std::string>(words.begin(), words.end());
}

}  // namespace envdoctor
