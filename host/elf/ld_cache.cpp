#include "host/elf/loader.h"

#include <fmt/format.h>

#include <map>
#include <optional>

namespace envdoctor {
namespace {

// Layouts from glibc's sysdeps/generic/dl-cache.h; flags from sysdeps/generic/ldconfig.h.
constexpr std::string_view old_magic = "ld.so-1.7.0";
constexpr std::size_t old_head = 16;
constexpr std::size_t old_entry = 12;
constexpr std::string_view magic = "glibc-ld.so.cache1.1";
constexpr std::size_t head = 48;
constexpr std::size_t entry_size = 24;
constexpr unsigned big_endian = 3;

std::string machine_of(std::uint32_t flags) {
  static const std::map<std::uint32_t, const char*> machines = {
      {0x0003, "i386"},    {0x0303, "x86-64"},  {0x0403, "s390x"},       {0x0503, "ppc64le"},
      {0x0803, "x32"},     {0x0903, "arm"},     {0x0b03, "arm"},         {0x0a03, "aarch64"},
      {0x0f03, "riscv64"}, {0x1003, "riscv64"}, {0x1103, "loongarch64"}, {0x1203, "loongarch64"}};
  const auto known = machines.find(flags & 0xffff);
  return known == machines.end() ? "" : known->second;
}

class Bytes {
 public:
  explicit Bytes(std::string_view all) : all_(all) {}
  bool big = false;

  // Reading past the end gives 0 and sets `good` to false.
  std::uint32_t word(std::size_t at) {
    if (at > all_.size() || all_.size() - at < 4) return static_cast<std::uint32_t>(good = false);
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(all_[at + (big ? i : 3 - i)]);
    return value;
  }
  std::string text(std::size_t at) {
    const std::size_t end = at < all_.size() ? all_.find('\0', at) : std::string_view::npos;
    if (end == std::string_view::npos || end - at > 4096) return good = false, "";
    return std::string(all_.substr(at, end - at));
  }
  bool good = true;

 private:
  std::string_view all_;
};

// Where the newer part begins.
std::optional<std::size_t> new_part(std::string_view bytes) {
  if (bytes.rfind(magic, 0) == 0) return 0;
  if (bytes.rfind(old_magic, 0) != 0) return {};
  Bytes in(bytes);
  const std::size_t end = old_head + std::size_t{in.word(12)} * old_entry;
  const std::size_t at = (end + 7) / 8 * 8;
  if (!in.good || at > bytes.size() || bytes.substr(at).rfind(magic, 0) != 0) return {};
  return at;
}

}  // namespace

Reading<std::vector<CacheEntry>> parse_ld_cache(std::string_view bytes) {
  const auto start = new_part(bytes);
  if (!start) return failed("not a glibc loader cache, or of an unsupported version");
  bytes.remove_prefix(*start);
  Bytes in(bytes);
  if (bytes.size() < head) return failed(fmt::format("cut short: it ends after {} bytes", *start + bytes.size()));
  in.big = (static_cast<unsigned char>(bytes[28]) & 3u) == big_endian;
  const std::size_t count = in.word(20);
  const std::size_t strings = in.word(24);
  if (count > (bytes.size() - head) / entry_size || strings > bytes.size() - head - count * entry_size)
    return failed(
        fmt::format("cut short: {} libraries are announced, but it ends after {} bytes", count, *start + bytes.size()));
  std::vector<CacheEntry> entries;
  entries.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = head + i * entry_size;
    entries.push_back({.soname = in.text(in.word(at + 4)),
                       .path = in.text(in.word(at + 8)),
                       .machine = machine_of(in.word(at)),
                       .hwcap = (in.word(at + 16) | in.word(at + 20)) != 0});
    if (!in.good) return failed(fmt::format("entry {} names a place outside the file", i));
  }
  return entries;
}

}  // namespace envdoctor
