#pragma once
// Values with the side that their labels name: what tool_compared_values.cpp compares.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probe/paste/number_arrays.h"

namespace envdoctor::compared {

enum class Side { none, device, reference, both };

// What a label says, without the side.
struct Label {
  Side side = Side::none;
  bool surely = false;  // a GPU or a CPU is named
  bool result = false;
  bool other = false;
  bool products = false;  // a matrix product or a convolution is named
  bool plain = false;     // a sum, a mean or a function of single numbers is named
  std::string subject{};  // "y" of "y_cpu"
  std::string device{};
  std::size_t words = 0;
};

Label label_of(std::string_view text);

struct Entry {
  std::size_t row = 0;
  Label label{};
  bool above = false;  // the label is a line of its own, which may be a statement or a sentence
  bool fractions = false;
  bool assumed = false;    // a reference only because nothing names a device
  std::size_t digits = 0;  // of the first number
  std::string device{};    // "cuda:0", where the value itself says so
  std::string statement{};
  NumberArray array{};
};

// The array or number at `at` of `text`, which is moved behind it. A bare number goes no further than its line.
std::optional<Entry> value_at(std::string_view text, std::size_t& at);

// Gives a value the side of the statement that shows it: a device that the value or the statement names, else the
// reference.
void name_side(Entry& entry, std::string_view statement);

// Whether an array or a number starts the line.
bool starts_array(std::string_view line);

// The values that a script's own print statements wrote, labelled by what they print.
std::vector<Entry> printed_by_script(std::string_view text);

}  // namespace envdoctor::compared
