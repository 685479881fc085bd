// script.result-dropped: the call changes nothing in place: it returns the moved copy, the wrapped model or
// the context.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_result_dropped {
Diagnosis diagnosis() {
  return {
      .id = "script.result-dropped",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script drops the result that matters",
      .claim =
          "The call changes nothing in place: what it gives back is the moved copy, the wrapped model or the context.",
      .proof = "The call stands alone as a statement.",
      .disproof = "The object is one that changes in place.",
      .remedy = "Take the result, or write with.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_result_dropped
