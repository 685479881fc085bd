// opencl.permission: a driver for an AMD or Intel GPU is registered, but this user may not open any render node.
#include "checks/opencl/opencl_facts.h"

namespace envdoctor::opencl_permission {

using enum SymptomClass;

Fix join_group(const Snapshot& snapshot, const DeviceNode& node) {
  const std::string group = text_of(node.group);
  if (in_container(snapshot).is(true)) {
    const std::string number = node.gid.get() ? std::to_string(*node.gid.get()) : group;
    return {.text = "Start the container with --group-add " + number + "; groups are matched by number, not by name."};
  }
  if (group == "root" || group.find_first_not_of("0123456789") == group.npos)
    return {.text = "Give this user the group that owns " + *node.path.get() + "."};
  return {.text = "Join the group that owns the node, then log in again.",
          .command = "sudo usermod -aG " + group + " \"$USER\""};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const Flag amd = has_gpu(snapshot, Vendor::amd), intel = has_gpu(snapshot, Vendor::intel);
  if (amd.is(false) && intel.is(false))
    return answers.not_applicable("no GPU that OpenCL reaches through a render node");
  if (!amd.is(true) && !intel.is(true)) return answers.unknown(why_unknown("/pci", snapshot.pci));
  if (opencl_lists_gpu(snapshot)) return answers.passed();
  if (!snapshot.device_nodes.get()) return answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
  const auto nodes = nodes_under(snapshot, "/dev/dri/renderD");
  if (nodes.empty()) return answers.not_applicable("there is no render node");
  const DeviceNode* closed = nullptr;
  for (const DeviceNode* node : nodes) {
    if (node->accessible.is(true)) return answers.passed();
    if (!node->accessible.get()) return answers.unknown(why_unknown("/device_nodes: accessible", node->accessible));
    if (node->error.is("EACCES")) closed = node;
  }
  if (!closed) return answers.not_applicable("the nodes are closed by something else than permission");
  const auto* icds = opencl::icds(snapshot);
  if (!icds) return answers.unknown(why_unknown("/opencl/icds", of(snapshot.opencl, &Opencl::icds)));
  const bool driver = std::ranges::any_of(*icds, [](const OpenclIcd& icd) {
    const auto maker = opencl::maker_of(text_of(icd.library));
    return maker == opencl::Maker::amd || maker == opencl::Maker::intel || maker == opencl::Maker::mesa;
  });
  if (!driver) return answers.not_applicable("no OpenCL driver for this GPU is registered");

  Finding& finding = answers.found();
  finding.severity = opencl::weigh(snapshot, has_discrete_gpu(snapshot) ? Severity::error : Severity::warning);
  const std::size_t index = static_cast<std::size_t>(closed - snapshot.device_nodes.get()->data());
  finding.explanation = *closed->path.get() + " belongs to group " + text_of(closed->group) + " with mode " +
                        text_of(closed->mode) + ", and this user may not open it; OpenCL's driver then finds no GPU.";
  finding.evidence = {evidence(at("/device_nodes", index, "error"), "EACCES")};
  finding.fix = {join_group(snapshot, *closed)};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "opencl.permission",
      .layer = Layer::device_node,
      .severity = Severity::error,
      .title = "OpenCL can't open the GPU's render node",
      .claim = "The driver is registered and loads, and this user may not open the device node it needs.",
      .proof = "The driver loads, and opening the render node answers EACCES.",
      .disproof = "This user opens the render node.",
      .remedy = "Add the user to the node's group; in a container, pass that group on by number.",
      .explains = {"opencl.icd-no-device", "opencl.no-platform", "opencl.cpu-only"},
      .symptoms =
          {
              {{refused, "render-node"}, likely, when::opencl_asked},
              {{refused, "clinfo-without-root"}, likely},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::opencl_permission
