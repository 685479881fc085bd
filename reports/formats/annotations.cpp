// Findings in the formats of other services: GitHub's workflow commands, GitLab's code quality report, a scheduler's
// reason.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "evidence/lines.h"
#include "reports/reports.h"

namespace envdoctor {
namespace {

using Json = nlohmann::json;
constexpr std::size_t commands_shown = 10;  // GitHub shows no more of one kind in one step

// The inverse of the runner's unescaping; in a property, colon and comma end the value.
std::string command_text(std::string_view text, bool property) {
  std::string out;
  for (const char c : clean(text)) {
    if (c == '%' || (property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}

// A stable 64-bit FNV-1a of id and subject.
std::string fingerprint(const Finding& finding) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : finding.id + "|" + finding.subject)
    hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return fmt::format("{:016x}", hash);
}

std::string description(const Finding& finding) {
  std::string out = finding.explanation;
  for (const Fix& fix : finding.fix) out += " Fix: " + fix.text + (fix.command.empty() ? "" : " $ " + fix.command);
  return out;
}

}  // namespace

std::string render_github(const Report& report, const ReportStyle&) {
  std::string out;
  std::size_t shown = 0;
  for (const Finding& finding : report.findings) {
    if (!finding.root || ++shown > commands_shown) continue;
    const char* kind = finding.severity == Severity::error     ? "error"
                       : finding.severity == Severity::warning ? "warning"
                                                               : "notice";
    out += fmt::format("::{} title={}::{}\n", kind, command_text(finding.title + " (" + finding.id + ")", true),
                       command_text(finding.subject + ": " + description(finding), false));
  }
  if (report.verdict == Verdict::incomplete)
    out += fmt::format("::error title=envdoctor%3A incomplete::{}\n", command_text(report.verdict_why, false));
  return out;
}

std::string render_gitlab(const Report& report, const ReportStyle&) {
  Json list = Json::array();
  for (const Finding& finding : report.findings) {
    if (!finding.root) continue;
    std::string path = "environment";
    std::int64_t line = 1;
    for (const Evidence& evidence : finding.evidence) {
      if (evidence.source.empty()) continue;
      path = evidence.source;
      line = evidence.cell > 0 ? 1 : std::max<std::int64_t>(1, evidence.line);
      break;
    }
    list.push_back({{"description", clean(finding.title + ": " + description(finding))},
                    {"check_name", finding.id},
                    {"fingerprint", fingerprint(finding)},
                    {"severity", finding.severity == Severity::error     ? "critical"
                                 : finding.severity == Severity::warning ? "minor"
                                                                         : "info"},
                    {"location", {{"path", clean(path)}, {"lines", {{"begin", line}}}}}});
  }
  return list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// One line for a scheduler: why this host should get no work. Empty where there is no reason.
std::string render_reason(const Report& report, const ReportStyle&) {
  constexpr std::size_t limit = 200;
  if (report.verdict == Verdict::pass || report.verdict == Verdict::warn) return {};
  const auto root =
      std::ranges::find_if(report.findings, [](const Finding& f) { return f.root && f.severity == Severity::error; });
  if (root == report.findings.end()) return shortened("incomplete: " + clean(report.verdict_why), limit) + "\n";
  return shortened(clean(fmt::format("{} on {}: {}", root->id, root->subject, root->title)), limit) + "\n";
}

}  // namespace envdoctor
