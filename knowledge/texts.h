#pragma once
// Texts that the program carries: the pages of docs/topics, and probe/script_reader.py.
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

// By the file's name without its ending; empty: no such text.
std::string_view text(std::string_view name);
// The pages of docs/topics, in the order of their names.
std::vector<std::string_view> topics();

struct EmbeddedText {
  const char* name = nullptr;
  const char* begin = nullptr;
  const char* end = nullptr;
  bool topic = false;
};
extern const EmbeddedText embedded_texts[];  // which the build writes; ends with a row without a name

}  // namespace envdoctor::knowledge
