// Kernels' times on several hosts, as ratios: machines differ by more than clocks, so only ratios say something.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "checks/facts/presence.h"
#include "compare/documents.h"
#include "evidence/compute_results.h"
#include "evidence/median.h"

namespace envdoctor::compare {
namespace {

// Both intervals known, and apart.
bool apart(const ComputeTime& one, const ComputeTime& other) {
  if (!one.low_ms.get() || !one.high_ms.get() || !other.low_ms.get() || !other.high_ms.get()) return false;
  return *one.high_ms.get() < *other.low_ms.get() || *other.high_ms.get() < *one.low_ms.get();
}

}  // namespace

std::vector<SpeedDifference> compare_speeds(const std::vector<Snapshot>& snapshots) {
  std::map<std::pair<std::string, std::string>, std::vector<const ComputeTime*>> times;
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    const auto* results = snapshots[i].compute.get();
    for (std::size_t r = 0; results && r < results->size(); ++r) {
      const ComputeResult& result = (*results)[r];
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
      difference.clear.push_back(both && apart(*row.front(), *time));
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
