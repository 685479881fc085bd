// usage.op-has-no-gpu-kernel: an operation that was placed on the GPU runs elsewhere.
#include "checks/engine/rule.h"
#include "checks/facts/tensorflow_gpus.h"

namespace envdoctor::usage_op_has_no_gpu_kernel {

using enum SymptomClass;

// A product of 32-bit floats has a kernel everywhere: one that doesn't stay on its device was moved for another
// reason, which also applies to other operations.
void judge(const Facts& facts, Answers& answers) {
  const Tensorflow* tensorflow = tensorflow_with_gpus(facts.snapshot(), answers);
  if (!tensorflow) return;
  const Text& placed = tensorflow->placement_under_gpu;
  if (!placed.get() && placed.outcome() != Outcome::failed)
    return answers.unknown(why_unknown("/tensorflow/placement_under_gpu", placed));
  if (placed.get() && placed.get()->find("GPU") != std::string::npos) return answers.passed();
  Finding& finding = answers.found_on("framework:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "A matrix product that was placed on GPU:0 " +
      (placed.get() ? "was moved to " + *placed.get() + " by soft placement." : "failed: " + placed.why() + ".");
  finding.evidence = {evidence("/tensorflow/placement_under_gpu", placed.value_or(placed.why()))};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

// The operations of cuDNN have kernels for GPUs alone: that none is found says that no GPU was, or no CUDA was built
// in.
bool of_any_device(const Facts& facts) { return !facts.with({missing, "gpu-kernel-for-operation"}, "op", "Cudnn"); }

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.op-has-no-gpu-kernel",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "An operation has no GPU kernel",
      .claim = "The framework implements this operation, or this data type of it, for the CPU only.",
      .proof = "The framework names the operation that has no kernel for the GPU.",
      .disproof = "The operation is placed on the GPU.",
      .remedy = "Allow soft placement, or use an operation or data type that the GPU has.",
      .symptoms =
          {
              helped_by("cpu-for-operations"),
              {{missing, "gpu-kernel-for-operation"}, likely, of_any_device},
              {{noted, "operation-left-on-cpu"}, possible},
              {{unsupported, "half-precision-on-cpu"}, possible, when::half_precision_failed_on_gpu},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_op_has_no_gpu_kernel
