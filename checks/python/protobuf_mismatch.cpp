// python.protobuf-mismatch: a framework's own metadata requires another protobuf than the installed one, or its import
// says so.
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"

namespace envdoctor::python_protobuf_mismatch {

using enum SymptomClass;

// After the line the text shows a result of the framework.
bool computed_after(const Facts& facts, const Symptom& printed) {
  return std::ranges::any_of(facts.all({noted, "tensorflow-result"}), [&](const Symptom* one) {
    return one->source == printed.source && one->line.or_empty() > printed.line.or_empty();
  });
}

// The message was harmless: the framework was imported, or went on to a device or a result.
bool works(const Facts& facts) {
  const auto& printed = facts.all({mismatch, "protobuf-version"});
  return facts.used() || imports_well(facts.snapshot(), "tensorflow").is(true) ||
         (!printed.empty() && computed_after(facts, *printed.back()));
}
bool fails(const Facts& facts) { return !works(facts); }

void judge(const Facts& facts, Answers& answers) {
  if (const Symptom* printed = facts.first({{mismatch, "protobuf-version"}}); printed && works(facts)) {
    Finding& finding = answers.found_in(*printed, Confidence::likely);
    finding.severity = Severity::info;
    finding.explanation = "The line was printed, and the framework works all the same.";
  }
  judge_requirements(facts, {"protobuf"}, "The framework's generated code can't be loaded with it.", answers);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "python.protobuf-mismatch",
      .layer = Layer::framework,
      .severity = Severity::error,
      .title = "protobuf has a version that the framework can't use",
      .claim = "Generated code in the framework is incompatible with the installed protobuf.",
      .proof = "The import's message names protobuf's descriptors or generated code.",
      .disproof = "The framework imports with this protobuf.",
      .remedy = "Install the protobuf version that the framework asks for.",
      .explains = {"python.broken-install"},
      .symptoms =
          {
              {{mismatch, "protobuf-version"}, certain, fails},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::python_protobuf_mismatch
