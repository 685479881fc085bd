#include "checks/engine/rule.h"

namespace envdoctor::visibility_container_toolkit_missing {

using enum SymptomClass;
Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.container-toolkit-missing",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "The container engine cannot pass GPUs through",
      .claim = "The engine has no NVIDIA runtime, so a request for GPUs fails before the container starts.",
      .proof = "The container engine's error that it knows no GPU runtime or device.",
      .disproof = "A container started with GPUs sees them.",
      .remedy =
          "Install nvidia-container-toolkit on the host, run nvidia-ctk runtime configure and restart the engine.",
      .explains = {"visibility.container-hidden", "driver.unreachable"},
      .symptoms =
          {
              {{missing, "container-toolkit"}, certain},
              {{missing, "engine-runtime-for-gpu"}, possible, not_used},
              {{missing, "gpu-of-kubernetes-node"}, possible, not_used},
              {{missing, "container-spec"}, possible, not_used},
              {{failed, "container-cgroup"}, possible},
              {{missing, "kubernetes-device-plugin-gpu"}, possible, when::no_driver_answers},
          },
  };
}

}  // namespace envdoctor::visibility_container_toolkit_missing
