#pragma once
// Small text parsers shared by several probes. None of them throws on any input.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace envdoctor {

// These are asked of every line of a log: searches of the library's for one of several characters would cost most.
constexpr bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

constexpr std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// Pieces between separators; empty pieces are kept, a final empty one is not (so a text's last line end adds nothing).
inline std::vector<std::string_view> pieces(std::string_view text, char separator) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const auto end = text.find(separator);
    result.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return result;
}

inline std::vector<std::string_view> lines_of(std::string_view text) { return pieces(text, '\n'); }

constexpr bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// "Name : value", each trimmed. Without the separator the key is empty.
struct KeyValue {
  std::string_view key{}, value{};
};
constexpr KeyValue key_value(std::string_view line, char separator = ':') {
  const auto at = line.find(separator);
  if (at == std::string_view::npos) return {};
  return {trimmed(line.substr(0, at)), trimmed(line.substr(at + 1))};
}

// The value of the first line that has this key.
inline std::optional<std::string_view> value_of(std::string_view text, std::string_view key, char separator = ':') {
  for (const auto line : lines_of(text)) {
    if (!contains(line, key)) continue;
    if (const KeyValue found = key_value(line, separator); found.key == key) return found.value;
  }
  return std::nullopt;
}

// Words between runs of blanks.
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && !is_blank(text[at])) ++at;
    if (at > begin) result.push_back(text.substr(begin, at - begin));
    while (at < text.size() && is_blank(text[at])) ++at;
  }
  return result;
}

// The whole text as a number; nullopt if it holds anything else or is out of range. Base 16 accepts a leading 0x.
template <class T = std::int64_t>
std::optional<T> number_of(std::string_view text, int base = 10) {
  text = trimmed(text);
  if (base == 16 && (text.starts_with("0x") || text.starts_with("0X"))) text.remove_prefix(2);
  T value{};
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>) {
    result = std::from_chars(text.data(), text.data() + text.size(), value);
  } else {
    result = std::from_chars(text.data(), text.data() + text.size(), value, base);
  }
  if (text.empty() || result.ec != std::errc{} || result.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

// Sorted, and each element once.
template <class Element>
void sort_unique(std::vector<Element>& list) {
  std::ranges::sort(list);
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// The first word as a number: "65536 kB".
inline std::optional<std::int64_t> first_number(std::string_view text) {
  text = trimmed(text);
  return number_of(text.substr(0, text.find_first_of(" \t")));
}

// The part after the last slash.
constexpr std::string_view base_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

}  // namespace envdoctor
