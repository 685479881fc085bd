// usage.rnn-generic-kernel: an LSTM with options that cuDNN takes ran on the GPU without cuDNN.

#include "checks/compute/compute_facts.h"

namespace envdoctor::usage_rnn_generic_kernel {

using enum SymptomClass;
namespace {

constexpr const char* id = "usage.rnn-generic-kernel";

void judge(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!snapshot.compute.get()) return answers.unknown(id, why_unknown("/compute", snapshot.compute));
  bool any = false, sound = false;
  for (std::size_t i = 0; i < snapshot.compute.get()->size(); ++i) {
    const ComputeResult& result = (*snapshot.compute.get())[i];
    if (!result.backend.is("framework") || !result.kernel.is("lstm")) continue;
    any = true;
    if (result.mode.or_empty().find("cuDNN") == std::string::npos) continue;
    sound = !result.mode.is("without cuDNN");
    if (sound) continue;
    Finding& finding = answers.found(id, compute::subject(snapshot, result));
    finding.confidence = Confidence::likely;
    finding.explanation =
        "An LSTM layer with its default options ran on this GPU by the framework's generic "
        "operations, one step after the other: cuDNN was not asked or could not be used.";
    finding.evidence = {evidence(at("/compute", i, "mode"), *result.mode.get())};
    finding.fix = {{.text = find_diagnosis(id)->remedy}};
    return;
  }
  if (sound) return answers.passed(id);
  if (any) return answers.not_applicable(id, "no LSTM ran on a GPU through a framework");
  answers.unknown(id, "/compute: no LSTM was run through a framework");
}

}  // namespace

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "usage.rnn-generic-kernel",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "A recurrent layer uses the slow generic kernel",
      .claim = "The layer's options don't meet the conditions of the fast cuDNN implementation.",
      .proof = "The layer's own warning that it will not use the cuDNN kernel.",
      .disproof = "The layer reports that it uses cuDNN.",
      .remedy = "Use the default activations, no recurrent dropout, unroll=False and right-padded masks.",
      .symptoms =
          {
              {{slow, "rnn-kernel"}, certain},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_rnn_generic_kernel
