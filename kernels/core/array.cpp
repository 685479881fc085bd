#include "kernels/core/array.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace envdoctor::kernels {
namespace {

// IEEE binary16, exactly.
double half_value(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? NAN : sign * HUGE_VAL;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

std::uint64_t bits_of_half(double exact_half) {
  const std::uint64_t sign = std::signbit(exact_half) ? 0x8000 : 0;
  const double size = std::fabs(exact_half);
  if (std::isnan(size)) return 0x7e00;
  if (size > 65504) return sign | 0x7c00;
  if (size < 0x1p-14) return sign | static_cast<std::uint64_t>(std::ldexp(size, 24));
  const int exponent = std::ilogb(size);
  // The leading one is not stored: it raises the exponent by one.
  return sign | ((static_cast<std::uint64_t>(exponent + 14) << 10) +
                 static_cast<std::uint64_t>(std::ldexp(size, 10 - exponent)));
}

// high + low to `bits` significant bits and no finer than 2^(lowest - bits + 1); nearest, ties to even.
double round_to(double high, double low, int bits, int lowest) {
  if (high == 0 || !std::isfinite(high)) return high;
  const int quantum = std::max(std::ilogb(high), lowest) - bits + 1;
  const double scaled = std::ldexp(high, -quantum);
  double rounded = std::nearbyint(scaled);
  if (low != 0 && std::fabs(scaled - std::trunc(scaled)) == 0.5)
    rounded = low > 0 ? std::ceil(scaled) : std::floor(scaled);
  return std::copysign(std::ldexp(rounded, quantum), high);
}

std::uint32_t poison_at(std::size_t offset) {
  static_assert(std::endian::native == std::endian::little);
  return std::rotr(poison_word, static_cast<int>(8 * (offset % sizeof poison_word)));
}

}  // namespace

double unit_roundoff(Precision precision) { return std::ldexp(1.0, -significand_bits(precision)); }

double smallest_normal(Precision precision) { return std::ldexp(1.0, lowest_exponent(precision)); }

std::uint64_t rounded_bits(Precision precision, double high, double low) {
  // A zero keeps its sign only where nothing is added to it.
  if (precision == Precision::fp64)
    return std::bit_cast<std::uint64_t>(low != 0 && std::isfinite(high) ? high + low : high);
  // The processor rounds, unless `high` is halfway between two floats and `low` decides.
  constexpr std::uint64_t below = 0x1FFFFFFF, halfway = 0x10000000;
  if (precision == Precision::fp32 && (low == 0 || (std::fabs(high) >= smallest_normal(Precision::fp32) &&
                                                    (std::bit_cast<std::uint64_t>(high) & below) != halfway)))
    return std::bit_cast<std::uint32_t>(static_cast<float>(high));
  const double rounded = round_to(high, low, significand_bits(precision), lowest_exponent(precision));
  if (precision == Precision::fp16) return bits_of_half(rounded);
  const bool overflows = std::fabs(rounded) > largest_finite(precision);
  const auto bits =
      std::bit_cast<std::uint32_t>(overflows ? std::copysign(HUGE_VALF, static_cast<float>(std::copysign(1, rounded)))
                                             : static_cast<float>(rounded));
  return precision == Precision::bf16 ? bits >> 16 : bits;
}

double Array::value(std::size_t index) const {
  switch (precision) {
    case Precision::fp16:
      return half_value(as<std::uint16_t>()[index]);
    case Precision::bf16:
      return std::bit_cast<float>(static_cast<std::uint32_t>(as<std::uint16_t>()[index]) << 16);
    case Precision::tf32:
    case Precision::fp32:
      return as<float>()[index];
    case Precision::fp64:
      return as<double>()[index];
    case Precision::int32:
      return as<std::int32_t>()[index];
    case Precision::uint32:
      return as<std::uint32_t>()[index];
    case Precision::int64:
      return static_cast<double>(as<std::int64_t>()[index]);
    case Precision::uint64:
      return static_cast<double>(as<std::uint64_t>()[index]);
  }
  return 0;
}

Array::Array(Precision of, std::initializer_list<double> values) : Array(of, values.size()) {
  std::ranges::for_each(values, [this, i = std::size_t{0}](double value) mutable { set(i++, value); });
}

std::vector<double> Array::values() const {
  std::vector<double> all(count());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = value(i);
  return all;
}

std::uint64_t Array::bits(std::size_t index) const {
  std::uint64_t bits = 0;
  const std::size_t size = size_of(precision);
  std::memcpy(&bits, std::span(bytes).subspan(index * size, size).data(), size);
  return bits;
}

void Array::set(std::size_t index, double value) {
  if (is_floating(precision)) return set_bits(index, rounded_bits(precision, value));
  set_bits(index, value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                            : static_cast<std::uint64_t>(value));
}

void Array::set_bits(std::size_t index, std::uint64_t bits) {
  const std::size_t size = size_of(precision);
  std::memcpy(std::span(bytes).subspan(index * size, size).data(), &bits, size);
}

bool Array::is_poison(std::size_t index) const {
  const std::size_t size = size_of(precision);
  const std::uint64_t twice = static_cast<std::uint64_t>(poison_word) << 32 | poison_word;
  const std::uint64_t shifted = size == 2 && index % 2 == 1 ? twice >> 16 : twice;
  return bits(index) == (size == 8 ? shifted : shifted & ((std::uint64_t{1} << 8 * size) - 1));
}

void fill_poison(std::span<std::byte> bytes, std::size_t offset) {
  const std::uint32_t word = poison_at(offset);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word)
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at));
}

bool is_poison(std::span<const std::byte> bytes, std::size_t offset) {
  const std::uint32_t word = poison_at(offset);
  for (std::size_t at = 0; at < bytes.size(); at += sizeof word) {
    if (std::memcmp(bytes.data() + at, &word, std::min(sizeof word, bytes.size() - at)) != 0) return false;
  }
  return true;
}

double ulp(Precision precision, double high, double low) {
  const int bits = significand_bits(precision), lowest = lowest_exponent(precision);
  if (high == 0 || !std::isfinite(high)) return std::ldexp(1.0, lowest - bits + 1);
  int exponent = std::ilogb(high);
  const bool power_of_two = std::fabs(high) == std::ldexp(1.0, exponent);
  if (power_of_two && (low == 0 || std::signbit(low) != std::signbit(high))) --exponent;
  return std::ldexp(1.0, std::max(exponent, lowest) - bits + 1);
}

double ulps_off(Precision precision, double got, double high, double low) {
  if (got == high && low == 0) return 0;  // infinities too
  const double unit =
      ulp(precision, std::fabs(high) > largest_finite(precision) ? largest_finite(precision) : high, low);
  if (!std::isinf(got)) return std::fabs((got - high) - low) / unit;
  // With an infinite result, `high` is below the largest finite number on that side.
  const double largest = largest_finite(precision);
  return (largest - std::copysign(1.0, got) * high + ulp(precision, largest)) / unit;
}

}  // namespace envdoctor::kernels
