#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

namespace envdoctor {

// ASCII capitals to lower case, everything else unchanged, in any locale.
inline char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
inline bool is_ascii_letter(char c) { return lower_case(c) >= 'a' && lower_case(c) <= 'z'; }

// Eight characters at a time, because whole logs are converted.
inline void make_lower_case(std::string& text) {
  constexpr std::uint64_t each = 0x0101010101010101U;
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    const std::uint64_t seven_bits = eight & 0x7F * each;
    const std::uint64_t from_a = seven_bits + (0x80 - 'A') * each, beyond_z = seven_bits + (0x7F - 'Z') * each;
    eight |= (from_a & ~beyond_z & ~eight & 0x80 * each) >> 2U;
    std::memcpy(text.data() + at, &eight, sizeof eight);
  }
  for (; at < text.size(); ++at) text[at] = lower_case(text[at]);
}

inline std::string lower_case(std::string_view text) {
  std::string all(text);
  make_lower_case(all);
  return all;
}

// Whether one of these words, given in lower case, stands in the text in capitals or small letters: what a pattern needs
// is looked for first, as compiling a pattern takes longer than reading a short text.
inline bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  const std::string low = lower_case(text);
  return std::ranges::any_of(words, [&](std::string_view word) { return low.find(word) != std::string::npos; });
}

// The same of the place where a text's first letter stands, and of the place behind its last one.
inline bool first_letter_begins(std::string_view text, std::initializer_list<std::string_view> words) {
  constexpr std::size_t longest = 16;
  const auto first = static_cast<std::size_t>(std::ranges::find_if(text, is_ascii_letter) - text.begin());
  const std::string low = lower_case(text.substr(first, longest));
  return std::ranges::any_of(words, [&](std::string_view word) { return low.starts_with(word); });
}
inline bool last_letter_ends(std::string_view text, std::initializer_list<std::string_view> words) {
  constexpr std::size_t longest = 16;
  while (!text.empty() && !is_ascii_letter(text.back())) text.remove_suffix(1);
  const std::string low = lower_case(text.substr(text.size() - std::min(text.size(), longest)));
  return std::ranges::any_of(words, [&](std::string_view word) { return low.ends_with(word); });
}

}  // namespace envdoctor
