#pragma once
// Array files, read in pieces: a file may be larger than memory, and is untrusted. NumPy's .npy and .npz,
// .safetensors, and the archives of torch.save.
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>

#include "compare/number_types.h"

namespace envdoctor::compare {

// An invalid file. `what()` names the file and the place.
class BadArray : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Header {
  Type type{};
  bool fortran_order = false;
  std::vector<std::int64_t> shape{};
  std::int64_t count = 0;  // total of numbers; complex ones count twice
};

// A header of this shape. Throws BadArray if no file can hold that many numbers.
Header header_of(const Type& type, std::vector<std::int64_t> shape, const std::string& name);

// A stream of bytes: fills the buffer, returns the number of bytes; fewer only at the end.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> left() const = 0;  // none: unknown before the end
  virtual void check_rest() {}  // reads to the end; throws BadArray if the checksum is wrong
};

// One array: its header, and a reader of its numbers.
class ArrayReader {
 public:
  // The source must be at the first number. Throws BadArray if it has fewer than the header needs.
  ArrayReader(std::string name, Header header, std::unique_ptr<Source> source);
  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Up to `limit` further numbers; empty at the end. Throws if the file ends early.
  const Numbers& next(std::size_t limit);
  void check_rest() { source_->check_rest(); }  // call it before reporting anything about the numbers

 private:
  std::string name_;
  Header header_{};
  std::unique_ptr<Source> source_;
  std::int64_t left_ = 0;
  std::vector<char> bytes_{};
  Numbers numbers_{};
};

// The contents of a file, by name: opens each array. Only one array of an archive can be read at a time.
using Arrays = std::map<std::string, std::function<ArrayReader()>>;

// "x.npy" holds one array, named ""; other formats several. Throws BadArray.
class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path);
  [[nodiscard]] std::vector<std::string> names() const;  // sorted
  [[nodiscard]] ArrayReader open(const std::string& name) const { return arrays_.at(name)(); }

 private:
  Arrays arrays_{};
};
bool is_array_file(const std::string& path);  // by its first bytes

ArrayReader read_npy(std::unique_ptr<Source> source, const std::string& name);
Arrays safetensors_arrays(const std::string& path);
class ZipFile;
Arrays torch_arrays(const std::shared_ptr<ZipFile>& zip);

}  // namespace envdoctor::compare
