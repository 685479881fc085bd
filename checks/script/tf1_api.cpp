// script.tf1-api: calls of TensorFlow 1 under TensorFlow 2.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_tf1_api {
Diagnosis diagnosis() {
  return {
      .id = "script.tf1-api",
      .layer = Layer::use,
      .severity = Severity::warning,
      .title = "The script uses the API of TensorFlow 1",
      .claim = "Under TensorFlow 2 these calls raise, or configure sessions that nothing uses.",
      .proof = "The call's name, and the TensorFlow that is installed.",
      .disproof = "The script runs under TensorFlow 1.",
      .remedy = "Use tf.config, and run operations directly.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_tf1_api
