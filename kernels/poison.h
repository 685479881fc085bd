#pragma once
// The pattern that outputs and guard bands hold before a run, so that what was not written, or written beside, shows.
#include <algorithm>
#include <bit>
#include <cstring>
#include <span>

#include "kernels/array.h"

namespace envdoctor::kernels {

// One pattern runs through a buffer and its guard band; `offset` is where these bytes begin in it.
inline std::uint32_t poison_at(std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  return std::rotr(poison_word, static_cast<int>(8 * (offset % sizeof poison_word)));
}

inline void fill_poison(std::span<std::byte> bytes, std::size_t offset) {
  const std::uint32_t word = poison_at(offset);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word)
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at));
}

inline bool is_poison(std::span<const std::byte> bytes, std::size_t offset) {
  const std::uint32_t word = poison_at(offset);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word) {
    if (std::memcmp(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at)) != 0) return false;
  }
  return true;
}

}  // namespace envdoctor::kernels
