// driver.container-cgroup-lost: the nodes are in the container and its device cgroup no longer lets anyone open them.
#include <algorithm>

#include "checks/nvidia.h"

namespace envdoctor {
namespace {

constexpr const char* id = "driver.container-cgroup-lost";

// The control node, without which nothing works; it is every GPU's, so its loss is no grant of fewer GPUs.
std::optional<Evidence> control_node_forbidden(const Snapshot& snapshot) {
  const auto* nodes = snapshot.device_nodes.get();
  for (std::size_t i = 0; nodes && i < nodes->size(); ++i) {
    const DeviceNode& node = (*nodes)[i];
    if (node.path.is("/dev/nvidiactl") && node.accessible.is(false) && node.error.is("EPERM"))
      return seen(at("/device_nodes", i, "error"), "/dev/nvidiactl: EPERM");
  }
  return std::nullopt;
}

// cgroup v1 shows its rules: NVIDIA's major number 195 may be made (m) and not opened (rw).
std::optional<Evidence> rules_forbid(const Snapshot& snapshot) {
  const auto rules = of(snapshot.host, &HostFacts::cgroup).then([](const Cgroup& cgroup) { return cgroup.devices; });
  if (!rules.get() || rules.get()->empty()) return std::nullopt;
  const auto lets_open = [](const std::string& rule) {
    const bool all = rule.starts_with("a ") || rule.starts_with("c *:*");
    const bool nvidia = rule.starts_with("c 195:");
    return (all || nvidia) && rule.find('r', rule.rfind(' ')) != std::string::npos;
  };
  if (std::ranges::any_of(*rules.get(), lets_open)) return std::nullopt;
  return seen("/host/cgroup/devices", "no rule opens c 195:*");
}

void tell(const Snapshot& snapshot, Confidence confidence, std::vector<Evidence> evidence, Answers& answers) {
  Finding& finding = answers.found(id);
  finding.severity = nvidia::fault_severity(snapshot);
  finding.confidence = confidence;
  finding.explanation =
      "The container worked and has lost its right to open the GPU: when the host's systemd reloads its units it "
      "writes the device rules anew, and it doesn't "
      "know the nodes that the NVIDIA runtime added by hand.";
  finding.evidence = std::move(evidence);
  finding.fix = {{.text = "Restart the container."},
                 {.text = "To keep it from happening again, pass the GPUs by CDI (docker run --device "
                          "nvidia.com/gpu=all), name each node with --device, or let the engine use "
                          "the cgroupfs driver."}};
}

void run(const Snapshot& snapshot, Answers& answers) {
  const Flag contained = in_container(snapshot);
  if (contained.is(false)) return answers.not_applicable(id, "this is not a container");
  if (const std::string why = nvidia::not_here(snapshot); !why.empty()) return answers.not_applicable(id, why);
  if (nvidia::cuda_works(snapshot)) return answers.sound(id);
  const bool unknown_error = nvidia::nvml(snapshot).is("NVML_ERROR_UNKNOWN");
  const auto forbidden = control_node_forbidden(snapshot);
  const auto rules = rules_forbid(snapshot);
  std::vector<Evidence> evidence;
  if (forbidden) evidence.push_back(*forbidden);
  if (rules && nvidia::has_nodes(snapshot).is(true)) evidence.push_back(*rules);
  if (unknown_error) evidence.push_back(nvidia::nvml_evidence(snapshot));
  if (forbidden && contained.is(true))
    return tell(snapshot, unknown_error || rules ? Confidence::certain : Confidence::likely, evidence, answers);
  if (unknown_error && contained.is(true) && rules) return tell(snapshot, Confidence::likely, evidence, answers);
  if (node_of(snapshot, "/dev/nvidiactl") && node_of(snapshot, "/dev/nvidiactl")->accessible.is(true))
    return answers.sound(id);
  // The message alone covers several causes.
  if (unknown_error && contained.is(true)) return tell(snapshot, Confidence::possible, evidence, answers);
  if (nvidia::has_nodes(snapshot).is(false)) return answers.not_applicable(id, "no GPU was given to this container");
  if (!contained.get()) return answers.unknown(id, why_unknown("/host/container", contained));
  if (nvidia::nvml(snapshot).outcome() == Outcome::absent) return answers.sound(id);
  answers.unknown(id, why_unknown("/device_nodes", snapshot.device_nodes));
}

}  // namespace

Check driver_container_cgroup_lost() { return {{id}, run}; }

}  // namespace envdoctor
