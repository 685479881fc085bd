// The caller's expectations of this host: every one that isn't met, or that couldn't be checked, is a finding.
#include <fmt/format.h>

#include <algorithm>

#include "checks/engine/verdict.h"

namespace envdoctor {

std::int64_t expected_gpus(const JudgeOptions& options) {
  std::int64_t count = -1;
  for (const Expectation& wanted : options.expectations.wanted) {
    if (wanted.key == "gpus") count = std::stoll(wanted.value);
  }
  return count;
}

void judge_expectations(Report& report) {
  const auto& options = report.options;
  for (const Expectation& wanted : options.expectations.wanted) {
    const ExpectKey* key = expect_key(wanted.key);
    if (!is_wanted({}, options.skip, key->id)) continue;
    Judged judged = key->judge(report, wanted);
    report.expected.push_back({wanted, judged.met, judged.explanation});
    if (judged.met == Met::yes) continue;
    Answers answers;
    Finding& finding = answers.found(key->id);
    if (judged.met == Met::unknown) {
      finding.title = fmt::format("Could not check whether {} is {}", wanted.key, wanted.value);
      finding.confidence = Confidence::possible;
    }
    finding.explanation = judged.explanation;
    if (judged.met == Met::unknown) finding.explanation += " What could not be checked counts as not met.";
    finding.evidence = std::move(judged.evidence);
    finding.fix.push_back({find_diagnosis(key->id)->remedy, {}});
    // Several failed expectations with one id are reported as one finding.
    const auto same = std::ranges::find(report.findings, finding.id, &Finding::id);
    if (same == report.findings.end()) {
      report.findings.push_back(std::move(finding));
    } else {
      same->explanation += " " + finding.explanation;
      if (same->confidence < finding.confidence) same->title = finding.title;
      same->confidence = std::max(same->confidence, finding.confidence);
      same->evidence.insert(same->evidence.end(), finding.evidence.begin(), finding.evidence.end());
    }
  }
}

}  // namespace envdoctor
