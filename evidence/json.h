#pragma once
// Snapshot to JSON and back, and single texts out of foreign JSON. The file format is docs/schema/snapshot-1.json.
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "evidence/fields.h"
#include "evidence/snapshot.h"

namespace envdoctor {

// An invalid document. `what()` names the source and the place in it (byte, or JSON pointer).
class BadDocument : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two-space indented, keys sorted, ends in a newline; bytes that are not UTF-8 become U+FFFD.
std::string to_json(const Snapshot& snapshot);

// Parses a snapshot, or a report that embeds one. Unknown keys are ignored, any known key may be missing, and in
// place of any value may stand {"absent": why} or {"failed": why}. Throws BadDocument. `source` is named in errors.
Snapshot snapshot_from_json(std::string_view text, const std::string& source);

// A snapshot that holds one value, at a JSON pointer: true or false where the text reads so, a list of words where it
// stands in brackets, a text otherwise. Throws BadDocument where the file format has no such place.
Snapshot snapshot_with(const std::string& pointer, const std::string& text);

// One text out of a foreign JSON file (a Jupyter kernel's, Keras's, conda's), at a JSON pointer ("/argv/0"). Absent:
// nothing is there. Failed: not JSON, or not a text.
Text json_text(std::string_view json, const std::string& pointer);

// The texts, numbers, true and false of the JSON document that a text starts with, each by its JSON pointer, as they
// are written. A truncated or damaged document gives the values before the damage. At most a hundred thousand, none of
// them below 32 levels.
std::map<std::string, std::string> json_values(std::string_view text);

}  // namespace envdoctor
