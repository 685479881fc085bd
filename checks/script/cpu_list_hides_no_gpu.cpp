// script.cpu-list-hides-no-gpu: a list of CPUs that is meant to hide GPUs.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_cpu_list_hides_no_gpu {
Diagnosis diagnosis() {
  return {
      .id = "script.cpu-list-hides-no-gpu",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "set_visible_devices(…, 'CPU') hides no GPU",
      .claim = "The call chooses among CPUs; the list of GPUs is another one.",
      .proof = "The call names 'CPU' as the kind of device.",
      .disproof = "The script means to choose among CPUs.",
      .remedy = "Write tf.config.set_visible_devices([], 'GPU').",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_cpu_list_hides_no_gpu
