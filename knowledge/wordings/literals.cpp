#include "knowledge/wordings/literals.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

#include "knowledge/lower_case.h"

namespace envdoctor::knowledge {
namespace {

template <class Test>
Characters all_that(const Test& test) {
  Characters all;
  for (std::size_t c = 0; c < all.size(); ++c) all.set(c, test(static_cast<char>(c)));
  return all;
}

}  // namespace

RE2::Options pattern_options() {
  RE2::Options options;
  options.set_encoding(RE2::Options::EncodingLatin1);
  options.set_log_errors(false);
  return options;
}

Characters characters_of(std::string_view expression) {
  static std::map<std::string, Characters, std::less<>> known;  // few distinct ones
  if (const auto found = known.find(expression); found != known.end()) return found->second;
  const RE2 one(re2::StringPiece(expression.data(), expression.size()), pattern_options());
  const Characters all = all_that([&](char c) { return !one.ok() || RE2::FullMatch(re2::StringPiece(&c, 1), one); });
  return known.emplace(expression, all.none() ? any_character : all).first->second;
}

Characters either_case(const Characters& characters) {
  static const Characters capitals = all_that([](char c) { return c >= 'A' && c <= 'Z'; });
  static const Characters beyond_ascii = all_that([](char c) { return (c & '\x80') != 0; });
  constexpr std::size_t distance = 'a' - 'A';
  const Characters all = characters | (characters & capitals) << distance | (characters >> distance & capitals);
  return (all & beyond_ascii).any() ? all | beyond_ascii : all;  // their upper case is unknown here
}

namespace {

// A stretch of a match: characters that always occur, or a gap.
struct Stretch {
  bool fixed = false;
  bool at_start = false;  // for a gap: it begins at the start of the line
  bool empty = false;     // for a gap: it may be empty
  std::size_t width = 0;  // maximum length
  Characters first{};     // characters that it may begin with, if it is not empty
  Characters last{};      // and that it may end with
};

using Runs = std::vector<std::string>;

// One path through a pattern or a part of it: its stretches, and the concatenated characters of the fixed ones.
struct Way {
  std::vector<Stretch> stretches{};
  std::string text{};
  std::vector<Runs> in_gaps{};  // runs of which a gap that was a group holds one
};

// Every match of a pattern is a match of one of its forms.
struct Form {
  Way way{};
  bool fold = false;   // in upper or lower case
  bool mixed = false;  // only parts of it ignore case
};

using Ways = std::vector<Way>;

// A single stretch.
struct Piece {
  Stretch stretch{};
  std::string_view text{};
  Runs holds_one_of{};  // of a gap; empty: nothing is known
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

// Merges a stretch and the next.
void widen(Stretch& all, const Stretch& next) {
  if (all.empty) all.first |= next.first;
  all.last = next.empty ? all.last | next.last : next.last;
  all.empty = all.empty && next.empty;
  all.width += next.width;
}

// How rare a run is: signs are rarer in logs than letters, blanks more common. (Measured on failure reports: half as
// many places need to be checked as by length alone.)
int weight(std::string_view run) {
  static constexpr auto weights = [] {
    std::array<signed char, 256> all{};
    all.fill(9);
    for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
      all[static_cast<unsigned char>(c)] = 2;
    all[' '] = 1;
    return all;
  }();
  int sum = 0;
  for (const char c : run) sum += weights[static_cast<unsigned char>(c)];
  return sum;
}

// The rarity of the most common of some runs.
int weight(const Runs& runs) {
  int least = runs.empty() ? 0 : weight(std::string_view(runs[0]));
  for (const std::string& run : runs) least = std::min(least, weight(std::string_view(run)));
  return least;
}

// Sets of runs: every match of this path contains one run of each set. The stretch `without` is left out.
std::vector<Runs> runs_of(const Way& way, const Stretch* without) {
  std::vector<Runs> all = way.in_gaps;
  std::size_t at = 0;
  for (const Stretch& one : way.stretches) {
    if (!one.fixed) continue;
    if (&one != without) all.push_back({way.text.substr(at, one.width)});
    at += one.width;
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, [](const Runs& runs) { return weight(runs); });
  return all;
}

// Runs: every match of one of the paths contains one of them. Empty: none are known, or too many.
Runs one_of(const Ways& ways) {
  constexpr std::size_t most = 16;
  Runs all;
  for (const Way& way : ways) {
    const std::vector<Runs> runs = runs_of(way, nullptr);
    if (runs.empty() || all.size() + runs[0].size() > most) return {};
    for (const std::string& run : runs[0])
      if (std::ranges::find(all, run) == all.end()) all.push_back(run);
  }
  return all;
}

// All paths as one gap.
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
  return {.stretch = all, .holds_one_of = one_of(ways)};
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
  way.in_gaps.insert(way.in_gaps.end(), next.in_gaps.begin(), next.in_gaps.end());
}

void append(Ways& ways, const Piece& next) {
  for (Way& way : ways) {
    append(way, next.stretch);
    way.text += next.text;
    if (!next.holds_one_of.empty()) way.in_gaps.push_back(next.holds_one_of);
  }
}

// Each of the paths, continued by each of the next ones.
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
  if (!gap) return static_cast<void>(ways.emplace_back());
  or_nothing(ways[0].stretches[0]);
  ways[0].in_gaps.clear();
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
  // Whether (?i) preceded an alternative, which applies to all that follow, and whether it occurred elsewhere.
  [[nodiscard]] bool fold() const { return fold_; }
  [[nodiscard]] bool mixed() const { return mixed_; }
  // Whether an unsupported construct occurred: foreign tables may contain any pattern.
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

  // Reads plain characters up to one that is repeated or special; false if there are none.
  bool plain(Ways& ways) {
    std::size_t count = std::min(rest_.find_first_of("\\([.^$|)?*+{"), rest_.size());
    if (count > 0 && count < rest_.size() && std::string_view("?*+{").find(rest_[count]) != rest_.npos) --count;
    if (count == 0) return false;
    append(ways, fixed(rest_.substr(0, count)));
    rest_.remove_prefix(count);
    return true;
  }

  // With its repetition.
  void group_or_atom(Ways& ways) {
    Ways read = at('(') ? group() : Ways();
    const Piece one = read.empty() ? atom() : Piece();
    if (const std::string_view count = counted(); at('*') || at('+') || !count.empty()) {
      const bool often = at('+') || (!count.empty() && !count.starts_with("{0"));  // at least once
      const std::size_t most = count.empty() ? Literal::far : most_of(count);
      rest_.remove_prefix(std::max<std::size_t>(count.size(), 1));
      if (at('?')) skip();  // lazy: matches the same texts
      Piece repeated = read.empty() ? one : gap(read);
      repeated.stretch.fixed = false;
      repeated.stretch.width *= most;
      repeated.text = {};
      if (!often) {
        or_nothing(repeated.stretch);
        repeated.holds_one_of.clear();
      }
      return append(ways, repeated);
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

  // {n}, {n,m} or {n,} if it comes next, otherwise nothing: then the brace is literal.
  [[nodiscard]] std::string_view counted() const {
    const std::string_view count = rest_.substr(0, std::min(rest_.find('}'), rest_.size() - 1) + 1);
    const std::size_t digits = count.find_first_not_of("0123456789", 1);
    if (!at('{') || digits == 1 || digits == count.npos) return {};
    const std::size_t end = count[digits] == ',' ? count.find_first_not_of("0123456789", digits + 1) : digits;
    return end == count.size() - 1 && count[end] == '}' ? count : std::string_view();
  }
  static std::size_t most_of(std::string_view count) {
    count.remove_prefix(count.find_last_of("{,") + 1);
    std::size_t most = Literal::far;
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

// The forms of an RE2 pattern, which must outlive them. Groups are expanded ("a(?:b|c)?" is "ab", "ac" and "a") as
// long as one alternative of the pattern has at most sixteen forms; further groups become gaps. For a
// pattern with unsupported parts (\p{Greek}, \x{41}, \Q, a hundred nested groups): one empty form.
std::vector<Form> forms_of(std::string_view pattern) {
  std::vector<Form> forms;
  for (Reader reader(pattern);; reader.skip()) {
    for (Way& way : reader.alternative())
      forms.push_back({.way = std::move(way), .fold = reader.fold(), .mixed = reader.mixed()});
    if (reader.gave_up()) return {Form{}};
    if (reader.done()) return forms;
  }
}

int rarity(std::string_view run) { return run.size() < 4 ? 0 : weight(run); }

// The characters that may be next to a fixed stretch: the gap's or, if that may be empty, those of the stretch beyond.
Characters beside(const Stretch* gap, const Stretch* beyond, Characters Stretch::*side) {
  if (gap == nullptr || (gap->empty && beyond == nullptr)) return any_character;
  return gap->empty ? gap->*side | beyond->*side : gap->*side;
}

// The run that the form starts with, if that is rare, otherwise its rarest.
Literal literal_of(const Form& form) {
  constexpr int rare = 30;
  std::string_view best;
  int rarest = -1;
  const std::vector<Stretch>& stretches = form.way.stretches;
  Literal found{.at_start = !stretches.empty() && stretches[0].at_start,
                .whole = stretches.size() == 1 && !form.mixed,
                .fold = form.fold || form.mixed};
  std::size_t chosen = 0;
  std::size_t width = 0;
  std::string_view rest = form.way.text;
  for (const Stretch& one : stretches) {
    if (one.fixed) {
      const std::string_view other = rest.substr(0, one.width);
      rest.remove_prefix(one.width);
      const bool keep = rarest >= rare && found.before == 0;
      if (const int how_rare = keep ? 0 : rarity(other); how_rare > rarest) {
        best = other;
        rarest = how_rare;
        found.before = width;
        chosen = static_cast<std::size_t>(&one - stretches.data());
      }
    }
    width += one.width;
  }
  if (best.empty()) return found;
  found.word = best;
  found.after = width - found.before - best.size();
  const auto stretch = [&stretches](std::size_t i) { return i < stretches.size() ? &stretches[i] : nullptr; };
  found.in_front = beside(stretch(chosen - 1), stretch(chosen - 2), &Stretch::last);
  found.behind = beside(stretch(chosen + 1), stretch(chosen + 2), &Stretch::first);
  if (found.fold) {
    found.in_front = either_case(found.in_front);
    found.behind = either_case(found.behind);
  }
  constexpr std::size_t most_sets = 3;
  for (Runs& runs : runs_of(form.way, &stretches[chosen])) {
    const bool ascii = std::ranges::all_of(runs, [](const std::string& run) {
      return std::ranges::all_of(run, [](char c) { return (c & '\x80') == 0; });
    });
    if ((found.fold && !ascii) || found.also.size() == most_sets) continue;
    if (found.fold) std::ranges::for_each(runs, make_lower_case);
    found.also.push_back(std::move(runs));
  }
  return found;
}

// Merges two forms that are found by the same word.
void join(Literal& all, const Literal& one) {
  all.before = std::max(all.before, one.before);
  all.after = std::max(all.after, one.after);
  all.whole = all.whole || one.whole;
  all.at_start = all.at_start && one.at_start;
  all.in_front |= one.in_front;
  all.behind |= one.behind;
  all.also.resize(std::min(all.also.size(), one.also.size()));
  for (std::size_t i = 0; i < all.also.size(); ++i) {
    for (const std::string& run : one.also[i]) {
      if (std::ranges::find(all.also[i], run) == all.also[i].end()) all.also[i].push_back(run);
    }
  }
}

}  // namespace

std::vector<Literal> required_literals(std::string_view pattern) {
  std::vector<Literal> all;
  for (const Form& form : forms_of(pattern)) {
    Literal one = literal_of(form);
    if (one.word.size() < 4) return {};
    const auto same = std::ranges::find_if(
        all, [&one](const Literal& other) { return other.word == one.word && other.fold == one.fold; });
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      join(*same, one);
    }
  }
  return all;
}

}  // namespace envdoctor::knowledge
