// compute.tf32: products in a narrower arithmetic than their type says.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_tf32 {

const char* title_of(std::optional<WrongResult> cause, bool fp64) {
  using enum WrongResult;
  if (cause == bf16_inputs) return "Float32 products are computed with bf16 inputs";
  if (cause == fp16_inputs) return "Float32 products are computed with fp16 inputs";
  if (cause == narrow_inputs) return "Float32 products are computed with inputs of 11 bits";
  if (cause == fp32_inputs) return "Double precision products are computed with float32 inputs";
  if (cause == fp16_accumulator) return "Sums of products are kept in fp16";
  if (cause == narrow_accumulator) return "Sums of products are kept in fewer bits than their type has";
  if (cause == truncating_accumulator) return "Sums of products are truncated instead of rounded";
  return fp64 ? "Double precision products are computed in TF32" : "Float32 products are computed in TF32";
}

// A library may choose TF32. Our own kernels use plain arithmetic, so there it is a fault of the device.
void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  const bool chosen = std::ranges::all_of(rows, &compute::Row::by_framework);
  const bool outside = std::ranges::any_of(rows, &compute::Row::outside);
  const compute::Row& first = rows.front();
  finding.title = title_of(first.cause, first.result->precision.is("fp64"));
  finding.severity = chosen ? Severity::info : outside ? Severity::error : Severity::warning;
  if (!first.agreement->confirmed_by.get()) finding.confidence = Confidence::likely;
  finding.explanation =
      fmt::format("The differences {} are those of this arithmetic and of no other.", compute::in_problems(rows));
  if (chosen) {
    finding.fix = {
        {.text = "If full float32 precision is needed: NVIDIA_TF32_OVERRIDE=0 switches TF32 off for every library; in "
                 "PyTorch torch.backends.cuda.matmul.allow_tf32 and torch.backends.cudnn.allow_tf32, in TensorFlow "
                 "tf.config.experimental.enable_tensor_float_32_execution(False), in JAX "
                 "jax_default_matmul_precision."}};
  } else {
    finding.explanation +=
        " Plain kernels do not ask for it: the driver computes with less precision than it promises.";
    finding.fix = {{.text =
                        "Remove options and layers that change how kernels are built (OPENCL_LAYERS, build options); "
                        "else update the driver."}};
  }
}

// The user reports wrong or imprecise results, and mentions TF32.
void judge_complaint(const Facts& facts, Answers& answers) {
  const Symptom* switch_named = facts.first({{SymptomClass::noted, "tf32"}});
  const Symptom* complaint = facts.first(
      {{SymptomClass::wrong_result, "precision-complaint"}, {SymptomClass::wrong_result, "results-of-cpu-and-gpu"}});
  if (!switch_named || !complaint) return;
  Finding& finding = answers.found_in(*complaint, Confidence::possible);
  finding.evidence.push_back(evidence(*switch_named));
}

void judge(const Facts& facts, Answers& answers) {
  judge_complaint(facts, answers);
  compute::judge(
      facts.snapshot(), answers, [](const compute::Row& row) { return compute::is_narrow(row.cause); }, describe);
  compute::add_printed(facts, answers, WrongResult::tf32_inputs);
}

Diagnosis diagnosis() {
  return {
      .id = "compute.tf32",
      .layer = Layer::compute,
      .severity = Severity::info,
      .title = "Float32 products are computed in TF32",
      .claim = "Matrix products keep 10 bits of mantissa, so they differ from float32 by about one part in a thousand.",
      .proof =
          "Products differ by about one part in a thousand, the GPU has TF32 (8.0 or newer), and the build switches it "
          "on.",
      .disproof = "The difference stays with TF32 switched off.",
      .remedy = "Switch TF32 off where full float32 precision is needed.",
      .explains = {"compute.wrong-results"},
      .symptoms = {helped_by("tf32-off")},
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_tf32
