// usage.rnn-generic-kernel: an LSTM with options that cuDNN supports ran on the GPU without cuDNN.

#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::usage_rnn_generic_kernel {

using enum SymptomClass;

void judge(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.compute.get()) return answers.unknown(why_unknown("/compute", snapshot.compute));
  bool any = false, sound = false;
  for (std::size_t i = 0; i < snapshot.compute.get()->size(); ++i) {
    const ComputeResult& result = (*snapshot.compute.get())[i];
    if (!result.backend.is("framework") || !result.kernel.is("lstm")) continue;
    any = true;
    if (result.mode.or_empty().find("cuDNN") == std::string::npos) continue;
    sound = !result.mode.is("without cuDNN");
    if (sound) continue;
    Finding& finding = answers.found_on(compute::subject(snapshot, result));
    finding.confidence = Confidence::likely;
    finding.explanation =
        "An LSTM layer with its default options ran on this GPU by the framework's generic "
        "operations, one step after the other: cuDNN was not asked or could not be used.";
    finding.evidence = {evidence(at("/compute", i, "mode"), *result.mode.get())};
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return;
  }
  if (sound) return answers.passed();
  if (any) return answers.not_applicable("no LSTM ran on a GPU through a framework");
  answers.unknown("/compute: no LSTM was run through a framework");
}

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
      .judge_host = judge,
  };
}

}  // namespace envdoctor::usage_rnn_generic_kernel
