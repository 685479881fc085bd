// visibility.set-too-late: a framework counts more GPUs than the variable names, so it had read it before.
#include "checks/facts.h"
#include "checks/presence.h"
#include "checks/visible.h"

namespace envdoctor {
namespace {

constexpr const char* id = "visibility.set-too-late";

void run(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (!variable.get()) {
    if (variable.outcome() == Outcome::absent) return answers.not_applicable(id, "CUDA_VISIBLE_DEVICES is not set");
    return answers.unknown(id, why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));
  }
  const Number torch = of(snapshot.torch, &Torch::device_count);
  const Number tensorflow = of(snapshot.tensorflow, &Tensorflow::physical_gpus);
  if (!torch.get() && !tensorflow.get()) return answers.unknown(id, why_unknown("/torch/device_count", torch));
  const bool by_torch = torch.get() && (!tensorflow.get() || *torch.get() >= *tensorflow.get());
  const auto counted = static_cast<std::size_t>(std::max<std::int64_t>(0, by_torch ? *torch.get() : *tensorflow.get()));
  const std::size_t named = entries_of(*variable.get()).size();
  if (counted <= named) return answers.sound(id);
  Finding& finding = answers.found(id, "env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::likely;
  finding.explanation = "CUDA_VISIBLE_DEVICES names " + std::to_string(named) + ", and the framework counts " +
                        std::to_string(counted) + " GPUs: it had started CUDA before the variable was set.";
  finding.evidence = {seen("/env/CUDA_VISIBLE_DEVICES", *variable.get()),
                      seen(by_torch ? "/torch/device_count" : "/tensorflow/physical_gpus", std::to_string(counted))};
  finding.fix = {{.text = diagnosis(id)->remedy}};
}

}  // namespace

Check visibility_set_too_late() { return {{id}, run}; }

}  // namespace envdoctor
