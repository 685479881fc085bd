// visibility.container-hidden: the host's driver works on a GPU, and neither its nodes nor its libraries came into this
// container.
#include <algorithm>
#include <cctype>

#include "checks/facts.h"
#include "checks/presence.h"

namespace envdoctor {
namespace {

constexpr const char* id = "visibility.container-hidden";

// /dev/nvidia0 and so on: the nodes of single GPUs.
bool has_card_node(const Snapshot& snapshot) {
  return std::ranges::any_of(nodes_under(snapshot, "/dev/nvidia"), [](const DeviceNode* node) {
    return node->path.get()->size() > 11 && std::isdigit(static_cast<unsigned char>((*node->path.get())[11]));
  });
}

Flag finds_libcuda(const Snapshot& snapshot) {
  if (of(snapshot.nvidia, &Nvidia::cuda_library).get()) return true;
  const auto* libraries = snapshot.libraries.get();
  if (!libraries) return snapshot.libraries.missing();
  Flag answer;
  for (const SharedLibrary& library : *libraries) {
    if (!library.soname.is("libcuda.so.1")) continue;
    if (library.found.is(true)) return true;
    if (library.found.get()) answer = false;
  }
  return answer;
}

std::string asked_for(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "NVIDIA_VISIBLE_DEVICES");
  if (!variable.get()) return {};
  if (variable.is("none") || variable.is("void") || variable.is(""))
    return " NVIDIA_VISIBLE_DEVICES is \"" + *variable.get() + "\", which asks for no GPU.";
  return " NVIDIA_VISIBLE_DEVICES is \"" + *variable.get() +
         "\"; it has an effect only where NVIDIA's container runtime reads it.";
}

Fix start_again(const Snapshot& snapshot) {
  const Text kind = of(snapshot.host, &HostFacts::container);
  if (kind.is("docker")) return {.text = "Start the container again with the option --gpus all."};
  if (kind.is("podman")) return {.text = "Start the container again with the option --device nvidia.com/gpu=all."};
  if (kind.is("kubernetes"))
    return {.text = "Ask for a GPU in the pod's resources (nvidia.com/gpu: 1); the node needs NVIDIA's device plugin."};
  if (kind.is("singularity")) return {.text = "Start the container again with the option --nv."};
  return {.text = "Start the container again with its GPUs passed on."};
}

// The module's version is shared with the host, so it tells of the node even where nothing was passed on.
bool judge_nvidia(const Snapshot& snapshot, Answers& answers) {
  const Text kernel = of(snapshot.nvidia, &Nvidia::kernel_driver_version);
  const Flag loaded = module_loaded(snapshot, "nvidia");
  const Flag libcuda = finds_libcuda(snapshot);
  if (cuda_device_seen(snapshot) || has_card_node(snapshot) || node_of(snapshot, "/dev/dxg")) return false;
  const bool driver = kernel.get() || loaded.is(true);
  const bool no_nodes = snapshot.device_nodes.get() != nullptr;
  if (!driver && (kernel.outcome() == Outcome::absent || loaded.is(false))) return false;  // the node itself has none
  if (!(driver && no_nodes) && !libcuda.is(false)) return false;

  Finding& finding = answers.found(id);
  finding.confidence = driver && no_nodes ? Confidence::certain : driver ? Confidence::likely : Confidence::possible;
  finding.evidence = {seen("/host/container", *snapshot.host.get()->container.get())};
  if (kernel.get()) finding.evidence.push_back(seen("/nvidia/kernel_driver_version", *kernel.get()));
  if (!kernel.get() && loaded.is(true)) finding.evidence.push_back(seen("/modules", "nvidia"));
  if (no_nodes) finding.evidence.push_back(seen("/device_nodes", "no /dev/nvidia0 and the like"));
  if (libcuda.is(false)) finding.evidence.push_back(seen("/libraries", "libcuda.so.1 not found"));
  finding.explanation = (driver ? "The node's NVIDIA driver runs, and " : "In this container ") +
                        std::string(no_nodes ? "no GPU's device node" : "no libcuda.so.1") +
                        " is here: the container was started without its GPUs." + asked_for(snapshot);
  finding.fix = {start_again(snapshot)};
  return true;
}

bool judge_render(const Snapshot& snapshot, const Gpu& gpu, Answers& answers) {
  const bool amd = gpu.vendor == Vendor::amd;
  if ((amd && gpu.driver != "amdgpu") || (!amd && gpu.driver != "i915" && gpu.driver != "xe")) return false;
  if (!snapshot.device_nodes.get() || !nodes_under(snapshot, "/dev/dri/renderD").empty() ||
      node_of(snapshot, "/dev/kfd"))
    return false;
  Finding& finding = answers.found(id, gpu.subject());
  // A GPU inside the processor is on every laptop and desktop under a container; nobody need have wanted it.
  finding.severity = gpu.integrated ? Severity::info : Severity::error;
  finding.explanation = "The host's " + gpu.driver + " driver holds " + (gpu.name.empty() ? "this GPU" : gpu.name) +
                        ", and no node under /dev/dri is in this container.";
  finding.evidence = {seen("/host/container", *snapshot.host.get()->container.get()),
                      seen(at("/pci", static_cast<std::size_t>(gpu.pci_index), "driver"), gpu.driver),
                      seen("/device_nodes", "no /dev/dri/renderD*")};
  finding.fix = {{.text = amd ? "Start the container with --device /dev/kfd --device /dev/dri and the numbers of the "
                                "groups that own them."
                              : "Start the container with --device /dev/dri and the number of the render group."}};
  return true;
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Flag container = in_container(snapshot);
  if (container.is(false)) return answers.not_applicable(id, "this is no container");
  if (!container.get()) return answers.unknown(id, why_unknown("/host/container", container));
  bool found = false;
  const Flag nvidia = has_gpu(snapshot, Vendor::nvidia);
  if (!nvidia.is(false) || module_loaded(snapshot, "nvidia").is(true)) found = judge_nvidia(snapshot, answers);
  for (const Gpu& gpu : gpus_of(snapshot)) {
    if ((gpu.vendor == Vendor::amd || gpu.vendor == Vendor::intel) && gpu.pci_index >= 0)
      found = judge_render(snapshot, gpu, answers) || found;
  }
  if (found) return;
  if (cuda_device_seen(snapshot) || hip_device_seen(snapshot) || has_card_node(snapshot) ||
      node_of(snapshot, "/dev/kfd"))
    return answers.sound(id);
  if (!snapshot.device_nodes.get()) return answers.unknown(id, why_unknown("/device_nodes", snapshot.device_nodes));
  const Flag any = has_any_gpu(snapshot);
  if (any.is(false)) return answers.not_applicable(id, "the node has no GPU to pass on");
  if (!any.get()) return answers.unknown(id, why_unknown("/pci", any));
  answers.sound(id);
}

}  // namespace

Check visibility_container_hidden() { return {{id}, run}; }

}  // namespace envdoctor
