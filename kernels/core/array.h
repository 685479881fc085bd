#pragma once
// Arrays of numbers, shared by inputs, devices, references and comparison.
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace envdoctor::kernels {

// tf32: products of fp32 numbers whose inputs are rounded to 11 bits. Its elements are fp32 in memory, and inputs that
// are set have 11 bits already, so only sums are rounded.
enum class Precision { fp16, bf16, tf32, fp32, fp64, int32, uint32, int64, uint64 };

struct PrecisionFacts {
  std::string_view text{};  // as in the file format
  std::size_t size = 0;     // bytes per element
  // Floating precisions only:
  int significand_bits = 53;  // including the leading one
  int lowest_exponent = 0;    // of the smallest normal number
  double largest_finite = 0;
};
inline constexpr std::array<PrecisionFacts, 9> precision_facts{{
    {"fp16", 2, 11, -14, 65504},
    {"bf16", 2, 8, -126, 0x1.fep127},
    {"tf32", 4, 11, -126, std::numeric_limits<float>::max()},
    {"fp32", 4, 24, -126, std::numeric_limits<float>::max()},
    {"fp64", 8, 53, -1022, std::numeric_limits<double>::max()},
    {"int32", 4},
    {"uint32", 4},
    {"int64", 8},
    {"uint64", 8},
}};
constexpr const PrecisionFacts& facts_of(Precision precision) {
  return precision_facts[static_cast<std::size_t>(precision)];
}
constexpr std::string_view text(Precision precision) { return facts_of(precision).text; }
constexpr std::size_t size_of(Precision precision) { return facts_of(precision).size; }
constexpr bool is_floating(Precision precision) { return precision <= Precision::fp64; }
// Floating precisions only:
constexpr int significand_bits(Precision precision) { return facts_of(precision).significand_bits; }
constexpr int lowest_exponent(Precision precision) { return facts_of(precision).lowest_exponent; }
constexpr double largest_finite(Precision precision) { return facts_of(precision).largest_finite; }
double unit_roundoff(Precision precision);  // u: 2^-11 (tf32 too), 2^-8, 2^-24, 2^-53
double smallest_normal(Precision precision);
// The sum high + low rounded to nearest, ties to even, as the precision's bits. Subnormals are kept, overflow is
// infinite.
std::uint64_t rounded_bits(Precision precision, double high, double low = 0);

// Outputs and guard bands are filled with this word before each run, so that missing writes and writes out of bounds
// are visible: a NaN in every floating precision, and no small integer. One pattern runs through a buffer and its guard
// band; `offset` is where these bytes begin in it.
inline constexpr std::uint32_t poison_word = 0xFFFBFEAD;
void fill_poison(std::span<std::byte> bytes, std::size_t offset);
bool is_poison(std::span<const std::byte> bytes, std::size_t offset);

// `count` elements of one precision, contiguous, in this machine's byte order; fp16 as IEEE binary16.
struct Array {
  Precision precision = Precision::fp32;
  std::vector<std::byte> bytes{};

  Array() = default;
  Array(Precision of, std::size_t count) : precision(of), bytes(count * size_of(of)) {}
  Array(Precision of, std::initializer_list<double> values);
  [[nodiscard]] std::size_t count() const { return bytes.size() / size_of(precision); }
  // T must have the element's size; fp16 is read as uint16_t.
  template <class T>
  [[nodiscard]] std::span<const T> as() const {
    return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T>
  [[nodiscard]] std::span<T> as() {
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
  }
  [[nodiscard]] double value(std::size_t index) const;  // exact for all but 64-bit integers
  [[nodiscard]] std::vector<double> values() const;
  [[nodiscard]] std::uint64_t bits(std::size_t index) const;  // the element's bit pattern, zero-extended
  void set(std::size_t index, double value);                  // rounded to nearest, ties to even
  void set_bits(std::size_t index, std::uint64_t bits);
  void fill_poison() { kernels::fill_poison(bytes, 0); }
  [[nodiscard]] bool is_poison(std::size_t index) const;
};

// The gap between the two numbers of this precision around the exact high + low (Muller; OpenCL C, "Relative Error as
// ULPs"): at a power of two the smaller one, below the smallest normal number that of the subnormals.
double ulp(Precision precision, double high, double low = 0);

// |got - (high + low)| in those units. An infinite `got` counts as the number after the largest finite one, so that an
// overflow within the tolerance passes. NaN for a NaN.
double ulps_off(Precision precision, double got, double high, double low = 0);

}  // namespace envdoctor::kernels
