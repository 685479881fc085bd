// Files of arrays: a file of one, a zip archive of many.
#include "compare/array_file.h"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

namespace envdoctor::compare {
namespace {

constexpr std::size_t most_arrays = 100'000;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

File open_file(const std::string& path) {
  File file(std::fopen(path.c_str(), "rbe"));
  if (!file) throw BadArray(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  return file;
}

class FileSource : public Source {
 public:
  explicit FileSource(const std::string& path) : path_(path), file_(open_file(path)) {}
  std::size_t read(char* buffer, std::size_t size) override {
    const std::size_t got = std::fread(buffer, 1, size, file_.get());
    if (std::ferror(file_.get())) throw BadArray(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
    return got;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override {
    std::error_code error;
    const auto size = std::filesystem::file_size(path_, error);  // of a file; a pipe has none
    return error ? std::nullopt : std::optional<std::uint64_t>(size);
  }

 private:
  std::string path_;
  File file_;
};

// The member of an archive that was opened last.
class ZipSource : public Source {
 public:
  ZipSource(std::string place, std::shared_ptr<void> zip) : place_(std::move(place)), zip_(std::move(zip)) {
    unz_file_info64 info{};
    unzGetCurrentFileInfo64(zip_.get(), &info, nullptr, 0, nullptr, 0, nullptr, 0);
    if ((info.flag & 1) != 0) throw BadArray(place_ + ": is encrypted; save it again without a password");
    if (info.compression_method != 0 && info.compression_method != Z_DEFLATED)
      throw BadArray(
          fmt::format("{}: is packed by method {}; save it again with numpy.savez", place_, info.compression_method));
    if (unzOpenCurrentFile(zip_.get()) != UNZ_OK) throw BadArray(place_ + ": cannot be unpacked: it is damaged");
    size_ = info.uncompressed_size;
  }
  ~ZipSource() override { unzCloseCurrentFile(zip_.get()); }
  ZipSource(const ZipSource&) = delete;
  ZipSource& operator=(const ZipSource&) = delete;

  std::size_t read(char* buffer, std::size_t size) override {
    std::size_t total = 0;
    while (total < size) {
      const int got = unzReadCurrentFile(zip_.get(), buffer + total,
                                         static_cast<unsigned>(std::min<std::size_t>(size - total, 1 << 20)));
      if (got < 0) throw BadArray(place_ + ": the packed data are damaged");
      if (got == 0) break;
      total += static_cast<std::size_t>(got);
    }
    read_ += total;
    return total;
  }
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return size_; }
  void check_rest() override {
    char rest[1 << 14];
    while (read(rest, sizeof rest) > 0) continue;
    if (read_ != size_) throw BadArray(place_ + ": the packed data end too early");  // minizip checks no sum then
    if (unzCloseCurrentFile(zip_.get()) == UNZ_CRCERROR) throw BadArray(place_ + ": the checksum is wrong");
  }

 private:
  std::string place_;
  std::shared_ptr<void> zip_;
  std::uint64_t size_ = 0, read_ = 0;
};

bool is_zip(const std::string& path) {
  char magic[4] = {};
  const File file = open_file(path);
  return std::fread(magic, 1, 4, file.get()) == 4 && std::memcmp(magic, "PK", 2) == 0;
}

}  // namespace

bool is_array_file(const std::string& path) {
  char magic[6] = {};
  const File file(std::fopen(path.c_str(), "rbe"));
  if (!file) return false;
  const std::size_t got = std::fread(magic, 1, 6, file.get());
  return (got == 6 && std::memcmp(magic, "\x93NUMPY", 6) == 0) ||
         (got >= 4 && std::memcmp(magic, "PK\x03\x04", 4) == 0) || path.ends_with(".npy") || path.ends_with(".npz");
}

ArrayFile::ArrayFile(std::string path) : path_(std::move(path)) {
  if (is_zip(path_)) read_directory();
}

// Of two members of one name one reader takes the first, another the last.
void ArrayFile::read_directory() {
  zip_.reset(unzOpen64(path_.c_str()), [](void* zip) { unzClose(zip); });
  if (!zip_) throw BadArray(path_ + ": cannot read the directory of this zip archive (.npz)");
  for (int step = unzGoToFirstFile(zip_.get()); step == UNZ_OK; step = unzGoToNextFile(zip_.get())) {
    char name[1024] = {};
    unz_file_info64 info{};
    unz64_file_pos place{};
    if (unzGetCurrentFileInfo64(zip_.get(), &info, name, sizeof name - 1, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzGetFilePos64(zip_.get(), &place) != UNZ_OK)
      throw BadArray(path_ + ": the archive's directory is damaged");
    std::string text = name;
    if (text.size() != info.size_filename)
      throw BadArray(fmt::format("{}: the name of a member is longer than {} bytes, or holds a NUL: {}", path_,
                                 sizeof name - 1, text.substr(0, 80)));
    if (!text.ends_with(".npy")) continue;
    text.erase(text.size() - 4);
    if (!places_.try_emplace(text, Place{place.pos_in_zip_directory, place.num_of_file}).second)
      throw BadArray(fmt::format("{}: contains two arrays named {}; save each under a name of its own", path_, text));
    if (places_.size() > most_arrays) throw BadArray(fmt::format("{}: more than {} arrays", path_, most_arrays));
  }
  if (places_.empty()) throw BadArray(path_ + ": contains no array (.npy)");
}

std::vector<std::string> ArrayFile::names() const {
  if (!zip_) return {""};
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

ArrayReader ArrayFile::open(const std::string& name) const {
  if (!zip_) return {std::make_unique<FileSource>(path_), path_};
  const Place& place = places_.at(name);
  const unz64_file_pos at{place.in_directory, place.number};
  if (unzGoToFilePos64(zip_.get(), &at) != UNZ_OK) throw BadArray(path_ + ": the archive's directory is damaged");
  return {std::make_unique<ZipSource>(path_ + ":" + name, zip_), path_ + ":" + name};
}

}  // namespace envdoctor::compare
