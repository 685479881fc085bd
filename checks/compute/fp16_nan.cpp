// compute.fp16-nan: values leave half precision's range, which ends at 65504, or the GPU is of the GeForce GTX 16
// series, which gives NaN in half precision in common libraries.
#include "checks/engine/rule.h"

namespace envdoctor::compute_fp16_nan {

using enum SymptomClass;

bool of_the_series(std::string_view name) {
  for (const char* model : {"GTX 1630", "GTX 1650", "GTX 1660", "GTX 16xx"}) {
    if (name.find(model) != std::string_view::npos) return true;
  }
  return false;
}

std::optional<Evidence> card(const Facts& facts) {
  const Snapshot& snapshot = facts;
  for (const auto& [i, device] : numbered(of(snapshot.nvidia, &Nvidia::devices))) {
    if (of_the_series(device.name.or_empty())) return evidence(at("/nvidia/devices", i, "name"), *device.name.get());
  }
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if (of_the_series(gpu.name) || gpu.chip == "TU116" || gpu.chip == "TU117")
      return evidence(gpu.in_pci("device_id"), gpu.device_id);
  }
  if (const Symptom* line = facts.first({{noted, "gpu-of-gtx-16"}})) return evidence(*line);
  return {};
}

// The loss scale that keeps gradients of half precision finite is halved whenever they overflow: once it is this
// small, they overflow at any scale.
bool judge_loss_scale(const Facts& facts, Answers& answers) {
  constexpr double hopeless = 1e-6;
  constexpr double low = 128;  // apex, DeepSpeed and torch start at 65536 or higher
  constexpr int often = 8;
  int lowered = 0;
  double before = 0;
  for (const Symptom* line : facts.all({noted, "loss-scale"})) {
    const std::string value = line->detail("value");
    const double scale = value.empty() ? 1 : std::atof(value.c_str());
    lowered = scale < before ? lowered + 1 : 0;
    before = scale;
    const bool falls = !value.empty() && lowered >= often && scale <= low;
    const bool at_its_end = !line->detail("minimum").empty() || scale < hopeless;
    if (!at_its_end && !falls) continue;
    Finding& finding = answers.found_in(*line, at_its_end ? Confidence::likely : Confidence::possible);
    finding.title = at_its_end ? "Half precision gives infinity or NaN at every loss scale"
                               : "Gradients overflow in half precision step after step";
    finding.explanation =
        "The loss scale was lowered again and again and the gradients still overflow: some value is infinite or "
        "not-a-number in half precision before any scaling.";
    finding.fix = {{.text =
                        "Find the layer whose values overflow (torch.autograd.set_detect_anomaly) and compute it in "
                        "single precision, or train in bfloat16; look at the data and the learning rate, too."}};
    return true;
  }
  return false;
}

struct Blame {
  const char *title, *explanation, *fix;
};
constexpr Blame of_picture = {"Half precision gives NaN in this model",
                              "The picture holds values that are not numbers, and the model calculates in half "
                              "precision: some value is too large "
                              "for it.",
                              "Calculate the part that overflows (often the VAE) in single precision or in bfloat16, "
                              "and compare; a model that was "
                              "trained in bfloat16 may not fit float16 at all."};
constexpr Blame of_value = {
    "Half precision gives infinity or NaN",
    "The program computes in half precision, whose largest number is 65504: a loss, gradient or activation beyond it "
    "is "
    "infinite, and the next step makes it not-a-number.",
    "Run once in single precision. If that stays finite, train in bfloat16, or scale the loss (torch.amp.GradScaler, "
    "tf.keras.mixed_precision.LossScaleOptimizer) and clip gradients."};

// The text mentions half precision and a value that became NaN.
void blame_half_precision(const Symptom& line, const Symptom& half, Answers& answers) {
  const Blame& blame = line.is({wrong_result, "nan-in-picture"}) ? of_picture : of_value;
  Finding& finding = answers.found_in(line, Confidence::possible);
  finding.evidence.push_back(evidence(half));
  finding.title = blame.title;
  finding.explanation = blame.explanation;
  finding.fix = {{.text = blame.fix}};
}

void judge(const Facts& facts, Answers& answers) {
  if (judge_loss_scale(facts, answers)) return;
  const auto gpu = card(facts);
  const Symptom* half = gpu ? nullptr : facts.first({{noted, "half-precision"}});
  if (const Symptom* picture = facts.first({{wrong_result, "nan-in-picture"}}); picture && half)
    return blame_half_precision(*picture, *half, answers);
  if (const Symptom* tensor = facts.first({{noted, "nan-in-half-tensor"}})) {
    answers.found_in(*tensor, Confidence::possible);
    return;
  }
  if (const Symptom* tensor = facts.first({{noted, "nan-in-tensor"}}); tensor && half)
    return blame_half_precision(*tensor, *half, answers);
  if (const Symptom* differ = facts.first({{noted, "values-differ"}}); differ && half && differ->detail("by") == "nan")
    return blame_half_precision(*differ, *half, answers);
  const Symptom* line = facts.first({{wrong_result, "nan"},
                                     {failed, "half-precision-check"},
                                     {wrong_result, "nan-loss"},
                                     {wrong_result, "nan-detected"}});
  if (!line) line = facts.first({{wrong_result, "nan-output"}, {wrong_result, "blank-image"}});
  if (!line && gpu && facts.saw({{noted, "half-precision"}})) line = facts.first({{noted, "printed-nan"}});
  if (!line) return answers.not_applicable("nothing became not-a-number");
  if (!gpu && !line->detail("advice").empty()) {  // the program itself blames half precision
    answers.found_in(*line, Confidence::possible);
    return;
  }
  if (half) return blame_half_precision(*line, *half, answers);
  if (!gpu) return answers.not_applicable("neither half precision nor a GPU of the GTX 16 series is known here");
  Finding& finding =
      answers.found_in(*line, line->is({wrong_result, "nan-loss"}) ? Confidence::possible : Confidence::likely);
  finding.severity = Severity::error;
  finding.evidence.push_back(*gpu);
}

Diagnosis diagnosis() {
  return {
      .id = "compute.fp16-nan",
      .layer = Layer::compute,
      .severity = Severity::error,
      .title = "Half precision gives NaN on this GPU",
      .claim =
          "Cards of the GeForce GTX 16 series have no tensor cores, and half-precision convolutions of common "
          "libraries give not-a-number on them: black pictures, losses that are NaN.",
      .proof = "The GPU is of the GTX 16 series, and a program finds NaN in half precision.",
      .disproof = "The same program gives NaN in single precision, too.",
      .remedy =
          "Calculate in single precision (--no-half, --precision full, amp=False), or only the parts that fail "
          "(--no-half-vae); torch.backends.cudnn.benchmark=True chooses other kernels and helps on some.",
      .explains = {"compute.unstable", "compute.wrong-results"},
      .symptoms = {helped_by("single-precision")},
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_fp16_nan
