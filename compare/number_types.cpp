#include "compare/number_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace envdoctor::compare {
namespace {

const std::vector<Type>& all_types() {
  static const std::vector<Type> types = {{"float16", Kind::floating, 2, 11, -14},
                                          {"bfloat16", Kind::floating, 2, 8, -126},
                                          {"float32", Kind::floating, 4, 24, -126},
                                          {"float64", Kind::floating, 8, 53, -1022},
                                          {"float8_e4m3fn", Kind::floating, 1, 4, -6},
                                          {"float8_e5m2", Kind::floating, 1, 3, -14},
                                          {"complex64", Kind::floating, 4, 24, -126, true},
                                          {"complex128", Kind::floating, 8, 53, -1022, true},
                                          {"int8", Kind::integer, 1},
                                          {"int16", Kind::integer, 2},
                                          {"int32", Kind::integer, 4},
                                          {"int64", Kind::integer, 8},
                                          {"uint8", Kind::unsigned_integer, 1},
                                          {"uint16", Kind::unsigned_integer, 2},
                                          {"uint32", Kind::unsigned_integer, 4},
                                          {"uint64", Kind::unsigned_integer, 8},
                                          {"bool", Kind::boolean, 1}};
  return types;
}

std::uint64_t load(const char* bytes, int width, bool big_endian) {
  std::uint64_t bits = 0;
  for (int i = 0; i < width; ++i) bits = bits << 8 | static_cast<unsigned char>(bytes[big_endian ? i : width - 1 - i]);
  return bits;
}

double small_float(std::uint64_t bits, const Type& type) {
  const int stored = type.digits - 1, sign_at = type.bytes * 8 - 1;
  const int largest = (1 << (sign_at - stored)) - 1, exponent = static_cast<int>(bits >> stored) & largest;
  const int fraction = static_cast<int>(bits & ((1U << stored) - 1));
  const double sign = bits >> sign_at ? -1 : 1;
  // e4m3fn has no infinity, and its NaN is one pattern of all ones.
  const bool finite_only = type.digits == 4;
  if (exponent == largest && (!finite_only || fraction == 7))
    return fraction == 0 ? sign * INFINITY : std::copysign(NAN, sign);
  const int hidden = exponent == 0 ? 0 : 1 << stored;
  return sign * std::ldexp(fraction + hidden, std::max(exponent - 1, 0) + type.min_exponent - stored);
}

double value_of(std::uint64_t bits, const Type& type) {
  if (type.kind == Kind::integer) return static_cast<double>(static_cast<std::int64_t>(bits));
  if (type.kind != Kind::floating) return static_cast<double>(bits);
  if (type.bytes == 8) return std::bit_cast<double>(bits);
  if (type.bytes == 4) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (type.digits == 8) return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
  return small_float(bits, type);
}

}  // namespace

std::optional<Type> type_named(const std::string& name) {
  const auto found = std::ranges::find(all_types(), name, &Type::name);
  return found == all_types().end() ? std::nullopt : std::optional(*found);
}

void decode(const char* bytes, const Type& type, Numbers& to) {
  const int unused = 64 - type.bytes * 8;
  for (std::size_t i = 0; i < to.values.size(); ++i) {
    std::uint64_t bits = load(bytes + i * static_cast<std::size_t>(type.bytes), type.bytes, type.big_endian);
    if (type.kind == Kind::integer)
      bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused);
    to.bits[i] = bits;
    to.values[i] = value_of(bits, type);
  }
}

long double exact(std::uint64_t bits, double value, const Type& type) {
  if (type.kind == Kind::floating) return value;
  return type.kind == Kind::integer ? static_cast<long double>(static_cast<std::int64_t>(bits)) : bits;
}

std::string number_text(std::uint64_t bits, double value, const Type& type) {
  if (type.kind == Kind::floating) return fmt::format("{:.9g}", value);
  return type.kind == Kind::integer ? fmt::format("{}", static_cast<std::int64_t>(bits)) : fmt::format("{}", bits);
}

double ulp_at(double x, const Type& type) {
  int exponent = 0;
  std::frexp(x, &exponent);
  const int least = type.min_exponent;
  return std::ldexp(1.0, (x == 0 ? least : std::max(exponent - 1, least)) - type.digits + 1);
}

}  // namespace envdoctor::compare
