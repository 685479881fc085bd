// usage.detected-unused, usage.op-has-no-gpu-kernel, visibility.framework-hidden: what TensorFlow lists, and where the
// work that it was given really ran.
#include "checks/check.h"
#include "checks/facts.h"

namespace envdoctor {
namespace {

constexpr const char* unused_id = "usage.detected-unused";
constexpr const char* kernel_id = "usage.op-has-no-gpu-kernel";
constexpr const char* hidden_id = "visibility.framework-hidden";
constexpr const char* all_ids[] = {unused_id, kernel_id, hidden_id};

bool on_cpu(const Text& place) { return place.get() && place.get()->find("GPU") == std::string::npos; }
bool on_gpu(const Text& place) { return place.get() && place.get()->find("GPU") != std::string::npos; }

void judge_hidden(const Tensorflow& tensorflow, std::int64_t physical, Answers& answers) {
  const Number& visible = tensorflow.visible_gpus;
  if (!visible.get()) return answers.unknown(hidden_id, why_unknown("/tensorflow/visible_gpus", visible));
  if (*visible.get() > 0) return answers.sound(hidden_id);
  Finding& finding = answers.found(hidden_id, "framework:tensorflow");
  finding.confidence = Confidence::certain;
  finding.explanation = "TensorFlow finds " + std::to_string(physical) +
                        " GPUs and is told to use none, before any program of yours has run: something that Python "
                        "loads at its start (sitecustomize, a .pth file) calls set_visible_devices.";
  finding.evidence = {seen("/tensorflow/physical_gpus", std::to_string(physical)),
                      seen("/tensorflow/visible_gpus", "0")};
  finding.fix = {{.text = diagnosis(hidden_id)->remedy}};
}

void judge_unused(const Tensorflow& tensorflow, Answers& answers) {
  struct Place {
    const char* path;
    const char* what;
    const Text& where;
  };
  const Place places[] = {{"/tensorflow/placement", "A matrix product that nobody placed", tensorflow.placement},
                          {"/tensorflow/variables_on", "A small Keras model's variables", tensorflow.variables_on},
                          {"/tensorflow/training_on", "A small Keras model's training step", tensorflow.training_on}};
  bool any = false;
  for (const Place& place : places) {
    any = any || place.where.get();
    if (!on_cpu(place.where)) continue;
    Finding& finding = answers.found(unused_id, "framework:tensorflow");
    finding.confidence = Confidence::certain;
    finding.explanation =
        std::string(place.what) + " went to " + *place.where.get() + ", although TensorFlow lists a GPU.";
    finding.evidence = {seen("/tensorflow/physical_gpus", std::to_string(*tensorflow.physical_gpus.get())),
                        seen(place.path, *place.where.get())};
    finding.fix = {{.text = diagnosis(unused_id)->remedy}};
    return;
  }
  if (any) return answers.sound(unused_id);
  answers.unknown(unused_id, why_unknown("/tensorflow/placement", tensorflow.placement));
}

// A product of 32-bit floats has a kernel everywhere: one that doesn't stay where it was put was moved for another
// reason, and other operations will be too.
void judge_kernel(const Tensorflow& tensorflow, Answers& answers) {
  const Text& placed = tensorflow.placement_under_gpu;
  if (!placed.get() && placed.outcome() != Outcome::failed)
    return answers.unknown(kernel_id, why_unknown("/tensorflow/placement_under_gpu", placed));
  if (on_gpu(placed)) return answers.sound(kernel_id);
  Finding& finding = answers.found(kernel_id, "framework:tensorflow");
  finding.confidence = Confidence::likely;
  finding.explanation =
      "A matrix product that was placed on GPU:0 " +
      (placed.get() ? "was moved to " + *placed.get() + " by soft placement." : "failed: " + placed.why() + ".");
  finding.evidence = {seen("/tensorflow/placement_under_gpu", placed.get() ? *placed.get() : placed.why())};
  finding.fix = {{.text = diagnosis(kernel_id)->remedy}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Tensorflow* tensorflow = snapshot.tensorflow.get();
  if (!tensorflow) {
    for (const char* id : all_ids) answers.not_applicable(id, "TensorFlow was not looked at");
    return;
  }
  const Number& physical = tensorflow->physical_gpus;
  if (!physical.get()) {
    for (const char* id : all_ids) answers.unknown(id, why_unknown("/tensorflow/physical_gpus", physical));
    return;
  }
  if (*physical.get() == 0) {
    for (const char* id : all_ids) answers.not_applicable(id, "TensorFlow lists no GPU");
    return;
  }
  judge_hidden(*tensorflow, *physical.get(), answers);
  judge_unused(*tensorflow, answers);
  judge_kernel(*tensorflow, answers);
}

}  // namespace

Check usage_framework() { return {{unused_id, kernel_id, hidden_id}, run}; }

}  // namespace envdoctor
