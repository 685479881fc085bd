#include "reports/crossover.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "checks/presence.h"
#include "reports/lines.h"
#include "reports/speed.h"

namespace envdoctor {
namespace {

constexpr std::size_t fewest_rungs = 4;

bool has_copies(const ComputeResult& result) { return text_of(result.variant).ends_with(", with copies"); }

struct Place {
  std::string ladder{};
  std::string variable{};
  std::int64_t size = 0;
};

// Which ladder a row belongs to, by its sizes.
std::optional<Place> place_of(const ComputeResult& result) {
  const auto* size = result.size.get();
  if (!size || !result.precision.is("fp32")) return std::nullopt;
  const auto at = [&](const char* name) {
    const auto found = size->find(name);
    return found == size->end() ? std::int64_t{0} : found->second;
  };
  if (result.kernel.is("lstm") && at("steps") == 1 && at("hidden") == at("inputs"))
    return Place{"LSTM step, batch 1", "hidden", at("hidden")};
  if (result.kernel.is("gemm") && at("m") == at("n") && at("n") == at("k"))
    return Place{"square matrix product", "n", at("n")};
  if (result.kernel.is("gemm") && at("n") == 1024 && at("k") == 1024)
    return Place{"dense layer 1024 x 1024", "batch", at("m")};
  return std::nullopt;
}

struct Timing {
  double cpu_ms = 0, device_ms = 0, copies_ms = 0;  // 0: not timed
};
using Timings = std::map<std::int64_t, Timing>;

Timings ladder_of(const Snapshot& snapshot, const std::vector<ComputeResult>& results, const std::string& device,
                  const std::string& what) {
  Timings rungs;
  for (const ComputeResult& result : results) {
    const std::optional<Place> place = place_of(result);
    const double* ms = median_ms(result);
    if (!place || place->ladder != what || !ms || !(*ms > 0)) continue;
    Timing& rung = rungs[place->size];
    const std::string name = text_of(result.device);
    if (name == device) {
      (has_copies(result) ? rung.copies_ms : rung.device_ms) = *ms;
    } else if (is_cpu(snapshot, name) && !has_copies(result)) {
      rung.cpu_ms = rung.cpu_ms > 0 ? std::min(rung.cpu_ms, *ms) : *ms;
    }
  }
  std::erase_if(rungs, [](const auto& rung) { return rung.second.cpu_ms <= 0 || rung.second.device_ms <= 0; });
  return rungs;
}

// The smallest size from which on `ms` beats the CPU everywhere; 0: it doesn't at the largest.
std::int64_t faster_from(const Timings& rungs, double Timing::*ms) {
  std::int64_t from = 0;
  for (auto rung = rungs.rbegin(); rung != rungs.rend(); ++rung) {
    if (!(rung->second.*ms > 0) || rung->second.*ms >= rung->second.cpu_ms) break;
    from = rung->first;
  }
  return from;
}

double launch_ms(const std::vector<ComputeResult>& results, const std::string& device) {
  for (const ComputeResult& result : results) {
    if (result.kernel.is("launch") && result.device.is(device) && median_ms(result)) return *median_ms(result);
  }
  return 0;
}

void tell_dominant(Crossover& crossover, const Timings& rungs, double launch) {
  const Timing* below = &rungs.begin()->second;
  for (const auto& [size, rung] : rungs) {
    if (rung.device_ms >= rung.cpu_ms || rung.copies_ms >= rung.cpu_ms) below = &rung;
  }
  const double whole = std::max(below->device_ms, below->copies_ms);
  const double launching = std::min(launch, below->device_ms);
  const std::pair<const char*, double> terms[] = {
      {"launching", launching}, {"copies", whole - below->device_ms}, {"computing", below->device_ms - launching}};
  const auto* most = std::ranges::max_element(terms, {}, &std::pair<const char*, double>::second);
  crossover.dominant = most->first;
  crossover.dominant_share = most->second / whole;
}

std::string from_text(const Crossover& crossover, std::int64_t from) {
  if (from == 0) return fmt::format("not up to {} = {}", crossover.variable, crossover.largest);
  return fmt::format("from {} = {} on", crossover.variable, from);
}

}  // namespace

std::vector<Crossover> crossovers(const Snapshot& snapshot) {
  std::vector<Crossover> list;
  const auto* results = snapshot.compute.get();
  if (!results) return list;
  for (const ComputeResult& result : *results) {
    const std::optional<Place> place = place_of(result);
    const std::string device = text_of(result.device);
    const auto known = [&](const Crossover& c) { return c.device == device && c.what == place->ladder; };
    if (!place || device == "host" || std::ranges::any_of(list, known)) continue;
    const Timings rungs = ladder_of(snapshot, *results, device, place->ladder);
    if (rungs.size() < fewest_rungs) continue;
    Crossover& crossover = list.emplace_back();
    crossover.device = device;
    crossover.what = place->ladder;
    crossover.variable = place->variable;
    crossover.largest = rungs.rbegin()->first;
    crossover.from = faster_from(rungs, &Timing::device_ms);
    crossover.copies_known = std::ranges::all_of(rungs, [](const auto& rung) { return rung.second.copies_ms > 0; });
    crossover.from_with_copies = faster_from(rungs, &Timing::copies_ms);
    tell_dominant(crossover, rungs, launch_ms(*results, device));
  }
  return list;
}

std::string crossover_text(const Snapshot& snapshot) {
  std::string out, device;
  for (const Crossover& crossover : crossovers(snapshot)) {
    if (crossover.device != device || out.empty()) out += wrap("  ", device = crossover.device);
    std::string told = from_text(crossover, crossover.from);
    if (crossover.copies_known) told += "; with copies " + from_text(crossover, crossover.from_with_copies);
    told += fmt::format(". Where the CPU wins, {:.0f} % of the device's time is {}", 100 * crossover.dominant_share,
                        crossover.dominant);
    out += wrap(fmt::format("    {:<25}", crossover.what + ":"), told);
  }
  return out;
}

bool is_minor_rung(const Snapshot& snapshot, const ComputeResult& result) {
  const std::optional<Place> place = place_of(result);
  const auto* results = snapshot.compute.get();
  if (!place || !results) return false;
  if (has_copies(result)) return true;
  std::map<std::int64_t, int> sizes;
  for (const ComputeResult& other : *results) {
    const std::optional<Place> there = place_of(other);
    if (there && there->ladder == place->ladder && text_of(other.device) == text_of(result.device) && median_ms(other))
      ++sizes[there->size];
  }
  return sizes.size() >= fewest_rungs && place->size != sizes.rbegin()->first;
}

}  // namespace envdoctor
