// hardware.no-gpu: neither the bus nor any driver shows a device that can compute.
#include <algorithm>

#include "checks/gpus.h"
#include "checks/nvidia.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

constexpr const char* id = "hardware.no-gpu";

bool set_aside(const Gpu& gpu) { return gpu.driver == "vfio-pci" || gpu.driver == "pciback"; }

// A node that only a GPU's driver makes, Jetson's included.
const DeviceNode* gpu_node(const Snapshot& snapshot) {
  for (const char* prefix : {"/dev/nvidia", "/dev/nvhost", "/dev/kfd", "/dev/dri/renderD", "/dev/dxg"}) {
    for (const DeviceNode* node : nodes_under(snapshot, prefix)) return node;
  }
  return nullptr;
}

// The bus is known from a text alone.
bool pasted(const Snapshot& snapshot) { return snapshot.log.get() && told_by_a_report(snapshot); }

void all_set_aside(const std::vector<Gpu>& gpus, bool whole, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.confidence = whole ? Confidence::certain : Confidence::possible;
  finding.title = "Every GPU is set aside for virtual machines";
  finding.explanation =
      "The GPUs are bound to a driver that hands them on to virtual machines, so nothing on this system can use them.";
  for (const Gpu& gpu : gpus) {
    finding.evidence.push_back(seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), gpu.driver));
  }
  finding.fix = {{.text = "Run this inside the virtual machine that holds the GPU, or take the GPU out of the "
                          "pass-through configuration."}};
}

void none_at_all(const Snapshot& snapshot, Answers& answers) {
  Finding& finding = answers.found(id);
  const bool bus_seen = snapshot.pci.get() != nullptr;
  // What people paste may be a part of the bus: `lspci | grep VGA` leaves data-centre cards out.
  finding.confidence = pasted(snapshot) ? Confidence::possible : bus_seen ? Confidence::certain : Confidence::likely;
  finding.explanation = bus_seen ? "The PCI bus was read and holds no NVIDIA, AMD or Intel GPU"
                                 : "This system has no PCI bus, and no driver lists a GPU";
  if (bus_seen && !snapshot.pci.get()->empty())
    finding.explanation += "; what it holds are display adapters that can't compute";
  finding.explanation += ". Programs will run on the CPU.";
  finding.evidence = {
      seen("/pci", bus_seen ? std::to_string(snapshot.pci.get()->size()) + " display devices" : snapshot.pci.why())};
  const Text virtualization = of(snapshot.host, &HostFacts::virtualization);
  if (virtualization.get() && *virtualization.get() != "none") {
    finding.evidence.push_back(seen("/host/virtualization", *virtualization.get()));
    finding.fix = {{.text = "This is a virtual machine: choose an instance type with a GPU, or pass one on to it from "
                            "the hypervisor."}};
  } else {
    finding.fix = {
        {.text = "If a card is built in, check its seat and power cables and whether the firmware lists it."}};
  }
}

void run(const Snapshot& snapshot, Answers& answers) {
  const auto gpus = gpus_of(snapshot);
  if (!gpus.empty()) {
    if (std::ranges::all_of(gpus, set_aside)) return all_set_aside(gpus, !pasted(snapshot), answers);
    return answers.sound(id);
  }
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  if (snapshot.pci.outcome() == Outcome::not_probed || snapshot.pci.outcome() == Outcome::failed)
    return answers.unknown(id, why_unknown("/pci", snapshot.pci));
  if (nvidia::on_wsl(snapshot)) return answers.unknown(id, "WSL2 shows no GPU on the PCI bus even where it has one");
  if (const DeviceNode* node = gpu_node(snapshot))
    return answers.unknown(id, *node->path.get() + " exists, so a GPU may be there that the bus doesn't show");
  none_at_all(snapshot, answers);
}

}  // namespace

Check hardware_no_gpu() { return {{id}, run}; }

}  // namespace envdoctor
