#pragma once
#include <string>
#include <string_view>

namespace envdoctor {

// ASCII capitals as small letters, all else as it is, whatever the locale.
inline char lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string lower_case(std::string_view text) {
  std::string all(text);
  for (char& c : all) c = lower_case(c);
  return all;
}

}  // namespace envdoctor
