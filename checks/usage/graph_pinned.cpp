// usage.graph-pinned: a saved graph names the GPU on which it was created, but this program has none of that name.
#include "checks/engine/rule.h"

namespace envdoctor::usage_graph_pinned {

using enum SymptomClass;

bool on_gpu(const Symptom& line) {
  const std::string spec = line.detail("spec");
  return spec.find("GPU") != std::string::npos || spec.find("gpu") != std::string::npos;
}

void judge(const Facts& facts, Answers& answers) {
  const auto& lines = facts.all({missing, "tensorflow-device"});
  const auto pinned = std::ranges::find_if(lines, [](const Symptom* line) { return on_gpu(*line); });
  // A traced module holds the device of the tensors that it makes.
  const Symptom* traced = facts.first({{noted, "device-in-torchscript"}});
  if (const Symptom* apart = facts.first({{mismatch, "gpus-of-tensors"}}); traced && apart) {
    Finding& finding = answers.found_in(*traced, Confidence::likely);
    finding.title = "The traced module makes its tensors on the GPU on which it was traced";
    finding.evidence.push_back(evidence(*apart));
    finding.fix = {
        {.text = "Export it anew with the device of its input (device=x.device) in the code, by torch.jit.script "
                 "or torch.export; or run it on " +
                 traced->detail("device") + "."}};
    return;
  }
  if (pinned == lines.end()) return answers.not_applicable("no graph asks for a GPU that isn't here");
  const Symptom* loaded = facts.first({{noted, "graph-import"}});
  if (!loaded) return answers.not_applicable("no saved graph was loaded");
  Finding& finding = answers.found_in(**pinned, Confidence::likely);
  finding.evidence.push_back(evidence(*loaded));
  finding.fix = {{.text = "Load it with clear_devices=True (import_meta_graph, freeze_graph), or clear node.device of "
                          "each node of the GraphDef; or let TensorFlow choose: allow_soft_placement=True."}};
}

Diagnosis diagnosis() {
  return {
      .id = "usage.graph-pinned",
      .layer = Layer::use,
      .severity = Severity::error,
      .title = "The saved graph is pinned to a GPU that this program does not have",
      .claim =
          "Operations of the graph carry the device on which they were made, and it is not among the devices here.",
      .proof = "TensorFlow names the operation and its device, and the graph was loaded from a file.",
      .disproof = "The graph runs after its device names were cleared.",
      .remedy = "Clear the devices when the graph is loaded, or allow soft placement.",
      .explains = {"visibility.invalid-ordinal", "runtime.cpu-only-build", "usage.wrong-gpu"},
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_graph_pinned
