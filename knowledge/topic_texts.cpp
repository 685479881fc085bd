#include "knowledge/topic_texts.h"

#include "knowledge/embedded_tables.h"

namespace envdoctor::knowledge {

std::string_view text(std::string_view name) {
  for (const Embedded* row = embedded_topics; row->name != nullptr; ++row) {
    if (name == row->name) return {row->begin, static_cast<std::size_t>(row->end - row->begin)};
  }
  return {};
}

std::vector<std::string_view> topics() {
  std::vector<std::string_view> names;
  for (const Embedded* row = embedded_topics; row->name != nullptr; ++row) names.emplace_back(row->name);
  return names;
}

}  // namespace envdoctor::knowledge
