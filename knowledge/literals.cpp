#include "knowledge/literals.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace envdoctor::knowledge {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// The index after a bracket expression or a group that starts at `at`.
std::size_t after_brackets(std::string_view pattern, std::size_t at) {
  ++at;
  if (at < pattern.size() && pattern[at] == '^') ++at;
  if (at < pattern.size() && pattern[at] == ']') ++at;
  for (; at < pattern.size() && pattern[at] != ']'; ++at) {
    if (pattern[at] == '\\') ++at;
  }
  return std::min(at + 1, pattern.size());
}

std::size_t after_group(std::string_view pattern, std::size_t at) {
  int depth = 0;
  while (at < pattern.size()) {
    if (pattern[at] == '[') {
      at = after_brackets(pattern, at);
      continue;
    }
    if (pattern[at] == '\\')
      ++at;
    else if (pattern[at] == '(')
      ++depth;
    else if (pattern[at] == ')' && --depth == 0)
      return at + 1;
    ++at;
  }
  return pattern.size();
}

bool optional(char quantifier) { return quantifier == '?' || quantifier == '*' || quantifier == '{'; }

// One alternative's runs: what is sure to be there, character by character, until something variable comes between.
class Runs {
 public:
  void add(char c) { run_ += lower(c); }
  void cut() {
    if (run_.size() > best_.size()) best_ = run_;
    run_.clear();
  }
  void drop_last() {
    if (!run_.empty()) run_.pop_back();
    cut();
  }
  std::string take() {
    cut();
    return std::exchange(best_, {});
  }

 private:
  std::string run_{};
  std::string best_{};
};

}  // namespace

std::vector<std::string> required_literals(std::string_view pattern) {
  std::vector<std::string> words;
  Runs runs;
  if (pattern.starts_with("(?i)")) pattern.remove_prefix(4);
  std::size_t at = 0;
  while (at < pattern.size()) {
    const char c = pattern[at];
    if (c == '|') {
      words.push_back(runs.take());
      ++at;
    } else if (c == '(') {
      runs.cut();
      at = after_group(pattern, at);
    } else if (c == '[') {
      runs.cut();
      at = after_brackets(pattern, at);
    } else if (c == '\\' && at + 1 < pattern.size()) {
      if (std::isalnum(static_cast<unsigned char>(pattern[at + 1])))
        runs.cut();
      else
        runs.add(pattern[at + 1]);
      at += 2;
    } else if (optional(c)) {
      runs.drop_last();
      at = c == '{' ? pattern.find('}', at) + 1 : at + 1;
    } else if (c == '.' || c == '^' || c == '$' || c == '+') {
      runs.cut();
      ++at;
    } else {
      runs.add(c);
      ++at;
    }
  }
  words.push_back(runs.take());
  if (std::ranges::any_of(words, [](const std::string& w) { return w.size() < 4; })) return {};
  return words;
}

LiteralSearch::LiteralSearch(const std::vector<std::string>& words) {
  constexpr std::size_t longest = 16;
  for (const std::string& word : words) {
    for (const char c : word.substr(0, longest)) {
      std::uint8_t& mark = class_[static_cast<unsigned char>(lower(c))];
      if (mark == 0) mark = static_cast<std::uint8_t>(classes_++);
    }
  }
  for (int c = 'A'; c <= 'Z'; ++c) class_[c] = class_[c + 32];

  // A trie first, then Aho and Corasick's links made into plain transitions, breadth first.
  std::vector<std::vector<std::uint32_t>> step(1, std::vector<std::uint32_t>(classes_));
  std::vector<std::vector<std::uint32_t>> ends(1);
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    std::uint32_t node = 0;
    for (const char c : words[i].substr(0, longest)) {
      const std::uint8_t to = class_[static_cast<unsigned char>(lower(c))];
      if (step[node][to] == 0) {
        step[node][to] = static_cast<std::uint32_t>(step.size());
        step.emplace_back(classes_);
        ends.emplace_back();
      }
      node = step[node][to];
    }
    ends[node].push_back(i);
  }
  std::vector<std::uint32_t> link(step.size()), queue;
  for (const std::uint32_t child : step[0]) {
    if (child != 0) queue.push_back(child);
  }
  for (std::size_t head = 0; head < queue.size(); ++head) {
    const std::uint32_t node = queue[head];
    for (const std::uint32_t word : ends[link[node]]) ends[node].push_back(word);
    for (std::uint32_t c = 0; c < classes_; ++c) {
      const std::uint32_t child = step[node][c];
      if (child == 0) {
        step[node][c] = step[link[node]][c];
      } else {
        link[child] = step[link[node]][c];
        queue.push_back(child);
      }
    }
  }

  // States that end a word are numbered last, so that one comparison tells them.
  std::vector<std::uint32_t> order(step.size()), number(step.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_partition(order.begin(), order.end(), [&](std::uint32_t node) { return ends[node].empty(); });
  for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i * classes_;
  next_.resize(step.size() * classes_);
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    for (std::uint32_t c = 0; c < classes_; ++c) next_[i * classes_ + c] = number[step[order[i]][c]];
    if (ends[order[i]].empty())
      first_output_ = (i + 1) * classes_;
    else
      outputs_.push_back(ends[order[i]]);
  }
}

}  // namespace envdoctor::knowledge
