// usage.device-config-too-late: TensorFlow refuses to be configured although nothing of ours has used it yet.
#include "checks/check.h"
#include "checks/facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "usage.device-config-too-late";

void run(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow) return answers.not_applicable(id, "TensorFlow was not looked at");
  if (tensorflow->physical_gpus.is(0)) return answers.not_applicable(id, "TensorFlow lists no GPU to be configured");
  const Flag& growth = tensorflow->memory_growth;
  if (growth.get()) return answers.sound(id);
  if (growth.outcome() != Outcome::failed || growth.why().find("initialized") == std::string::npos)
    return answers.unknown(id, why_unknown("/tensorflow/memory_growth", growth));
  Finding& finding = answers.found(id, "framework:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "Right after the import TensorFlow refuses a change of memory growth: its devices have been started already, by "
      "something that Python loads at its start (sitecustomize, a .pth file) or that the import brings along. "
      "set_visible_devices and memory limits are refused in the same way.";
  finding.evidence = {seen("/tensorflow/memory_growth", growth.why())};
  finding.fix = {{.text = "Set TF_FORCE_GPU_ALLOW_GROWTH and CUDA_VISIBLE_DEVICES in the shell instead, or remove what "
                          "starts TensorFlow at Python's start."}};
}

}  // namespace

Check usage_device_config_too_late() { return {{id}, run}; }

}  // namespace envdoctor
