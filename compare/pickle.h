#pragma once
// Python's pickle format as data: nothing is imported, called or built. What `torch.save` needs of it for tensors is
// read, and what isn't is refused by name.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::compare {

struct PickleValue {
  enum class Kind { nothing, truth, whole, real, text, tuple, list, dict, global, call, persistent };
  Kind kind = Kind::nothing;
  std::int64_t whole = 0;
  std::string text{};            // of a text; of a global and of what it was called with: "module name"
  std::vector<std::uint32_t> items{};  // of a dictionary keys and values by turns; of a call its arguments
};

// Values that may stand in each other, and more than once.
struct Pickle {
  std::vector<PickleValue> values{};
  std::uint32_t root = 0;
  [[nodiscard]] const PickleValue& operator[](std::uint32_t at) const { return values[at]; }
};

// Throws BadArray, which names the byte, for all but the operations that torch.save writes, and for a global that
// `allowed` doesn't hold. `name` is the file's.
Pickle read_pickle(std::string_view bytes, const std::vector<std::string>& allowed, const std::string& name);

}  // namespace envdoctor::compare
