// visibility.invalid-uuid: the visibility variable names a UUID that is not the beginning of exactly one device's.
#include "checks/engine/rule.h"
#include "checks/visibility/cut_list.h"

namespace envdoctor::visibility_invalid_uuid {

using enum SymptomClass;
Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.invalid-uuid",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "A UUID in the visibility variable fits no GPU",
      .claim = "No GPU, or more than one, has a UUID that begins like this; the list is cut there.",
      .proof = "The variable names a UUID that begins no device's.",
      .disproof = "The UUID is that of exactly one GPU of this host.",
      .remedy = "Take the UUID from nvidia-smi -L.",
      .explains = {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable",
                   "usage.detected-unused"},
      .symptoms =
          {
              {{missing, "container-device"}, likely, nullptr, "device", "GPU-"},
              {{missing, "container-device"}, likely, nullptr, "device", "MIG-"},
              {{missing, "gpu-uuid"}, likely},
          },
      .judge_host = [](const Snapshot& snapshot, Answers& answers) { visibility::judge_cut(snapshot, answers, true); },
  };
}

}  // namespace envdoctor::visibility_invalid_uuid
