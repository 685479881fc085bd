// usage.device-config-too-late: TensorFlow refuses to be configured although our query has not used it yet.
#include "checks/engine/rule.h"

namespace envdoctor::usage_device_config_too_late {

using enum SymptomClass;

void judge(const Facts& facts, Answers& answers) {
  const Tensorflow* tensorflow = facts.snapshot().tensorflow.get();
  if (!tensorflow) return answers.not_applicable("TensorFlow was not looked at");
  if (tensorflow->physical_gpus.is(0)) return answers.not_applicable("TensorFlow lists no GPU to be configured");
  const Flag& growth = tensorflow->memory_growth;
  if (growth.get()) return answers.passed();
  if (growth.outcome() != Outcome::failed || growth.why().find("initialized") == std::string::npos)
    return answers.unknown(why_unknown("/tensorflow/memory_growth", growth));
  Finding& finding = answers.found_on("framework:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "Right after the import TensorFlow refuses a change of memory growth: its devices have been started already, by "
      "something that Python loads at its start (sitecustomize, a .pth file) or that the import brings along. "
      "set_visible_devices and memory limits are refused in the same way.";
  finding.evidence = {evidence("/tensorflow/memory_growth", growth.why())};
  finding.fix = {{.text = "Set TF_FORCE_GPU_ALLOW_GROWTH and CUDA_VISIBLE_DEVICES in the shell instead, or remove what "
                          "starts TensorFlow at Python's start."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.device-config-too-late",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "Devices are configured after the framework has started them",
      .claim = "The call must come before the first operation; here it comes after.",
      .proof = "The framework refuses the configuration because devices are initialised.",
      .disproof = "The call stands before anything that uses a device.",
      .remedy = "Move the configuration to the start of the program.",
      .symptoms =
          {
              {{refused, "device-configuration"}, certain},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_device_config_too_late
