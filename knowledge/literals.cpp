#include "knowledge/literals.h"

#include <algorithm>
#include <array>
#include <utility>

#include "knowledge/lower_case.h"
#include "knowledge/pattern_forms.h"

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

// The run that the form starts with, if that is rare, else its rarest.
Literal literal_of(const Form& form) {
  constexpr int rare = 30;
  std::string_view best;
  std::string_view longest_other;
  int rarest = -1;
  const std::vector<Stretch>& stretches = form.way.stretches;
  Literal found{.at_start = !stretches.empty() && stretches[0].first == "^",
                .whole = stretches.size() == 1 && !form.mixed,
                .fold = form.fold};
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
        found.next = &one == &stretches.back() ? std::string_view() : (&one)[1].first;
      }
      if (other.size() > longest_other.size()) longest_other = other;
    }
    width += one.width;
  }
  if (best.empty()) return found;
  found.exact = best;
  found.word = lower_case(best);
  found.after = width - found.before - best.size();
  if (!longest_other.empty() && !form.fold && !form.mixed) found.also.emplace_back(longest_other);
  return found;
}

// Two forms found by the same word are one.
void join(Literal& all, const Literal& one) {
  all.before = std::max(all.before, one.before);
  all.after = std::max(all.after, one.after);
  all.whole = all.whole || one.whole;
  all.at_start = all.at_start && one.at_start;
  if (one.next != all.next) all.next.clear();
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
        all, [&one](const Literal& other) { return other.exact == one.exact && other.fold == one.fold; });
    if (same == all.end()) {
      all.push_back(std::move(one));
    } else {
      join(*same, one);
    }
  }
  return all;
}

}  // namespace envdoctor::knowledge
