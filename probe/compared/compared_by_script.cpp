// A script whose prints stand above what they wrote: as many numbers or arrays as things it prints, in their order.
#include <re2/re2.h>

#include <algorithm>
#include <map>

#include "host/text.h"
#include "knowledge/lazy_regex.h"
#include "probe/compared/compared_values.h"

namespace envdoctor::compared {
namespace {

constexpr std::size_t most_printed = 64, longest_code = 200, most_lines_between = 12, most_lines_before_first = 40;

// "a, f(b, c)" gives "a" and "f(b, c)"; none if a text is printed, or a format is given.
std::optional<std::vector<std::string_view>> arguments_of(std::string_view inside) {
  std::vector<std::string_view> all;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < inside.size(); ++i) {
    const char c = inside[i];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '%' || (depth == 0 && (c == '"' || c == '\'' || c == '='))) return std::nullopt;
    if (c == ',' && depth == 0) {
      all.push_back(trimmed(inside.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  all.push_back(trimmed(inside.substr(begin)));
  if (depth != 0 || std::ranges::any_of(all, &std::string_view::empty)) return std::nullopt;
  return all;
}

struct Printed {
  std::string code{};      // "y.sum()", with what its variables were set to behind it
  std::string computed{};  // the same of the variable that a moved one was made of: "x.sum()" of y = x.cuda()
};

struct Script {
  std::vector<Printed> printed{};
  std::size_t end = 0;  // the line after the last print
};

// The prints at the margin, and those of a block under "with", which runs once; none if one of them is in a loop or a
// function, where it may write any number of times.
std::optional<Script> script_in(const std::vector<std::string_view>& lines) {
  static const LazyRegex print(R"(^\s*print\s?\((.*)\)\s*(?:#.*)?$)", RE2::Latin1);
  static const LazyRegex set(R"(^\s*([A-Za-z_]\w*)\s*=\s*(.+)$)", RE2::Latin1);
  static const LazyRegex moved(R"(([A-Za-z_]\w*)\.(?:to|cuda|cpu|clone|detach)\([^()]*\))", RE2::Latin1);
  Script script;
  std::map<std::string, std::string> variables, origins;
  std::string_view block;  // "with tf.device(…):", under which the line stands
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].size() > longest_code) continue;
    const re2::StringPiece line(lines[i].data(), lines[i].size());
    const bool indented = lines[i].starts_with(' ') || lines[i].starts_with('\t');
    if (!indented && !lines[i].empty()) block = lines[i].starts_with("with ") ? lines[i] : std::string_view();
    std::string name, value;
    re2::StringPiece inside;
    if (RE2::FullMatch(line, set, &name, &value)) {
      variables[name] = indented && !block.empty() ? value + "  " + std::string(block) : value;
      std::string origin;
      if (RE2::FullMatch(value, moved, &origin)) origins[name] = origins.contains(origin) ? origins[origin] : origin;
    } else if (contains(lines[i], "print") && RE2::FullMatch(line, print, &inside)) {
      const auto all = arguments_of({inside.data(), inside.size()});
      if (!all || (indented && block.empty())) return std::nullopt;
      for (const std::string_view one : *all) {
        Printed printed{.code = std::string(one) + (indented ? "  " + std::string(block) : "")};
        static const LazyRegex word(R"(([A-Za-z_]\w*))", RE2::Latin1);
        re2::StringPiece rest(one.data(), one.size()), variable;
        while (RE2::FindAndConsume(&rest, word, &variable)) {
          const std::string name_of = variable.as_string();
          const auto origin = origins.find(name_of);
          printed.computed += (origin != origins.end() ? origin->second : name_of) + ' ';
          if (const auto known = variables.find(name_of);
              known != variables.end() && printed.code.size() < longest_code)
            printed.code += "  " + known->second;
        }
        script.printed.push_back(std::move(printed));
      }
      script.end = i + 1;
    }
  }
  if (script.printed.size() < 2 || script.printed.size() > most_printed) return std::nullopt;
  return script;
}

}  // namespace

std::vector<Shown> shown_by_script(std::string_view text, const std::vector<NumberBlock>& blocks) {
  if (!contains(text, "print")) return {};
  const auto script = script_in(lines_of(text));
  if (!script) return {};
  std::vector<Shown> all;
  std::size_t row = script->end;
  for (std::size_t i = 0; i < blocks.size() && all.size() < script->printed.size(); ++i) {
    const NumberBlock& block = blocks[i];
    if (block.row < script->end || (!block.label.empty() && all.empty())) continue;
    // Libraries print what they load before the first result.
    if (block.row > row + (all.empty() ? most_lines_before_first : most_lines_between)) break;
    const Printed& printed = script->printed[all.size()];
    all.push_back({i, printed.code, printed.computed});
    row = block.last_row;
  }
  if (all.size() != script->printed.size()) return {};
  return all;
}

}  // namespace envdoctor::compared
