#pragma once
#include "evidence/fields.h"

namespace envdoctor {

// One line of a log that a pattern of knowledge/log_patterns.json knows; the pattern's captures stand beside it as
// fields.
struct LogEvent {
  Text event{};
  Text framework{};
  Text source{};  // "kernel", or the log's file name
  Number line{};  // from 1
  std::map<std::string, std::string> fields{};  // flattened into the object in the file
  ENVDOCTOR_FIELDS(LogEvent, event, framework, source, line)
};

}  // namespace envdoctor
