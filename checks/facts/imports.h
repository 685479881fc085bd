#pragma once
// The result of importing each framework, where that was tried.
#include <string>
#include <vector>

#include "checks/engine/diagnosis.h"

namespace envdoctor {

struct Import {
  const char* framework;  // tensorflow, torch, jax
  const char* path;       // "/tensorflow/import_error"
  Text error{};           // a text: it raised; failed: it crashed, hung or printed nonsense; absent: success
  [[nodiscard]] bool tried() const { return error.outcome() != Outcome::not_probed; }
  [[nodiscard]] bool went_well() const { return error.outcome() == Outcome::absent; }
};

// One for each framework whose section is in the snapshot.
std::vector<Import> imports_of(const Snapshot& snapshot);
// The framework that a distribution belongs to ("tensorflow-cpu" -> tensorflow); empty: none.
std::string framework_of_package(std::string_view package);
// Whether that framework was imported without an error; unknown where it wasn't tried.
Flag imports_well(const Snapshot& snapshot, std::string_view framework);

// A name that a traceback misses: "tensorflow.train.AdamOptimizer", of "module 'tensorflow._api.v2.train' has no attribute
// 'AdamOptimizer'", or a module that is missing.
struct MissedName {
  const Symptom* line = nullptr;
  std::string name{};
};
// Attributes first.
std::vector<MissedName> missed_names(const Facts& facts);

}  // namespace envdoctor
