#pragma once
// Where elements of an array are: in one place, in a row, in a tail, everywhere.
#include <cstdint>
#include <string>
#include <vector>

namespace envdoctor::compare {

// The order of an array's elements in its file: lines of `width` elements along the axis that varies fastest.
struct Layout {
  std::vector<std::int64_t> shape{};
  bool fortran_order = false;
  std::int64_t width = 1, lines = 1;
  Layout() = default;
  Layout(std::vector<std::int64_t> extents, bool fortran);
  // The index on each axis of the element at `at` in the file.
  [[nodiscard]] std::vector<std::int64_t> place(std::int64_t at) const;
};

// "[5, 1]"; empty for an array of one number without axes.
std::string place_text(const std::vector<std::int64_t>& place);

// "2 560"
std::string grouped(std::int64_t number);

// Takes elements in file order, each once or twice, and keeps only a few figures.
class Places {
 public:
  void add(std::int64_t at, const Layout& layout);
  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t first() const { return first_; }
  // "none", "one", "row", "column", "rows", "tail", "block", "spread", "all"
  [[nodiscard]] std::string kind(const Layout& layout) const;
  // Continues "3 of 10 numbers differ, ": "at [5, 1]", "all in row [5, :]", "from [90, 3] to the end"; empty for all.
  [[nodiscard]] std::string text(const Layout& layout) const;

 private:
  [[nodiscard]] bool fills(std::int64_t places) const { return count_ * 10 >= places * 9; }

  std::int64_t count_ = 0, first_ = -1, last_ = -1;
  std::int64_t lines_ = 0;                   // lines that have such elements
  std::int64_t line_ = -1, last_line_ = -1;  // the first and the last of them
  std::int64_t left_ = 0, right_ = 0;        // their smallest and largest index in a line
};

}  // namespace envdoctor::compare
