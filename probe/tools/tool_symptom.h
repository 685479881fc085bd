#pragma once
// A fact at a line of a reader's text that has no field of its own.
#include <string_view>

#include "evidence/snapshot.h"

namespace envdoctor {

// A symptom of this kind at line `row` (from 0) of the text that the reader was given.
inline Symptom& add_symptom(Snapshot& snapshot, Kind kind, std::size_t row, std::string_view line) {
  Symptom& symptom = snapshot.log.fill().emplace_back();
  symptom.class_ = std::string(text(kind.class_));
  symptom.subject = std::string(kind.subject);
  symptom.line = static_cast<std::int64_t>(row);
  if (line.size() <= 240) symptom.text = std::string(line);  // a truncated line could hide a secret from the detectors
  return symptom;
}

}  // namespace envdoctor
