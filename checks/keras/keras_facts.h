#pragma once
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"

namespace envdoctor {

// TF_USE_LEGACY_KERAS asks TensorFlow for Keras 2, as it reads the variable.
inline bool legacy_keras_asked(const Snapshot& snapshot) {
  const Text variable = env_of(snapshot, "TF_USE_LEGACY_KERAS");
  return variable.is("1") || variable.is("True") || variable.is("true");
}

}  // namespace envdoctor
