#pragma once
// The pattern that outputs and guard bands hold before a run, so that what was not written, or written beside, shows.
#include <algorithm>
#include <cstring>
#include <span>

#include "kernels/array.h"

namespace envdoctor::kernels {

// A band that begins anywhere holds the word from its first byte on; a last, shorter piece holds the word's beginning.
inline void fill_poison(std::span<std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof poison_word)
    std::memcpy(bytes.data() + at, &poison_word, std::min(sizeof poison_word, bytes.size() - at));
}

inline bool is_poison(std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof poison_word) {
    if (std::memcmp(bytes.data() + at, &poison_word, std::min(sizeof poison_word, bytes.size() - at)) != 0) return false;
  }
  return true;
}

}  // namespace envdoctor::kernels
