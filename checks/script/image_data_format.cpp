// script.image-data-format: the layout of images mistaken for a choice of backend or device.
#include "checks/engine/rule.h"
#include "checks/script/script_facts.h"

namespace envdoctor::script_image_data_format {
Diagnosis diagnosis() {
  return {
      .id = "script.image-data-format",
      .layer = Layer::use,
      .severity = Severity::info,
      .title = "set_image_data_format chooses neither backend nor device",
      .claim = "The call says how images lie in memory, nothing else.",
      .proof = "The call stands in the script.",
      .disproof = "The script means the layout of images.",
      .remedy = "Choose the backend by KERAS_BACKEND, the device by CUDA_VISIBLE_DEVICES.",
      .judge = [](const Facts& facts, Answers& answers) { judge_calls(facts, answers); },
  };
}

}  // namespace envdoctor::script_image_data_format
