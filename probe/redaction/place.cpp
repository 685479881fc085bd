#include "probe/redaction/place.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace envdoctor {

void withhold(std::string& text, const LowerText& low, const Place& place) {
  const RE2* pattern = place.pattern.for_text(low);
  if (pattern == nullptr) return;
  constexpr std::size_t most = 5;
  std::array<re2::StringPiece, most> groups;
  const int count = std::min<int>(pattern->NumberOfCapturingGroups() + 1, most);
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = 0;
       at < text.size() && pattern->Match(text, at, text.size(), RE2::UNANCHORED, groups.data(), count);) {
    re2::StringPiece found = groups[0];
    for (int i = 1; i < count; ++i)
      if (groups.at(static_cast<std::size_t>(i)).data() != nullptr) found = groups.at(static_cast<std::size_t>(i));
    if (found.empty()) break;
    const auto begin = static_cast<std::size_t>(found.data() - text.data());
    at = begin + found.size();
    const std::string_view word(found.data(), found.size());
    if (word.starts_with('<') || place.stays(std::string_view(text).substr(0, begin), word)) continue;
    out.append(text, done, begin - done).append(place.by);
    done = at;
  }
  if (done > 0) text = out.append(text, done);
}

void withhold_each(std::string& text, const LowerText& low, const Place& place) {
  const RE2* pattern = place.pattern.for_text(low);
  if (pattern == nullptr) return;
  std::array<re2::StringPiece, 2> groups;
  for (std::size_t at = 0;
       at < text.size() && pattern->Match(text, at, text.size(), RE2::UNANCHORED, groups.data(), 2);) {
    auto begin = static_cast<std::size_t>(groups[1].data() - text.data());
    auto end = begin + groups[1].size();
    if (begin == end) break;
    while (begin < end) {
      constexpr std::string_view between = ", \t\"'";
      const std::size_t last = std::min(text.find_first_of(between, begin), end);
      const std::string word = text.substr(begin, last - begin);
      const std::size_t size = text.size();
      if (!word.empty() && !word.starts_with('<') && !place.stays(std::string_view(text).substr(0, begin), word))
        text.replace(begin, word.size(), place.by);
      end += text.size() - size;
      begin = last + text.size() - size + 1;
    }
    at = end;
  }
}

}  // namespace envdoctor
