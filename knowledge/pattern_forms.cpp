#include "knowledge/pattern_forms.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <numeric>
#include <utility>

namespace envdoctor::knowledge {
namespace {

using Ways = std::vector<Stretches>;

Stretch gap(std::size_t width) { return {.width = width}; }

std::size_t width_of(const Ways& ways) {
  std::size_t widest = 0;
  for (const Stretches& way : ways) {
    widest = std::max(widest, std::accumulate(way.begin(), way.end(), std::size_t{0},
                                              [](std::size_t sum, const Stretch& one) { return sum + one.width; }));
  }
  return widest;
}

void append(Stretches& way, const Stretch& next) {
  if (way.empty() || way.back().fixed.empty() != next.fixed.empty()) {
    way.push_back(next);
  } else {
    way.back().fixed += next.fixed;
    way.back().width += next.width;
  }
}

void append(Stretches& way, const Stretches& next) {
  for (const Stretch& one : next) append(way, one);
}

// Each of the ways, continued by each of the next ones.
void append(Ways& ways, const Ways& next) {
  constexpr std::size_t most = 16;
  if (ways.size() * next.size() > most) {
    for (Stretches& way : ways) append(way, gap(width_of(next)));
    return;
  }
  const std::size_t before = ways.size();
  for (std::size_t i = 1; i < next.size(); ++i) {
    for (std::size_t j = 0; j < before; ++j) append(ways.emplace_back(ways[j]), next[i]);
  }
  for (std::size_t j = 0; j < before; ++j) append(ways[j], next[0]);
}

// Reads a pattern from left to right.
class Reader {
 public:
  explicit Reader(std::string_view pattern) : rest_(pattern) {}

  [[nodiscard]] bool done() const { return rest_.empty(); }
  void skip() { rest_.remove_prefix(1); }
  // Whether (?i) stood before an alternative, which holds for all that follow, and whether it stood elsewhere.
  [[nodiscard]] bool fold() const { return fold_; }
  [[nodiscard]] bool mixed() const { return mixed_; }

  // Up to the next '|' or the group's end.
  Ways alternative() {
    Ways ways(1);
    for (bool first = true; !done() && !at('|') && !at(')'); first = false) {
      if (first && depth_ == 0 && rest_.starts_with("(?i)")) {
        fold_ = true;
        rest_.remove_prefix(4);
      } else if (!plain(ways)) {
        append(ways, repeated(atom()));
      }
    }
    return ways;
  }

 private:
  [[nodiscard]] bool at(char c) const { return !rest_.empty() && rest_[0] == c; }

  // Takes the plain characters up to one that is repeated or has a meaning of its own; false if there is none.
  bool plain(Ways& ways) {
    std::size_t count = std::min(rest_.find_first_of("\\([.^$|)?*+{"), rest_.size());
    if (count > 0 && count < rest_.size() && std::string_view("?*+{").find(rest_[count]) != rest_.npos) --count;
    if (count == 0) return false;
    const Stretch taken{.fixed = std::string(rest_.substr(0, count)), .width = count};
    for (Stretches& way : ways) append(way, taken);
    rest_.remove_prefix(count);
    return true;
  }

  Ways repeated(Ways read) {
    std::size_t most = 1;
    if (at('*') || at('+')) {
      most = Stretch::far;
      skip();
    } else if (at('{')) {
      most = counted();
    } else {
      if (!at('?')) return read;
      skip();
      if (at('?')) skip();
      const bool all_gap = read.size() == 1 && read[0].size() == 1 && read[0][0].fixed.empty();
      if (!all_gap) read.emplace_back();
      return read;
    }
    if (at('?')) skip();  // as few as possible: the same texts
    return {{gap(width_of(read) * most)}};
  }

  Ways atom() {
    const char c = rest_[0];
    skip();
    if (c == '(') return group();
    if (c == '[') return brackets();
    if (c == '^' || c == '$') return {{gap(0)}};
    if (c == '.') return {{gap(1)}};
    if (c != '\\' || done()) return {{{.fixed = {c}, .width = 1}}};
    const char escaped = rest_[0];
    skip();
    if (escaped == 'b' || escaped == 'B') return {{gap(0)}};
    if (std::isalnum(static_cast<unsigned char>(escaped))) return {{gap(1)}};
    return {{{.fixed = {escaped}, .width = 1}}};
  }

  Ways group() {
    if (at('?')) {  // ?: ?P<name> ?i) ?i:
      const std::size_t end = std::min(rest_.find_first_of(":>)"), rest_.size() - 1);
      mixed_ = mixed_ || rest_.starts_with("?i");
      const bool flags_alone = rest_[end] == ')';
      rest_.remove_prefix(end + 1);
      if (flags_alone) return {{gap(0)}};
    }
    constexpr int deepest = 100;
    if (depth_ == deepest) {  // foreign tables may say anything: what follows is not known
      rest_ = {};
      return {{gap(std::size_t{1} << 20U)}};
    }
    ++depth_;
    Ways all = alternative();
    while (at('|')) {
      skip();
      std::ranges::move(alternative(), std::back_inserter(all));
    }
    --depth_;
    if (!done()) skip();
    return all;
  }

  Ways brackets() {
    std::size_t at = 0;
    if (at < rest_.size() && rest_[at] == '^') ++at;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    for (; at < rest_.size() && rest_[at] != ']'; ++at) {
      if (rest_[at] == '\\') ++at;
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return {{gap(1)}};
  }

  // {n}, {n,m}; {n,} is open.
  std::size_t counted() {
    const std::size_t end = std::min(rest_.find('}'), rest_.size());
    std::string_view number = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    number.remove_prefix(number.find_last_of("{,") + 1);
    std::size_t most = Stretch::far;
    std::from_chars(number.data(), number.data() + number.size(), most);
    return most;
  }

  std::string_view rest_{};
  int depth_ = 0;
  bool fold_ = false;
  bool mixed_ = false;
};

}  // namespace

std::vector<Form> forms_of(std::string_view pattern) {
  std::vector<Form> forms;
  for (Reader reader(pattern);; reader.skip()) {
    for (Stretches& way : reader.alternative())
      forms.push_back({.stretches = std::move(way), .fold = reader.fold(), .mixed = reader.mixed()});
    if (reader.done()) return forms;
  }
}

}  // namespace envdoctor::knowledge
