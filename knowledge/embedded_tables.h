#pragma once
// The rosters of tables and topics in the program, which the build writes from the files in knowledge/ and docs/topics.

namespace envdoctor::knowledge {

struct Embedded {
  const char* name = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
};

// Each ends with a row without a name.
extern const Embedded embedded_tables[], embedded_topics[];
extern const Embedded embedded_index[];  // pattern_index.h

}  // namespace envdoctor::knowledge
