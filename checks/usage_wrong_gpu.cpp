// usage.wrong-gpu: PyTorch works on another GPU than the one that nvidia-smi calls by the number in the variable.
#include "checks/check.h"
#include "checks/facts.h"
#include "checks/presence.h"
#include "checks/visible.h"

namespace envdoctor {
namespace {

constexpr const char* id = "usage.wrong-gpu";

// nvidia-smi's list, and where in it a device of PyTorch's stands.
std::vector<VisibleDevice> listed(const std::vector<NvidiaDevice>& devices) {
  std::vector<VisibleDevice> all;
  for (std::size_t i = 0; i < devices.size(); ++i)
    all.push_back({.uuid = text_of(devices[i].uuid), .name = text_of(devices[i].name), .listed = static_cast<int>(i)});
  return all;
}

const VisibleDevice* find(const std::vector<VisibleDevice>& devices, const TorchDevice& wanted) {
  for (const VisibleDevice& device : devices) {
    if (!device.uuid.empty() && same_device(device, {.uuid = text_of(wanted.uuid)})) return &device;
  }
  return nullptr;
}

void tell(const std::string& variable, const VisibleDevice& meant, const VisibleDevice& got, std::size_t index,
          Answers& answers) {
  Finding& finding = answers.found(id, "env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::certain;
  const std::string number = std::to_string(meant.listed);
  finding.explanation = "CUDA_VISIBLE_DEVICES names GPU " + number + ", which nvidia-smi shows as " + meant.name +
                        " (" + describe(meant) + "). PyTorch's cuda:" + std::to_string(index) + " is GPU " +
                        std::to_string(got.listed) + ", " + got.name + " (" + describe(got) + ").";
  finding.evidence = {seen("/env/CUDA_VISIBLE_DEVICES", variable), seen(at("/torch/devices", index, "uuid"), got.uuid),
                      seen(at("/nvidia/devices", static_cast<std::size_t>(meant.listed), "uuid"), meant.uuid)};
  finding.fix = {{.text = "Let CUDA number the GPUs as nvidia-smi does, or name them by UUID.",
                  .command = "export CUDA_DEVICE_ORDER=PCI_BUS_ID"}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (variable.outcome() == Outcome::absent) return answers.not_applicable(id, "no GPU was chosen by a variable");
  if (!variable.get()) return answers.unknown(id, why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));
  const auto entries = entries_of(*variable.get());
  if (entries.empty() || !starts_as_number(entries.front()) || entries.front().front() == '-')
    return answers.not_applicable(id, "no GPU was chosen by its number");
  const auto torch = of(snapshot.torch, &Torch::devices);
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  if (!torch.get()) return answers.unknown(id, why_unknown("/torch/devices", torch));
  if (!nvml.get()) return answers.unknown(id, why_unknown("/nvidia/devices", nvml));
  const std::vector<VisibleDevice> all = listed(*nvml.get());
  std::vector<Selectable> selectable;
  for (const VisibleDevice& device : all) selectable.push_back({.uuid = device.uuid});
  const Selection meant = select_cuda(*variable.get(), selectable);
  bool compared = false;
  for (std::size_t i = 0; i < meant.chosen.size() && i < torch.get()->size(); ++i) {
    const VisibleDevice* got = find(all, (*torch.get())[i]);
    const VisibleDevice& wanted = all[meant.chosen[i].device];
    if (!got || wanted.uuid.empty()) continue;
    compared = true;
    if (got->listed != wanted.listed) return tell(*variable.get(), wanted, *got, i, answers);
  }
  if (compared) return answers.sound(id);
  answers.unknown(id, "/torch/devices: which card each of them is is not known");
}

}  // namespace

Check usage_wrong_gpu() { return {{id}, run}; }

}  // namespace envdoctor
