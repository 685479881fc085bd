// Markdown for a pull request's comment or an issue: short enough for both, a host's own words only as text.
#include <fmt/format.h>

#include <algorithm>

#include "reports/lines.h"
#include "reports/markdown_text.h"
#include "reports/reports.h"
#include "reports/summary.h"

namespace envdoctor {
namespace {

constexpr std::size_t size_limit = 60'000;  // GitHub takes 65 536 characters
constexpr std::size_t evidence_shown = 6;

const char* mark(RungState state) {
  switch (state) {
    case RungState::holds:
      return "✅";
    case RungState::broken:
      return "❌";
    case RungState::unknown:
      return "❔";
    case RungState::not_applicable:
      return "–";
  }
  return "❔";
}

const char* mark(Severity severity) {
  switch (severity) {
    case Severity::error:
      return "❌";
    case Severity::warning:
      return "⚠️";
    case Severity::info:
      return "ℹ️";
  }
  return "";
}

std::string ladders(const std::vector<Ladder>& all) {
  if (all.empty()) return {};
  std::string out = "| GPU | stack |", line = "| --- | --- |";
  for (const RungResult& rung : all.front().rungs) {
    out += fmt::format(" {} |", text(rung.rung));
    line += " :-: |";
  }
  out += "\n" + line + "\n";
  for (const Ladder& ladder : all) {
    out += fmt::format("| {} {} | {} |", markdown_text(ladder.name), markdown_code(ladder.subject), ladder.stack);
    for (const RungResult& rung : ladder.rungs) out += fmt::format(" {} |", mark(rung.state));
    out += "\n";
  }
  return out + "\n✅ holds, ❌ broken, ❔ not known, – does not apply\n\n";
}

std::string finding_text(const Finding& finding, const std::vector<Finding>& all) {
  std::string out = fmt::format("### {} {}\n\n{} on {}, {}\n\n", mark(finding.severity), markdown_text(finding.title),
                                markdown_code(finding.id), markdown_code(finding.subject), text(finding.confidence));
  if (!finding.explanation.empty()) out += markdown_text(finding.explanation) + "\n\n";
  for (std::size_t i = 0; i < std::min(finding.evidence.size(), evidence_shown); ++i) {
    const Evidence& e = finding.evidence[i];
    out += fmt::format("- {} {}\n", markdown_code(e.source.empty() ? e.path : fmt::format("{}:{}", e.source, e.line)),
                       markdown_code(e.value));
  }
  if (finding.evidence.size() > evidence_shown)
    out += fmt::format("- and {} more\n", finding.evidence.size() - evidence_shown);
  if (!finding.evidence.empty()) out += "\n";
  for (const Fix& fix : finding.fix) {
    out += fmt::format("**Fix:** {}\n\n", markdown_text(fix.text));
    if (!fix.command.empty()) out += markdown_block(fix.command, "sh") + "\n";
  }
  for (const Finding& other : all) {
    if (std::ranges::find(other.caused_by, finding.id) != other.caused_by.end())
      out += fmt::format("- hence: {} ({})\n", markdown_text(other.title), markdown_code(other.id));
  }
  return out + "\n";
}

}  // namespace

std::string render_markdown(const Report& report, const ReportStyle& style) {
  std::string verdict(text(report.verdict));
  std::ranges::transform(verdict, verdict.begin(), [](char c) { return static_cast<char>(c - 'a' + 'A'); });
  std::string out = fmt::format("## envdoctor: {}\n\n{}\n\n", verdict, markdown_text(report.verdict_why));
  out += ladders(report.ladders);
  std::string notes;
  std::size_t left_out = 0;
  for (const Finding& finding : report.findings) {
    if (!finding.root && !style.verbose) continue;
    if (finding.severity == Severity::info) {
      notes += fmt::format("- ℹ️ {} ({} on {})\n", markdown_text(finding.title), markdown_code(finding.id),
                           markdown_code(finding.subject));
      continue;
    }
    const std::string told = finding_text(finding, report.findings);
    if (out.size() + told.size() > size_limit / 2) {
      ++left_out;
    } else {
      out += told;
    }
  }
  if (left_out > 0) out += fmt::format("{} more findings are left out here.\n\n", left_out);
  for (const Waived& waived : report.waived)
    notes += fmt::format("- waived until {}: {} ({} on {}): {}\n", waived.waiver.last_day,
                         markdown_text(waived.finding.title), markdown_code(waived.finding.id),
                         markdown_code(waived.finding.subject), markdown_text(waived.waiver.reason));
  if (notes.size() < size_limit / 4 && !notes.empty()) out += notes + "\n";
  const std::string summary = host_summary(report.snapshot);
  if (!summary.empty() && summary.size() < size_limit / 5)
    out += "<details><summary>This host</summary>\n\n" + markdown_block(summary, "text") + "\n</details>\n\n";
  const auto count = [&](CheckState state) { return std::ranges::count(report.checks, state, &CheckResult::state); };
  return out + fmt::format("{} diagnoses checked: {} found, {} sound, {} unknown, {} not applicable · envdoctor {}\n",
                           report.checks.size(), count(CheckState::found), count(CheckState::sound),
                           count(CheckState::unknown), count(CheckState::not_applicable), report.options.tool_version);
}

}  // namespace envdoctor
