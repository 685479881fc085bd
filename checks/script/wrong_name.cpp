// script.wrong-name: a device, variable, switch or call is misspelt: it raises, or nothing reads it.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_wrong_name {
Diagnosis diagnosis() {
  return {
      .id = "script.wrong-name",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script names what does not exist",
      .claim = "A device, variable, switch or call is misspelt: it raises, or nothing reads it.",
      .proof = "The name, and the names that there are.",
      .disproof = "Another program of one's own reads it.",
      .remedy = "Write the right name.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_wrong_name
