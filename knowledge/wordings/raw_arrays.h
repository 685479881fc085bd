#pragma once
// Arrays of plain values as bytes, one behind the other: the build writes them into the program, which reads them where
// they lie.
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace envdoctor::knowledge {

// Appends an array; what comes next is aligned for any of them.
template <class Items>
void append_array(std::string& bytes, const Items& items) {
  static_assert(std::is_trivially_copyable_v<typename Items::value_type>);
  const std::uint64_t size = items.size();
  bytes.append(reinterpret_cast<const char*>(&size), sizeof size);
  bytes.append(reinterpret_cast<const char*>(items.data()), size * sizeof items[0]);
  bytes.append(-bytes.size() % sizeof size, '\0');
}

// Takes the array that comes next off `bytes`, which start at a multiple of eight and outlive the answer.
template <class Item>
std::span<const Item> take_array(std::string_view& bytes) {
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data(), sizeof size);
  const std::span items(reinterpret_cast<const Item*>(bytes.data() + sizeof size), size);
  bytes.remove_prefix(sizeof size + (size * sizeof(Item) + 7) / 8 * 8);
  return items;
}

}  // namespace envdoctor::knowledge
