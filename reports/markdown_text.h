#pragma once
// A host's own words inside Markdown.
#include <string>
#include <string_view>

namespace envdoctor {

// As text: no emphasis, link, HTML, mention or heading comes of it.
std::string markdown_text(std::string_view text);
// As a code span, cut after 300 characters.
std::string markdown_code(std::string_view text);
// As a fenced block.
std::string markdown_block(std::string_view text, std::string_view language);

}  // namespace envdoctor
