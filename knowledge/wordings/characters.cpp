#include "knowledge/wordings/characters.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

namespace envdoctor::knowledge {
namespace {

Characters range(char first, char last) {
  Characters all;
  for (std::size_t c = index_of(first); c <= index_of(last); ++c) all.set(c);
  return all;
}

Characters one_of(std::string_view list) {
  Characters all;
  for (const char c : list) all.set(index_of(c));
  return all;
}

// \d, \w, \s and their opposites.
std::optional<Characters> named(char letter) {
  static const Characters digits = range('0', '9');
  static const Characters word = digits | range('a', 'z') | range('A', 'Z') | one_of("_");
  static const Characters space = one_of("\t\n\f\r ");
  switch (letter) {
    case 'd':
      return digits;
    case 'D':
      return ~digits;
    case 'w':
      return word;
    case 'W':
      return ~word;
    case 's':
      return space;
    case 'S':
      return ~space;
    default:
      return std::nullopt;
  }
}

// Takes a character that stands for itself, escaped or not; nothing: some other thing comes next.
std::optional<char> take_character(std::string_view& rest) {
  if (rest.empty() || rest.starts_with("[:")) return std::nullopt;
  const char c = rest[0];
  rest.remove_prefix(1);
  if (c != '\\') return c;
  if (rest.empty()) return std::nullopt;
  const char escaped = rest[0];
  rest.remove_prefix(1);
  constexpr std::string_view letters = "nrtfv", meanings = "\n\r\t\f\v";
  if (const std::size_t at = letters.find(escaped); at != letters.npos) return meanings[at];
  if (escaped == 'x') {
    unsigned code = 0;
    const auto [end, error] =
        std::from_chars(rest.data(), rest.data() + std::min<std::size_t>(2, rest.size()), code, 16);
    if (error != std::errc() || end != rest.data() + 2) return std::nullopt;
    rest.remove_prefix(2);
    return static_cast<char>(code);
  }
  return std::isalnum(static_cast<unsigned char>(escaped)) != 0 ? std::nullopt : std::optional(escaped);
}

// What stands between brackets.
std::optional<Characters> listed(std::string_view rest) {
  Characters all;
  while (!rest.empty()) {
    if (const auto set = rest[0] == '\\' && rest.size() > 1 ? named(rest[1]) : std::nullopt) {
      all |= *set;
      rest.remove_prefix(2);
      continue;
    }
    const auto first = take_character(rest);
    if (!first) return std::nullopt;
    if (rest.size() < 2 || rest[0] != '-') {
      all.set(index_of(*first));
      continue;
    }
    rest.remove_prefix(1);
    const auto last = take_character(rest);
    if (!last) return std::nullopt;
    all |= range(*first, *last);
  }
  return all;
}

}  // namespace

Characters characters_of(std::string_view expression) {
  if (expression == ".") return ~one_of("\n");
  if (expression.size() > 2 && expression.starts_with('[') && expression.ends_with(']')) {
    std::string_view list = expression.substr(1, expression.size() - 2);
    const bool negated = list.starts_with('^');
    if (negated) list.remove_prefix(1);
    const auto all = listed(list);
    return !all ? any_character : negated ? ~*all : *all;
  }
  if (expression.size() == 2 && expression[0] == '\\') {
    if (const auto set = named(expression[1])) return *set;
  }
  const auto one = take_character(expression);
  return one && expression.empty() ? one_of({&*one, 1}) : any_character;
}

Characters either_case(const Characters& characters) {
  static const Characters capitals = range('A', 'Z'), small = range('a', 'z'), beyond_ascii = range('\x80', '\xff');
  constexpr std::size_t apart = 'a' - 'A';
  const Characters all = characters | (characters & capitals) << apart | (characters & small) >> apart;
  return (all & beyond_ascii).any() ? all | beyond_ascii : all;  // their capitals are not known here
}

}  // namespace envdoctor::knowledge
