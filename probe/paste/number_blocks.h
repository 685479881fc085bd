#pragma once
// The numbers of any text in blocks: an array, a row of numbers or a single value, each with the words that say what it
// is. Readers compare them; this file knows no sides and no sizes.
#include <string>
#include <string_view>
#include <vector>

#include "probe/paste/number_arrays.h"

namespace envdoctor {

struct NumberBlock {
  std::size_t row = 0, last_row = 0;  // of the text, from 0
  std::size_t words_from = 0;         // the lines from here to `row` hold no other block
  std::string_view label{};           // the words beside it on its line
  std::string_view statement{};       // the code that shows it: behind ">>> " or "In [3]: ", before "# ", or above it
  std::string device{};               // "cuda:0", "gpu(0)", as its own print says; empty: the CPU, or not said
  bool half = false;                  // its own print says float16
  bool made = false;                  // "tensor(…)" and the like, which would say its device
  bool host = false;                  // "array(…)": NumPy's
  bool traced = false;                // "Array(…)": JAX's
  bool percent = false;               // one number with "%" behind it
  bool fractions = false;             // its numbers are no integers
  std::size_t digits = 0;             // of its first number
  NumberArray array{};
};

// At most some hundred blocks; lines of code give none but for what their comments show.
std::vector<NumberBlock> number_blocks(std::string_view text);

// Whether the line is a statement of Python or of a shell.
bool is_code(std::string_view line);

}  // namespace envdoctor
