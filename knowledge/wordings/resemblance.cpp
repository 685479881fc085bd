#include "knowledge/wordings/resemblance.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "knowledge/embedded_tables.h"
#include "knowledge/lower_case.h"
#include "knowledge/wordings/resemblance_index.h"

namespace envdoctor::knowledge {
namespace {

// A word of a line that complains has the first before it, a kind of symptoms the second; no word begins with these.
constexpr char mark = '!', kind_sign = '=';
constexpr std::size_t most_bytes = std::size_t{1} << 18, shortest = 3, longest = 24;

// What marks a line as a complaint, as in learn_resemblance.py.
bool complains(std::string_view word) {
  constexpr std::string_view starts[] = {
      "abort",     "assert",     "cannot",  "could",  "crash", "critical", "denied",   "detect", "differ",  "error",
      "exception", "expected",   "fail",    "false",  "fatal", "fault",    "incompat", "inf",    "invalid", "kill",
      "mismatch",  "miss",       "nan",     "no_",    "not",   "only",     "refused",  "segm",   "unable",  "unavail",
      "undefined", "unexpected", "unknown", "unsupp", "warn",  "without",  "wrong"};
  return word.ends_with("error") || word.ends_with("exception") ||
         std::ranges::any_of(starts, [&](std::string_view start) { return word.starts_with(start); });
}

const ResemblanceIndex& words_and_weights() {
  static const ResemblanceIndex all(bytes_of(embedded_index, "resemblance"));
  return all;
}

// The words of a line, in lower case, each number in them as a single 0: "sm_86" is "sm_0".
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  const auto end = [&] {
    if (word.size() >= shortest && word.size() <= longest && word[0] != '0') words.push_back(word);
    word.clear();
  };
  for (const char raw : line) {
    const char c = lower_case(raw);
    const bool digit = c >= '0' && c <= '9';
    if (digit && !word.empty() && word.back() == '0') continue;
    if (digit || c == '_' || (c >= 'a' && c <= 'z')) {
      if (word.size() <= longest) word += digit ? '0' : c;
    } else {
      end();
    }
  }
  end();
  return words;
}

}  // namespace

void ResemblingWords::line(std::string_view line) {
  if (bytes_ == most_bytes) return;
  line = line.substr(0, most_bytes - bytes_);
  bytes_ += line.size();
  std::vector<std::string> words = words_of(line);
  if (!seen_.insert(fmt::format("{}", fmt::join(words, " "))).second) return;
  const auto take = [&](const std::string& word) {
    if (const auto row = words_and_weights().find(word)) rows_.insert(*row);
  };
  std::ranges::for_each(words, take);
  if (!std::ranges::any_of(words, complains)) return;
  for (const std::string& word : words) take(mark + word);
}

void ResemblingWords::symptom(std::string_view class_, std::string_view subject) {
  const std::string kind = kind_sign + std::string(class_) + '.' + std::string(subject);
  if (const auto row = words_and_weights().find(kind)) rows_.insert(*row);
}

Resemblance ResemblingWords::likeliest() const {
  if (rows_.empty()) return {};
  const ResemblanceIndex& index = words_and_weights();
  const auto value_of = [&](std::uint32_t row) { return index.words[row].rarity / 100.0; };
  const auto weights_of = [&](std::uint32_t row) {
    const ResemblanceIndex::Word& word = index.words[row];
    return index.weights.subspan(word.weights_begin, word.weights_end - word.weights_begin);
  };
  double square = 0;
  for (const std::uint32_t row : rows_) square += value_of(row) * value_of(row);
  const double length = std::sqrt(square);
  std::vector<double> sums;
  for (const auto& cause : index.causes) sums.push_back(cause.bias / 100.0);
  for (const std::uint32_t row : rows_) {
    for (const auto& weight : weights_of(row)) sums[weight.cause] += weight.value * value_of(row) / length / 100;
  }
  const auto best = static_cast<std::size_t>(std::max_element(sums.begin(), sums.end()) - sums.begin());
  double all = 0;
  for (const double sum : sums) all += std::exp(sum - sums[best]);
  std::vector<std::pair<double, std::uint32_t>> contributions;
  for (const std::uint32_t row : rows_) {
    for (const auto& weight : weights_of(row)) {
      if (weight.cause == best && weight.value > 0 && index.text(index.words[row]).front() != kind_sign)
        contributions.emplace_back(-weight.value * value_of(row), row);
    }
  }
  constexpr std::size_t shown = 5;
  std::sort(contributions.begin(), contributions.end());
  Resemblance found{.id = std::string(index.text(index.causes[best])), .share = 1 / all};
  for (const auto& [value, row] : contributions) {
    std::string_view word = index.text(index.words[row]);
    if (word.front() == mark) word.remove_prefix(1);
    if (found.words.size() < shown && std::ranges::find(found.words, word) == found.words.end())
      found.words.emplace_back(word);
  }
  return found;
}

}  // namespace envdoctor::knowledge
