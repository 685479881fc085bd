#pragma once
// Snapshot to JSON and back. The file format is docs/schema/snapshot-1.json.
#include <stdexcept>
#include <string>
#include <string_view>

#include "evidence/snapshot.h"

namespace envdoctor {

// A document that can't be taken. `what()` names the source and the place in it (byte, or JSON pointer).
class BadDocument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two-space indented, keys sorted, ends in a newline; bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Snapshot& snapshot);

// Takes a snapshot, or a report that embeds one. Unknown keys are passed over, any known key may be missing, and in
// place of any value may stand {"absent": why} or {"failed": why}. Throws BadDocument. `source` is named in errors.
Snapshot snapshot_from_json(std::string_view text, const std::string& source);

}  // namespace envdoctor
