#include "reports/text/kernel_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "checks/compute/compute_facts.h"
#include "checks/facts/presence.h"
#include "evidence/lines.h"

namespace envdoctor {
namespace {

constexpr std::size_t fewest_sizes = 4;

bool has_copies(const ComputeResult& result) { return text_of(result.variant).ends_with(", with copies"); }

struct Place {
  std::string problem{};
  std::string variable{};
  std::int64_t size = 0;
};

// Which series of sizes a row belongs to, by its sizes.
std::optional<Place> place_of(const ComputeResult& result) {
  const auto& size = result.size.or_empty();
  if (size.empty() || !result.precision.is("fp32")) return std::nullopt;
  const auto at = [&](const char* name) { return size.contains(name) ? size.at(name) : 0; };
  if (result.kernel.is("lstm") && at("steps") == 1 && at("hidden") == at("inputs"))
    return Place{"LSTM step, batch 1", "hidden", at("hidden")};
  if (result.kernel.is("gemm") && at("m") == at("n") && at("n") == at("k"))
    return Place{"square matrix product", "n", at("n")};
  if (result.kernel.is("gemm") && at("n") == 1024 && at("k") == 1024)
    return Place{"dense timing 1024 x 1024", "batch", at("m")};
  return std::nullopt;
}

struct Timing {
  double cpu_ms = 0, device_ms = 0, copies_ms = 0;  // 0: not timed
};
using Timings = std::map<std::int64_t, Timing>;

Timings timings_of(const Snapshot& snapshot, const std::vector<ComputeResult>& results, const std::string& device,
                   const std::string& what) {
  Timings timings;
  for (const ComputeResult& result : results) {
    const std::optional<Place> place = place_of(result);
    const double* ms = median_ms(result);
    if (!place || place->problem != what || !ms || !(*ms > 0)) continue;
    Timing& timing = timings[place->size];
    const std::string name = text_of(result.device);
    if (name == device) {
      (has_copies(result) ? timing.copies_ms : timing.device_ms) = *ms;
    } else if (compute::is_cpu(snapshot, name) && !has_copies(result)) {
      timing.cpu_ms = timing.cpu_ms > 0 ? std::min(timing.cpu_ms, *ms) : *ms;
    }
  }
  std::erase_if(timings, [](const auto& timing) { return timing.second.cpu_ms <= 0 || timing.second.device_ms <= 0; });
  return timings;
}

// The smallest size from which on `ms` beats the CPU everywhere; 0: it doesn't at the largest.
std::int64_t faster_from(const Timings& timings, double Timing::*ms) {
  std::int64_t from = 0;
  for (auto timing = timings.rbegin(); timing != timings.rend(); ++timing) {
    if (!(timing->second.*ms > 0) || timing->second.*ms >= timing->second.cpu_ms) break;
    from = timing->first;
  }
  return from;
}

double launch_ms(const std::vector<ComputeResult>& results, const std::string& device) {
  for (const ComputeResult& result : results) {
    if (result.kernel.is("launch") && result.device.is(device) && median_ms(result)) return *median_ms(result);
  }
  return 0;
}

void find_dominant(Crossover& crossover, const Timings& timings, double launch) {
  const Timing* below = &timings.begin()->second;
  for (const auto& [size, timing] : timings) {
    if (timing.device_ms >= timing.cpu_ms || timing.copies_ms >= timing.cpu_ms) below = &timing;
  }
  const double whole = std::max(below->device_ms, below->copies_ms);
  const double launching = std::min(launch, below->device_ms);
  const std::pair<const char*, double> terms[] = {
      {"launch overhead", launching}, {"copies", whole - below->device_ms}, {"compute", below->device_ms - launching}};
  const auto* most = std::ranges::max_element(terms, {}, &std::pair<const char*, double>::second);
  crossover.dominant = most->first;
  crossover.dominant_share = most->second / whole;
}

std::string from_text(const Crossover& crossover, std::int64_t from) {
  if (from == 0) return fmt::format("not faster up to {} = {}", crossover.variable, crossover.largest);
  return fmt::format("from {} = {}", crossover.variable, from);
}

}  // namespace

std::vector<Crossover> crossovers(const Snapshot& snapshot) {
  std::vector<Crossover> list;
  const auto& results = snapshot.compute.or_empty();
  for (const ComputeResult& result : results) {
    const std::optional<Place> place = place_of(result);
    const std::string device = text_of(result.device);
    const auto known = [&](const Crossover& c) { return c.device == device && c.what == place->problem; };
    if (!place || device == "host" || std::ranges::any_of(list, known)) continue;
    const Timings timings = timings_of(snapshot, results, device, place->problem);
    if (timings.size() < fewest_sizes) continue;
    const auto has_copies = [](const auto& timing) { return timing.second.copies_ms > 0; };
    list.push_back({.device = device,
                    .what = place->problem,
                    .variable = place->variable,
                    .largest = timings.rbegin()->first,
                    .from = faster_from(timings, &Timing::device_ms),
                    .from_with_copies = faster_from(timings, &Timing::copies_ms),
                    .copies_known = std::ranges::all_of(timings, has_copies)});
    find_dominant(list.back(), timings, launch_ms(results, device));
  }
  return list;
}

std::string crossover_text(const Snapshot& snapshot) {
  std::string out, device;
  for (const Crossover& crossover : crossovers(snapshot)) {
    if (crossover.device != device || out.empty()) out += wrap("  ", device = crossover.device);
    std::string line = from_text(crossover, crossover.from);
    if (crossover.copies_known) line += "; with copies " + from_text(crossover, crossover.from_with_copies);
    line += fmt::format(". Where the CPU is faster, {:.0f} % of the device time is {}", 100 * crossover.dominant_share,
                        crossover.dominant);
    out += wrap(fmt::format("    {:<25}", crossover.what + ":"), line);
  }
  return out;
}

bool is_minor_size(const Snapshot& snapshot, const ComputeResult& result) {
  const std::optional<Place> place = place_of(result);
  if (!place) return false;
  if (has_copies(result)) return true;
  std::map<std::int64_t, int> sizes;
  for (const ComputeResult& other : snapshot.compute.or_empty()) {
    const std::optional<Place> there = place_of(other);
    if (there && there->problem == place->problem && text_of(other.device) == text_of(result.device) &&
        median_ms(other))
      ++sizes[there->size];
  }
  return sizes.size() >= fewest_sizes && place->size != sizes.rbegin()->first;
}

}  // namespace envdoctor
