#pragma once
// Bytes of files and of members of zip archives.
#include <cstdio>

#include "compare/array_file.h"

namespace envdoctor::compare {

inline constexpr std::size_t most_arrays = 100'000;

class FileSource : public Source {
 public:
  // From byte `first` on, `size` bytes; without a size to the end. Throws BadArray.
  explicit FileSource(const std::string& path, std::uint64_t first = 0, std::optional<std::uint64_t> size = {});
  std::size_t read(char* buffer, std::size_t size) override;
  [[nodiscard]] std::optional<std::uint64_t> left() const override { return left_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::optional<std::uint64_t> left_{};  // none for a pipe: unknown
};

// The members of an archive, which are read one at a time.
class ZipFile {
 public:
  explicit ZipFile(const std::string& path);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool contains(const std::string& name) const { return places_.contains(name); }
  // `shown` is its name in errors.
  [[nodiscard]] std::unique_ptr<Source> open(const std::string& name, const std::string& shown) const;

 private:
  struct Place {
    std::uint64_t in_directory = 0, number = 0;
  };
  std::string path_;
  std::shared_ptr<void> zip_{};
  std::map<std::string, Place> places_{};
};

// All remaining bytes, with the checksum verified. Throws BadArray if there are more than `limit`.
std::string read_all(Source& source, std::uint64_t limit, const std::string& name);

}  // namespace envdoctor::compare
