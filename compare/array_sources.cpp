#include "compare/array_sources.h"

#include <fmt/format.h>
#include <minizip/unzip.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace envdoctor::compare {
namespace {

// The archive member that was opened last.
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
  [[nodiscard]] std::optional<std::uint64_t> left() const override { return size_ - std::min(read_, size_); }
  void check_rest() override {
    char rest[1 << 14];
    while (read(rest, sizeof rest) > 0) continue;
    if (read_ != size_)
      throw BadArray(place_ + ": the packed data end too early");  // minizip doesn't check the checksum then
    if (unzCloseCurrentFile(zip_.get()) == UNZ_CRCERROR) throw BadArray(place_ + ": the checksum is wrong");
  }

 private:
  std::string place_;
  std::shared_ptr<void> zip_;
  std::uint64_t size_ = 0, read_ = 0;
};

}  // namespace

FileSource::FileSource(const std::string& path, std::uint64_t first, std::optional<std::uint64_t> size)
    : path_(path), file_(std::fopen(path.c_str(), "rbe")), left_(size) {
  if (!file_) throw BadArray(fmt::format("{}: cannot open: {}", path, std::strerror(errno)));
  std::error_code error;
  const std::uint64_t whole = std::filesystem::file_size(path, error);
  if (!error && !left_) left_ = whole - std::min<std::uint64_t>(first, whole);
  if (first > 0 && fseeko(file_.get(), static_cast<off_t>(first), SEEK_SET) != 0)
    throw BadArray(fmt::format("{}: cannot read from byte {}: {}", path, first, std::strerror(errno)));
}

std::size_t FileSource::read(char* buffer, std::size_t size) {
  const std::size_t got = std::fread(buffer, 1, size, file_.get());
  if (std::ferror(file_.get())) throw BadArray(fmt::format("{}: cannot read: {}", path_, std::strerror(errno)));
  if (left_) *left_ -= std::min<std::uint64_t>(*left_, got);
  return got;
}

// If two members have one name some readers take the first, others the last.
ZipFile::ZipFile(const std::string& path)
    : path_(path), zip_(unzOpen64(path.c_str()), [](void* zip) { unzClose(zip); }) {
  if (!zip_) throw BadArray(path_ + ": cannot read the directory of this zip archive (.npz, .pt)");
  for (int step = unzGoToFirstFile(zip_.get()); step == UNZ_OK; step = unzGoToNextFile(zip_.get())) {
    char name[1024] = {};
    unz_file_info64 info{};
    unz64_file_pos place{};
    if (unzGetCurrentFileInfo64(zip_.get(), &info, name, sizeof name - 1, nullptr, 0, nullptr, 0) != UNZ_OK ||
        unzGetFilePos64(zip_.get(), &place) != UNZ_OK)
      throw BadArray(path_ + ": the archive's directory is damaged");
    const std::string text = name;
    if (text.size() != info.size_filename)
      throw BadArray(fmt::format("{}: the name of a member is longer than {} bytes, or holds a NUL: {}", path_,
                                 sizeof name - 1, text.substr(0, 80)));
    if (!places_.try_emplace(text, Place{place.pos_in_zip_directory, place.num_of_file}).second)
      throw BadArray(fmt::format("{}: contains two arrays named {}; save each under a name of its own", path_, text));
    if (places_.size() > most_arrays) throw BadArray(fmt::format("{}: more than {} arrays", path_, most_arrays));
  }
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) names.push_back(name);
  return names;
}

std::unique_ptr<Source> ZipFile::open(const std::string& name, const std::string& shown) const {
  const Place& place = places_.at(name);
  const unz64_file_pos at{place.in_directory, place.number};
  if (unzGoToFilePos64(zip_.get(), &at) != UNZ_OK) throw BadArray(path_ + ": the archive's directory is damaged");
  return std::make_unique<ZipSource>(shown, zip_);
}

std::string read_all(Source& source, std::uint64_t limit, const std::string& name) {
  std::string all;
  for (std::size_t got = 1; got > 0;) {
    constexpr std::size_t step = 1 << 16;
    all.resize(all.size() + step);
    got = source.read(all.data() + all.size() - step, step);
    all.resize(all.size() - step + got);
    if (all.size() > limit) throw BadArray(fmt::format("{}: larger than {} bytes", name, limit));
  }
  source.check_rest();
  return all;
}

}  // namespace envdoctor::compare
