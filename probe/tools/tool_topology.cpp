// nvidia-smi topo -m and nvlink, and the processors on which a program may run.
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/os/cpu_info.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

struct TopologyRow {
  std::size_t row = 0;
  std::string_view line{};
  std::string cpus{};
  std::string node{};  // the cell behind them: the GPU's NUMA node
};

// "GPU0  X  NV12 … 0-15,56-71  0  N/A": the first cell that is a list of processors.
std::optional<TopologyRow> topology_row(std::size_t row, std::string_view line) {
  static const LazyRegex start(R"(\s*GPU\d{1,2}\s+(?:X|NV\d+|PIX|PXB|PHB|NODE|SYS|SOC)\s.*)", RE2::Latin1);
  static const LazyRegex cpus(R"(\d+-\d+(?:,\d+(?:-\d+)?)*|\d+(?:,\d+(?:-\d+)?)+)", RE2::Latin1);
  if (line.size() > 1000 || !RE2::FullMatch(piece_of(line), start)) return std::nullopt;
  TopologyRow found{.row = row, .line = line};
  for (const std::string_view word : words_of(line)) {
    if (!found.cpus.empty() && found.node.empty())
      found.node = word;
    else if (found.cpus.empty() && RE2::FullMatch(piece_of(word), cpus))
      found.cpus = word;
  }
  return found;
}

std::set<std::int64_t> set_of(std::string_view list) {
  std::set<std::int64_t> all;
  const auto cpus = cpu_list(std::string(list));
  if (const auto* known = cpus.get())
    for (const auto one : *known) all.insert(one);
  return all;
}

// "pid 99's current affinity list: 0-23", "Cpus_allowed_list:  0-23", "physcpubind: 0 1 2".
std::string allowed_in(std::string_view line) {
  for (const std::string_view key : {"affinity list: ", "Cpus_allowed_list:", "physcpubind: "}) {
    const std::size_t at = line.find(key);
    if (at == std::string_view::npos) continue;
    std::string list(trimmed(line.substr(at + key.size()).substr(0, 4000)));
    std::ranges::replace(list, ' ', ',');
    return list;
  }
  return {};
}

// "node 1 cpus: 16 17 18" of numactl --hardware, "NUMA node1 CPU(s):  16-31" of lscpu: the processors of a NUMA node.
std::optional<std::pair<std::string, std::string>> cpus_of_node(std::string_view line) {
  static const LazyRegex form(R"((?:NUMA )?node ?(\d{1,3}) (?:cpus:|CPU\(s\):)\s+([0-9, -]+))", RE2::Latin1);
  std::string node, cpus;
  if (line.size() > 4000 || !contains(line, "node") || !RE2::FullMatch(piece_of(line), form, &node, &cpus))
    return std::nullopt;
  std::ranges::replace(cpus, ' ', ',');
  return std::pair(node, cpus);
}

// "GPU[0]          : (Topology) Numa Node: 1" of rocm-smi --showtoponuma.
std::string node_of_amd_gpu(std::string_view line) {
  static const LazyRegex form(R"(GPU\[\d{1,2}\]\s*: \(Topology\) Numa Node: (\d{1,3}))", RE2::Latin1);
  std::string node;
  if (!contains(line, "Numa Node: ") || !RE2::FullMatch(piece_of(line), form, &node)) return {};
  return node;
}

// "nodebind: 0 1" of numactl --show: the NUMA nodes on whose processors a program may run; empty: another line.
std::vector<std::string_view> nodes_in(std::string_view line) {
  for (const std::string_view key : {"nodebind:", "cpubind:"}) {
    if (line.starts_with(key)) return words_of(line.substr(key.size()));
  }
  return {};
}

}  // namespace

bool starts_topology(std::string_view line) {
  return (contains(line, "CPU Affinity") && contains(line, "GPU0")) || !node_of_amd_gpu(trimmed(line)).empty();
}

Snapshot parse_topology(const std::string& text) {
  Snapshot snapshot;
  std::vector<TopologyRow> rows;
  std::string allowed;
  std::string_view allowed_line, nodes_line;
  std::vector<std::string_view> nodes;
  std::size_t row = 0, allowed_row = 0, nodes_row = 0;
  std::map<std::string, std::string> cpus_of;  // by NUMA node
  bool with_cpus = true;                       // the matrices of "topo -p2p" have rows like these
  for (const std::string_view line : lines_of(text)) {
    auto found = topology_row(row, line);
    if (!found && trimmed(line).starts_with("GPU0\tGPU1")) with_cpus = contains(line, "CPU Affinity");
    if (found && with_cpus && rows.size() < 64) rows.push_back(std::move(*found));
    if (const std::string node = node_of_amd_gpu(trimmed(line)); !node.empty() && rows.size() < 64)
      rows.push_back({.row = row, .line = line, .node = node});
    if (const auto cpus = cpus_of_node(trimmed(line))) cpus_of.insert(*cpus);
    if (allowed.empty() && line.size() < 500 && !(allowed = allowed_in(line)).empty()) {
      allowed_row = row;
      allowed_line = line;
    }
    if (nodes.empty() && line.size() < 200 && !(nodes = nodes_in(trimmed(line))).empty()) {
      nodes_row = row;
      nodes_line = line;
    }
    ++row;
  }
  for (TopologyRow& one : rows) {
    if (one.cpus.empty() && cpus_of.contains(one.node)) one.cpus = cpus_of[one.node];
  }
  const auto empty = std::ranges::find_if(rows, [](const TopologyRow& one) { return one.cpus.empty(); });
  const bool some = std::ranges::any_of(rows, [](const TopologyRow& one) { return !one.cpus.empty(); });
  if (rows.size() > 1)
    add_symptom(snapshot, {noted, "gpus-in-topology"}, rows.back().row, rows.back().line).details["count"] =
        std::to_string(rows.size());
  // The column lists the processors near the GPU that this process may use.
  if (some && empty != rows.end()) add_symptom(snapshot, {limited, "cpus-near-gpu"}, empty->row, empty->line);
  const bool on_nodes = std::ranges::all_of(
      rows, [](const TopologyRow& one) { return !one.node.empty() && one.node[0] >= '0' && one.node[0] <= '9'; });
  if (allowed.empty() && !nodes.empty() && some && on_nodes && std::ranges::none_of(rows, [&](const TopologyRow& one) {
        return std::ranges::find(nodes, one.node) != nodes.end();
      }))
    add_symptom(snapshot, {limited, "numa-distance"}, nodes_row, nodes_line).details["near"] = rows.front().cpus;
  if (allowed.empty() || !some) return snapshot;
  const auto mine = set_of(allowed);
  const bool near = std::ranges::any_of(rows, [&](const TopologyRow& one) {
    const auto cpus = set_of(one.cpus);
    return cpus.empty() || std::ranges::any_of(mine, [&](std::int64_t cpu) { return cpus.contains(cpu); });
  });
  if (!near && !mine.empty())
    add_symptom(snapshot, {limited, "numa-distance"}, allowed_row, allowed_line).details = {
        {"allowed", std::string(allowed)}, {"near", rows.front().cpus}};
  return snapshot;
}

// nvidia-smi nvlink --status: a GPU of which some links work and others don't.

bool starts_nvlink(std::string_view line) { return contains(line, "Link ") && contains(line, "<inactive>"); }

Snapshot parse_nvlink(const std::string& text) {
  static const LazyRegex link(R"(\s*Link (\d{1,2}): (?:<inactive>|([\d.]+) GB/s)\s*)", RE2::Latin1);
  Snapshot snapshot;
  int active = 0, inactive = 0;
  std::size_t row = 0, first = 0;
  std::string_view first_line;
  const auto close = [&] {
    if (active > 0 && inactive > 0 && !snapshot.log.get())
      add_symptom(snapshot, {limited, "nvlink"}, first, first_line).details = {{"active", std::to_string(active)},
                                                                               {"inactive", std::to_string(inactive)}};
    active = inactive = 0;
  };
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    std::string number, speed;
    if (line.starts_with("GPU ")) {
      close();
    } else if (line.size() < 200 && RE2::FullMatch(piece_of(line), link, &number, &speed)) {
      if (speed.empty() && inactive++ == 0) first = at, first_line = line;
      active += !speed.empty();
    }
  }
  close();
  return snapshot;
}

// dcgmi nvlink --link-status: a GPU of which no link is up. "D D D D", one letter a link.

bool starts_nvlink_letters(std::string_view line) { return contains(line, "NvLink Link Status"); }

Snapshot parse_nvlink_letters(const std::string& text) {
  static const LazyRegex letters(R"(\s*[UDX_](?: [UDX_])+\s*)", RE2::Latin1);
  Snapshot snapshot;
  std::size_t row = 0;
  bool gpu = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (contains(line, "gpuId ") || contains(line, "GPU ")) {
      gpu = true;
    } else if (gpu && line.size() < 200 && RE2::FullMatch(piece_of(line), letters)) {
      gpu = false;
      const auto down = std::ranges::count(line, 'D'), up = std::ranges::count(line, 'U');
      if (down == 0 || snapshot.log.get()) continue;
      add_symptom(snapshot, {limited, "nvlink"}, at, line).details = {{"active", std::to_string(up)},
                                                                      {"inactive", std::to_string(down)}};
    }
  }
  return snapshot;
}

}  // namespace envdoctor
