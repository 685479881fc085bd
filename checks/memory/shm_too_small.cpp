// memory.shm-too-small: a container's /dev/shm of Docker's default size, through which data loaders and NCCL pass data.
#include "checks/engine/rule.h"

namespace envdoctor::memory_shm_too_small {

using enum SymptomClass;

constexpr std::int64_t default_mib = 64;  // the default of Docker, Podman and Kubernetes

void judge(const Snapshot& snapshot, Answers& answers) {
  const Number size = of(snapshot.host, &HostFacts::shm_mib);
  const Text& kind = of(snapshot.host, &HostFacts::container);
  const Flag container = in_container(snapshot);
  if (container.is(false) && size.get())
    return answers.not_applicable("this is no container; /dev/shm has the system's size");
  if (size.outcome() != Outcome::present && size.outcome() != Outcome::absent)
    return answers.unknown(why_unknown("/host/shm_mib", size));
  if (!container.get()) return answers.unknown(why_unknown("/host/container", container));
  if (container.is(false)) return answers.not_applicable("this is no container");
  if (size.or_empty() > default_mib) return answers.passed();

  Finding& finding = answers.found();
  finding.severity =
      frameworks(snapshot).empty() || has_any_gpu(snapshot).is(false) ? Severity::info : Severity::warning;
  const std::string shown = size.get() ? std::to_string(*size.get()) + " MiB" : "missing";
  finding.confidence = size.get() ? Confidence::likely : Confidence::certain;
  finding.explanation =
      "/dev/shm is " + shown + (size.get() ? ", the default of container engines" : "") +
      ". Data loaders with worker processes and NCCL between GPUs soon need more, and then end with a bus error.";
  finding.evidence = {evidence("/host/shm_mib", shown), evidence("/host/container", *kind.get())};
  finding.fix = {{.text = kind.is("kubernetes") ? "Mount an emptyDir with medium: Memory at /dev/shm in the pod."
                                                : "Start the container again with --shm-size=8g, or --ipc=host."}};
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "memory.shm-too-small",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "Shared memory (/dev/shm) is too small for data loading",
      .claim =
          "Worker processes and NCCL pass data through /dev/shm, whose size containers limit to 64 MiB by default.",
      .proof = "Writing to /dev/shm failed for lack of space, or it holds 64 MiB in a container and workers die.",
      .disproof = "/dev/shm has room for the workers' batches.",
      .remedy = "Start the container with --shm-size=8g or --ipc=host.",
      .symptoms = {helped_by("shared-memory"), {{exhausted, "shared-memory"}, likely}},
      .judge_host = judge,
  };
}

}  // namespace envdoctor::memory_shm_too_small
