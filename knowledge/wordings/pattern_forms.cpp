#include "knowledge/wordings/pattern_forms.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

namespace envdoctor::knowledge {
namespace {

using Ways = std::vector<Way>;

// A single stretch.
struct Piece {
  Stretch stretch{};
  std::string_view text{};
};
Piece gap(std::string_view one_character) {
  const Characters all = characters_of(one_character);
  return {.stretch = {.width = 1, .first = all, .last = all}};
}
Piece nothing() { return {.stretch = {.empty = true}}; }
Piece fixed(std::string_view text) {
  return {.stretch = {.fixed = true,
                      .width = text.size(),
                      .first = Characters().set(index_of(text.front())),
                      .last = Characters().set(index_of(text.back()))},
          .text = text};
}

// A stretch and the next, as one.
void widen(Stretch& all, const Stretch& next) {
  if (all.empty) all.first |= next.first;
  all.last = next.empty ? all.last | next.last : next.last;
  all.empty = all.empty && next.empty;
  all.width += next.width;
}

// Whichever way is gone, as one gap.
Piece gap(const Ways& ways) {
  Stretch all;
  for (const Way& way : ways) {
    Stretch through = nothing().stretch;
    for (const Stretch& one : way.stretches) widen(through, one);
    all.width = std::max(all.width, through.width);
    all.empty = all.empty || through.empty;
    all.first |= through.first;
    all.last |= through.last;
  }
  return {.stretch = all};
}

void append(Way& way, const Stretch& next) {
  if (way.stretches.empty() || way.stretches.back().fixed != next.fixed) {
    way.stretches.push_back(next);
  } else {
    widen(way.stretches.back(), next);
  }
}

void append(Way& way, const Way& next) {
  for (const Stretch& one : next.stretches) append(way, one);
  way.text += next.text;
}

void append(Ways& ways, const Piece& next) {
  for (Way& way : ways) {
    append(way, next.stretch);
    way.text += next.text;
  }
}

// Each of the ways, continued by each of the next ones.
void append(Ways& ways, const Ways& next) {
  constexpr std::size_t most = 16;
  if (ways.size() * next.size() > most) return append(ways, gap(next));
  const std::size_t before = ways.size();
  ways.reserve(before * next.size());
  for (std::size_t i = 1; i < next.size(); ++i) {
    for (std::size_t j = 0; j < before; ++j) append(ways.emplace_back(ways[j]), next[i]);
  }
  for (std::size_t j = 0; j < before; ++j) append(ways[j], next[0]);
}

void or_nothing(Stretch& gap) {
  gap.empty = true;
  gap.at_start = false;
}

void or_nothing(Ways& ways) {
  const bool gap = ways.size() == 1 && ways[0].stretches.size() == 1 && ways[0].text.empty();
  if (gap) return or_nothing(ways[0].stretches[0]);
  ways.emplace_back();
}

Ways only(const Piece& piece) {
  Ways ways(1);
  append(ways, piece);
  return ways;
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
  // Whether something was met that this reader doesn't know: foreign tables may say anything.
  [[nodiscard]] bool gave_up() const { return gave_up_; }

  // Up to the next '|' or the group's end.
  Ways alternative() {
    Ways ways(1);
    for (bool first = true; !done() && !at('|') && !at(')'); first = false) {
      if (first && depth_ == 0 && rest_.starts_with("(?i)")) {
        fold_ = true;
        rest_.remove_prefix(4);
      } else if (!plain(ways)) {
        group_or_atom(ways);
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
    append(ways, fixed(rest_.substr(0, count)));
    rest_.remove_prefix(count);
    return true;
  }

  // With what repeats it.
  void group_or_atom(Ways& ways) {
    Ways read = at('(') ? group() : Ways();
    const Piece one = read.empty() ? atom() : Piece();
    if (const std::string_view count = counted(); at('*') || at('+') || !count.empty()) {
      const bool often = at('+') || (!count.empty() && !count.starts_with("{0"));  // at least once
      const std::size_t most = count.empty() ? Stretch::far : most_of(count);
      rest_.remove_prefix(std::max<std::size_t>(count.size(), 1));
      if (at('?')) skip();  // as few as possible: the same texts
      Stretch repeated = (read.empty() ? one : gap(read)).stretch;
      repeated.fixed = false;
      repeated.width *= most;
      if (!often) or_nothing(repeated);
      return append(ways, Piece{.stretch = repeated});
    }
    const bool optional = at('?');
    if (optional) skip();
    if (optional && at('?')) skip();
    if (read.empty() && !optional) return append(ways, one);
    if (read.empty()) read = only(one);
    if (optional) or_nothing(read);
    append(ways, read);
  }

  Piece atom() {
    const std::string_view read = rest_;
    skip();
    if (read[0] == '[') return brackets(read);
    if (read[0] == '^') return {.stretch = {.at_start = true, .empty = true}};
    if (read[0] == '$') return nothing();
    if (read[0] == '.') return gap(read.substr(0, 1));
    if (read[0] != '\\' || done()) return fixed(read.substr(0, 1));
    skip();
    if (std::string_view("bBAz").find(read[1]) != read.npos) return nothing();
    if (std::string_view("dDsSwWnrtfv").find(read[1]) != read.npos) return gap(read.substr(0, 2));
    const bool hexadecimal = read[1] == 'x' && rest_.size() >= 2 && rest_[0] != '{';
    if (hexadecimal) {
      rest_.remove_prefix(2);
      return gap(read.substr(0, 4));
    }
    if (std::isalnum(static_cast<unsigned char>(read[1])) != 0) give_up();
    return fixed(read.substr(1, 1));
  }

  Ways group() {
    skip();
    if (at('?')) {  // ?: ?P<name> ?i) ?i:
      const std::size_t end = std::min(rest_.find_first_of(":>)"), rest_.size() - 1);
      mixed_ = mixed_ || rest_.starts_with("?i");
      const bool flags_alone = rest_[end] == ')';
      rest_.remove_prefix(end + 1);
      if (flags_alone) return only(nothing());
    }
    constexpr int deepest = 100;
    if (depth_ == deepest) {
      give_up();
      return Ways(1);
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

  Piece brackets(std::string_view read) {
    std::size_t at = 0;
    if (at < rest_.size() && rest_[at] == '^') ++at;
    if (at < rest_.size() && rest_[at] == ']') ++at;
    for (; at < rest_.size() && rest_[at] != ']'; ++at) {
      if (rest_[at] == '\\') ++at;
      const std::size_t named = rest_.substr(at).starts_with("[:") ? rest_.find(":]", at + 2) : rest_.npos;
      if (named != rest_.npos) at = named + 1;
    }
    rest_.remove_prefix(std::min(at + 1, rest_.size()));
    return gap(read.substr(0, read.size() - rest_.size()));
  }

  // {n}, {n,m} or {n,} if it comes next, else nothing: then the brace is a brace.
  [[nodiscard]] std::string_view counted() const {
    const std::string_view count = rest_.substr(0, std::min(rest_.find('}'), rest_.size() - 1) + 1);
    const std::size_t digits = count.find_first_not_of("0123456789", 1);
    if (!at('{') || digits == 1 || digits == count.npos) return {};
    const std::size_t end = count[digits] == ',' ? count.find_first_not_of("0123456789", digits + 1) : digits;
    return end == count.size() - 1 && count[end] == '}' ? count : std::string_view();
  }
  static std::size_t most_of(std::string_view count) {
    count.remove_prefix(count.find_last_of("{,") + 1);
    std::size_t most = Stretch::far;
    std::from_chars(count.data(), count.data() + count.size(), most);
    return most;
  }

  void give_up() {
    gave_up_ = true;
    rest_ = {};
  }

  std::string_view rest_{};
  int depth_ = 0;
  bool gave_up_ = false;
  bool fold_ = false;
  bool mixed_ = false;
};

}  // namespace

std::vector<Form> forms_of(std::string_view pattern) {
  std::vector<Form> forms;
  for (Reader reader(pattern);; reader.skip()) {
    for (Way& way : reader.alternative())
      forms.push_back({.way = std::move(way), .fold = reader.fold(), .mixed = reader.mixed()});
    if (reader.gave_up()) return {Form{}};
    if (reader.done()) return forms;
  }
}

}  // namespace envdoctor::knowledge
