#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor {

// The first line of a page: "Force the CPU".
std::string topic_title(std::string_view name);
// The page in lines of 80 columns, with the tested results of the methods that it names; empty: no such topic.
std::string render_topic(std::string_view name);

// What `explain` prints: the page of a topic, the diagnoses of a family, a diagnosis in full; empty: unknown name.
std::string explanation_of(const std::string& name);
std::vector<std::string> explained_names();

}  // namespace envdoctor
