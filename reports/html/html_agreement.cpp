// Kernels: how far each device's results are from the CPU's, as histograms of ULP, and which kernels did not run.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "checks/facts/presence.h"
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

// Counts by their logarithm, or one element among a million would not be seen.
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
  // What is wrong first, whatever must be left out.
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

}  // namespace

std::string device_name(std::string_view device) {
  return std::string(device.starts_with("opencl:") ? device.substr(device.find('/') + 1) : device);
}

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
