#pragma once
// Arrays in .npy files and .npz archives, read in pieces: a file may be larger than memory, and is not to be trusted.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace envdoctor::compare {

// A file that can't be taken. `what()` names the file and the place.
class BadArray : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

enum class Kind { floating, integer, unsigned_integer, boolean };
struct Type {
  Kind kind = Kind::floating;
  int bytes = 4;             // of one number
  bool complex = false;      // two numbers each
  bool big_endian = false;
  std::string name{};        // "float32"
};

struct Header {
  Type type{};
  bool fortran_order = false;
  std::vector<std::int64_t> shape{};
  std::int64_t count = 0;    // numbers in all; complex ones count twice
};

// A stream of bytes: fills the buffer, answers how many there were; fewer only at the end.
class Source {
 public:
  virtual ~Source() = default;
  virtual std::size_t read(char* buffer, std::size_t size) = 0;
  [[nodiscard]] virtual std::optional<std::uint64_t> size() const = 0;  // none: it is not known before the end
  virtual void check_rest() {}  // reads to the end; throws BadArray where the checksum is wrong
};

// One array: its header, and its numbers from the first on, as doubles and as ordered bit patterns.
class ArrayReader {
 public:
  ArrayReader(std::unique_ptr<Source> source, std::string name);  // reads the header; throws BadArray
  [[nodiscard]] const Header& header() const { return header_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  // Up to `limit` further numbers; 64-bit integers beyond 2^53 are rounded. Empty at the end. Throws where the file
  // ends early.
  const std::vector<double>& next(std::size_t limit);
  void check_rest() { source_->check_rest(); }  // to be called before anything is said of the numbers

 private:
  std::unique_ptr<Source> source_;
  std::string name_;
  Header header_{};
  std::int64_t left_ = 0;
  std::vector<char> bytes_{};
  std::vector<double> numbers_{};
};

// "x.npy" holds one array, named ""; "x.npz" several, of which one is read at a time. Throws BadArray.
class ArrayFile {
 public:
  explicit ArrayFile(std::string path);
  [[nodiscard]] std::vector<std::string> names() const;  // sorted
  [[nodiscard]] ArrayReader open(const std::string& name) const;

 private:
  struct Place {
    std::uint64_t in_directory = 0, number = 0;
  };
  void read_directory();

  std::string path_;
  std::shared_ptr<void> zip_{};  // none: the file of one array
  std::map<std::string, Place> places_{};
};
bool is_array_file(const std::string& path);  // by its first bytes

}  // namespace envdoctor::compare
