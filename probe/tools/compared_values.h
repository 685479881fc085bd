#pragma once
// Numbers with the side that their words name: what tool_compared_values.cpp compares.
#include <string>
#include <string_view>
#include <vector>

#include "probe/paste/number_blocks.h"

namespace envdoctor::compared {

// In the order in which the later one is doubted where two are compared.
enum class Side { none, reference, framework, device, both };

// What a label says, without the side.
struct Label {
  Side side = Side::none;
  bool surely = false;     // a GPU or a CPU is named
  bool precision = false;  // a precision is named, which alone may part the sides
  bool result = false;
  bool other = false;
  bool products = false;  // a matrix product or a convolution is named
  bool plain = false;     // a sum, a mean or a function of single numbers is named
  std::string subject{};  // "y" of "y_cpu"
  std::string device{};
  std::size_t words = 0;
};

Label label_of(std::string_view text);

// Gives the blocks that a script's own print statements wrote the code that they print, with what its variables were
// set to. Empty: they are not as many as the prints, or there is no script.
struct Shown {
  std::size_t block = 0;   // into the blocks
  std::string code{};      // "y.sum()", with what its variables were set to behind it
  std::string computed{};  // the same of the variable that a moved one was made of: "x.sum()" of y = x.cuda()
};
std::vector<Shown> shown_by_script(std::string_view text, const std::vector<NumberBlock>& blocks);

}  // namespace envdoctor::compared
