// The .npy format: magic, version, a Python dictionary as text, then the numbers (NEP 1, numpy.lib.format).
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "compare/array_file.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t header_limit = 64 << 10;
constexpr std::int64_t most_numbers = std::int64_t{1} << 50;

double from_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1 : 1;
  if (exponent == 31) return fraction ? NAN : sign * INFINITY;
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

template <class T>
T load(const char* bytes, bool swap) {
  char copy[sizeof(T)];
  std::memcpy(copy, bytes, sizeof(T));
  if (swap) std::reverse(copy, copy + sizeof(T));
  return std::bit_cast<T>(copy);
}

template <class One, class Two, class Four, class Eight>
double whole_number(const char* bytes, int width, bool swap) {
  if (width == 1) return load<One>(bytes, swap);
  if (width == 2) return load<Two>(bytes, swap);
  return width == 4 ? load<Four>(bytes, swap) : static_cast<double>(load<Eight>(bytes, swap));
}

double number(const char* bytes, const Type& type) {
  const bool swap = type.big_endian != (std::endian::native == std::endian::big);
  if (type.kind == Kind::integer)
    return whole_number<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(bytes, type.bytes, swap);
  if (type.kind != Kind::floating)
    return whole_number<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(bytes, type.bytes, swap);
  if (type.bytes == 2) return from_half(load<std::uint16_t>(bytes, swap));
  return type.bytes == 4 ? load<float>(bytes, swap) : load<double>(bytes, swap);
}

Type type_of(const std::string& descr, const std::string& name) {
  static const RE2 pattern("([<>|=]?)([fiucb])([0-9]{1,2})");
  std::string order, letter;
  int bytes = 0;
  if (!RE2::FullMatch(descr, pattern, &order, &letter, &bytes))
    throw BadArray(fmt::format("{}: at descr: cannot compare numbers of type '{}' (only float, integer, complex, bool)",
                               name, descr));
  Type type{.bytes = bytes, .complex = letter == "c", .big_endian = order == ">"};
  type.kind = letter == "i"   ? Kind::integer
              : letter == "u" ? Kind::unsigned_integer
              : letter == "b" ? Kind::boolean
                              : Kind::floating;
  if (type.complex) type.bytes /= 2;
  const bool fits = type.kind == Kind::floating
                        ? (type.bytes == 2 && !type.complex) || type.bytes == 4 || type.bytes == 8
                    : type.kind == Kind::boolean ? bytes == 1
                                                 : bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;
  if (!fits) throw BadArray(fmt::format("{}: at descr: {} has no such size", name, descr));
  static const char* const words[] = {"float", "int", "uint", "bool"};
  type.name = type.complex ? fmt::format("complex{}", bytes * 8)
                           : fmt::format("{}{}", words[static_cast<int>(type.kind)], bytes * 8);
  return type;
}

void read_shape(const std::string& text, Header& header, const std::string& name) {
  static const RE2 next("[, ]*([0-9]+)[, ]*");
  re2::StringPiece rest(text);
  header.count = header.type.complex ? 2 : 1;
  for (std::int64_t extent = 0; !rest.empty();) {
    if (!RE2::Consume(&rest, next, &extent) || header.shape.size() >= 64)
      throw BadArray(name + ": at shape: not a list of extents");
    header.shape.push_back(extent);
    if (extent > 0 && header.count > most_numbers / extent)
      throw BadArray(name + ": at shape: more numbers than a file can contain");
    header.count *= extent;
  }
}

// The header is a Python dictionary of three entries. Of an entry that stands there twice, Python takes the last.
Header parse(const std::string& text, const std::string& name) {
  static const RE2 start("\\s*\\{"), end("\\s*\\}\\s*"),
      entry(
          "\\s*(?:'descr'\\s*:\\s*'([^']{0,20})'|'fortran_order'\\s*:\\s*(True|False)|"
          "'shape'\\s*:\\s*\\(([0-9, ]*)\\))\\s*,?");
  re2::StringPiece rest(text), found[3], value[3];
  if (!RE2::Consume(&rest, start)) throw BadArray(name + ": the header is no Python dictionary");
  while (RE2::Consume(&rest, entry, &found[0], &found[1], &found[2])) {
    for (std::size_t i = 0; i < 3; ++i) {
      if (found[i].data() && value[i].data()) throw BadArray(name + ": the header states one thing twice");
      if (found[i].data()) value[i] = found[i];
    }
  }
  if (!value[0].data()) throw BadArray(name + ": at descr: not a plain type (structured arrays are not supported)");
  if (!value[1].data()) throw BadArray(name + ": the header has no fortran_order");
  if (!value[2].data()) throw BadArray(name + ": the header has no shape");
  if (!RE2::FullMatch(rest, end)) throw BadArray(name + ": the header states more than descr, fortran_order and shape");
  Header header{.type = type_of(std::string(value[0]), name), .fortran_order = value[1] == "True"};
  read_shape(std::string(value[2]), header, name);
  return header;
}

}  // namespace

ArrayReader::ArrayReader(std::unique_ptr<Source> source, std::string name)
    : source_(std::move(source)), name_(std::move(name)) {
  char start[12] = {};
  if (source_->read(start, 8) != 8 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    throw BadArray(name_ + ": not a .npy array: wrong magic bytes");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw BadArray(fmt::format("{}: at byte 6: unknown format version {}", name_, version));
  const std::size_t width = version == 1 ? 2 : 4;
  if (source_->read(start + 8, width) != width) throw BadArray(name_ + ": ends inside its header");
  std::size_t size = 0;
  for (std::size_t i = width; i-- > 0;) size = size << 8 | static_cast<unsigned char>(start[8 + i]);
  if (size > header_limit) throw BadArray(fmt::format("{}: at byte 8: header too large ({} bytes)", name_, size));
  std::string text(size, '\0');
  if (source_->read(text.data(), size) != size) throw BadArray(name_ + ": ends inside its header");
  header_ = parse(text, name_);
  left_ = header_.count;
  const std::uint64_t before = 8 + width + size;
  const auto needed = static_cast<std::uint64_t>(left_) * static_cast<std::uint64_t>(header_.type.bytes);
  if (const auto whole = source_->size(); whole && *whole < before + needed)
    throw BadArray(fmt::format("{}: its shape needs {} bytes, and {} are there: it was cut, or the shape is wrong",
                               name_, needed, *whole - std::min(*whole, before)));
}

const std::vector<double>& ArrayReader::next(std::size_t limit) {
  const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(limit)));
  const auto width = static_cast<std::size_t>(header_.type.bytes);
  bytes_.resize(wanted * width);
  if (const std::size_t got = source_->read(bytes_.data(), bytes_.size()); got != bytes_.size())
    throw BadArray(fmt::format("{}: ends {} numbers too early", name_, left_ - static_cast<std::int64_t>(got / width)));
  numbers_.resize(wanted);
  for (std::size_t i = 0; i < wanted; ++i) numbers_[i] = number(bytes_.data() + i * width, header_.type);
  left_ -= static_cast<std::int64_t>(wanted);
  return numbers_;
}

}  // namespace envdoctor::compare
