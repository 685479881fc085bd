#pragma once
// TensorFlow where it lists a GPU.
#include <string_view>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

// The section of TensorFlow if it lists a GPU; null: it doesn't, or nobody looked, and `id` has got that answer.
const Tensorflow* tensorflow_with_gpus(const Snapshot& snapshot, Answers& answers);

}  // namespace envdoctor
