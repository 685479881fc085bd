#pragma once
// Damaged inputs, the same on every run: like a fuzzer, but deterministic.
#include <algorithm>
#include <cstdint>
#include <random>
#include <string>

namespace envdoctor {

class Mutator {
 public:
  explicit Mutator(std::uint32_t seed) : random_(seed) {}

  // A copy with one to four small damages.
  std::string mutate(std::string bytes) {
    for (std::size_t left = 1 + below(4); left > 0; --left) damage(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void damage(std::string& bytes) {
    constexpr std::uint64_t interesting[] = {0,
                                             1,
                                             0x7f,
                                             0x80,
                                             0xff,
                                             0x7fff,
                                             0xffff,
                                             0x7fffffff,
                                             0x80000000,
                                             0xffffffff,
                                             0x7fffffffffffffff,
                                             0xffffffffffffffff};
    const std::size_t at = below(bytes.size());
    const std::size_t length = std::min(below(33), bytes.size() - at);
    switch (below(8)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes.erase(at, length);
        break;
      case 2:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      case 3:
        bytes.insert(at, length, static_cast<char>(random_()));
        break;
      case 4: {  // a number of 1, 2, 4 or 8 bytes
        const std::uint64_t value = interesting[below(std::size(interesting))];
        const std::size_t width = std::min(std::size_t{1} << below(4), bytes.size() - at);
        for (std::size_t i = 0; i < width; ++i) bytes[at + i] = static_cast<char>(value >> (8 * i));
        break;
      }
      case 5:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random_());
        break;
      case 6:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      default:
        if (!bytes.empty()) bytes[at] = "{}[]\",:%/ \n0-9"[below(14)];
        break;
    }
  }

  std::mt19937 random_;
};

}  // namespace envdoctor
