// script.order-unset: GPUs are named by number, they differ, and nothing sets the order.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_order_unset {

void judge(const Facts& facts, Answers& answers) {
  std::set<std::string> models;
  for (const Gpu& gpu : gpus_of(facts.snapshot())) models.insert(gpu.name);
  const bool matters = models.size() > 1 && !env_of(facts.snapshot(), "CUDA_DEVICE_ORDER").is("PCI_BUS_ID");
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) {
    const bool ordered = std::ranges::any_of(events, [](const ScriptEvent& event) {
      return event.kind == "set-variable" && event.name == "CUDA_DEVICE_ORDER";
    });
    if (!matters || ordered) return;
    for (const ScriptEvent& event : events) {
      if (!chooses_cuda_devices(event) || gpu_numbers(event).empty()) continue;
      Finding& finding = found_in_script(
          answers, event,
          "CUDA_VISIBLE_DEVICES names GPUs by number without CUDA_DEVICE_ORDER. This host's GPUs differ, and CUDA "
          "counts the fastest first, nvidia-smi by PCI address.",
          "Set CUDA_DEVICE_ORDER=PCI_BUS_ID as well, or name the GPU by its UUID.");
      finding.confidence = Confidence::likely;
    }
  });
}

Diagnosis diagnosis() {
  return {
      .id = "script.order-unset",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "GPUs that differ are named by number without CUDA_DEVICE_ORDER",
      .claim = "CUDA counts the fastest GPU first, nvidia-smi by PCI address.",
      .proof = "The script names a GPU by number, the GPUs differ, and nothing sets the order.",
      .disproof = "CUDA_DEVICE_ORDER=PCI_BUS_ID is set, or the GPUs are alike.",
      .remedy = "Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or use UUIDs.",
      .judge = judge,
  };
}

}  // namespace envdoctor::script_order_unset
