// One line for a scheduler: why this host should get no work. Empty where there is no reason.
#include <fmt/format.h>

#include <algorithm>

#include "reports/lines.h"
#include "reports/reports.h"

namespace envdoctor {

std::string render_reason(const Report& report, const ReportStyle&) {
  constexpr std::size_t limit = 200;
  if (report.verdict == Verdict::pass || report.verdict == Verdict::warn) return {};
  const auto root =
      std::ranges::find_if(report.findings, [](const Finding& f) { return f.root && f.severity == Severity::error; });
  if (root == report.findings.end()) return shortened("incomplete: " + clean(report.verdict_why), limit) + "\n";
  return shortened(clean(fmt::format("{} on {}: {}", root->id, root->subject, root->title)), limit) + "\n";
}

}  // namespace envdoctor
