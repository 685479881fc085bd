#include "knowledge/texts.h"

namespace envdoctor::knowledge {

std::string_view text(std::string_view name) {
  for (const EmbeddedText* row = embedded_texts; row->name != nullptr; ++row) {
    if (name == row->name) return {row->begin, static_cast<std::size_t>(row->end - row->begin)};
  }
  return {};
}

std::vector<std::string_view> topics() {
  std::vector<std::string_view> names;
  for (const EmbeddedText* row = embedded_texts; row->name != nullptr; ++row) {
    if (row->topic) names.emplace_back(row->name);
  }
  return names;
}

}  // namespace envdoctor::knowledge
