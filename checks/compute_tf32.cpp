// compute.tf32: products in a narrower arithmetic than their type says.
#include <fmt/format.h>

#include <algorithm>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "compute.tf32";

const char* title_of(const std::string& cause, const std::string& precision) {
  if (cause == "bf16-inputs") return "Float32 products are computed with bf16 inputs";
  if (cause == "fp16-inputs") return "Float32 products are computed with fp16 inputs";
  if (cause == "narrow-inputs") return "Float32 products are computed with inputs of 11 bits";
  if (cause == "fp32-inputs") return "Double precision products are computed with float32 inputs";
  if (cause == "fp16-accumulator") return "Sums of products are kept in fp16";
  if (cause == "narrow-accumulator") return "Sums of products are kept in fewer bits than their type has";
  if (cause == "truncating-accumulator") return "Sums of products are truncated instead of rounded";
  return precision == "fp64" ? "Double precision products are computed in TF32"
                             : "Float32 products are computed in TF32";
}

// A library may choose TF32; our own kernels are plain arithmetic, so that there it is a fault of the device.
void tell(Finding& finding, const std::vector<compute::Row>& rows) {
  const bool chosen = std::ranges::all_of(rows, &compute::Row::by_framework);
  const bool outside = std::ranges::any_of(rows, &compute::Row::outside);
  const compute::Row& first = rows.front();
  finding.title = title_of(first.cause, first.result->precision.get() ? *first.result->precision.get() : "");
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
    finding.explanation += " Plain kernels ask for no such thing: the driver gives less than it promises.";
    finding.fix = {{.text =
                        "Remove options and layers that change how kernels are built (OPENCL_LAYERS, build options); "
                        "else update the driver."}};
  }
}

void run(const Snapshot& snapshot, Answers& answers) {
  compute::judge(
      snapshot, answers, id, [](const compute::Row& row) { return compute::is_narrow(row.cause); }, tell);
}

}  // namespace

Check compute_tf32() { return {{id}, run}; }

}  // namespace envdoctor
