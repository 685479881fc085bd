#pragma once
// The hand-written example documents of docs/examples, as snapshots.
#include "evidence/json.h"
#include "tests/support/paths.h"
#include "tests/support/golden.h"

namespace envdoctor {

inline Snapshot example(const std::string& name) {
  const std::string path = std::string(source_folder) + "/docs/examples/" + name + ".json";
  return snapshot_from_json(read_whole(path), path);
}

}  // namespace envdoctor
