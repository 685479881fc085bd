#pragma once
// The roster of tables in the program, which the build writes from the files in knowledge/.

namespace envdoctor::knowledge {

struct Embedded {
  const char* name = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
};

// Ends with a row without a name.
extern const Embedded embedded_tables[];

}  // namespace envdoctor::knowledge
