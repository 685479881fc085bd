#pragma once
// Numbers with the side that their words name: what tool_compared_values.cpp compares.
#include <optional>
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

// The same text with the rows of ps and top left empty: their numbers are no results.
std::string without_process_tables(std::string_view text);

// Gives the blocks that a script's own print statements wrote the code that they print, with what its variables were
// set to. Empty: they are not as many as the prints, or there is no script.
struct Shown {
  std::size_t block = 0;   // into the blocks
  std::string code{};      // "y.sum()", with what its variables were set to behind it
  std::string computed{};  // the same of the variable that a moved one was made of: "x.sum()" of y = x.cuda()
};
std::vector<Shown> shown_by_script(std::string_view text, const std::vector<NumberBlock>& blocks);

struct Difference {
  double relative = 0;       // of the reference; infinite where a side is
  const char* by = nullptr;  // what it shows: "rounding", "value", "nan", "infinite", "stuck", …
  std::size_t row = 0;
  std::string device{};
  bool products = true;  // no: statements show that nothing was multiplied in matrices
};

// Relative differences below this may be rounding.
constexpr double largest_rounding = 0.02;

// How many blocks may stand between two that are compared.
constexpr std::size_t most_between = 24;

// Values of two columns whose heads name a device and a reference: "i cpu gpu" above rows of as many fields, or
// "A vs B" above rows that end in two numbers.
std::optional<Difference> in_columns(const std::vector<std::string_view>& lines);

// The functions below need no words that name a side.

// Whether a number stands at 2^24, above which float32 cannot count by one, and the other went on.
bool is_stuck(double number, double other);
std::optional<Difference> of_counts(const std::vector<NumberBlock>& blocks);
// One call of NumPy and the same of another library on the same array: "np.cumsum(a)", "cp.cumsum(cp.asarray(a))".
std::optional<Difference> of_same_calls(const std::vector<NumberBlock>& blocks);
// A sum or mean of one variable in single and in double precision: "x.sum()", "x.double().sum()".
std::optional<Difference> of_wider_sums(const std::vector<NumberBlock>& blocks);
std::optional<Difference> of_neighbours(const std::vector<NumberBlock>& blocks);
std::optional<Difference> of_subnormals(const std::vector<NumberBlock>& blocks, bool of_a_device);
std::optional<Difference> of_subtractions(const std::vector<NumberBlock>& blocks);

// The row in which a number that isn't zero compares equal to it: "x" shows 1e-45 and "x == 0" gives True.
std::optional<std::size_t> equal_to_zero(const std::vector<std::string_view>& lines);
// Rows "cpu float16 nan=0 maxdiff=0.001", "xpu float16 nan=12 maxdiff=3.1": the first of a device that is wrong in a
// type in which the CPU is right, where the two agree in another type.
std::optional<std::size_t> wrong_in_one_type(const std::vector<std::string_view>& lines);

// A tensor of one device that is not what stands before it on another one, though it is its copy; null: none.
const NumberBlock* changed_copy(const std::vector<NumberBlock>& blocks);

struct Nan {
  std::size_t row = 0;
  bool half = false;
};
std::optional<Nan> nan_in(const std::vector<NumberBlock>& blocks, const std::string& text);

}  // namespace envdoctor::compared
