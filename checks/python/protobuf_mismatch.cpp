// python.protobuf-mismatch: a framework's own metadata asks for another protobuf than the installed one, or its import
// says so.
#include "checks/engine/rule.h"
#include "checks/facts/imports.h"
#include "checks/python/package_facts.h"

namespace envdoctor::python_protobuf_mismatch {

using enum SymptomClass;

// What was printed did no harm: the framework was imported, or went on to a device.
bool works(const Facts& facts) { return facts.used() || imports_well(facts.snapshot(), "tensorflow").is(true); }
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
