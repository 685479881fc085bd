// script.map-location: without map_location PyTorch puts tensors back where they were saved, and raises where that
// device is missing.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_map_location {
Diagnosis diagnosis() {
  return {
      .id = "script.map-location",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script loads on the CPU what may have been saved on a GPU",
      .claim =
          "Without map_location PyTorch puts tensors back where they were saved, and raises where that device is "
          "missing.",
      .proof = "The script takes the CPU where there is no GPU, and loads without map_location.",
      .disproof = "The file was written on a CPU, or by this run.",
      .remedy = "Write torch.load(file, map_location=device).",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_map_location
