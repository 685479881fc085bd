// Kernels on several hosts: results with the same bits, within the derived bound, or outside it; and
// times as ratios, because absolute times of different machines mean little.
#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "compare/documents.h"
#include "evidence/median.h"

namespace envdoctor::compare {
namespace {

// Why bits may differ although nothing is wrong, by the results' own fields.
void explain(const ComputeResult& result, std::string& why) {
  const auto add = [&](const std::string& word) {
    if (!word.empty() && why.find(word) == why.npos) why += (why.empty() ? "" : "; ") + word;
  };
  if (result.repeatable.is(false)) add("nondeterministic: not bit-identical when repeated");
  add(of(result.agreement, &Agreement::pattern).or_empty());
}

// One document may hold a kernel for several devices; the worst one counts.
int rank(const std::string& outcome) {
  return outcome == "same-bits" ? 0 : outcome == "within-bound" ? 1 : outcome == "outside" ? 3 : 2;
}

// Whether the documents' devices compute in different modes.
void add_modes(const std::vector<std::vector<std::string>>& modes, std::string& why) {
  if (std::ranges::all_of(modes, [&](const auto& one) { return one == modes.front(); })) return;
  std::vector<std::string> all;
  for (const auto& some : modes) {
    for (const std::string& mode : some) {
      if (std::ranges::find(all, mode) == all.end()) all.push_back(mode);
    }
  }
  why += fmt::format("{}arithmetic: {}", why.empty() ? "" : "; ", fmt::join(all, " / "));
}

// Both intervals are known and don't overlap.
bool disjoint(const ComputeTime& one, const ComputeTime& other) {
  if (!one.low_ms.get() || !one.high_ms.get() || !other.low_ms.get() || !other.high_ms.get()) return false;
  return *one.high_ms.get() < *other.low_ms.get() || *other.high_ms.get() < *one.low_ms.get();
}

}  // namespace

std::vector<KernelDifference> compare_kernels(const std::vector<Snapshot>& snapshots) {
  struct Seen {
    explicit Seen(std::size_t documents)
        : values(documents), worst(documents, -1), modes(documents), figures(documents) {}
    std::vector<std::string> values;
    std::vector<int> worst;
    std::string why{};
    std::vector<std::vector<std::string>> modes;  // of each document, device by device
    std::vector<std::vector<const Agreement*>> figures;
  };
  std::map<std::string, Seen> by_kernel;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    for (const ComputeResult& result : snapshots[i].compute.or_empty()) {
      const Text& outcome = of(result.agreement, &Agreement::outcome);
      if (!outcome.get()) continue;  // timed only
      Seen& seen = by_kernel.try_emplace(full_problem_name(result), snapshots.size()).first->second;
      seen.values[i] += (seen.values[i].empty() ? "" : ", ") + *outcome.get() + " on " + result.device.value_or("?");
      seen.worst[i] = std::max(seen.worst[i], rank(*outcome.get()));
      explain(result, seen.why);
      seen.figures[i].push_back(result.agreement.get());
      if (result.mode.get()) seen.modes[i].push_back(*result.mode.get());
    }
  }
  std::vector<KernelDifference> list;
  for (auto& entry : by_kernel) {
    auto& seen = entry.second;
    const int worst = *std::ranges::max_element(seen.worst);
    const bool everywhere = std::ranges::none_of(seen.worst, [](int w) { return w < 0; });
    KernelDifference row{.kernel = entry.first, .why = seen.why, .values = std::move(seen.values)};
    row.bits = worst == 3                  ? Bits::outside
               : !everywhere || worst == 2 ? Bits::not_known
               : worst == 1                ? Bits::within_bound
                                           : Bits::same;
    // Equal error histograms on all devices: the results are equal as far as these figures show.
    const auto alike = [&](const std::vector<const Agreement*>& figures) {
      return std::ranges::equal(figures, seen.figures.front(), [](const auto* a, const auto* b) { return *a == *b; });
    };
    if (row.bits == Bits::within_bound && row.why.empty() && std::ranges::all_of(seen.figures, alike))
      row.bits = Bits::same;
    if (row.bits == Bits::within_bound) add_modes(seen.modes, row.why);
    list.push_back(std::move(row));
  }
  return list;
}

std::vector<SpeedDifference> compare_speeds(const std::vector<Snapshot>& snapshots) {
  std::map<std::pair<std::string, std::string>, std::vector<const ComputeTime*>> times;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    for (const ComputeResult& result : snapshots[i].compute.or_empty()) {
      const double* ms = median_ms(result);
      if (!ms || !(*ms > 0)) continue;
      auto& row = times[{text_of(result.device), problem_name(result)}];
      row.resize(snapshots.size());
      row[i] = result.time.get();
    }
  }
  std::vector<SpeedDifference> list;
  for (const auto& [key, row] : times) {
    SpeedDifference difference{.device = key.first, .kernel = key.second};
    for (const ComputeTime* time : row) {
      const bool both = time && row.front();
      difference.ratios.push_back(both ? *row.front()->median_ms.get() / *time->median_ms.get() : 0);
      difference.clear.push_back(both && disjoint(*row.front(), *time));
    }
    list.push_back(std::move(difference));
  }
  return list;
}

double median_ratio(const std::vector<SpeedDifference>& speeds, const std::string& device, std::size_t document) {
  std::vector<double> ratios;
  for (const SpeedDifference& speed : speeds) {
    if (speed.device == device && speed.ratios[document] > 0) ratios.push_back(speed.ratios[document]);
  }
  return ratios.empty() ? 0 : median(std::move(ratios));
}

}  // namespace envdoctor::compare
