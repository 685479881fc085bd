#pragma once
// Python's pickle format as data: nothing is imported, called or built. The part that `torch.save` uses for tensors is
// read; everything else is refused by name.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::compare {

struct PickleValue {
  enum class Kind { nothing, truth, whole, real, text, tuple, list, dict, global, call, persistent };
  Kind kind = Kind::nothing;
  std::int64_t whole = 0;
  std::string text{};                  // the text; for a global and a call: "module name"
  std::vector<std::uint32_t> items{};  // for a dictionary alternating keys and values; for a call its arguments
};

// Values that may contain each other and be shared.
struct Pickle {
  std::vector<PickleValue> values{};
  std::uint32_t root = 0;
  [[nodiscard]] const PickleValue& operator[](std::uint32_t at) const { return values[at]; }
};

// Throws BadArray, which names the byte, for all operations that torch.save doesn't write, and for a global that
// is not in `allowed`. `name` is the file's.
Pickle read_pickle(std::string_view bytes, const std::vector<std::string>& allowed, const std::string& name);

}  // namespace envdoctor::compare
