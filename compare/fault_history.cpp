// Places that were wrong in more than one run of a kernel: a random fault rarely hits one element twice.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "compare/documents.h"

namespace envdoctor::compare {
namespace {

// One document's results of one kernel on one device.
struct FaultyRun {
  std::string words{};
  std::map<std::int64_t, std::string> wrong{};  // the wrong bits at a place
};

std::string words_for(const Snapshot& snapshot, const ComputeResult& result) {
  const Text& at = of(snapshot.captured, &Captured::at);
  const std::string when = at.get() ? *at.get() + ": " : "";
  const Agreement* const agreement = result.agreement.get();
  const std::string* const outcome = agreement ? agreement->outcome.get() : nullptr;
  if (!outcome) return "";
  if (*outcome != "outside") return when + *outcome;
  std::string words = when + "wrong";
  if (agreement->wrong.get() && agreement->elements.get())
    words += fmt::format(", {} of {} elements", *agreement->wrong.get(), *agreement->elements.get());
  if (agreement->pattern.get()) words += ": " + *agreement->pattern.get();
  return words;
}

FaultyRun run_of(const Snapshot& snapshot, const ComputeResult& result) {
  FaultyRun run{.words = words_for(snapshot, result)};
  const Agreement* const agreement = result.agreement.get();
  if (!agreement || !agreement->outcome.is("outside")) return run;
  for (const ComputeSample& sample : agreement->samples.or_empty()) {
    if (sample.index.get()) run.wrong[*sample.index.get()] = sample.got.value_or("");
  }
  return run;
}

std::set<std::string> cards_of(const Snapshot& snapshot) {
  std::set<std::string> cards;
  const Nvidia* const nvidia = snapshot.nvidia.get();
  if (!nvidia) return cards;
  for (const auto& device : nvidia->devices.or_empty()) cards.insert(device.uuid.value_or(""));
  for (const auto& device : nvidia->cuda_devices.or_empty()) cards.insert(device.uuid.value_or(""));
  cards.erase("");
  return cards;
}

// Whether the runs were on the same cards, on entirely different ones, or that is unknown.
Cards compare_cards(const std::vector<Snapshot>& snapshots, const std::vector<std::size_t>& runs) {
  const auto first = cards_of(snapshots[runs.front()]);
  bool same = !first.empty(), differ = !first.empty();
  for (const std::size_t run : runs) {
    if (run == runs.front()) continue;
    const auto cards = cards_of(snapshots[run]);
    same = same && cards == first;
    differ = differ && !cards.empty() &&
             std::ranges::none_of(cards, [&](const std::string& card) { return first.contains(card); });
  }
  return same ? Cards::same : differ ? Cards::other : Cards::not_known;
}

// One run may have been saved twice.
bool seen_before(const std::vector<Snapshot>& snapshots, std::size_t at) {
  const Text& when = of(snapshots[at].captured, &Captured::at);
  if (!when.get()) return false;
  return std::any_of(snapshots.begin(), snapshots.begin() + static_cast<std::ptrdiff_t>(at),
                     [&](const Snapshot& other) { return of(other.captured, &Captured::at).is(*when.get()); });
}

}  // namespace

std::vector<RecurringFault> recurring_faults(const std::vector<Snapshot>& snapshots) {
  std::map<std::pair<std::string, std::string>, std::vector<FaultyRun>> by_kernel;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    if (seen_before(snapshots, i)) continue;
    for (const ComputeResult& result : snapshots[i].compute.or_empty()) {
      auto& runs = by_kernel[{result.device.value_or(""), full_problem_name(result)}];
      runs.resize(snapshots.size());
      runs[i] = run_of(snapshots[i], result);
    }
  }
  std::vector<RecurringFault> list;
  for (const auto& [key, runs] : by_kernel) {
    std::map<std::int64_t, std::vector<std::size_t>> by_place;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      for (const auto& [place, bits] : runs[i].wrong) by_place[place].push_back(i);
    }
    std::erase_if(by_place, [](const auto& entry) { return entry.second.size() < 2; });
    if (by_place.empty()) continue;
    RecurringFault fault{.device = key.first, .kernel = key.second};
    std::set<std::size_t> hit;
    for (const auto& [place, which] : by_place) {
      fault.places.push_back(place);
      hit.insert(which.begin(), which.end());
      const std::string& bits = runs[which.front()].wrong.at(place);
      for (const std::size_t i : which) fault.same_bits = fault.same_bits && runs[i].wrong.at(place) == bits;
    }
    fault.cards = compare_cards(snapshots, {hit.begin(), hit.end()});
    fault.runs = static_cast<int>(hit.size());
    for (const FaultyRun& run : runs) fault.history.push_back(run.words);
    list.push_back(std::move(fault));
  }
  return list;
}

}  // namespace envdoctor::compare
