// Kernels: the differences of each device's results from the CPU's, as histograms of ULP, and which kernels did not
// run.
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

bool is_wrong(const ComputeResult& result) { return result.agreement.get()->outcome.is("outside"); }

std::string class_name(std::size_t i, std::size_t classes) {
  if (i == 0) return "0";
  if (i + 1 == classes) return classes > 2 ? fmt::format("> {}", std::int64_t{1} << (classes - 3)) : "more";
  return fmt::format("up to {}", std::int64_t{1} << (i - 1));
}

// Counts on a logarithmic scale, so that one element among a million is visible.
void add_histogram(Node cell, const std::vector<std::int64_t>& counts, bool wrong) {
  constexpr double column = 11, height = 44;
  const std::size_t classes = std::min<std::size_t>(counts.size(), 20);
  std::string description = "elements by ULP:";
  double most = 1;
  for (std::size_t i = 0; i < classes; ++i) most = std::max(most, static_cast<double>(counts[i]));
  for (std::size_t i = 0; i < classes; ++i) {
    if (counts[i] > 0) description += fmt::format(" {}: {};", class_name(i, classes), counts[i]);
  }
  Node svg = add_drawing(cell, column * static_cast<double>(classes) + 4, height + 14, description);
  set(svg, "class", "small");
  add_line(svg, 0, height, column * static_cast<double>(classes), height, "wire");
  for (std::size_t i = 0; i < classes; ++i) {
    if (counts[i] <= 0) continue;
    const double size = 2 + (height - 4) * std::log1p(static_cast<double>(counts[i])) / std::log1p(most);
    Node bar =
        add_box(svg, column * static_cast<double>(i) + 1, height - size, column - 2, size, wrong ? "bar off" : "bar");
    add(bar, "title", "", fmt::format("{} ULP: {} elements", class_name(i, classes), counts[i]));
  }
  add_text(svg, 1, height + 11, "dim", "0");
  add_text(svg, column * static_cast<double>(classes), height + 11, "end dim", class_name(classes - 1, classes));
}

std::string outcome_text(const ComputeResult& result) {
  const Agreement& agreement = *result.agreement.get();
  const Text& outcome = agreement.outcome;
  std::string out = outcome.is("same-bits")      ? "bit-identical"
                    : outcome.is("within-bound") ? "within the bound"
                    : outcome.is("outside")      ? "✕ outside the bound"
                                                 : "? " + text_of(outcome);
  if (const double* error = agreement.error_over_bound.get(); error && *error > 0)
    out += fmt::format(", {:.2g} of the bound", *error);
  if (const double* ulp = agreement.max_ulp.get(); ulp && *ulp > 0) out += fmt::format(", {:.3g} ULP", *ulp);
  if (agreement.pattern.get()) out += ", " + *agreement.pattern.get();
  if (result.repeatable.is(false)) out += ", not repeatable";
  return out;
}

void add_row(Node table, const ComputeResult& result, const Limits& limits) {
  Node row = add(table, "tr");
  add(row, "td", "", problem_name(result), 160);
  add(row, "td", is_wrong(result) ? "wrong" : "", outcome_text(result), limits.text);
  Node cell = add(row, "td");
  const auto& counts = result.agreement.get()->ulp_histogram.or_empty();
  if (!counts.empty()) add_histogram(cell, counts, is_wrong(result));
}

void add_agreement(Node body, const std::vector<ComputeResult>& results, const Limits& limits) {
  std::vector<const ComputeResult*> rows;
  for (const ComputeResult& result : results) {
    if (result.agreement.get()) rows.push_back(&result);
  }
  if (rows.empty()) return;
  // Wrong results first, so that they are never left out.
  std::ranges::stable_sort(rows, std::greater<>{}, [](const ComputeResult* row) { return is_wrong(*row); });
  const std::size_t left_out = rows.size() - std::min(rows.size(), limits.kernels);
  rows.resize(rows.size() - left_out);
  Node section = add(body, "section");
  add(section, "h2", "", "Agreement with the CPU");
  add(section, "p", "dim",
      "The largest error as a fraction of the rounding bound and in ULP. Histogram: number of elements (logarithmic) "
      "by "
      "their distance from the exact result in ULP.");
  while (!rows.empty()) {
    const std::string device = text_of(rows.front()->device);
    add(section, "h3", "", device, 160);
    Node table = add(section, "table", "kernels");
    for (const ComputeResult* row : rows) {
      if (text_of(row->device) == device) add_row(table, *row, limits);
    }
    std::erase_if(rows, [&](const ComputeResult* row) { return text_of(row->device) == device; });
  }
  if (left_out > 0) add(section, "p", "dim", fmt::format("and {} more results", left_out));
}

// A device without its OpenCL platform, for where there is little room.
std::string device_name(std::string_view device) {
  return std::string(device.starts_with("opencl:") ? device.substr(device.find('/') + 1) : device);
}

// How fast each device is, as bars against its own peak and the CPU: one drawing per problem.
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

// 0: unknown.
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

}  // namespace

void add_kernels(Node body, const Report& report, const Limits& limits) {
  add_agreement(body, report.snapshot.compute.or_empty(), limits);
  add_speed(body, report.snapshot, limits);
  const auto& missing = report.snapshot.compute_not_run.or_empty();
  if (missing.empty()) return;
  Node details = add(add(body, "section"), "details");
  add(details, "summary", "", fmt::format("{} kernel{} did not run", missing.size(), missing.size() == 1 ? "" : "s"));
  for (std::size_t i = 0; i < std::min(missing.size(), limits.kernels); ++i) {
    const ComputeNotRun& row = missing[i];
    add(details, "p", "",
        fmt::format("{} {} on {}: {}", text_of(row.kernel), text_of(row.precision), text_of(row.device),
                    text_of(row.why)),
        limits.text);
  }
}

}  // namespace envdoctor::html
