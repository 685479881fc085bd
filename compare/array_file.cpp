// Files of arrays: a file of one, a zip archive of many.
#include "compare/array_file.h"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

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

 private:
  std::string path_;
  File file_;
};

struct CloseZip {
  void operator()(void* zip) const { unzClose(zip); }
};
using Zip = std::unique_ptr<void, CloseZip>;

Zip open_zip(const std::string& path) {
  Zip zip(unzOpen64(path.c_str()));
  if (!zip) throw BadArray(path + ": cannot read the directory of this zip archive (.npz)");
  return zip;
}

class ZipSource : public Source {
 public:
  ZipSource(const std::string& path, const std::string& name) : place_(path + ":" + name), zip_(open_zip(path)) {
    if (unzLocateFile(zip_.get(), (name + ".npy").c_str(), 1) != UNZ_OK || unzOpenCurrentFile(zip_.get()) != UNZ_OK)
      throw BadArray(place_ + ": cannot be unpacked (encrypted or damaged)");
  }
  std::size_t read(char* buffer, std::size_t size) override {
    std::size_t total = 0;
    while (total < size) {
      const int got = unzReadCurrentFile(zip_.get(), buffer + total,
                                         static_cast<unsigned>(std::min<std::size_t>(size - total, 1 << 20)));
      if (got < 0) throw BadArray(place_ + ": the packed data are damaged");
      if (got == 0) {
        if (unzCloseCurrentFile(zip_.get()) == UNZ_CRCERROR) throw BadArray(place_ + ": the checksum is wrong");
        break;
      }
      total += static_cast<std::size_t>(got);
    }
    return total;
  }

 private:
  std::string place_;
  Zip zip_;
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

std::vector<std::string> array_names(const std::string& path) {
  if (!is_zip(path)) return {""};
  std::vector<std::string> names;
  const Zip zip = open_zip(path);
  for (int step = unzGoToFirstFile(zip.get()); step == UNZ_OK; step = unzGoToNextFile(zip.get())) {
    char name[1024] = {};
    if (unzGetCurrentFileInfo64(zip.get(), nullptr, name, sizeof name - 1, nullptr, 0, nullptr, 0) != UNZ_OK)
      throw BadArray(path + ": the archive's directory is damaged");
    const std::string text = name;
    if (text.ends_with(".npy")) names.push_back(text.substr(0, text.size() - 4));
    if (names.size() > most_arrays) throw BadArray(fmt::format("{}: more than {} arrays", path, most_arrays));
  }
  if (names.empty()) throw BadArray(path + ": contains no array (.npy)");
  return names;
}

ArrayReader open_array(const std::string& path, const std::string& name) {
  if (name.empty()) return {std::make_unique<FileSource>(path), path};
  return {std::make_unique<ZipSource>(path, name), path + ":" + name};
}

}  // namespace envdoctor::compare
