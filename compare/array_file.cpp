// Array files: with one array, or with many by name.
#include "compare/array_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "compare/array_sources.h"

namespace envdoctor::compare {
namespace {

constexpr std::int64_t most_numbers = std::int64_t{1} << 50;

enum class FileKind { unknown, npy, zip, safetensors, old_torch };

// Files that torch.save wrote before version 1.6 begin with a pickled magic number.
FileKind kind_of(const std::string& path) {
  unsigned char start[16] = {};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) return FileKind::unknown;
  const std::size_t got = std::fread(start, 1, sizeof start, file.get());
  const auto begins = [&](const char* magic, std::size_t size) {
    return got >= size && std::memcmp(start, magic, size) == 0;
  };
  if (begins("\x93NUMPY", 6)) return FileKind::npy;
  if (begins("PK\x03\x04", 4) || begins("PK\x05\x06", 4)) return FileKind::zip;
  if (begins("\x80\x02\x8a\x0al\xfc\x9c\x46\xf9\x20", 10)) return FileKind::old_torch;
  std::uint64_t header = 0;
  for (std::size_t i = 8; i-- > 0;) header = header << 8 | start[i];
  std::error_code error;
  const std::uint64_t size = std::filesystem::file_size(path, error);
  if (!error && got > 8 && start[8] == '{' && header <= size - 8) return FileKind::safetensors;
  return FileKind::unknown;
}

Arrays npz_arrays(const std::shared_ptr<ZipFile>& zip) {
  Arrays arrays;
  for (const std::string& member : zip->names()) {
    if (!member.ends_with(".npy")) continue;
    const std::string name = member.substr(0, member.size() - 4), shown = zip->path() + ":" + name;
    arrays[name] = [zip, member, shown] { return read_npy(zip->open(member, shown), shown); };
  }
  if (arrays.empty()) throw BadArray(zip->path() + ": contains no array (.npy)");
  return arrays;
}

bool is_torch(const ZipFile& zip) {
  return std::ranges::any_of(zip.names(), [](const std::string& name) { return name.ends_with("/data.pkl"); });
}

}  // namespace

bool is_array_file(const std::string& path) {
  const auto ends = [&](const char* end) { return path.ends_with(end); };
  constexpr const char* endings[] = {".npy", ".npz", ".safetensors", ".pt", ".pth"};
  return kind_of(path) != FileKind::unknown ||
         (std::ranges::any_of(endings, ends) && std::filesystem::is_regular_file(path));
}

ArrayFile::ArrayFile(const std::string& path) {
  const FileKind kind = kind_of(path);
  const bool torch = path.ends_with(".pt") || path.ends_with(".pth");
  if (kind == FileKind::zip) {
    const auto zip = std::make_shared<ZipFile>(path);
    arrays_ = is_torch(*zip) ? torch_arrays(zip) : npz_arrays(zip);
  } else if (kind == FileKind::old_torch || (torch && kind == FileKind::unknown)) {
    throw BadArray(path + ": at byte 0: not the zip archive that torch.save writes since version 1.6: save it again");
  } else if (kind == FileKind::safetensors || path.ends_with(".safetensors")) {
    arrays_ = safetensors_arrays(path);
  } else {
    arrays_[""] = [path] { return read_npy(std::make_unique<FileSource>(path), path); };
  }
}

std::vector<std::string> ArrayFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, open] : arrays_) names.push_back(name);
  return names;
}

Header header_of(const Type& type, std::vector<std::int64_t> shape, const std::string& name) {
  Header header{.type = type, .shape = std::move(shape), .count = type.complex ? 2 : 1};
  for (const std::int64_t extent : header.shape) {
    if (extent < 0 || header.shape.size() > 64) throw BadArray(name + ": at shape: not a list of extents");
    if (extent > 0 && header.count > most_numbers / extent)
      throw BadArray(name + ": at shape: more numbers than a file can contain");
    header.count *= extent;
  }
  return header;
}

ArrayReader::ArrayReader(std::string name, Header header, std::unique_ptr<Source> source)
    : name_(std::move(name)), header_(std::move(header)), source_(std::move(source)), left_(header_.count) {
  const auto needed = static_cast<std::uint64_t>(left_) * static_cast<std::uint64_t>(header_.type.bytes);
  if (const auto there = source_->left(); there && *there < needed)
    throw BadArray(fmt::format("{}: its shape needs {} bytes, and {} are there: it was cut, or the shape is wrong",
                               name_, needed, *there));
}

const Numbers& ArrayReader::next(std::size_t limit) {
  const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(left_, static_cast<std::int64_t>(limit)));
  const auto width = static_cast<std::size_t>(header_.type.bytes);
  bytes_.resize(wanted * width);
  if (const std::size_t got = source_->read(bytes_.data(), bytes_.size()); got != bytes_.size())
    throw BadArray(fmt::format("{}: ends {} numbers too early", name_, left_ - static_cast<std::int64_t>(got / width)));
  numbers_.values.resize(wanted);
  numbers_.bits.resize(wanted);
  decode(bytes_.data(), header_.type, numbers_);
  left_ -= static_cast<std::int64_t>(wanted);
  return numbers_;
}

}  // namespace envdoctor::compare
