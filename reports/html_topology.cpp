// The host as one drawing: sockets, the NUMA nodes, and the GPUs on their links.
#include <fmt/format.h>

#include <algorithm>

#include "checks/facts.h"
#include "checks/gpus.h"
#include "reports/html_page.h"
#include "reports/lines.h"

namespace envdoctor::html {
namespace {

constexpr double cell = 172, gap = 14, box = 46;

std::string number(const Number& value) { return value.get() ? std::to_string(*value.get()) : "?"; }

struct Place {
  double x = 0;
  std::int64_t index = -1;
};

// The middle of the box with this index; the first where none has it.
double middle_of(const std::vector<Place>& places, const Number& index) {
  for (const Place& place : places) {
    if (index.is(place.index)) return place.x;
  }
  return -1;
}

const PciLink* link_of(const Snapshot& snapshot, const Gpu& gpu) {
  if (gpu.pci_index < 0 || !snapshot.pci.get()) return nullptr;
  return (*snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)].link.get();
}

struct Row {
  std::size_t count = 0;
  double width = 0;
  [[nodiscard]] double x(std::size_t i) const {
    return (width - static_cast<double>(count) * (cell + gap) + gap) / 2 + static_cast<double>(i) * (cell + gap);
  }
};

}  // namespace

void add_topology(Node body, const Report& report, const Limits& limits) {
  const Topology* topology = report.snapshot.topology.get();
  if (!topology) return;
  const std::vector<Package> none_packages;
  const std::vector<NumaNode> none_nodes;
  const auto& packages = topology->packages.get() ? *topology->packages.get() : none_packages;
  const auto& nodes = topology->numa_nodes.get() ? *topology->numa_nodes.get() : none_nodes;
  auto gpus = gpus_of(report.snapshot);
  if (gpus.size() > limits.gpus) gpus.resize(limits.gpus);
  const std::size_t sockets = std::min<std::size_t>(packages.size(), 8), numa = std::min<std::size_t>(nodes.size(), 8);
  if (sockets + numa + gpus.size() == 0) return;
  const std::size_t per_row = 4, rows = (gpus.size() + per_row - 1) / per_row;
  const std::size_t widest = std::max({sockets, numa, std::min(gpus.size(), per_row), std::size_t{1}});
  const double width = static_cast<double>(widest) * (cell + gap) + gap;
  const double node_y = sockets ? 74 : 4, gpu_y = node_y + (numa ? 90 : 0),
               height = gpu_y + 74 * static_cast<double>(rows) + 6;

  Node section = add(body, "section");
  add(section, "h2", "", "Sockets, memory, links");
  Node svg = add_drawing(section, width, height,
                         fmt::format("{} sockets, {} NUMA nodes, {} GPUs", packages.size(), nodes.size(), gpus.size()));
  const Row socket_row{sockets, width}, node_row{numa, width};
  std::vector<Place> places;
  // hwloc numbers packages and nodes alike where there are as many; else which node is in which package isn't told.
  for (std::size_t i = 0; i < numa; ++i) {
    places.push_back({node_row.x(i) + cell / 2, nodes[i].index.get() ? *nodes[i].index.get() : -1});
    if (sockets > 0 && numa % sockets == 0)
      add_line(svg, socket_row.x(i * sockets / numa) + cell / 2, 50, places.back().x, node_y, "wire");
  }
  for (std::size_t i = 0; i < sockets; ++i) {
    add_box(svg, socket_row.x(i), 4, cell, box, "box");
    add_text(svg, socket_row.x(i) + cell / 2, 23, "mid name", "socket " + number(packages[i].index));
    add_text(svg, socket_row.x(i) + cell / 2, 39, "mid dim",
             fmt::format("{} cores, {} threads", number(packages[i].cores), number(packages[i].threads)));
  }
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    const Gpu& gpu = gpus[i];
    const Row row{std::min(per_row, gpus.size() - i / per_row * per_row), width};
    const double x = row.x(i % per_row), y = gpu_y + 74 * static_cast<double>(i / per_row);
    const PciLink* link = link_of(report.snapshot, gpu);
    const bool slow = link && link->width.get() && link->max_width.get() && *link->width.get() < *link->max_width.get();
    const Number node =
        gpu.pci_index >= 0 ? (*report.snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)].numa_node : Number();
    if (const double from = middle_of(places, node); from >= 0)
      add_line(svg, from, node_y + box, x + cell / 2, y, slow ? "wire slow" : "wire");
    add_box(svg, x, y, cell, 58, "gpu");
    add_text(svg, x + cell / 2, y + 18, "mid name", gpu.name.empty() ? "GPU" : gpu.name, 24);
    add_text(svg, x + cell / 2, y + 34, "mid dim", gpu.subject(), 24);
    std::string told = "link not known";
    if (link && link->width.get()) {
      told = fmt::format("x{}", *link->width.get());
      if (link->speed_gtps.get()) told += fmt::format(", {:g} GT/s", *link->speed_gtps.get());
      if (slow) told += fmt::format(" (of x{})", *link->max_width.get());
    }
    add_text(svg, x + cell / 2, y + 50, "mid", told);
  }
  for (std::size_t i = 0; i < numa; ++i) {
    add_box(svg, node_row.x(i), node_y, cell, box, "box");
    add_text(svg, node_row.x(i) + cell / 2, node_y + 19, "mid name", "NUMA node " + number(nodes[i].index));
    const std::string memory = nodes[i].memory_mib.get() ? size_text(*nodes[i].memory_mib.get()) : "";
    add_text(svg, node_row.x(i) + cell / 2, node_y + 35, "mid dim",
             memory + (nodes[i].cpus.get() ? ", CPUs " + *nodes[i].cpus.get() : ""), 28);
  }
}

}  // namespace envdoctor::html
