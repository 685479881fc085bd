#pragma once
// The pages of docs/topics, which are embedded in the program.
#include "knowledge/embedded_tables.h"

namespace envdoctor::knowledge {

// The page by its file name without extension; empty: no such page.
inline std::string_view text(std::string_view name) { return bytes_of(embedded_topics, name); }
// All pages, sorted by name.
inline std::vector<std::string_view> topics() { return names_of(embedded_topics); }

}  // namespace envdoctor::knowledge
