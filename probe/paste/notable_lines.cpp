#include "probe/paste/notable_lines.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>

#include "evidence/lines.h"
#include "host/text.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

constexpr std::size_t most_kept = 5;
constexpr std::size_t longest_kept = 2048;
constexpr std::size_t weighed_at_the_beginning = 1000, weighed_at_the_end = 100;

bool holds_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [line](std::string_view word) { return contains(line, word); });
}

// "RuntimeError: …", "torch.OutOfMemoryError: …" at the start of a line: how a Python program ends.
bool ends_a_traceback(std::string_view line) {
  static const RE2 form(R"((?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Exit|Failure|Interrupt)(?::|$))", RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), form) &&
         line.find_first_of(": ") >= std::min(line.find("Error"), line.find("Exception"));
}

// "---> 12     run(x)": where IPython's traceback stood.
bool is_frame(std::string_view line) {
  static const RE2 form(R"(-{1,5}> *\d+ +\S.*)", RE2::Latin1);
  return line.starts_with('-') && RE2::FullMatch(re2::StringPiece(line.data(), line.size()), form);
}

// What a count or a name only mentions: "0 errors", "error_log=off", "loss error: 0.1".
bool only_mentions(std::string_view line) {
  // "Validation error: 84.6%": a figure that is wanted small.
  static const RE2 figure(R"(.*\berrors?(?: rate)?(?: is)?[:=]? *-?\d+\.\d+(?:e[-+]?\d+)?%?\W*)", RE2::Latin1);
  // rocm-smi says of each sensor that a card has not.
  const bool sensor = line.find("gpu[") != line.npos &&
                      holds_any(line, {"unable to get", "unsupported", "not supported", "not been implemented"});
  if (sensor || (contains(line, "error") && RE2::FullMatch(re2::StringPiece(line.data(), line.size()), figure)))
    return true;
  return holds_any(line,
                   {"0 errors", "no error", "without error", "errors: 0", "error: 0", "0 failed", "error rate",
                    "error_handler", "errorlevel", "mean error", "relative error", "absolute error", "squared error",
                    "max error", "could not collect", "not a git repository", "cannot access peer", "error occurs"});
}

}  // namespace

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
  // A program's last words tell more than its first; of other lines the first of a kind does.
  const bool last_counts = weight >= 6;
  const auto least =
      std::ranges::min_element(kept_, {}, [](const Kept& one) { return std::pair(one.weight, -one.number); });
  if (kept_.size() == most_kept && (weight < least->weight || (weight == least->weight && !last_counts))) return;
  const std::string text = shortened(clean(trimmed(line)), longest_kept);
  if (std::ranges::find(kept_, text, &Kept::text) != kept_.end()) return;
  if (kept_.size() == most_kept) kept_.erase(least);
  kept_.push_back({weight, number, text});
}

std::vector<TextLine> NotableLines::finish() {
  std::ranges::sort(last_);
  for (const auto& [number, line] : last_) {
    if (number > 0) weigh(line, number);
  }
  std::vector<TextLine> lines;
  for (const Kept& one : kept_) lines.push_back({.line = one.number, .text = one.text});
  return lines;
}

}  // namespace envdoctor
