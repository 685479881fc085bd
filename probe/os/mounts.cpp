#include "probe/os/mounts.h"

#include <algorithm>

#include "host/text.h"

namespace envdoctor {
namespace {

// The kernel writes blanks and backslashes as \ooo.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size();
    const auto code = escaped ? number_of<int>(text.substr(i + 1, 3), 8) : std::nullopt;
    result += code ? static_cast<char>(*code) : text[i];
    if (code) i += 3;
  }
  return result;
}

}  // namespace

std::vector<Mount> parse_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const auto line : lines_of(mountinfo)) {
    // id parent major:minor root point options [optional fields] - type source super-options
    const auto words = words_of(line);
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 6 || words.end() - dash < 3 || dash - words.begin() < 6) continue;
    mounts.push_back({.root = unescaped(words[3]),
                      .point = unescaped(words[4]),
                      .type = std::string(dash[1]),
                      .source = unescaped(dash[2]),
                      .options = words.end() - dash > 3 ? std::string(dash[3]) : ""});
  }
  return mounts;
}

Reading<std::vector<Mount>> read_mounts(const Files& files) {
  return files.read("/proc/self/mountinfo", 8 << 20).then(parse_mounts);
}

const Mount* mount_of(const std::vector<Mount>& mounts, std::string_view path) {
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    const std::string_view point = mount.point;
    const bool holds = point == "/" || path == point || (path.starts_with(point) && path[point.size()] == '/');
    if (holds && (!best || point.size() >= best->point.size())) best = &mount;
  }
  return best;
}

std::string_view option_of(const Mount& mount, std::string_view name) {
  for (const auto option : pieces(mount.options, ','))
    if (const auto [key, value] = key_value(option, '='); key == name) return value;
  return {};
}

}  // namespace envdoctor
