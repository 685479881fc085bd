// The stacks as a picture: a rail for each stack, its layers as stations; behind a broken one the rail is dashed.
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
    for (const LayerResult& layer : gpu_stack->layers) {
      out +=
          fmt::format(" {} {}{}", text(layer.layer), text(layer.state), &layer == &gpu_stack->layers.back() ? "" : ",");
    }
  }
  return out + ".";
}

void draw(Node svg, const GpuStack& gpu_stack, double y) {
  add_text(svg, left - 40, y + 4, "end name", gpu_stack.stack, 12);
  bool carries = true;
  for (std::size_t i = 0; i < gpu_stack.layers.size(); ++i) {
    const LayerResult& layer = gpu_stack.layers[i];
    const double x = left + static_cast<double>(i) * step;
    carries = carries && layer.state != LayerState::broken && layer.state != LayerState::unknown;
    if (i + 1 < gpu_stack.layers.size()) {
      const LayerState after = gpu_stack.layers[i + 1].state;
      const bool on = carries && after != LayerState::unknown;
      add_line(svg, x, y, x + step, y, on ? "rail" : "rail off");
    }
  }
  for (std::size_t i = 0; i < gpu_stack.layers.size(); ++i) {
    const LayerResult& layer = gpu_stack.layers[i];
    const double x = left + static_cast<double>(i) * step;
    Node station = add(svg, "circle", text(layer.state));
    set(station, "cx", x);
    set(station, "cy", y);
    set(station, "r", 10);
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
    std::string subjects;
    for (std::size_t i = 0; i < std::min<std::size_t>(group.subjects.size(), 16); ++i)
      subjects += (i ? ", " : "") + group.subjects[i];
    Node name = add(section, "h3", "",
                    fmt::format("{}{}", group.subjects.size() > 1 ? fmt::format("{} × ", group.subjects.size()) : "",
                                first.empty() ? "GPU" : first),
                    160);
    add(name, "span", "dim", " " + subjects, 400);
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
