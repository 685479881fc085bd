#include "kernels/array.h"

#include <bit>
#include <cmath>

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

}  // namespace

std::string_view text(Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return "fp16";
    case Precision::fp32:
      return "fp32";
    case Precision::fp64:
      return "fp64";
    case Precision::int32:
      return "int32";
    case Precision::uint32:
      return "uint32";
    case Precision::int64:
      return "int64";
    case Precision::uint64:
      return "uint64";
  }
  return "";
}

std::size_t size_of(Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return 2;
    case Precision::fp32:
    case Precision::int32:
    case Precision::uint32:
      return 4;
    default:
      return 8;
  }
}

bool is_floating(Precision precision) { return precision <= Precision::fp64; }

double unit_roundoff(Precision precision) {
  return precision == Precision::fp16 ? 0x1p-11 : precision == Precision::fp32 ? 0x1p-24 : 0x1p-53;
}

double Array::value(std::size_t index) const {
  switch (precision) {
    case Precision::fp16:
      return half_value(as<std::uint16_t>()[index]);
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

std::uint64_t Array::bits(std::size_t index) const {
  std::uint64_t bits = 0;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(&bits, bytes.data() + index * size_of(precision), size_of(precision));
  return bits;
}

}  // namespace envdoctor::kernels
