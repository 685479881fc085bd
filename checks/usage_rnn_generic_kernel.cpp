// usage.rnn-generic-kernel: an LSTM with options that cuDNN takes ran on the GPU without cuDNN.
#include <algorithm>

#include "checks/compute_facts.h"

namespace envdoctor {
namespace {

constexpr const char* id = "usage.rnn-generic-kernel";

void run(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.compute.get()) return answers.unknown(id, why_unknown("/compute", snapshot.compute));
  bool any = false, sound = false;
  for (std::size_t i = 0; i < snapshot.compute.get()->size(); ++i) {
    const ComputeResult& result = (*snapshot.compute.get())[i];
    if (!result.backend.is("framework") || !result.kernel.is("lstm")) continue;
    any = true;
    if (!result.mode.get() || result.mode.get()->find("cuDNN") == std::string::npos) continue;
    sound = !result.mode.is("without cuDNN");
    if (sound) continue;
    Finding& finding = answers.found(id, compute::subject(snapshot, result));
    finding.confidence = Confidence::likely;
    finding.explanation =
        "An LSTM layer with its default options ran on this GPU by the framework's generic "
        "operations, one step after the other: cuDNN was not asked or could not be used.";
    finding.evidence = {seen(at("/compute", i, "mode"), *result.mode.get())};
    finding.fix = {{.text = diagnosis(id)->remedy}};
    return;
  }
  if (sound) return answers.sound(id);
  if (any) return answers.not_applicable(id, "no LSTM ran on a GPU through a framework");
  answers.unknown(id, "/compute: no LSTM was run through a framework");
}

}  // namespace

Check usage_rnn_generic_kernel() { return {{id}, run}; }

}  // namespace envdoctor
