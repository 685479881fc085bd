// Kernels: how far from the CPU's results, as histograms of ULP; how fast, as bars against the device's peak and the
// CPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "reports/html_page.h"

namespace envdoctor::html {
namespace {

std::string word(const Text& text) { return text.get() ? *text.get() : "?"; }

std::string rounded(double value) { return value < 1000 ? fmt::format("{:.3g}", value) : fmt::format("{:.0f}", value); }

std::string name_of(const ComputeResult& result) {
  std::string name = word(result.kernel) + " " + word(result.precision);
  if (const auto* size = result.size.get()) {
    for (const auto& [key, value] : *size) name += fmt::format(" {}={}", key, value);
  }
  return name;
}

// Counts by their logarithm, or one element among a million would not be seen.
void add_histogram(Node cell, const std::vector<std::int64_t>& counts) {
  constexpr double column = 11, height = 44;
  const std::size_t classes = std::min<std::size_t>(counts.size(), 20);
  std::string told = "elements by ULP:";
  double most = 1;
  for (std::size_t i = 0; i < classes; ++i) most = std::max(most, static_cast<double>(counts[i]));
  for (std::size_t i = 0; i < classes; ++i) {
    if (counts[i] > 0)
      told += fmt::format(" {}: {};",
                          i == 0             ? "0"
                          : i + 1 == classes ? "more"
                                             : fmt::format("up to {}", 1 << (i - 1)),
                          counts[i]);
  }
  Node svg = add_drawing(cell, column * static_cast<double>(classes) + 4, height + 14, told);
  set(svg, "class", "small");
  add_line(svg, 0, height, column * static_cast<double>(classes), height, "wire");
  for (std::size_t i = 0; i < classes; ++i) {
    if (counts[i] <= 0) continue;
    const double size = 2 + (height - 4) * std::log1p(static_cast<double>(counts[i])) / std::log1p(most);
    Node bar = add_box(svg, column * static_cast<double>(i) + 1, height - size, column - 2, size,
                       i + 1 == classes ? "bar off" : "bar");
    add(bar, "title", "", fmt::format("{} elements", counts[i]));
  }
  add_text(svg, 1, height + 11, "dim", "0");
  add_text(svg, column * static_cast<double>(classes), height + 11, "end dim", "ulp");
}

void add_agreement(Node section, const std::vector<ComputeResult>& results, const Limits& limits) {
  Node table = add(section, "table");
  Node head = add(table, "tr");
  for (const char* title : {"kernel", "device", "agreement", "difference in ULP"}) add(head, "th", "", title);
  std::size_t shown = 0;
  for (const ComputeResult& result : results) {
    const Agreement* agreement = result.agreement.get();
    if (!agreement || ++shown > limits.kernels) continue;
    Node row = add(table, "tr");
    add(row, "td", "", name_of(result), 160);
    add(row, "td", "", word(result.device), 160);
    std::string outcome = word(agreement->outcome);
    if (agreement->max_ulp.get()) outcome += fmt::format(", at most {:.3g} ULP", *agreement->max_ulp.get());
    if (agreement->error_over_bound.get())
      outcome += fmt::format(", {:.2g} of the bound", *agreement->error_over_bound.get());
    if (agreement->pattern.get()) outcome += ", " + *agreement->pattern.get();
    if (result.repeatable.is(false)) outcome += ", other bits each time";
    add(row, "td", "", outcome, limits.text);
    Node cell = add(row, "td");
    if (const auto* counts = agreement->ulp_histogram.get(); counts && !counts->empty()) add_histogram(cell, *counts);
  }
  if (shown > limits.kernels) add(section, "p", "dim", fmt::format("and {} more results", shown - limits.kernels));
}

// One drawing per kernel: a bar per device, the outline of its peak around it.
void add_rates(Node section, const std::vector<ComputeResult>& results, const Limits& limits) {
  std::map<std::string, std::vector<const ComputeResult*>> kernels;
  for (const ComputeResult& result : results) {
    const ComputeRate* rate = result.rate.get();
    if (rate && rate->value.get() && std::isfinite(*rate->value.get()) && *rate->value.get() >= 0)
      kernels[name_of(result)].push_back(&result);
  }
  if (kernels.empty()) return;
  add(section, "h2", "", "Speed");
  add(section, "p", "dim", "The outline is the device's own peak; the CPU's bar is grey.");
  std::size_t shown = 0;
  for (const auto& [kernel, list] : kernels) {
    if (++shown > limits.kernels) break;
    add(section, "h3", "", kernel, limits.text);
    double most = 1e-9;
    const auto peak = [](const ComputeResult& r) {
      const double* share = r.share_of_peak.get();
      return share && *share > 0.001 && *share <= 1.5 ? *r.rate.get()->value.get() / *share : 0.0;
    };
    for (const ComputeResult* r : list) most = std::max({most, *r->rate.get()->value.get(), peak(*r)});
    std::string told;
    for (const ComputeResult* r : list)
      told +=
          fmt::format("{}: {} {}. ", word(r->device), rounded(*r->rate.get()->value.get()), word(r->rate.get()->unit));
    constexpr double left = 260, width = 420, row = 22;
    const std::size_t bars = std::min<std::size_t>(list.size(), 16);
    Node svg = add_drawing(section, left + width + 220, row * static_cast<double>(bars) + 4, told);
    for (std::size_t i = 0; i < bars; ++i) {
      const ComputeResult& r = *list[i];
      const double y = row * static_cast<double>(i) + 3, value = *r.rate.get()->value.get();
      add_text(svg, left - 8, y + 12, "end", word(r.device), 40);
      add_box(svg, left, y, std::max(1.0, width * value / most), row - 8, r.device.is("host") ? "bar cpu" : "bar");
      if (peak(r) > 0) add_box(svg, left, y, width * peak(r) / most, row - 8, "peak");
      std::string label = fmt::format("{} {}", rounded(value), word(r.rate.get()->unit));
      if (r.share_of_peak.get()) label += fmt::format(" ({:.0f} % of peak)", 100 * *r.share_of_peak.get());
      add_text(svg, left + width + 6, y + 12, "", label);
    }
  }
}

}  // namespace

void add_kernels(Node body, const Report& report, const Limits& limits) {
  const auto* results = report.snapshot.compute.get();
  if (!results || results->empty()) return;
  Node section = add(body, "section");
  if (std::ranges::any_of(*results, [](const ComputeResult& r) { return r.agreement.get() != nullptr; })) {
    add(section, "h2", "", "Agreement with the CPU");
    add_agreement(section, *results, limits);
  }
  add_rates(section, *results, limits);
  if (const auto* missing = report.snapshot.compute_not_run.get(); missing && !missing->empty()) {
    Node details = add(section, "details");
    add(details, "summary", "",
        fmt::format("{} kernel{} did not run", missing->size(), missing->size() == 1 ? "" : "s"));
    for (std::size_t i = 0; i < std::min(missing->size(), limits.kernels); ++i) {
      const ComputeNotRun& row = (*missing)[i];
      add(details, "p", "",
          fmt::format("{} {} on {}: {}", word(row.kernel), word(row.precision), word(row.device), word(row.why)),
          limits.text);
    }
  }
}

}  // namespace envdoctor::html
