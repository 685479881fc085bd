// Findings that open to their evidence and fix; the first one is open initially.
#include <fmt/format.h>

#include <algorithm>

#include "reports/html/html_page.h"
#include "reports/summary.h"

namespace envdoctor::html {
namespace {

Node add_title(Node section, std::string_view css, std::string_view title, const Finding& finding) {
  Node details = add(section, "details", css);
  Node summary = add(details, "summary", "", title, 300);
  add(summary, "span", "dim", fmt::format(" {}", finding.id));
  return details;
}

void add_body(Node details, const Finding& finding, const std::vector<Finding>& all, const Limits& limits) {
  add(details, "p", "dim",
      fmt::format("{}, on {}, {}", text(finding.severity), finding.subject, text(finding.confidence)), limits.text);
  if (!finding.explanation.empty()) add(details, "p", "", finding.explanation, limits.text * 3);
  if (!finding.evidence.empty()) {
    Node table = add(details, "table");
    for (std::size_t i = 0; i < std::min(finding.evidence.size(), limits.evidence); ++i) {
      const Evidence& evidence = finding.evidence[i];
      Node row = add(table, "tr");
      add(row, "td", "code", place_of(evidence), limits.text);
      add(add(row, "td", "code"), "bdi", "", evidence.value.empty() ? "(empty)" : evidence.value, limits.text);
    }
    if (finding.evidence.size() > limits.evidence)
      add(details, "p", "dim", fmt::format("and {} more", finding.evidence.size() - limits.evidence));
  }
  for (const Fix& fix : finding.fix) {
    add(details, "p", "", "Fix: " + fix.text, limits.text * 2);
    if (!fix.command.empty()) add(details, "pre", "", "$ " + fix.command, 2000);
  }
  for (const Finding* other : consequences_of(finding, all))
    add(details, "p", "dim", fmt::format("Hence: {} ({}, {})", other->title, other->id, other->subject), limits.text);
}

}  // namespace

void add_findings(Node body, const Report& report, const Limits& limits) {
  Node section = add(body, "section");
  add(section, "h2", "", "Findings");
  if (report.findings.empty() && report.waived.empty()) add(section, "p", "", "None.");
  std::size_t shown = 0;
  for (const Finding& finding : report.findings) {
    if (++shown > limits.findings) continue;
    Node details =
        add_title(section, text(finding.severity), finding.root ? finding.title : "↳ " + finding.title, finding);
    if (shown == 1 && finding.severity != Severity::info) set(details, "open", "open");
    add_body(details, finding, report.findings, limits);
  }
  if (shown > limits.findings) add(section, "p", "dim", fmt::format("and {} more findings", shown - limits.findings));
  for (const Waived& waived : report.waived) {
    Node details = add_title(section, "waived", "Waived: " + waived.finding.title, waived.finding);
    add(details, "p", "", fmt::format("Until {}: {}", waived.waiver.last_day, waived.waiver.reason), limits.text);
    add_body(details, waived.finding, {}, limits);
  }
}

}  // namespace envdoctor::html
