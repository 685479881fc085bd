#pragma once
// The lists of embedded tables and topics, which the build generates from the files in knowledge/ and docs/topics.
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct Embedded {
  const char* name = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
};

// The bytes under a name; empty: unknown name.
std::string_view bytes_of(const Embedded* roster, std::string_view name);
std::vector<std::string_view> names_of(const Embedded* roster);

// Each ends with a row without a name.
extern const Embedded embedded_tables[], embedded_topics[];
extern const Embedded embedded_bare_tables[];  // the tables again, without remarks
// "wordings" (pattern_index.h), "resemblance", "plain_words", "report_words", "gpu_devices", "codes" (codes_index.h),
// and "wording_rows", the table of wordings in lines (in_lines()).
extern const Embedded embedded_index[];

}  // namespace envdoctor::knowledge
