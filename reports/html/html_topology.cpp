// The host as one drawing: sockets, their NUMA nodes, and below each node the GPUs on its links.
#include <fmt/format.h>

#include <algorithm>

#include "checks/facts/facts.h"
#include "checks/facts/gpus.h"
#include "evidence/lines.h"
#include "reports/html/html_page.h"

namespace envdoctor::html {
namespace {

constexpr double cell = 212, gap = 18, box = 46, gpu_box = 58, indent = 20;

std::string number(const Number& value) { return value.get() ? std::to_string(*value.get()) : "?"; }

// A NUMA node with its GPUs; without one: GPUs whose node is unknown.
struct Column {
  const NumaNode* node = nullptr;
  std::vector<const Gpu*> gpus{};
};

const PciDevice* device_of(const Snapshot& snapshot, const Gpu& gpu) {
  if (gpu.pci_index < 0 || !snapshot.pci.get()) return nullptr;
  return &(*snapshot.pci.get())[static_cast<std::size_t>(gpu.pci_index)];
}

std::vector<Column> columns_of(const Snapshot& snapshot, const std::vector<NumaNode>& nodes,
                               const std::vector<Gpu>& gpus) {
  std::vector<Column> columns;
  for (std::size_t i = 0; i < std::min<std::size_t>(nodes.size(), 8); ++i) columns.push_back({.node = &nodes[i]});
  Column elsewhere;
  for (const Gpu& gpu : gpus) {
    const PciDevice* device = device_of(snapshot, gpu);
    const auto column = std::ranges::find_if(columns, [&](const Column& c) {
      return device && c.node->index.get() && device->numa_node.is(*c.node->index.get());
    });
    (column == columns.end() ? elsewhere : *column).gpus.push_back(&gpu);
  }
  if (!elsewhere.gpus.empty()) columns.push_back(std::move(elsewhere));
  return columns;
}

void draw_gpu(Node svg, const Snapshot& snapshot, const Gpu& gpu, bool wired, double x, double y) {
  const PciDevice* device = device_of(snapshot, gpu);
  const PciLink* link = device ? device->link.get() : nullptr;
  const bool slow = link && link->width.get() && link->max_width.get() && *link->width.get() < *link->max_width.get();
  if (wired) add_line(svg, x + 8, y + gpu_box / 2, x + indent, y + gpu_box / 2, slow ? "wire slow" : "wire");
  add_box(svg, x + indent, y, cell - indent, gpu_box, "gpu");
  const double middle = x + indent + (cell - indent) / 2;
  add_text(svg, middle, y + 18, "mid name", gpu.name.empty() ? "GPU" : gpu.name, 28);
  add_text(svg, middle, y + 34, "mid dim", gpu.subject(), 28);
  std::string speed = "link unknown";
  if (link && link->width.get()) {
    speed = fmt::format("x{}", *link->width.get());
    if (link->speed_gtps.get()) speed += fmt::format(", {:g} GT/s", *link->speed_gtps.get());
    if (slow) speed += fmt::format(" (of x{})", *link->max_width.get());
  }
  add_text(svg, middle, y + 50, "mid", speed);
}

}  // namespace

void add_topology(Node body, const Report& report, const Limits& limits) {
  const Topology* topology = report.snapshot.topology.get();
  if (!topology) return;
  const auto& packages = topology->packages.or_empty();
  auto gpus = gpus_of(report.snapshot);
  if (gpus.size() > limits.gpus) gpus.resize(limits.gpus);
  const auto columns = columns_of(report.snapshot, topology->numa_nodes.or_empty(), gpus);
  const std::size_t sockets = std::min<std::size_t>(packages.size(), 8);
  if (sockets + columns.size() == 0) return;
  std::size_t most = 0;
  for (const Column& column : columns) most = std::max(most, column.gpus.size());
  const auto x_of = [](std::size_t i) { return 4 + static_cast<double>(i) * (cell + gap); };
  const double node_y = sockets ? 74 : 4, gpu_y = node_y + box + 14;

  Node section = add(body, "section");
  add(section, "h2", "", "Sockets, memory, links");
  Node svg = add_drawing(
      section, x_of(std::max(sockets, columns.size())), gpu_y + (gpu_box + 12) * static_cast<double>(most) + 4,
      fmt::format("{} sockets, {} NUMA nodes, {} GPUs", packages.size(), columns.size(), gpus.size()));
  set(svg, "class", "natural");
  // Nodes are numbered in the order of their sockets; if they don't divide evenly, no lines connect them.
  const auto nodes = static_cast<std::size_t>(std::ranges::count_if(columns, [](const Column& c) { return c.node; }));
  for (std::size_t i = 0; sockets > 0 && nodes % sockets == 0 && i < nodes; ++i)
    add_line(svg, x_of(i * sockets / nodes * (nodes / sockets)) + cell / 2, 4 + box, x_of(i) + cell / 2, node_y,
             "wire");
  for (std::size_t i = 0; i < sockets; ++i) {
    const double x = x_of(nodes > 0 && nodes % sockets == 0 ? i * (nodes / sockets) : i);
    add_box(svg, x, 4, cell, box, "box");
    add_text(svg, x + cell / 2, 23, "mid name", "socket " + number(packages[i].index));
    add_text(svg, x + cell / 2, 39, "mid dim",
             fmt::format("{} cores, {} threads", number(packages[i].cores), number(packages[i].threads)));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const Column& column = columns[i];
    const double x = x_of(i), step = gpu_box + 12;
    if (!column.gpus.empty() && column.node)
      add_line(svg, x + 8, node_y + box, x + 8,
               gpu_y + step * static_cast<double>(column.gpus.size() - 1) + gpu_box / 2, "wire");
    add_box(svg, x, node_y, cell, box, "box");
    add_text(svg, x + cell / 2, node_y + 19, "mid name",
             column.node ? "NUMA node " + number(column.node->index) : "NUMA node unknown");
    if (column.node) {
      const std::string memory = column.node->memory_mib.get() ? size_text(*column.node->memory_mib.get()) + ", " : "";
      add_text(svg, x + cell / 2, node_y + 35, "mid dim", memory + "CPUs " + column.node->cpus.value_or("?"), 36);
    }
    for (std::size_t g = 0; g < column.gpus.size(); ++g)
      draw_gpu(svg, report.snapshot, *column.gpus[g], column.node != nullptr, x, gpu_y + step * static_cast<double>(g));
  }
}

}  // namespace envdoctor::html
