#pragma once
// The pages of docs/topics, which the program carries.
#include "knowledge/embedded_tables.h"

namespace envdoctor::knowledge {

// By the file's name without its ending; empty: no such page.
inline std::string_view text(std::string_view name) { return bytes_of(embedded_topics, name); }
// All of them, in the order of their names.
inline std::vector<std::string_view> topics() { return names_of(embedded_topics); }

}  // namespace envdoctor::knowledge
