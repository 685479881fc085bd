// visibility.order-mismatch: different GPUs, CUDA numbers them in another order than nvidia-smi, and a number is used.
#include <algorithm>

#include "checks/facts.h"
#include "checks/presence.h"
#include "checks/visible.h"

namespace envdoctor {
namespace {

constexpr const char* id = "visibility.order-mismatch";

std::vector<VisibleDevice> nvml_order(const std::vector<NvidiaDevice>& devices) {
  std::vector<VisibleDevice> all;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const std::string address = text_of(devices[i].pci_address);
    all.push_back({text_of(devices[i].uuid), address.empty() ? address : normal_address(address),
                   text_of(devices[i].name), static_cast<int>(i)});
  }
  return all;
}

std::vector<VisibleDevice> cuda_order(const std::vector<CudaDevice>& devices) {
  std::vector<VisibleDevice> all;
  for (const CudaDevice& device : devices) {
    const std::string address = text_of(device.pci_address);
    all.push_back(
        {text_of(device.uuid), address.empty() ? address : normal_address(address), text_of(device.name), -1});
  }
  return all;
}

bool by_number(const Text& variable) {
  if (!variable.get()) return false;
  const auto entries = entries_of(*variable.get());
  return !entries.empty() && starts_as_number(entries.front()) && entries.front().front() != '-';
}

void tell(const Text& variable, const VisibleDevice& meant, const VisibleDevice& got, std::size_t number, bool guessed,
          Answers& answers) {
  Finding& finding = answers.found(id, variable.get() ? "env:CUDA_VISIBLE_DEVICES" : "host");
  finding.confidence = guessed ? Confidence::possible : Confidence::certain;
  const std::string n = std::to_string(number);
  finding.explanation = "nvidia-smi's GPU " + n + " is " + meant.name + " (" + describe(meant) + "), CUDA's " + n +
                        (guessed ? " may well be " : " is ") + got.name + " (" + describe(got) +
                        "). Without CUDA_DEVICE_ORDER=PCI_BUS_ID, CUDA puts the fastest GPU first.";
  finding.evidence = {seen("/nvidia/devices", n + ": " + meant.name)};
  if (!guessed) finding.evidence.push_back(seen("/nvidia/cuda_devices", got.name));
  finding.evidence.push_back(seen("/env", "CUDA_DEVICE_ORDER is not PCI_BUS_ID"));
  if (variable.get()) finding.evidence.push_back(seen("/env/CUDA_VISIBLE_DEVICES", *variable.get()));
  finding.fix = {{.text = "Let CUDA number the GPUs as nvidia-smi does, or name them by UUID.",
                  .command = "export CUDA_DEVICE_ORDER=PCI_BUS_ID"}};
}

// The GPU that nvidia-smi's reader means by each entry, against the one that CUDA gives for it.
void compare(const Text& variable, const std::vector<VisibleDevice>& nvml, const std::vector<VisibleDevice>& cuda,
             bool guessed, Answers& answers) {
  std::vector<Selectable> selectable;
  for (const VisibleDevice& device : nvml) selectable.push_back({.uuid = device.uuid});
  const Selection meant = variable.get() ? select_cuda(*variable.get(), selectable) : select_cuda_default(selectable);
  for (std::size_t i = 0; i < meant.chosen.size() && i < cuda.size(); ++i) {
    const VisibleDevice& expected = nvml[meant.chosen[i].device];
    const bool comparable =
        (!expected.uuid.empty() && !cuda[i].uuid.empty()) || (!expected.address.empty() && !cuda[i].address.empty());
    // Two cards of one model: the order is another, but nobody gets a GPU that is unlike the one that was meant.
    if (!comparable || same_device(expected, cuda[i]) || expected.name == cuda[i].name) continue;
    return tell(variable, expected, cuda[i], meant.chosen[i].device, guessed, answers);
  }
  if (guessed) return answers.unknown(id, "the GPUs differ, and CUDA was not asked for its order");
  answers.sound(id);
}

void run(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable(id, "no NVIDIA GPU");
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  if (!nvml.get()) return answers.unknown(id, why_unknown("/nvidia/devices", nvml));
  const auto listed = nvml_order(*nvml.get());
  const bool mixed = std::ranges::any_of(listed, [&](const VisibleDevice& d) { return d.name != listed.front().name; });
  if (!mixed) return answers.not_applicable(id, "the GPUs are all of one kind");
  const Text order = env_of(snapshot, "CUDA_DEVICE_ORDER"), variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (order.is("PCI_BUS_ID")) return answers.sound(id);
  if (order.outcome() != Outcome::absent && !order.get())
    return answers.unknown(id, why_unknown("/env/CUDA_DEVICE_ORDER", order));
  if (variable.get() && !by_number(variable)) return answers.sound(id);  // UUIDs name the GPU whatever the order

  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (cuda.get()) return compare(variable, listed, cuda_order(*cuda.get()), false, answers);
  // A guess is worth telling only where a single GPU was picked by its number.
  if (!variable.get()) return answers.unknown(id, why_unknown("/nvidia/cuda_devices", cuda));
  compare(variable, listed, visible_to_cuda(snapshot).devices, true, answers);
}

}  // namespace

Check visibility_order_mismatch() { return {{id}, run}; }

}  // namespace envdoctor
