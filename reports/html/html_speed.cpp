// How fast each device is, as bars against its own peak and the CPU: one drawing per problem.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checks/compute/compute_facts.h"
#include "checks/facts/presence.h"
#include "evidence/lines.h"
#include "reports/html/html_page.h"
#include "reports/text/kernel_tables.h"

namespace envdoctor::html {
namespace {

struct Problem {
  std::string name{};
  std::vector<const ComputeResult*> rows{};
};

// In the order of their first row.
std::vector<Problem> problems_of(const std::vector<ComputeResult>& results) {
  std::vector<Problem> problems;
  for (const ComputeResult& result : results) {
    const ComputeRate* rate = result.rate.get();
    if (!rate || !rate->value.get() || !std::isfinite(*rate->value.get()) || *rate->value.get() < 0) continue;
    const std::string name = problem_name(result);
    auto problem = std::ranges::find(problems, name, &Problem::name);
    if (problem == problems.end()) problem = problems.insert(problem, {.name = name});
    problem->rows.push_back(&result);
  }
  return problems;
}

double rate_of(const ComputeResult& row) { return *row.rate.get()->value.get(); }

// 0: not known.
double peak_of(const ComputeResult& row) {
  const double* share = row.share_of_peak.get();
  return share && *share > 0.001 && *share <= 1.5 ? rate_of(row) / *share : 0.0;
}

std::string label(const ComputeResult& row) {
  const double rate = rate_of(row), *ms = median_ms(row);
  std::string out = fmt::format(fmt::runtime(rate < 1000 ? "{:.3g} {}" : "{:.0f} {}"), rate,
                                shortened(text_of(row.rate.get()->unit), 12));
  if (ms && *ms > 0) out += ", " + time_text(*ms);
  if (row.share_of_peak.get()) out += fmt::format(" ({:.0f} % of peak)", 100 * *row.share_of_peak.get());
  return out;
}

void add_bars(Node place, const Problem& problem, const Snapshot& snapshot) {
  constexpr double width = 440, row_height = 34, bar = 12;
  const std::size_t bars = std::min<std::size_t>(problem.rows.size(), 16);
  double most = 1e-9;
  std::string description;
  for (const ComputeResult* row : problem.rows) {
    most = std::max({most, rate_of(*row), peak_of(*row)});
    description += text_of(row->device) + ": " + label(*row) + ". ";
  }
  Node svg = add_drawing(place, width, row_height * static_cast<double>(bars), description);
  set(svg, "class", "bars");
  for (std::size_t i = 0; i < bars; ++i) {
    const ComputeResult& row = *problem.rows[i];
    const std::string device = text_of(row.device);
    const double y = row_height * static_cast<double>(i);
    add_text(svg, 0, y + 12, "", device_name(device), 30);
    add_text(svg, width, y + 12, "end", label(row));
    add_box(svg, 0, y + 17, std::max(1.0, width * rate_of(row) / most), bar,
            compute::is_cpu(snapshot, device) ? "bar cpu" : "bar");
    if (peak_of(row) > 0) add_box(svg, 0.5, y + 17, width * peak_of(row) / most - 1, bar, "peak");
  }
}

}  // namespace

void add_speed(Node body, const Snapshot& snapshot, const Limits& limits) {
  const std::vector<Problem> problems = problems_of(snapshot.compute.or_empty());
  if (problems.empty()) return;
  Node section = add(body, "section");
  add(section, "h2", "", "Speed");
  add(section, "p", "dim", "Median times. The outline is the peak of the device; CPU devices are grey.");
  Node grid = add(section, "div", "grid");
  for (std::size_t i = 0; i < std::min(problems.size(), limits.kernels); ++i) {
    Node place = add(grid, "div");
    add(place, "h3", "", problems[i].name, limits.text);
    add_bars(place, problems[i], snapshot);
  }
  if (problems.size() > limits.kernels)
    add(section, "p", "dim", fmt::format("and {} more", problems.size() - limits.kernels));
}

}  // namespace envdoctor::html
