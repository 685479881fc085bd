#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace envdoctor {

struct MadeCacheEntry {
  std::string soname{};
  std::string path{};
  std::uint32_t flags = 0x0303;  // x86-64
  std::uint64_t hwcap = 0;
};

// An ld.so.cache as ldconfig writes it, little-endian; `old_part` puts the older format before it.
inline std::string make_ld_cache(const std::vector<MadeCacheEntry>& entries, bool old_part = false) {
  const auto number = [](std::uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
    return out;
  };
  std::string rows;
  std::string strings;
  const std::size_t strings_at = 48 + 24 * entries.size();
  for (const MadeCacheEntry& entry : entries) {
    rows += number(entry.flags, 4) + number(strings_at + strings.size(), 4);
    strings += entry.soname + '\0';
    rows += number(strings_at + strings.size(), 4) + number(0, 4) + number(entry.hwcap, 8);
    strings += entry.path + '\0';
  }
  const std::string fresh = "glibc-ld.so.cache1.1" + number(entries.size(), 4) + number(strings.size(), 4) +
                            number(2, 4) + std::string(16, '\0') + rows + strings;
  if (!old_part) return fresh;
  std::string old = "ld.so-1.7.0" + std::string(1, '\0') + number(1, 4) + number(3, 4) + number(0, 8);
  old.resize((old.size() + 7) / 8 * 8);
  return old + fresh;
}

}  // namespace envdoctor
