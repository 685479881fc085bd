#pragma once
// Numbers on their way between inputs, devices, references and comparison.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace envdoctor::kernels {

enum class Precision { fp16, fp32, fp64, int32, uint32, int64, uint64 };
std::string_view text(Precision precision);  // fp16, fp32, …: as the contract spells them
std::size_t size_of(Precision precision);    // bytes per element
bool is_floating(Precision precision);
double unit_roundoff(Precision precision);   // u: 2^-11, 2^-24, 2^-53; floating precisions only

// `count` elements of one precision, contiguous, in this machine's byte order; fp16 as IEEE binary16.
struct Array {
  Precision precision = Precision::fp32;
  std::vector<std::byte> bytes{};

  Array() = default;
  Array(Precision of, std::size_t count) : precision(of), bytes(count * size_of(of)) {}
  [[nodiscard]] std::size_t count() const { return bytes.size() / size_of(precision); }
  // T must have the element's size; fp16 is read as uint16_t.
  template <class T>
  [[nodiscard]] std::span<const T> as() const { return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)}; }
  template <class T>
  [[nodiscard]] std::span<T> as() { return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)}; }
  [[nodiscard]] double value(std::size_t index) const;         // exact for all but 64-bit integers
  [[nodiscard]] std::uint64_t bits(std::size_t index) const;   // the element's bit pattern, zero-extended
};

}  // namespace envdoctor::kernels
