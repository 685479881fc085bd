// visibility.mig-single-instance: several MIG instances are named or given, and CUDA uses one.
#include "checks/facts.h"
#include "checks/presence.h"
#include "checks/visible.h"

namespace envdoctor {
namespace {

constexpr const char* id = "visibility.mig-single-instance";

std::size_t instances_given(const std::vector<NvidiaDevice>& devices) {
  std::size_t count = 0;
  for (const NvidiaDevice& device : devices) {
    if (device.mig.is(true) && device.mig_devices.get()) count += device.mig_devices.get()->size();
  }
  return count;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(id, "no NVIDIA GPU");
  if (!devices.get()) return answers.unknown(id, why_unknown("/nvidia/devices", devices));
  const std::size_t given = instances_given(*devices.get());
  if (given < 2) return answers.not_applicable(id, "fewer than two MIG instances are here");
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  std::size_t named = given;
  if (variable.get()) named = select_cuda(*variable.get(), cuda_basis(snapshot).selectable).instances;
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (named < 2 || (cuda.get() && cuda.get()->size() > 1)) return answers.sound(id);
  if (!variable.get() && variable.outcome() != Outcome::absent)
    return answers.unknown(id, why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));

  Finding& finding = answers.found(id);
  finding.confidence = cuda.get() ? Confidence::certain : Confidence::likely;
  finding.explanation = std::to_string(named) + " MIG instances are " + (variable.get() ? "named" : "here") +
                        ", and a CUDA program uses only the first of them: its device count is 1.";
  finding.evidence = {seen("/nvidia/devices", std::to_string(given) + " MIG instances")};
  if (variable.get()) finding.evidence.push_back(seen("/env/CUDA_VISIBLE_DEVICES", *variable.get()));
  if (cuda.get())
    finding.evidence.push_back(seen("/nvidia/cuda_devices", std::to_string(cuda.get()->size()) + " device"));
  finding.fix = {
      {.text = "Start one process for each instance, each with the instance's UUID in CUDA_VISIBLE_DEVICES."}};
}

}  // namespace

Check visibility_mig_single_instance() { return {{id}, run}; }

}  // namespace envdoctor
