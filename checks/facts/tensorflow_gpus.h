#pragma once
// TensorFlow where it lists a GPU.
#include <string_view>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

// The section of TensorFlow if it lists a GPU; null: it doesn't or it is unknown, which is recorded as the answer of
// `id`.
const Tensorflow* tensorflow_with_gpus(const Snapshot& snapshot, Answers& answers);

}  // namespace envdoctor
