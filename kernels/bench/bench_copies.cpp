#include "kernels/bench/bench.h"

#include <algorithm>

#include "kernels/core/random.h"
#include "kernels/devices/numa.h"

namespace envdoctor::kernels {
namespace {

struct Kind {
  const char* name = "";
  CopySpec spec{};
  const NumaNode* node = nullptr;
};

ComputeResult row_of(const Device& device, const Kind& kind, std::uint64_t seed) {
  ComputeResult row{.device = device.facts().subject,
                    .backend = device.facts().backend,
                    .kernel = std::string(kind.name),
                    .size = std::map<std::string, std::int64_t>{{"bytes", static_cast<std::int64_t>(kind.spec.bytes)}},
                    .seed = static_cast<std::int64_t>(seed),
                    .bytes = static_cast<double>(kind.spec.bytes)};
  if (kind.spec.direction != CopyDirection::on_device)
    row.variant = std::string(kind.spec.pinned ? "pinned" : "pageable");
  if (kind.node) (*row.size.get())["node"] = kind.node->index;
  return row;
}

// The same copy on each of the devices that has it, alternating.
std::vector<ComputeResult> timed(const std::vector<Device*>& devices, const Kind& kind, std::span<const std::byte> data,
                                 std::uint64_t seed, double empty_run_ms, const TimeRules& rules) {
  std::vector<std::unique_ptr<Copy>> copies;
  std::vector<ComputeResult> rows;
  std::vector<Candidate> candidates;
  std::vector<std::optional<Peak>> peaks;
  for (Device* device : devices) {
    std::unique_ptr<Copy> copy = device->copy(kind.spec);
    if (!copy) continue;
    copy->fill(data);
    candidates.push_back({.run = [made = copy.get()](int times) { return made->run(times); },
                          .on_host_cores = device->facts().on_host_cores,
                          .empty_run_ms = device == devices.front() ? empty_run_ms : 0});
    rows.push_back(row_of(*device, kind, seed));
    peaks.push_back(kind.spec.direction == CopyDirection::on_device ? memory_peak(device->facts().specs)
                                                                    : std::nullopt);
    copies.push_back(std::move(copy));
  }
  if (candidates.empty()) return rows;
  const std::vector<Timing> timings = time_together(candidates, rules);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!std::ranges::equal(copies[i]->arrived(), data)) {
      reject(rows[i], "rejected: what arrived is not what was sent");
    } else if (set_rate(rows[i], timings[i], *rows[i].bytes.get(), Rate::gigabytes, peaks[i]) && peaks[i]) {
      rows[i].share_of_peak = 2 * rows[i].rate.or_empty().value.or_empty() / peaks[i]->value;  // read and written
      rows[i].peak_origin = peaks[i]->origin;
    }
  }
  return rows;
}

}  // namespace

std::vector<ComputeResult> bench_copies(Device& device, Device* host, std::size_t bytes, std::uint64_t seed,
                                        double empty_run_ms, const TimeRules& rules,
                                        const std::function<void(const std::string&)>& step) {
  const Array data = position_coded(Precision::uint32, bytes / 4, seed, 0);
  const std::size_t whole = data.bytes.size();
  const std::vector<NumaNode> nodes = device.facts().on_host_cores ? std::vector<NumaNode>{} : numa_nodes();
  std::vector<Kind> kinds;
  for (const auto& [name, way] :
       {std::pair{"copy-in", CopyDirection::to_device}, std::pair{"copy-out", CopyDirection::to_host}}) {
    kinds.push_back({.name = name, .spec = {.direction = way, .bytes = whole}});
    // If the device computes in the host's memory, pinning makes no difference.
    if (nodes.size() < 2 && !device.facts().on_host_cores)
      kinds.push_back({.name = name, .spec = {.direction = way, .bytes = whole, .pinned = true}});
    for (std::size_t n = 0; nodes.size() > 1 && n < nodes.size(); ++n)
      kinds.push_back({.name = name, .spec = {.direction = way, .bytes = whole, .pinned = true}, .node = &nodes[n]});
  }
  kinds.push_back({.name = "copy-device", .spec = {.direction = CopyDirection::on_device, .bytes = whole}});
  std::vector<ComputeResult> rows;
  for (const Kind& kind : kinds) {
    step(std::string(kind.name) + (kind.spec.pinned ? ", pinned" : ""));
    std::vector<Device*> devices = {&device};
    if (host && kind.spec.direction == CopyDirection::on_device) devices.push_back(host);
    const std::unique_ptr<NodeAffinity> there = kind.node ? std::make_unique<NodeAffinity>(*kind.node) : nullptr;
    std::ranges::move(timed(devices, kind, data.bytes, seed, empty_run_ms, rules), std::back_inserter(rows));
  }
  return rows;
}

}  // namespace envdoctor::kernels
