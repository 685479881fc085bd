#include "knowledge/literals.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "knowledge/lower_case.h"
#include "knowledge/pattern_forms.h"

namespace envdoctor::knowledge {
namespace {

// How seldom a run is met: signs are rarer in logs than letters, blanks more common. (Tried on failure reports: half as
// many places have to be looked at as by length alone.)
int rarity(std::string_view run) {
  if (run.size() < 4) return 0;
  int sum = 0;
  for (const char c : run) sum += c == ' ' ? 1 : std::isalnum(static_cast<unsigned char>(c)) ? 2 : 9;
  return sum;
}

// The run that the form starts with, if that is rare, else its rarest.
Literal literal_of(const Form& form) {
  constexpr int rare = 30;
  const Stretch* best = nullptr;
  const Stretch* second = nullptr;
  Literal found{.whole = form.stretches.size() == 1 && !form.mixed, .fold = form.fold};
  std::size_t width = 0;
  for (const Stretch& one : form.stretches) {
    if (!one.fixed.empty()) {
      const Stretch* other = &one;
      const bool keep = best != nullptr && found.before == 0 && rarity(best->fixed) >= rare;
      if (best == nullptr || (!keep && rarity(one.fixed) > rarity(best->fixed))) {
        other = std::exchange(best, &one);
        found.before = width;
      }
      if (other != nullptr && (second == nullptr || other->width > second->width)) second = other;
    }
    width += one.width;
  }
  if (best == nullptr) return found;
  found.exact = best->fixed;
  found.word = lower_case(best->fixed);
  found.after = width - found.before - best->width;
  if (second != nullptr && !form.fold && !form.mixed) found.also = {second->fixed};
  return found;
}

// Two forms found by the same word are one.
void join(Literal& all, const Literal& one) {
  all.before = std::max(all.before, one.before);
  all.after = std::max(all.after, one.after);
  all.whole = all.whole || one.whole;
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
    const Literal one = literal_of(form);
    if (one.word.size() < 4) return {};
    const auto same = std::ranges::find_if(
        all, [&one](const Literal& other) { return other.exact == one.exact && other.fold == one.fold; });
    if (same == all.end()) {
      all.push_back(one);
    } else {
      join(*same, one);
    }
  }
  return all;
}

}  // namespace envdoctor::knowledge
