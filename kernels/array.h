#pragma once
// Numbers on their way between inputs, devices, references and comparison.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace envdoctor::kernels {

// tf32: products of fp32 numbers whose inputs are rounded to 11 bits. Its elements are fp32 in memory, and inputs that
// are set have 11 bits already, so that only sums are left to round.
enum class Precision { fp16, bf16, tf32, fp32, fp64, int32, uint32, int64, uint64 };
std::string_view text(Precision precision);  // fp16, fp32, …: as the contract spells them
std::size_t size_of(Precision precision);    // bytes per element
bool is_floating(Precision precision);
// Floating precisions only:
double unit_roundoff(Precision precision);   // u: 2^-11 (tf32 too), 2^-8, 2^-24, 2^-53
int significand_bits(Precision precision);   // 11, 8, 24, 53: the leading one counted
int lowest_exponent(Precision precision);    // of the smallest normal number: -14, -126, -1022
double largest_finite(Precision precision);
double smallest_normal(Precision precision);
// The sum high + low rounded to nearest, ties to even, as the precision's bits. Subnormals are kept, overflow is
// infinite.
std::uint64_t rounded_bits(Precision precision, double high, double low = 0);

// Outputs are filled with this word before each run: a NaN in every floating precision, and no small integer.
inline constexpr std::uint32_t poison_word = 0xFFFBFEAD;

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
  [[nodiscard]] std::vector<double> values() const;
  [[nodiscard]] std::uint64_t bits(std::size_t index) const;   // the element's bit pattern, zero-extended
  void set(std::size_t index, double value);                   // rounded to nearest, ties to even
  void set_bits(std::size_t index, std::uint64_t bits);
  void fill_poison();                                          // poison_word, over and over
  [[nodiscard]] bool is_poison(std::size_t index) const;
};

}  // namespace envdoctor::kernels
