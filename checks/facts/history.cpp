#include "checks/facts/history.h"

#include <algorithm>
#include <map>

#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

// In the host's own facts, or in a list that a text shows.
bool driver_answers_now(const Snapshot& snapshot) {
  return !of(snapshot.nvidia, &Nvidia::devices).or_empty().empty() ||
         !of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty().empty() ||
         !of(snapshot.rocm, &Rocm::devices).or_empty().empty() || of(snapshot.torch, &Torch::cuda_available).is(true);
}

}  // namespace

std::optional<Snapshot> without_history(const Snapshot& snapshot) {
  if (!driver_answers_now(snapshot)) return {};
  std::map<std::string, std::int64_t> starts;  // of each text, the line of the last start
  for (const Symptom& one : snapshot.log.or_empty()) {
    if (!one.is({SymptomClass::noted, "system-start"})) continue;
    std::int64_t& last = starts[one.source.or_empty()];
    last = std::max(last, one.line.or_empty());
  }
  const auto is_history = [&](const Symptom& one) {
    const auto start = starts.find(one.source.or_empty());
    return start != starts.end() && one.line.or_empty() < start->second;
  };
  if (std::ranges::none_of(snapshot.log.or_empty(), is_history)) return {};
  Snapshot today = snapshot;
  std::erase_if(*today.log.get(), is_history);
  return today;
}

}  // namespace envdoctor
