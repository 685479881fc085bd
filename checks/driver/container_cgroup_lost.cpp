// driver.container-cgroup-lost: the container has the nodes, but its device cgroup no longer permits opening them.
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_container_cgroup_lost {

// The control node, without which nothing works; all GPUs share it, so its loss does not mean that fewer GPUs were
// granted.
std::optional<Evidence> control_node_forbidden(const Snapshot& snapshot) {
  for (const auto& [i, node] : numbered(snapshot.device_nodes)) {
    if (node.path.is("/dev/nvidiactl") && node.accessible.is(false) && node.error.is("EPERM"))
      return evidence(at("/device_nodes", i, "error"), "/dev/nvidiactl: EPERM");
  }
  return std::nullopt;
}

void report_finding(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> proof, Answers& answers) {
  Finding& finding = nvidia::fault(answers, snapshot, confidence, std::move(proof));
  finding.explanation =
      "The container worked and has lost its right to open the GPU: when the host's systemd reloads its units it "
      "writes the device rules anew, and it doesn't know the nodes that the NVIDIA runtime added by hand.";
  finding.fix = {
      {.text = "Restart the container."},
      {.text = "To keep it from happening again, pass the GPUs by CDI (docker run --device nvidia.com/gpu=all), name "
               "each node with --device, or let the engine use the cgroupfs driver."}};
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const Flag contained = in_container(snapshot);
  const bool marked = nvidia::contained(snapshot);
  if (contained.is(false)) return answers.not_applicable("this is not a container");
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(why);
  if (nvidia::cuda_works(snapshot)) return answers.passed();
  const bool unknown_error = nvidia::nvml(snapshot).is(nvml_error::unknown);
  const auto forbidden = control_node_forbidden(snapshot);
  const auto rules = nvidia::cgroup_forbids(snapshot);
  std::vector<Evidence> proof;
  if (forbidden) proof.push_back(*forbidden);
  if (rules && nvidia::has_nodes(snapshot).is(true)) proof.push_back(*rules);
  if (unknown_error) proof = nvidia::joined(std::move(proof), nvidia::nvml_evidence(snapshot));
  if (forbidden && contained.is(true))
    return report_finding(snapshot, unknown_error || rules ? Confidence::certain : Confidence::likely, proof, answers);
  // Only a container has such rules.
  if (unknown_error && rules) return report_finding(snapshot, Confidence::likely, proof, answers);
  if (const DeviceNode* node = node_of(snapshot, "/dev/nvidiactl"); node && node->accessible.is(true))
    return answers.passed();
  if (first_symptom(snapshot, {{SymptomClass::mismatch, "file-in-place-of-node"}}))
    return answers.not_applicable("plain files stand in place of the nodes");
  if (nvidia::has_nodes(snapshot).is(false)) return answers.not_applicable("no GPU was given to this container");
  // In a container the message alone almost always means this; elsewhere it has several causes.
  if (unknown_error)
    return report_finding(snapshot, marked ? Confidence::likely : Confidence::possible, proof, answers);
  if (!contained.get()) return answers.unknown(why_unknown("/host/container", contained));
  if (nvidia::nvml(snapshot).outcome() == Outcome::absent) return answers.passed();
  answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
}

// Whatever worked before, or works in another container.
bool no_longer_works(const Facts& facts) { return facts.container() && facts.saw({{SymptomClass::failed, "nvml"}}); }

Diagnosis diagnosis() {
  return {
      .id = "driver.container-cgroup-lost",
      .layer = Layer::device_node,
      .severity = Severity::error,
      .title = "The container has lost its right to use the GPU",
      .claim =
          "The device nodes exist, and the container's device cgroup no longer lets anyone open them, which happens "
          "after the host's systemd was reloaded.",
      .proof = "Inside a container, nodes that exist can't be opened (EPERM), or NVML says 'Unknown Error'.",
      .disproof = "The nodes can be opened inside the container.",
      .remedy =
          "Restart the container; to keep it from happening again pass the GPUs by CDI or with explicit --device "
          "entries.",
      .explains = with_unusable_driver({"driver.init-failed", "driver.permission"}),
      .symptoms = {{{SymptomClass::refused, "device-node-by-cgroup"}, Confidence::likely, no_longer_works},
                   {{SymptomClass::refused, "device-node-by-cgroup"}, Confidence::possible, not_used}},
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_container_cgroup_lost
