// runtime.engine-mismatch: a TensorRT engine was built on another GPU or by another version.
#include "checks/engine/rule.h"

namespace envdoctor::runtime_engine_mismatch {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{mismatch, "tensorrt-engine"}});
  if (!line) return answers.not_applicable("no text was read that speaks of a TensorRT engine");
  // A model was named where an engine is read: no engine was refused.
  if (facts.saw({{noted, "onnx-as-engine"}})) return answers.not_applicable("the file is a model, no engine");
  Finding& finding = answers.found_in(*line, Confidence::likely);
  if (const std::string needs = line->detail("needs"), found = line->detail("found");
      !needs.empty() && !found.empty()) {
    finding.confidence = Confidence::certain;
    finding.explanation = fmt::format("The engine's file and this system differ: {} against {}.", needs, found);
  }
}

Diagnosis diagnosis() {
  return {
      .id = "runtime.engine-mismatch",
      .layer = Layer::runtime,
      .severity = Severity::error,
      .title = "The TensorRT engine was built for another GPU or version",
      .claim = "A serialized engine runs only on the kind of GPU and the version of TensorRT that built it.",
      .proof = "TensorRT refuses the engine's version or device when it reads it.",
      .disproof = "The engine runs where it was built, and is read here by the same version on the same kind of GPU.",
      .remedy =
          "Build the engine again from the model (trtexec --onnx=…) on this GPU with the TensorRT that reads it, and "
          "delete caches of engines that programs keep.",
      .explains = {"runtime.arch-unsupported", "usage.program-fault"},
      .judge = judge,
  };
}

}  // namespace envdoctor::runtime_engine_mismatch
