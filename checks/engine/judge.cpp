#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>

#include "checks/engine/causality.h"
#include "checks/engine/diagnosis.h"
#include "checks/engine/guessed_cause.h"
#include "checks/engine/report.h"
#include "checks/engine/stacks.h"
#include "checks/engine/verdict.h"
#include "checks/facts/gpus.h"
#include "checks/facts/history.h"
#include "evidence/plausible.h"

namespace envdoctor {
namespace {

bool named(const std::vector<std::string>& names, const std::string& id) {
  return std::ranges::any_of(names, [&](const std::string& name) {
    return name == id || (name.find('.') == name.npos && id.starts_with(name + "."));
  });
}

// Each line of a log is shown once, even if it is a symptom of several things.
void keep_once(std::vector<Evidence>& all) {
  std::set<Evidence> seen;
  std::set<std::pair<std::string, std::int64_t>> lines;
  std::erase_if(all, [&](const Evidence& evidence) {
    if (evidence.line > 0 && !lines.emplace(evidence.source, evidence.line).second) return true;
    return !seen.insert(evidence).second;
  });
}

// Moves the evidence of `from` to `into`.
void absorb(Finding& into, Finding& from) {
  std::ranges::move(from.evidence, std::back_inserter(into.evidence));
  into.severity = std::max(into.severity, from.severity);
  into.confidence = std::max(into.confidence, from.confidence);
}

// A message says what is wrong but seldom with what: if a check found it for one subject, the message belongs to that.
void merge_messages(std::vector<Finding>& findings) {
  const auto by_messages = [](const Finding& f) {
    return f.subject == "host" && !f.evidence.empty() &&
           std::ranges::all_of(f.evidence, [](const Evidence& e) { return e.path == "log"; });
  };
  for (auto one = findings.begin(); one != findings.end();) {
    const auto other = std::ranges::find_if(findings, [&](const Finding& f) {
      return f.id == one->id && f.subject != "host" && !f.evidence.empty() && f.evidence.front().path != "log";
    });
    if (!by_messages(*one) || other == findings.end()) {
      ++one;
      continue;
    }
    absorb(*other, *one);
    one = findings.erase(one);
  }
}

// Merges findings of the same id and subject: keeps the one with the highest confidence, and the evidence of all.
std::vector<Finding> merge_equal(std::vector<Finding> findings) {
  std::vector<Finding> merged;
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::confidence);
  for (Finding& finding : findings) {
    const auto same = std::ranges::find_if(
        merged, [&](const Finding& f) { return f.id == finding.id && f.subject == finding.subject; });
    if (same == merged.end())
      merged.push_back(std::move(finding));
    else
      absorb(*same, finding);
  }
  merge_messages(merged);
  for (Finding& finding : merged) keep_once(finding.evidence);
  return merged;
}

// Limits the findings of one diagnosis, because nobody reads more; the last one says how many are left out.
constexpr std::size_t most_findings = 256;

void cut(std::vector<Finding>& findings, std::size_t begin) {
  if (findings.size() - begin <= most_findings) return;
  const std::size_t more = findings.size() - begin - most_findings;
  findings.resize(begin + most_findings);
  findings.back().explanation += fmt::format(" {} more of these are not shown.", more);
}

// The state of each id that takes precedence.
std::vector<CheckResult> states(const std::vector<CheckResult>& results, const std::vector<Finding>& findings) {
  std::map<std::string, CheckResult> by_id;
  for (const CheckResult& result : results) {
    CheckResult& known = by_id.try_emplace(result.id, result).first->second;
    if (result.state > known.state) known = result;
  }
  for (const Finding& finding : findings) by_id[finding.id] = {finding.id, CheckState::failed, {}};
  std::vector<CheckResult> all;
  for (auto& [id, result] : by_id) all.push_back(std::move(result));
  return all;
}

void add_sources(std::vector<Finding>& findings, const Snapshot& snapshot) {
  for (Finding& finding : findings) {
    for (Evidence& one : finding.evidence) add_source(one, snapshot);
  }
}

// Checks put "On the host: " before a fix for the host; without it the sentence must begin with a capital.
void begin_with_capitals(std::vector<Fix>& fixes) {
  for (Fix& fix : fixes) {
    if (!fix.text.empty()) fix.text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(fix.text[0])));
  }
}

// A subject with its numbers filled up with zeros, so that line 9 comes before line 10.
std::string in_order(const std::string& subject) {
  constexpr std::size_t digits = 9;
  std::string filled;
  for (std::size_t at = 0; at < subject.size();) {
    const std::size_t end = std::min(subject.find_first_not_of("0123456789", at), subject.size());
    if (end > at && end - at < digits) filled.append(digits - (end - at), '0');
    filled += subject.substr(at, std::max<std::size_t>(end - at, 1));
    at = std::max(end, at + 1);
  }
  return filled;
}

void order(std::vector<Finding>& findings) {
  std::ranges::sort(findings, [](const Finding& a, const Finding& b) {
    return std::tuple(!a.root, b.severity, b.confidence, a.layer, std::string_view(a.id), in_order(a.subject)) <
           std::tuple(!b.root, a.severity, a.confidence, b.layer, std::string_view(b.id), in_order(b.subject));
  });
}

}  // namespace

void add_source(Evidence& evidence, const Snapshot& snapshot) {
  const auto& sources = snapshot.sources.or_empty();
  if (!evidence.source.empty() || !evidence.path.starts_with('/')) return;
  std::string place = evidence.path;
  while (!place.empty() && !sources.contains(place)) place.resize(place.rfind('/'));
  const auto found = sources.find(place);
  if (found == sources.end()) return;
  if (const auto* source = found->second.source.get()) evidence.source = *source;
  if (const auto* line = found->second.line.get()) evidence.line = *line;
}

bool is_wanted(const std::vector<std::string>& only, const std::vector<std::string>& skip, const std::string& id) {
  return (only.empty() || named(only, id)) && !named(skip, id);
}

Report judge(const Snapshot& given, const JudgeOptions& options) {
  Report report{.options = options, .snapshot = given};
  doubt_impossible(report.snapshot);
  const Snapshot& snapshot = report.snapshot;
  Answers answers;
  const auto today = without_history(snapshot);
  const Facts facts(today ? *today : snapshot);
  for (const Diagnosis& diagnosis : roster()) {
    const std::size_t begin = answers.findings.size();
    answer(diagnosis, facts, answers);
    cut(answers.findings, begin);
  }

  const bool by_frameworks = std::ranges::any_of(
      snapshot.compute.or_empty(), [](const ComputeResult& result) { return result.backend.is("framework"); });
  const auto unwanted = [&](const auto& row) {
    const bool of_use = row.id == "usage.cpu-faster" || row.id == "usage.rnn-generic-kernel";
    const bool of_device = row.id.starts_with("compute.") || row.id == "hardware.ecc" || (by_frameworks && of_use);
    return !is_wanted(options.only, options.skip, row.id) || (options.of_devices && !of_device) ||
           (options.of_model && row.id != "compute.layer-differs");
  };
  std::erase_if(answers.findings, unwanted);
  std::erase_if(answers.results, unwanted);
  report.findings = merge_equal(std::move(answers.findings));
  for (Finding& finding : report.findings) begin_with_capitals(finding.fix);
  add_sources(report.findings, snapshot);
  // A host that should have no GPU isn't blamed for having none.
  if (expected_gpus(options) == 0)
    std::erase_if(report.findings, [](const Finding& f) { return f.id == "hardware.no-gpu"; });

  add_guessed_cause(snapshot, options, answers.results, report.findings);

  const auto gpus = gpus_of(snapshot);
  report.stacks = build_stacks(snapshot, gpus, report.findings);
  downgrade_severity(report.findings, report.stacks, gpus, snapshot);
  judge_expectations(report);
  report.checks = states(answers.results, report.findings);
  apply_waivers(report);
  find_roots(report.findings);
  order(report.findings);
  options.of_model     ? reach_verdict_of_model(report)
  : options.of_devices ? reach_verdict_of_devices(report)
                       : reach_verdict(report);
  describe_undetermined(report);
  return report;
}

}  // namespace envdoctor
