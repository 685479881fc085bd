#include "checks/engine/diagnosis.h"

#include <algorithm>
#include <stdexcept>

#include "checks/facts/group_members.h"
#include "knowledge/codes/names.h"

namespace envdoctor {

std::vector<const char*> with_unusable_driver(std::vector<const char*> more) {
  for (const char* id : {"driver.unreachable", "opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only",
                         "usage.detected-unused", "usage.wrong-gpu", "visibility.framework-hidden"})
    more.push_back(id);
  return more;
}

Finding& Answers::found(std::string_view id, std::string subject) {
  const Diagnosis* row = find_diagnosis(id);
  if (!row) throw std::logic_error("not in the catalogue: " + std::string(id));
  return findings.emplace_back(Finding{.id = row->id,
                                       .subject = std::move(subject),
                                       .severity = row->severity,
                                       .layer = row->layer,
                                       .title = row->title});
}

void Answers::passed(std::string_view id) { results.push_back({std::string(id), CheckState::passed, {}}); }
void Answers::unknown(std::string_view id, std::string why) {
  results.push_back({std::string(id), CheckState::unknown, std::move(why)});
}
void Answers::not_applicable(std::string_view id, std::string why) {
  results.push_back({std::string(id), CheckState::not_applicable, std::move(why)});
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
  if (diagnosis.judge) diagnosis.judge(facts, answers);
  for (const SymptomRule& rule : diagnosis.symptoms) {
    const auto& all = facts.all(rule.kind);
    const auto found = std::ranges::find_if(all, [&](const Symptom* one) { return applies(rule, facts, *one); });
    if (found == all.end()) continue;
    describe_group(add_finding(answers, **found, diagnosis.id, rule.confidence), facts);
  }
}

Finding& add_finding(Answers& answers, const Symptom& symptom, const char* id, Confidence confidence,
                     std::string subject) {
  Finding& finding = answers.found(id, std::move(subject));
  finding.confidence = confidence;
  const Diagnosis* row = find_diagnosis(id);
  // What usually is only worth knowing has stopped a program here, or slowed it: its own message says so.
  if (finding.id.starts_with("compute.") && finding.severity == Severity::info) finding.severity = Severity::warning;
  finding.explanation = row->claim;
  finding.evidence.push_back(evidence(symptom));
  finding.fix.push_back({.text = row->remedy});
  return finding;
}

Evidence evidence(std::string path, std::string value) { return {.path = std::move(path), .value = std::move(value)}; }

Evidence evidence(const Symptom& symptom, std::string value) {
  Evidence one{.path = "log", .value = std::move(value)};
  if (const auto* source = symptom.source.get()) one.source = *source;
  if (const auto* line = symptom.line.get()) one.line = *line;
  return one;
}

Evidence evidence(const Symptom& symptom) {
  std::string words = symptom.class_.get() && symptom.subject.get()
                          ? *symptom.class_.get() + ' ' + *symptom.subject.get()
                          : std::string("symptom");
  const char* between = ": ";
  const auto add = [&](const std::string& name, const std::string& value) {
    words.append(between).append(name).append(" ").append(value);
    between = ", ";
  };
  if (symptom.code.get()) add("code", *symptom.code.get());
  for (const auto& [name, value] : symptom.details) {
    if (name != "count") add(name, value);
  }
  return evidence(symptom, words);
}

}  // namespace envdoctor
