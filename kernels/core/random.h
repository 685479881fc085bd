#pragma once
// Inputs that reveal errors: never zeros, never constants. Each number depends on (seed, stream, index) alone, so that
// any element can be computed without the previous ones, with the same bits on every host. One stream per input.
#include <cstdint>

#include "kernels/core/array.h"

namespace envdoctor::kernels {

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);
// 1 or -1, equally often.
inline double random_sign(std::uint64_t seed, std::uint64_t stream, std::uint64_t index) {
  return (random_bits(seed, stream, index) & 1) != 0 ? 1 : -1;
}
double uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);  // [0, 1), 53 bits
// Bell-shaped with mean 0 and variance 1: the sum of four uniform numbers (Irwin-Hall), so |x| < 3.47. No library
// function is used, because that would make the inputs differ between hosts.
double normal(std::uint64_t seed, std::uint64_t stream, std::uint64_t index);

// Arrays of `count` such numbers, rounded to the precision.
Array normal_array(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double scale = 1,
                   double offset = 0);
Array uniform_array(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double low,
                    double high);
// Odd integers with exactly `bits` bits, of either sign: |x| < 2^bits.
Array odd_integers(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, int bits);
// The maximum of integers, or of products of two, for which a sum of this many is exact in any order; below 1: too
// many.
double whole_number_limit(Precision precision, double terms);
// The largest integer with at most half as many bits as a significand.
double widest_whole_number(Precision precision);
// Integers of 1 to `most`, but none wider than that, of either sign: a lost term is detected.
Array whole_numbers(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream, double most);
// -1, 0 and 1, equally often.
Array signs(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream);
// A value that is a hash of its own index, all bits used: a value that is right for another index shows an addressing
// bug. Floating precisions get normal numbers of magnitude 1 to 2 with a random significand.
Array position_coded(Precision precision, std::size_t count, std::uint64_t seed, std::uint64_t stream);

}  // namespace envdoctor::kernels
