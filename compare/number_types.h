#pragma once
// The kinds of numbers that files of arrays hold, and what their bits mean.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace envdoctor::compare {

enum class Kind { floating, integer, unsigned_integer, boolean };
struct Type {
  std::string name{};        // "float32"
  Kind kind = Kind::floating;
  int bytes = 4;             // of one number
  int digits = 0;            // of a floating type's significand, the leading one counted
  int min_exponent = 0;      // of its smallest normal number
  bool complex = false;      // two numbers each
  bool big_endian = false;
};

// "float32", "bfloat16", "int64", "complex64", … None: not a type that can be compared.
std::optional<Type> type_named(const std::string& name);

// Numbers as doubles, 64-bit integers rounded, and their own bits: integers widened to 64 with their sign.
struct Numbers {
  std::vector<double> values{};
  std::vector<std::uint64_t> bits{};
};

// Reads as many as `values` has places for.
void decode(const char* bytes, const Type& type, Numbers& to);

// Without rounding, whatever the type.
long double exact(std::uint64_t bits, double value, const Type& type);
std::string number_text(std::uint64_t bits, double value, const Type& type);

// The gap between numbers of this type at x; at a power of two the larger one.
double ulp_at(double x, const Type& type);

}  // namespace envdoctor::compare
