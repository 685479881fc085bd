#include "reports/markdown_text.h"

#include <algorithm>
#include <cctype>

#include "reports/lines.h"

namespace envdoctor {
namespace {

constexpr std::size_t code_limit = 300, text_limit = 2000;

// The longest run of backticks: a fence must be longer.
std::size_t longest_run(std::string_view text) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : shortened(clean(text), text_limit)) {
    if (std::ispunct(static_cast<unsigned char>(c)) &&
        std::string_view(".,;:'()%/+=-").find(c) == std::string_view::npos)
      out += '\\';
    out += c;
    if (c == '@' || c == '#') out += "\u2060";  // a word joiner: nobody is mentioned, no issue is linked
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string inside = shortened(clean(text), code_limit);
  // GitHub splits table cells at a bar even inside code.
  std::ranges::replace(inside, '|', '/');
  const std::string fence(longest_run(inside) + 1, '`');
  const bool pad = inside.empty() || inside.starts_with('`') || inside.ends_with('`');
  return fence + (pad ? " " : "") + inside + (pad ? " " : "") + fence;
}

std::string markdown_block(std::string_view text, std::string_view language) {
  std::string inside = clean_lines(text);
  if (!inside.ends_with('\n')) inside += '\n';
  const std::string fence(std::max<std::size_t>(longest_run(inside) + 1, 3), '`');
  return fence + std::string(language) + "\n" + inside + fence + "\n";
}

}  // namespace envdoctor
