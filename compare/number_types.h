#pragma once
// The number types in array files, and the meaning of their bits.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace envdoctor::compare {

enum class Kind { floating, integer, unsigned_integer, boolean };
struct Type {
  std::string name{};  // "float32"
  Kind kind = Kind::floating;
  int bytes = 4;         // per number
  int digits = 0;        // of a floating type's significand, including the leading one
  int min_exponent = 0;  // exponent of its smallest normal number
  bool complex = false;  // two numbers each
  bool big_endian = false;
};

// "float32", "bfloat16", "int64", "complex64", … None: a type that can't be compared.
std::optional<Type> type_named(const std::string& name);

// Numbers as doubles (64-bit integers are rounded) and their bits (integers are sign-extended to 64).
struct Numbers {
  std::vector<double> values{};
  std::vector<std::uint64_t> bits{};
};

// Reads as many as fit in `values`.
void decode(const char* bytes, const Type& type, Numbers& to);

// Without rounding, for any type.
long double exact(std::uint64_t bits, double value, const Type& type);
std::string number_text(std::uint64_t bits, double value, const Type& type);

// The gap between numbers of this type at x; at a power of two the larger one.
double ulp_at(double x, const Type& type);

}  // namespace envdoctor::compare
