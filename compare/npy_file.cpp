// The .npy format: magic, version, a Python dictionary as text, then the numbers (NEP 1, numpy.lib.format).
#include <fmt/format.h>
#include <re2/re2.h>

#include <cstring>

#include "compare/array_file.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::compare {
namespace {

constexpr std::size_t header_limit = 64 << 10;

// Types that NumPy doesn't know are written only by size. With two bytes there is only bfloat16 (ml_dtypes); with
// one byte there are several.
Type type_of(const std::string& descr, const std::string& name) {
  static const LazyRegex pattern("([<>|=]?)([fiucbV])([0-9]{1,2})");
  std::string order, letter;
  int bytes = 0;
  if (!RE2::FullMatch(descr, pattern, &order, &letter, &bytes))
    throw BadArray(fmt::format("{}: at descr: cannot compare numbers of type '{}' (only float, integer, complex, bool)",
                               name, descr));
  if (letter == "V" && bytes == 1)
    throw BadArray(fmt::format("{}: at descr: '{}' does not say which type of 8 bits it is: save it as .safetensors",
                               name, descr));
  const std::string known = letter == "V"                 ? (bytes == 2 ? "bfloat16" : "")
                            : letter == "f" && bytes == 1 ? "float8_e5m2"
                            : letter == "f"               ? fmt::format("float{}", bytes * 8)
                            : letter == "c"               ? fmt::format("complex{}", bytes * 8)
                            : letter == "b"               ? (bytes == 1 ? "bool" : "")
                                                          : fmt::format("{}int{}", letter == "u" ? "u" : "", bytes * 8);
  auto type = type_named(known);
  if (!type) throw BadArray(fmt::format("{}: at descr: {} has no such size", name, descr));
  type->big_endian = order == ">";
  return *type;
}

std::vector<std::int64_t> read_shape(const std::string& text, const std::string& name) {
  static const LazyRegex next("[, ]*([0-9]+)[, ]*");
  re2::StringPiece rest(text);
  std::vector<std::int64_t> shape;
  for (std::int64_t extent = 0; !rest.empty(); shape.push_back(extent)) {
    if (!RE2::Consume(&rest, next, &extent) || shape.size() >= 64)
      throw BadArray(name + ": at shape: not a list of extents");
  }
  return shape;
}

// The header is a Python dictionary of three entries. If an entry occurs twice, Python takes the last.
Header parse(const std::string& text, const std::string& name) {
  static const LazyRegex start("\\s*\\{"), end("\\s*\\}\\s*"),
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
  Header header = header_of(type_of(std::string(value[0]), name), read_shape(std::string(value[2]), name), name);
  header.fortran_order = value[1] == "True";
  return header;
}

}  // namespace

ArrayReader read_npy(std::unique_ptr<Source> source, const std::string& name) {
  char start[12] = {};
  if (source->read(start, 8) != 8 || std::memcmp(start, "\x93NUMPY", 6) != 0)
    throw BadArray(name + ": at byte 0: not a .npy array: wrong magic bytes");
  const int version = static_cast<unsigned char>(start[6]);
  if (version < 1 || version > 3)
    throw BadArray(fmt::format("{}: at byte 6: unknown format version {}", name, version));
  const std::size_t width = version == 1 ? 2 : 4;
  if (source->read(start + 8, width) != width) throw BadArray(name + ": ends inside its header");
  std::size_t size = 0;
  for (std::size_t i = width; i-- > 0;) size = size << 8 | static_cast<unsigned char>(start[8 + i]);
  if (size > header_limit) throw BadArray(fmt::format("{}: at byte 8: header too large ({} bytes)", name, size));
  std::string text(size, '\0');
  if (source->read(text.data(), size) != size) throw BadArray(name + ": ends inside its header");
  return {name, parse(text, name), std::move(source)};
}

}  // namespace envdoctor::compare
