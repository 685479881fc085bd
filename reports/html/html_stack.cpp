// The stacks as a picture: a rail for each stack, its layers as stations; after a broken one the rail is dashed.
#include <fmt/format.h>

#include <algorithm>

#include "reports/html/html_page.h"
#include "reports/summary.h"

namespace envdoctor::html {
namespace {

constexpr double left = 96, step = 92, row = 46, top = 26;

constexpr Marks marks = {"✓", "✕", "?", "–"};

std::string description(const std::vector<const GpuStack*>& stacks) {
  std::string out;
  for (const GpuStack* gpu_stack : stacks) {
    out += (out.empty() ? "" : ". ") + gpu_stack->stack + ":";
    for (const LayerResult& layer : gpu_stack->layers)
      out +=
          fmt::format(" {} {}{}", text(layer.layer), text(layer.state), &layer == &gpu_stack->layers.back() ? "" : ",");
  }
  return out + ".";
}

void draw(Node svg, const GpuStack& gpu_stack, double y) {
  add_text(svg, left - 40, y + 4, "end name", gpu_stack.stack, 12);
  bool carries = true;
  for (std::size_t i = 0; i < gpu_stack.layers.size(); ++i) {
    const LayerState state = gpu_stack.layers[i].state;
    const double end = left + static_cast<double>(i) * step;
    if (i > 0) add_line(svg, end - step, y, end, y, carries && state != LayerState::unknown ? "rail" : "rail off");
    carries = carries && state != LayerState::broken && state != LayerState::unknown;
  }
  for (std::size_t i = 0; i < gpu_stack.layers.size(); ++i) {
    const LayerResult& layer = gpu_stack.layers[i];
    const double x = left + static_cast<double>(i) * step;
    Node station = add_shape(svg, "circle", text(layer.state), {{"cx", x}, {"cy", y}, {"r", 10}});
    add(station, "title", "",
        fmt::format("{}: {}{}{}", text(layer.layer), text(layer.state), layer.why.empty() ? "" : ", ", layer.why), 200);
    add_text(svg, x, y + 4, "mark", mark(layer.state, marks));
  }
}

}  // namespace

void add_stacks(Node body, const Report& report, const Limits& limits) {
  if (report.stacks.empty()) return;
  Node section = add(body, "section");
  add(section, "h2", "", "From silicon to training");
  auto groups = groups_of(report.stacks);
  const std::size_t all = groups.size();
  if (groups.size() > limits.stacks) groups.resize(limits.stacks);
  for (const GpuGroup& group : groups) {
    const std::string& first = group.stacks.front()->name;
    const auto count = static_cast<std::ptrdiff_t>(group.subjects.size());
    const std::string times = count > 1 ? fmt::format("{} × ", count) : "";
    Node name = add(section, "h3", "", times + (first.empty() ? "GPU" : first), 160);
    const auto shown = group.subjects.begin() + std::min<std::ptrdiff_t>(count, 16);
    add(name, "span", "dim", fmt::format(" {}", fmt::join(group.subjects.begin(), shown, ", ")), 400);
    const double width = left + 9 * step - 30, height = top + row * static_cast<double>(group.stacks.size());
    Node svg = add_drawing(section, width, height, description(group.stacks));
    for (std::size_t i = 0; i < group.stacks.front()->layers.size(); ++i)
      add_text(svg, left + static_cast<double>(i) * step, 12, "mid dim", text(group.stacks.front()->layers[i].layer));
    for (std::size_t i = 0; i < group.stacks.size(); ++i)
      draw(svg, *group.stacks[i], top + row / 2 + row * static_cast<double>(i) - 6);
  }
  if (all > groups.size()) add(section, "p", "dim", fmt::format("and {} more GPUs", all - groups.size()));
  add(section, "p", "dim", "✓ ok, ✕ broken, ? unknown, – not applicable");
}

}  // namespace envdoctor::html
