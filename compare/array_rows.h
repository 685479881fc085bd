#pragma once
// Whether two arrays have the same rows in a different order.
#include "compare/array_places.h"
#include "compare/number_types.h"

namespace envdoctor::compare {

class RowOrder {
 public:
  // Gives no hint for more rows than it can keep, or for fewer than two.
  RowOrder(const Layout& layout, bool complex);
  void take(const Numbers& a, const Numbers& b, std::int64_t first);
  [[nodiscard]] std::string hint() const;  // a sentence; empty: they don't

 private:
  struct Row {
    std::uint64_t hash = 0;       // of the bits
    double squares = 0, sum = 0;  // of the numbers
    bool operator==(const Row&) const = default;
  };
  std::int64_t width_ = 1;
  const char* rows_ = "rows";
  std::vector<Row> a_{}, b_{};
};

}  // namespace envdoctor::compare
