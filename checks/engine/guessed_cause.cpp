#include "checks/engine/guessed_cause.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "checks/facts/presence.h"

namespace envdoctor {
namespace {

constexpr std::string_view field = "/resembles";

Finding finding_of(const Diagnosis& diagnosis, const ReadText& text, std::size_t i) {
  Finding finding{.id = diagnosis.id,
                  .severity = Severity::warning,
                  .confidence = Confidence::possible,
                  .layer = diagnosis.layer,
                  .title = diagnosis.title};
  const std::string words = fmt::format("{}", fmt::join(text.resembles.get()->words.or_empty(), ", "));
  finding.explanation = fmt::format(
      "A guess: no line of this text is a known message, and its words are those of reports with this cause ({}). If "
      "that is right: {}",
      words, diagnosis.claim);
  finding.evidence = {evidence(fmt::format("/texts/{}{}", i, field), words)};
  finding.evidence.front().source = text.source.or_empty();
  finding.fix = {{.text = diagnosis.remedy}};
  return finding;
}

}  // namespace

bool is_guessed(const Finding& finding) {
  return finding.evidence.size() == 1 && finding.evidence.front().path.starts_with("/texts/") &&
         finding.evidence.front().path.ends_with(field);
}

void add_guessed_cause(const Snapshot& snapshot, const JudgeOptions& options, const std::vector<CheckResult>& results,
                       std::vector<Finding>& findings) {
  const auto names_a_cause = [](const Finding& finding) { return finding.severity != Severity::info; };
  if (!from_report(snapshot) || std::ranges::any_of(findings, names_a_cause)) return;
  const auto& texts = snapshot.texts.or_empty();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const bool complains = !texts[i].notable.or_empty().empty() || !texts[i].complaints.or_empty().empty();
    const Resembles* resembles = complains ? texts[i].resembles.get() : nullptr;
    const Diagnosis* diagnosis = resembles ? find_diagnosis(resembles->cause.or_empty()) : nullptr;
    if (!diagnosis || !is_wanted(options.only, options.skip, diagnosis->id)) continue;
    const bool excluded = std::ranges::any_of(results, [&](const CheckResult& result) {
      return result.id == diagnosis->id && result.state == CheckState::passed;
    });
    if (excluded) continue;
    findings.push_back(finding_of(*diagnosis, texts[i], i));
    return;
  }
}

}  // namespace envdoctor
