#include "kernels/core/random.h"

#include <algorithm>
#include <cmath>

#include "kernels/core/parallel.h"

namespace envdoctor::kernels {
namespace {

// The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <class Value>
Array filled(Precision precision, std::size_t count, const Value& value) {
  Array array(precision, count);
  parallel_for_each(count, 4096, [&](std::size_t i) { array.set(i, value(i)); });
  return array;
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
  return mix(mix(mix(seed + golden) + stream * golden + golden) + index * golden);
}

double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return std::ldexp(static_cast<double>(random_bits(seed, stream, index) >> 11), -53);
}

double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  const std::uint64_t one = random_bits(seed, stream, 2 * index), two = random_bits(seed, stream, 2 * index + 1);
  const auto sum = static_cast<std::int64_t>((one >> 32) + (one & 0xffffffff) + (two >> 32) + (two & 0xffffffff));
  // Four of variance 2^64 / 12 each about 2^33; half a step keeps zero out.
  return (static_cast<double>(sum - (std::int64_t{1} << 33)) + 2.5) * (1.7320508075688772 * 0x1p-32);
}

Array normal_array(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double scale,
                   double offset) {
  return filled(precision, count, [=](std::size_t i) { return offset + scale * normal(seed, stream, i); });
}

Array uniform_array(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double low,
                    double high) {
  return filled(precision, count, [=](std::size_t i) { return low + (high - low) * uniform(seed, stream, i); });
}

Array odd_integers(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, int bits) {
  const std::uint64_t top = std::uint64_t{1} << (bits - 1);
  return filled(precision, count, [=](std::size_t i) {
    const std::uint64_t random = random_bits(seed, stream, i);
    const auto size = static_cast<double>(top | (random & (top - 1)) | 1);
    return random >> 63 != 0 ? -size : size;
  });
}

double whole_number_limit(Precision precision, double terms) {
  return std::floor(std::ldexp(1.0, significand_bits(precision)) / std::max(1.0, terms));
}

double widest_whole_number(Precision precision) { return std::ldexp(1.0, significand_bits(precision) / 2 + 1) - 1; }

Array whole_numbers(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double most) {
  const auto values = static_cast<std::uint64_t>(std::max(1.0, std::min(most, widest_whole_number(precision))));
  return filled(precision, count, [=](std::size_t i) {
    const std::uint64_t random = random_bits(seed, stream, i);
    const auto size = static_cast<double>(1 + (random & 0xffffffffffff) % values);
    return random >> 63 != 0 ? -size : size;
  });
}

Array signs(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  return filled(precision, count,
                [=](std::size_t i) { return static_cast<double>(random_bits(seed, stream, i) % 3) - 1; });
}

Array position_coded(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream) {
  Array array(precision, count);
  parallel_for_each(count, 4096, [&](std::size_t i) {
    const std::uint64_t random = random_bits(seed, stream, i);
    const double size = 1 + std::ldexp(static_cast<double>(random >> 11), -53);
    if (is_floating(precision)) {
      array.set(i, (random & 1) != 0 ? -size : size);
    } else {
      array.set_bits(i, random);
    }
  });
  return array;
}

}  // namespace envdoctor::kernels
