// driver.access-denied: the node's owner and mode permit access, but a policy refuses it: SELinux,
// AppArmor, a systemd sandbox, a service's session.
#include "checks/driver/node_access.h"
#include "checks/driver/nvidia_facts.h"

namespace envdoctor::driver_access_denied {

using enum SymptomClass;

void judge_nodes(const Snapshot& snapshot, Answers& answers) {
  for (const auto& [i, node] : numbered(snapshot.device_nodes)) {
    if (!refused_by_policy(snapshot, node)) continue;
    Finding& finding = nvidia::fault(answers, snapshot, Confidence::likely,
                                     {evidence(at("/device_nodes", i, "error"), *node.path.get() + ": EACCES"),
                                      evidence(at("/device_nodes", i, "mode"), node.mode.or_empty())});
    finding.explanation = "Opening " + *node.path.get() +
                          " was refused, though owner, group and mode of the node let this user in: a security policy "
                          "stands in the way.";
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return;
  }
}

// systemd starts a service without the host's device nodes; started from a shell, the program may work.
bool sandboxed(const Facts& facts) {
  return (when::no_driver_answers(facts) ||
          facts.saw({{missing, "any-gpu"}, {missing, "nvml-device"}, {missing, "available-gpu"}})) &&
         !facts.saw({{missing, "kernel-module"}, {refused, "kernel-module-signature"}});
}

void judge(const Snapshot& snapshot, Answers& answers) {
  const std::size_t before = answers.findings.size();
  judge_nodes(snapshot, answers);
  if (answers.findings.size() > before) return;
  snapshot.device_nodes.get() ? answers.passed() : answers.unknown(why_unknown("/device_nodes", snapshot.device_nodes));
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "driver.access-denied",
      .layer = Layer::device_node,
      .severity = Severity::error,
      .title = "A security policy keeps this program from the GPU",
      .claim =
          "The device nodes are there and their mode lets the user in; SELinux, AppArmor, a systemd sandbox or the "
          "session in which a service runs refuses them.",
      .proof = "An audit message that denies the node, or a node that may not be opened though its mode gives access.",
      .disproof = "The program opens the node when it is started from a shell of the same user, with the policy on.",
      .remedy =
          "Allow the device: SELinux: setsebool container_use_devices=true for containers, or a policy from "
          "audit2allow; "
          "AppArmor: rules for the nodes in the profile; systemd: PrivateDevices=no and DeviceAllow= for the nodes; "
          "on Windows run the program in the user's session; a container inside an unprivileged one: no-cgroups = true "
          "in /etc/nvidia-container-runtime/config.toml.",
      .explains = with_unusable_driver({"driver.permission", "driver.init-failed", "opencl.permission",
                                        "opencl.no-platform", "visibility.framework-hidden"}),
      .symptoms =
          {
              {{refused, "device-by-policy"}, likely},
              {{refused, "gpu-in-service-session"}, likely, not_used},
              {{refused, "container-device-rules"}, likely, when::no_driver_answers},
              {{present, "device-sandbox"}, possible, sandboxed},
          },
      .judge_host = judge,
  };
}

}  // namespace envdoctor::driver_access_denied
