#include "checks/engine/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "checks/facts/group_members.h"
#include "evidence/lines.h"
#include "knowledge/codes/names.h"

namespace envdoctor {

std::vector<const char*> with_unusable_driver(std::vector<const char*> more) {
  for (const char* id : {"driver.unreachable", "opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only",
                         "usage.detected-unused", "usage.wrong-gpu", "visibility.framework-hidden"})
    more.push_back(id);
  return more;
}

Finding& Answers::found(std::string_view of, std::string subject) {
  const Diagnosis* row = find_diagnosis(of);
  if (!row) throw std::logic_error("not in the catalogue: " + std::string(of));
  return findings.emplace_back(Finding{.id = row->id,
                                       .subject = std::move(subject),
                                       .severity = row->severity,
                                       .layer = row->layer,
                                       .title = row->title});
}

Finding& Answers::found_in(const Symptom& symptom, Confidence confidence, std::string subject) {
  return add_finding(*this, symptom, id, confidence, std::move(subject));
}

void Answers::unknown(std::string_view of, std::string why) {
  results.push_back({std::string(of), CheckState::unknown, std::move(why)});
}

void Answers::not_applicable(std::string_view of, std::string why) {
  results.push_back({std::string(of), CheckState::not_applicable, std::move(why)});
}

namespace {

bool applies(const SymptomRule& rule, const Facts& facts, const Symptom& symptom) {
  if (rule.detail) {
    const std::string detail = symptom.detail(rule.detail);
    const bool code = std::string_view(rule.detail) == "code";
    if (!(code ? knowledge::cuda_error_name(detail) == rule.value : detail.starts_with(rule.value))) return false;
  }
  return !rule.when || rule.when(facts);
}

}  // namespace

void answer(const Diagnosis& diagnosis, const Facts& facts, Answers& answers) {
  answers.id = diagnosis.id;
  if (const std::string why = diagnosis.not_here ? diagnosis.not_here(facts) : ""; !why.empty()) {
    answers.not_applicable(why);
  } else {
    if (diagnosis.judge_host) diagnosis.judge_host(facts, answers);
    if (diagnosis.judge) diagnosis.judge(facts, answers);
  }
  for (const SymptomRule& rule : diagnosis.symptoms) {
    const auto& all = facts.all(rule.kind);
    const auto found = std::ranges::find_if(all, [&](const Symptom* one) { return applies(rule, facts, *one); });
    if (found != all.end()) describe_group(answers.found_in(**found, rule.confidence), facts);
  }
  if (diagnosis.complete) diagnosis.complete(facts, answers);
}

Finding& add_finding(Answers& answers, const Symptom& symptom, const char* id, Confidence confidence,
                     std::string subject) {
  Finding& finding = answers.found(id, std::move(subject));
  finding.confidence = confidence;
  const Diagnosis* row = find_diagnosis(id);
  // A problem that is usually only information has stopped or slowed a program here, by its own message.
  const bool helped = symptom.is({SymptomClass::noted, "helping-change"});
  const bool costs = helped || finding.id.starts_with("compute.") || finding.id == "runtime.jit-slow";
  if (costs && finding.severity == Severity::info) finding.severity = Severity::warning;
  finding.explanation = row->claim;
  if (helped)
    finding.explanation =
        "Without the change on the line shown, the same command failed, was clearly slower or less exact. " +
        finding.explanation;
  finding.evidence.push_back(evidence(symptom));
  finding.fix.push_back({.text = row->remedy});
  return finding;
}

Evidence evidence(std::string path, std::string value) { return {.path = std::move(path), .value = std::move(value)}; }

Evidence evidence(const Symptom& symptom, std::string value) {
  return {"log", std::move(value), symptom.source.or_empty(), symptom.line.or_empty(),
          std::atoll(symptom.detail("cell").c_str())};
}

Evidence evidence(const Symptom& symptom) {
  constexpr std::size_t longest_line = 200;
  if (const std::string line = symptom.text.or_empty(); !line.empty())
    return evidence(symptom, shortened(line, longest_line));
  std::vector<std::string> words;
  if (symptom.code.get()) words.push_back("code " + *symptom.code.get());
  for (const auto& [name, value] : symptom.details) {
    if (name != "count") words.push_back(name + " " + value);
  }
  const std::string what =
      symptom.class_.get() && symptom.subject.get() ? *symptom.class_.get() + ' ' + *symptom.subject.get() : "symptom";
  return evidence(symptom, fmt::format("{}{}{}", what, words.empty() ? "" : ": ", fmt::join(words, ", ")));
}

}  // namespace envdoctor
