// bandwidthTest, nvbandwidth and rocm_bandwidth_test: how fast the host and the GPU copy to each other.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

struct Copy {
  std::size_t row = 0;
  std::string_view line{};
  double gbps = 0;
};

// "   32000000			25.1" below "Bandwidth(GB/s)"; the unit of older releases is MB/s.
std::optional<double> rate_of(std::string_view line, bool megabytes) {
  const auto words = words_of(line.substr(0, 200));
  if (words.size() != 2) return std::nullopt;
  const auto bytes = number_of(words[0]);
  const auto rate = number_of<double>(words[1]);
  constexpr std::int64_t least_bytes = 8'000'000;  // smaller copies measure latency, not bandwidth
  if (!bytes || !rate || *bytes < least_bytes) return std::nullopt;
  return megabytes ? *rate / 1000 : *rate;
}

// "64 MB  166229.018  0.807  166109.201  0.808" of rocm_bandwidth_test: the largest rate of a large copy.
std::optional<double> rate_of_rocm(std::string_view line) {
  const auto words = words_of(line.substr(0, 200));
  if (words.size() != 6 || (words[1] != "MB" && words[1] != "GB")) return std::nullopt;
  constexpr std::int64_t least_mib = 16;
  const auto size = number_of(words[0]);
  const auto rate = number_of<double>(words[5]);
  if (!size || !rate || (words[1] == "MB" && *size < least_mib)) return std::nullopt;
  return rate;
}

}  // namespace

bool starts_bandwidth(std::string_view line) {
  return contains(line, "RocmBandwidthTest Version") || contains(line, "bandwidthTest ") ||
         contains(line, "Host to Device Bandwidth") || contains(line, "nvbandwidth Version");
}

Snapshot parse_bandwidth(const std::string& text) {
  using enum SymptomClass;
  constexpr double narrow_gbps = 2.6;  // less than four lanes of the third generation, or a full slot of the first
  Snapshot snapshot;
  std::vector<Copy> copies;
  bool from_host = false, host_to_device = false, pinned = true, megabytes = true, bound = false;
  std::size_t row = 0;
  std::string_view node;
  std::vector<std::string_view> nodes;  // the NUMA node that each copy was bound to
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    // Of a filtered output only the command says which way was measured.
    if (contains(line, "bandwidthTest ")) host_to_device = contains(line, "-htod");
    if (contains(line, " Bandwidth, ")) host_to_device = contains(line, "Host to Device");
    if (contains(line, " Memory Transfers")) pinned = contains(line, "PINNED");
    if (contains(line, "Bandwidth(")) megabytes = contains(line, "(MB/s)");
    if (contains(line, "numactl ") && contains(line, "andwidth")) node = line, bound = true;
    if (contains(line, "Invalid value when checking the pattern"))
      add_symptom(snapshot, {wrong_result, "peer-copy"}, at, line);
    if (contains(line, "Src Device Type:")) from_host = contains(line, "Type: Cpu");
    if (contains(line, "Dst Device Type:") && contains(line, "Type: Cpu")) from_host = false;
    auto rate = from_host ? rate_of_rocm(line) : std::nullopt;
    if (!rate && host_to_device && pinned) rate = rate_of(line, megabytes);
    if (rate && copies.size() < 64) {
      copies.push_back({at, line, *rate});
      nodes.push_back(node);
    }
  }
  if (copies.empty()) return snapshot;
  const auto slowest = std::ranges::min_element(copies, {}, &Copy::gbps);
  const auto fastest = std::ranges::max_element(copies, {}, &Copy::gbps);
  const auto number = [](double gbps) { return fmt::format("{:.1f}", gbps); };
  const bool differs = nodes[static_cast<std::size_t>(slowest - copies.begin())] !=
                       nodes[static_cast<std::size_t>(fastest - copies.begin())];
  if (bound && differs && fastest->gbps > 1.5 * slowest->gbps)
    add_symptom(snapshot, {limited, "numa-distance"}, slowest->row, slowest->line).details = {
        {"slow_gbps", number(slowest->gbps)}, {"fast_gbps", number(fastest->gbps)}};
  else if (fastest->gbps < narrow_gbps)
    add_symptom(snapshot, {slow, "host-copy"}, fastest->row, fastest->line).details["gbps"] = number(fastest->gbps);
  return snapshot;
}

}  // namespace envdoctor
