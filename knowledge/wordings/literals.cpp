#include "knowledge/wordings/literals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "knowledge/wordings/pattern_forms.h"

namespace envdoctor::knowledge {
namespace {

// How seldom a run is met: signs are rarer in logs than letters, blanks more common. (Tried on failure reports: half as
// many places have to be looked at as by length alone.)
int rarity(std::string_view run) {
  static constexpr auto weights = [] {
    std::array<signed char, 256> all{};
    all.fill(9);
    for (const char c : std::string_view("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
      all[static_cast<unsigned char>(c)] = 2;
    all[' '] = 1;
    return all;
  }();
  if (run.size() < 4) return 0;
  int sum = 0;
  for (const char c : run) sum += weights[static_cast<unsigned char>(c)];
  return sum;
}

// What may stand beside a fixed stretch: the gap there or, if that may be empty, the stretch beyond.
Characters beside(const Stretch* gap, const Stretch* beyond, Characters Stretch::*side) {
  if (gap == nullptr || (gap->empty && beyond == nullptr)) return any_character;
  return gap->empty ? gap->*side | beyond->*side : gap->*side;
}

// The run that the form starts with, if that is rare, else its rarest.
Literal literal_of(const Form& form) {
  constexpr int rare = 30;
  std::string_view best;
  std::string_view longest_other;
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
      std::string_view other = rest.substr(0, one.width);
      rest.remove_prefix(one.width);
      const bool keep = rarest >= rare && found.before == 0;
      if (const int how_rare = keep ? 0 : rarity(other); how_rare > rarest) {
        std::swap(best, other);
        rarest = how_rare;
        found.before = width;
        chosen = static_cast<std::size_t>(&one - stretches.data());
      }
      if (other.size() > longest_other.size()) longest_other = other;
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
  if (!longest_other.empty() && !found.fold) found.also.emplace_back(longest_other);
  return found;
}

// Two forms found by the same word are one.
void join(Literal& all, const Literal& one) {
  all.before = std::max(all.before, one.before);
  all.after = std::max(all.after, one.after);
  all.whole = all.whole || one.whole;
  all.at_start = all.at_start && one.at_start;
  all.in_front |= one.in_front;
  all.behind |= one.behind;
  if (one.also.empty()) all.also.clear();
  if (all.also.empty()) return;
  for (const std::string& run : one.also) {
    if (std::ranges::find(all.also, run) == all.also.end()) all.also.push_back(run);
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
