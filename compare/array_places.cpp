#include "compare/array_places.h"

#include <fmt/format.h>

#include <algorithm>

namespace envdoctor::compare {
namespace {

// A whole line as NumPy writes it: "[5, :]"; in Fortran order the first axis varies fastest.
std::string line_text(const Layout& layout, std::int64_t line) {
  const auto place = layout.place(line * layout.width);
  std::vector<std::string> words;
  for (const std::int64_t index : place) words.push_back(std::to_string(index));
  (layout.fortran_order ? words.front() : words.back()) = ":";
  return fmt::format("[{}]", fmt::join(words, ", "));
}

}  // namespace

Layout::Layout(std::vector<std::int64_t> extents, bool fortran) : shape(std::move(extents)), fortran_order(fortran) {
  if (shape.empty()) return;
  width = fortran ? shape.front() : shape.back();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i != (fortran ? 0 : shape.size() - 1)) lines *= shape[i];
  }
}

std::vector<std::int64_t> Layout::place(std::int64_t at) const {
  std::vector<std::int64_t> place(shape.size());
  for (std::size_t step = 0; step < shape.size(); ++step) {
    const std::size_t axis = fortran_order ? step : shape.size() - 1 - step;
    place[axis] = at % std::max<std::int64_t>(shape[axis], 1);
    at /= std::max<std::int64_t>(shape[axis], 1);
  }
  return place;
}

std::string place_text(const std::vector<std::int64_t>& place) {
  return place.empty() ? "" : fmt::format("[{}]", fmt::join(place, ", "));
}

std::string grouped(std::int64_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t end = digits.size(); end > 3 + (number < 0); end -= 3) digits.insert(end - 3, " ");
  return digits;
}

void Places::add(std::int64_t at, const Layout& layout) {
  if (at == last_) return;
  const std::int64_t width = std::max<std::int64_t>(layout.width, 1), line = at / width, column = at % width;
  if (count_++ == 0) {
    first_ = at;
    line_ = line;
    left_ = right_ = column;
  }
  if (line != last_line_) ++lines_;
  last_ = at;
  last_line_ = line;
  left_ = std::min(left_, column);
  right_ = std::max(right_, column);
}

// Nine of ten wrong numbers count as a whole row: some are right by chance.
std::string Places::kind(const Layout& layout) const {
  const std::int64_t total = layout.width * layout.lines;
  const bool flat = layout.lines <= 1 || layout.width <= 1;
  if (count_ == 0) return "none";
  if (count_ == total) return "all";
  if (count_ == 1) return "one";
  if (!flat && lines_ == 1) return layout.fortran_order ? "column" : "row";
  if (!flat && left_ == right_) return layout.fortran_order ? "row" : "column";
  if (!flat && lines_ < layout.lines && fills(lines_ * layout.width)) return layout.fortran_order ? "columns" : "rows";
  if (last_ == total - 1 && first_ > 0 && fills(last_ - first_ + 1)) return "tail";
  const bool box = !flat && fills((last_line_ - line_ + 1) * (right_ - left_ + 1));
  if (box || fills(last_ - first_ + 1)) return fills(total) ? "spread" : "block";
  return "spread";
}

std::string Places::text(const Layout& layout) const {
  const std::string where = kind(layout), first = place_text(layout.place(std::max<std::int64_t>(first_, 0)));
  const std::string last = place_text(layout.place(std::max<std::int64_t>(last_, 0)));
  const char* const line = layout.fortran_order ? "column" : "row";
  const char* const other = layout.fortran_order ? "row" : "column";
  if (where == "none" || where == "all" || layout.shape.empty()) return "";
  if (where == "one") return "at " + first;
  if (where == line) return fmt::format("all in {} {}", line, line_text(layout, line_));
  if (where == other) {
    const Layout across(layout.shape, !layout.fortran_order);
    if (layout.shape.size() == 2) return fmt::format("all in {} {}", other, line_text(across, left_));
    return fmt::format("all at {} along the last axis, the first at {}", left_, first);
  }
  if (where == "rows" || where == "columns")
    return fmt::format("in {} of {} {}s as a whole, the first {}{}", grouped(lines_), grouped(layout.lines), line,
                       line_text(layout, line_),
                       last_line_ - line_ + 1 == lines_ ? ", the last " + line_text(layout, last_line_) : "");
  if (where == "tail") return fmt::format("from {} to the end", first);
  if (where == "block") return fmt::format("in a block from {} to {}", first, last);
  return layout.lines > 1 && layout.width > 1 ? fmt::format("spread over {} of {} {}s, the first at {}",
                                                            grouped(lines_), grouped(layout.lines), line, first)
                                              : fmt::format("spread from {} to {}", first, last);
}

}  // namespace envdoctor::compare
