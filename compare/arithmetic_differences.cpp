// Which arithmetic could have made a difference. Without the inputs the scale of an element is not known, so the lines
// stand against the root mean square of the results themselves: a sum of k products with signs at random has the root
// mean square of its terms times sqrt(k), which is what its rounding errors grow with.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/arrays.h"

namespace envdoctor::compare {
namespace {

enum class Form { product, sum, element, function };
struct Known {
  const char* name;
  Form form;
};
constexpr Known known[] = {
    {"matmul", Form::product}, {"gemm", Form::product},  {"gemv", Form::product},   {"dot", Form::product},
    {"linear", Form::product}, {"conv", Form::product},  {"conv2d", Form::product}, {"sum", Form::sum},
    {"mean", Form::sum},       {"reduce", Form::sum},    {"scan", Form::sum},       {"add", Form::element},
    {"sub", Form::element},    {"mul", Form::element},   {"div", Form::element},    {"sqrt", Form::element},
    {"triad", Form::element},  {"exp", Form::function},  {"log", Form::function},   {"sin", Form::function},
    {"cos", Form::function},   {"tanh", Form::function}, {"erf", Form::function},   {"pow", Form::function}};

// A line: below it, this arithmetic could have made the difference.
struct Line {
  std::string judgement;
  std::string arithmetic;
  double level;  // root mean square of the difference over that of the results
};

double spread(double roundoff, double depth) { return 2.3 * roundoff * std::sqrt(std::max(depth, 1.0)); }

std::string type_name(int digits) { return digits == 53 ? "float64" : digits == 24 ? "float32" : "float16"; }

std::vector<Line> lines_for(const ArrayDifference& d, Form form, double depth) {
  const double half = std::ldexp(1.0, -11);
  std::vector<Line> lines;
  // Both sides round, so both errors count: twice the line of one.
  const double ulps = form == Form::function ? 32 : 4;
  const bool summed = form == Form::product || form == Form::sum;
  const auto add_rounding = [&](int digits) {
    const double unit = std::ldexp(1.0, -digits);
    lines.push_back({type_name(digits) + "-rounding", "rounding in " + type_name(digits),
                     summed ? 2 * spread(unit, depth) : ulps * unit});
  };
  add_rounding(d.digits);
  if (d.digits == 53) add_rounding(24);
  if (d.digits > 11 && form == Form::product)
    lines.push_back({"tf32-or-half-inputs", "TF32, or inputs in float16", std::ldexp(1.0, -9) * 0.7});
  if (form != Form::product && d.digits > 11)
    lines.push_back(
        {"half-precision", "half precision", form == Form::sum ? 2 * spread(half, depth) : ulps * std::ldexp(1.0, -8)});
  if (form == Form::product)
    lines.push_back({"half-precision", "half precision (bfloat16 inputs, or sums in float16)",
                     std::max(std::ldexp(1.0, -7), spread(half, depth))});
  return lines;
}

}  // namespace

const std::vector<std::string>& known_operations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Known& row : known) list.emplace_back(row.name);
    return list;
  }();
  return names;
}

bool ArrayDifference::judged_as_rounding() const { return judgement == type_name(digits) + "-rounding"; }

void judge_arithmetic(ArrayDifference& d, const Operation& operation) {
  if (operation.name.empty() || !d.floating) return;
  const auto row = std::ranges::find(known, operation.name, [](const Known& k) { return std::string_view(k.name); });
  if (row == std::end(known)) return;
  const auto answer = [&](const std::string& judgement, const std::string& explanation) {
    d.judgement = judgement;
    d.explanation = explanation;
  };
  if (d.differing == 0) return answer("same-bits", "The two are identical.");
  if (const auto strange = d.not_a_number + d.infinite; strange > 0)
    return answer("none", fmt::format("{} numbers are NaN or infinite in only one of the two: rounding cannot explain "
                                      "that.",
                                      strange));
  const bool summed = row->form == Form::product || row->form == Form::sum;
  if (summed && operation.depth <= 0) return;  // how much rounding may add up is not known
  const auto depth = static_cast<double>(operation.depth);
  // Sums of one sign hold no cancellation: the hard bound gamma_k times the result is an answer by itself.
  const double unit = std::ldexp(1.0, -d.digits);
  const double gamma = depth * unit < 0.5 ? depth * unit / (1 - depth * unit) : INFINITY;
  const double level = d.rms_reference > 0 ? d.rms_difference / d.rms_reference : INFINITY;
  const double peak = d.rms_reference > 0 ? d.max_absolute / std::max(d.rms_reference, std::fabs(d.worst_a)) : INFINITY;
  const auto lines = lines_for(d, row->form, depth);
  for (const Line& line : lines) {
    const bool first = &line == &lines.front();
    const bool hard = first && summed && d.one_sign && peak <= 2 * gamma && level <= 2 * gamma;
    if (!hard && (level > line.level || peak > 16 * line.level)) continue;
    answer(
        line.judgement,
        fmt::format("{} explains this difference: its root mean square is 2^{:.1f} of that of the results, the "
                    "limit is 2^{:.1f}.",
                    line.arithmetic, std::log2(level), std::log2(hard ? std::max(line.level, 2 * gamma) : line.level)));
    d.explanation[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(d.explanation[0])));
    return;
  }
  const double limit = lines.back().level;
  answer("none",
         level > limit
             ? fmt::format("Neither rounding nor TF32 nor half precision explains this difference: its root mean "
                           "square is 2^{:.1f} of that of the results, the largest limit is 2^{:.1f}.",
                           std::log2(level), std::log2(limit))
             : fmt::format("A few numbers are far off: the largest difference is 2^{:.1f} of its number, but the root "
                           "mean square is 2^{:.1f}. That indicates a local fault, not another arithmetic.",
                           std::log2(peak), std::log2(level)));
}

}  // namespace envdoctor::compare
