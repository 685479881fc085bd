#pragma once
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {

// Whether TF_USE_LEGACY_KERAS makes TensorFlow use Keras 2, by TensorFlow's own parsing.
inline bool legacy_keras_asked(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  return variable.is("1") || variable.is("True") || variable.is("true");
}

}  // namespace envdoctor
