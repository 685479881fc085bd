#pragma once
// What TensorFlow, PyTorch, JAX and Keras were built for and are configured for, from their files.
#include <string>
#include <vector>

#include "evidence/snapshot.h"
#include "probe/python/distributions.h"

namespace envdoctor {

// A value in a Python source of plain assignments or of one printed dictionary: the text behind `name =`, `name: T =`,
// 'name': or 'name',. Quotes are taken off; "None", "True" and "[...]" come as they stand. Empty: not there.
std::string python_value(std::string_view source, std::string_view name);

// Fills tensorflow, torch, jax and keras of the snapshot, each only if its package is there.
void read_framework_builds(const Host& host, const std::vector<std::string>& folders,
                           const std::vector<Distribution>& all, Snapshot& part);

// Where Keras's configuration lies: $KERAS_HOME/keras.json, else ~/.keras/keras.json. Empty: no home.
std::string keras_config_file(const Host& host);

}  // namespace envdoctor
