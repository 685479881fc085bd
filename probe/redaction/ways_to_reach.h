#pragma once
#include <string>

namespace envdoctor {

class LowerText;

// Links by which whoever has them opens a document, a folder or a meeting: their identifiers become <name>.
void withhold_shared_links(std::string& text, const LowerText& low);
// How a person who writes is reached: numbers of telephones as many countries write them, names in chats.
void withhold_ways_to_reach(std::string& text, const LowerText& low);

}  // namespace envdoctor
