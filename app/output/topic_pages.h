#pragma once
#include <string>
#include <string_view>

namespace envdoctor {

// The first line of a page: "Force the CPU".
std::string topic_title(std::string_view name);
// The page in lines of 80 columns, with what came of the methods that it names; empty: no such topic.
std::string render_topic(std::string_view name);

}  // namespace envdoctor
