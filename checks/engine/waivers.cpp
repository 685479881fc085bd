// Findings that the user accepts until a given day.
#include <fmt/format.h>

#include <algorithm>

#include "checks/engine/report.h"
#include "checks/engine/verdict.h"
#include "checks/facts/facts.h"

namespace envdoctor {
namespace {

Finding expired(const Waiver& waiver, const std::string& day) {
  Answers answers;
  Finding finding = answers.found("expect.waiver-expired");
  finding.explanation =
      day.empty() ? fmt::format("The waiver of {} ({}) ends on {}, but the capture time of this evidence is unknown.",
                                waiver.id, waiver.place, waiver.last_day)
                  : fmt::format("The waiver of {} ({}) ended on {}; this evidence was captured on {}.", waiver.id,
                                waiver.place, waiver.last_day, day);
  if (day.empty()) {
    finding.title = "Could not determine whether a waiver has expired";
    finding.confidence = Confidence::possible;
  }
  finding.evidence.push_back(evidence("/captured/at", day.empty() ? "unknown" : day));
  finding.fix.push_back({"Fix what was waived (" + waiver.reason + "), or give the waiver a later last day.", {}});
  return finding;
}

}  // namespace

std::string captured_day(const Snapshot& snapshot) {
  std::string day = of(snapshot.captured, &Captured::at).or_empty().substr(0, 10);
  std::string form = day;
  std::ranges::replace_if(
      form, [](char c) { return c >= '0' && c <= '9'; }, 'd');
  return form == "dddd-dd-dd" ? day : "";
}

void apply_waivers(Report& report) {
  const std::string day = captured_day(report.snapshot);
  std::vector<Finding> over;
  for (const Waiver& waiver : report.options.expectations.waivers) {
    if (day.empty() || day > waiver.last_day) {
      Finding finding = expired(waiver, day);
      const auto same = std::ranges::find(over, finding.id, &Finding::id);
      if (same == over.end()) {
        over.push_back(std::move(finding));
      } else {
        same->explanation += " " + finding.explanation;
        same->fix.push_back(finding.fix.front());
      }
      continue;
    }
    const auto borne = [&](const Finding& finding) {
      return finding.id == waiver.id && (waiver.subject.empty() || waiver.subject == finding.subject);
    };
    for (const Finding& finding : report.findings) {
      if (borne(finding)) report.waived.push_back({finding, waiver});
    }
    std::erase_if(report.findings, borne);
  }
  report.findings.insert(report.findings.end(), over.begin(), over.end());
}

}  // namespace envdoctor
