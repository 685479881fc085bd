// Kernels: which ran where, and which didn't.
#include <fmt/format.h>

#include <algorithm>

#include "checks/presence.h"
#include "reports/html_page.h"

namespace envdoctor::html {

std::string device_name(std::string_view device) {
  const std::size_t slash = device.find('/');
  const bool platform = device.starts_with("opencl:") && slash != device.npos;
  return std::string(platform ? device.substr(slash + 1) : device);
}

void add_kernels(Node body, const Report& report, const Limits& limits) {
  const auto* results = report.snapshot.compute.get();
  const auto* missing = report.snapshot.compute_not_run.get();
  if (results && !results->empty()) {
    add_agreement(body, *results, limits);
    add_speed(body, report.snapshot, limits);
  }
  if (!missing || missing->empty()) return;
  Node details = add(add(body, "section"), "details");
  add(details, "summary", "", fmt::format("{} kernel{} did not run", missing->size(), missing->size() == 1 ? "" : "s"));
  for (std::size_t i = 0; i < std::min(missing->size(), limits.kernels); ++i) {
    const ComputeNotRun& row = (*missing)[i];
    add(details, "p", "",
        fmt::format("{} {} on {}: {}", text_of(row.kernel), text_of(row.precision), text_of(row.device),
                    text_of(row.why)),
        limits.text);
  }
}

}  // namespace envdoctor::html
