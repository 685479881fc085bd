// Which arithmetic could have caused a difference. Without the inputs the scale of an element is unknown. If the
// operation is elementwise the scale is the element itself. For sums it is the root mean square of the results in the
// element's row and column: a sum of k products with random signs has the root mean square of its terms times sqrt(k),
// which is what its rounding errors grow with. Every element has its own limit, and no small group of elements may
// exceed it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include "compare/array_pair.h"

namespace envdoctor::compare {
namespace {

enum class Form { product, conv, sum, scan, element, function, network };
struct Known {
  const char* name;
  Form form;
};
constexpr Known known[] = {
    {"matmul", Form::product}, {"gemm", Form::product},  {"gemv", Form::product}, {"dot", Form::product},
    {"linear", Form::product}, {"conv", Form::conv},     {"conv2d", Form::conv},  {"sum", Form::sum},
    {"mean", Form::sum},       {"reduce", Form::sum},    {"scan", Form::scan},    {"add", Form::element},
    {"sub", Form::element},    {"mul", Form::element},   {"div", Form::element},  {"sqrt", Form::element},
    {"triad", Form::sum},      {"exp", Form::function},  {"log", Form::function}, {"sin", Form::function},
    {"cos", Form::function},   {"tanh", Form::function}, {"erf", Form::function}, {"pow", Form::function},
    {"network", Form::network}};

const Known* form_of(const Operation& operation) {
  const auto row = std::ranges::find(known, operation.name, [](const Known& k) { return std::string_view(k.name); });
  return row == std::end(known) ? nullptr : &*row;
}

bool by_element(Form form) { return form == Form::element || form == Form::function; }

// One multiply and add: the fused and the separate form differ where the two cancel.
std::int64_t depth_of(const Operation& operation) { return operation.name == "triad" ? 2 : operation.depth; }

// A limit: below it, this arithmetic could have caused the difference.
struct Line {
  std::string judgement;
  std::string arithmetic;
  double level;  // for sums: root mean square of the differences over the elements' scales; otherwise for each element
};

// An error of a sixteenth everywhere is never rounding, however deep the sums are.
double spread(double roundoff, double depth) {
  return std::min(2.3 * roundoff * std::sqrt(std::max(depth, 1.0)), 1.0 / 32);
}

std::vector<Line> lines_for(const ArrayDifference& d, Form form, double depth) {
  const double half = std::ldexp(1.0, -11);
  std::vector<Line> lines;
  // Both sides round, so both errors count: twice the limit of one.
  const double ulps = form == Form::function ? 32 : 4;
  const bool summed = !by_element(form), product = form == Form::product || form == Form::conv;
  const auto add_rounding = [&](const std::string& name, int digits) {
    const double unit = std::ldexp(1.0, -digits);
    lines.push_back({name + "-rounding", "rounding in " + name, summed ? 2 * spread(unit, depth) : ulps * unit});
  };
  add_rounding(d.type.name, d.type.digits);
  if (d.type.digits == 53) add_rounding("float32", 24);
  if (d.type.digits <= 11) return lines;
  if (product) lines.push_back({"tf32-or-half-inputs", "TF32, or inputs in float16", std::ldexp(1.0, -9) * 0.7});
  if (product)
    lines.push_back({"half-precision", "half precision (bfloat16 inputs, or sums in float16)",
                     std::max(std::ldexp(1.0, -7), spread(half, depth))});
  else
    lines.push_back(
        {"half-precision", "half precision", summed ? 2 * spread(half, depth) : ulps * std::ldexp(1.0, -8)});
  return lines;
}

// The error of each number relative to its scale.
struct Ratio {
  double to_scale = 0;    // for sums: relative to the root mean square around it
  double to_largest = 0;  // relative to that or the number itself, whichever is larger
  double to_all = 0;      // relative to that or the root mean square of all, whichever is larger
  bool far = false;       // off by more than an eighth of the larger of the two numbers
  bool counts = false;    // finite, and not flushed
};

class Ratios {
 public:
  Ratios(const ArrayDifference& d, Form form, const LineSums& sums) : d_(d), form_(form), sums_(sums) {}

  Ratio next(const Numbers& a, const Numbers& b, std::size_t i, std::int64_t at) {
    const double x = a.values[i], y = b.values[i], size = std::fabs(x);
    const std::int64_t line = at / sums_.width, column = at % sums_.width;
    if (form_ == Form::scan && column == 0) running_ = 0;
    if (std::isfinite(x)) running_ = std::max(running_, size);
    if (!std::isfinite(x) || !std::isfinite(y)) return {};
    Ratio ratio{.counts = true};
    if (x == y) return ratio;
    const double smallest = std::ldexp(1.0, d_.type.min_exponent), larger = std::max(size, std::fabs(y));
    if ((x == 0 || y == 0) && larger < smallest) return {};
    const double off = std::fabs(static_cast<double>(static_cast<long double>(x) - y));
    ratio.far = off * 8 > larger;
    const double scale = by_element(form_) ? element_scale(a, i, smallest) : scale_at(line, column);
    const auto over = [&](double under) { return under > 0 ? std::min(off / under, 1e100) : 1e100; };
    ratio.to_scale = over(scale);
    ratio.to_largest = over(std::max(scale, size));
    ratio.to_all = by_element(form_) ? ratio.to_largest : over(std::max({scale, size, d_.rms_reference}));
    return ratio;
  }

 private:
  // The parts of a complex number share its size: either may have cancelled.
  double element_scale(const Numbers& a, std::size_t i, double smallest) const {
    const double size = d_.type.complex ? std::abs(std::complex(a.values[i], a.values[i ^ 1])) : std::fabs(a.values[i]);
    return std::max(size, smallest);
  }
  double scale_at(std::int64_t line, std::int64_t column) const {
    if (form_ == Form::scan) return running_;
    if (sums_.lines.empty()) return d_.rms_reference;
    const long double along = sums_.lines[static_cast<std::size_t>(line / sums_.lines_together)];
    if (sums_.columns.empty()) return static_cast<double>(std::sqrt(along));
    return static_cast<double>(std::sqrt(along * sums_.columns[static_cast<std::size_t>(column)]));
  }

  const ArrayDifference& d_;
  Form form_;
  const LineSums& sums_;
  double running_ = 0;
};

// Statistics of all ratios. Histogram classes are a quarter of a factor of two wide.
class RatioFigures {
 public:
  void take(const Ratio& ratio) {
    if (!ratio.counts) return;
    ++count_;
    far_ += ratio.far;
    squares_ += static_cast<long double>(ratio.to_scale) * ratio.to_scale;
    peak_ = std::max(peak_, ratio.to_largest);
    peak_of_all_ = std::max(peak_of_all_, ratio.to_all);
    ++classes_[class_of(ratio.to_all)];
  }
  [[nodiscard]] double level() const {
    return count_ > 0 ? static_cast<double>(std::sqrt(squares_ / static_cast<long double>(count_))) : 0;
  }
  [[nodiscard]] double peak() const { return peak_; }
  [[nodiscard]] double peak_of_all() const { return peak_of_all_; }
  [[nodiscard]] double far_share() const { return share(far_); }
  [[nodiscard]] double allowed_by_chance() const { return 3 / static_cast<double>(std::max<std::int64_t>(count_, 1)); }
  [[nodiscard]] double median() const {
    std::int64_t below = 0;
    for (std::size_t i = 0; i < classes_.size(); ++i) {
      below += classes_[i];
      if (below * 2 >= count_) return i == 0 ? 0 : end_of(i);
    }
    return 0;
  }
  [[nodiscard]] double share_above(double limit) const {
    std::int64_t above = 0;
    for (std::size_t i = class_of(limit) + 1; i < classes_.size(); ++i) above += classes_[i];
    return share(above);
  }

 private:
  static constexpr double least = -200;
  static double end_of(std::size_t at) { return std::exp2(least + static_cast<double>(at) / 4); }
  static std::size_t class_of(double ratio) {
    return ratio == 0 ? 0
                      : static_cast<std::size_t>(std::clamp(std::ceil(4 * (std::log2(ratio) - least)), 1.0, 1199.0));
  }
  [[nodiscard]] double share(std::int64_t some) const {
    return count_ > 0 ? static_cast<double>(some) / static_cast<double>(count_) : 0;
  }
  std::array<std::int64_t, 1200> classes_{};
  std::int64_t count_ = 0, far_ = 0;
  long double squares_ = 0;
  double peak_ = 0, peak_of_all_ = 0;
};

// Whether a limit explains all numbers, and the largest error that it allows.
struct Explained {
  bool all = false;
  double level = 0, peak = 0, peak_of_all = 0;
  [[nodiscard]] bool holds(const Ratio& ratio) const { return ratio.to_largest <= peak && ratio.to_all <= peak_of_all; }
};

Explained explained_by(const Line& line, const Line& rounding, const RatioFigures& figures, const ArrayDifference& d,
                       Form form, double depth, double carriers) {
  const bool first = line.judgement == rounding.judgement;
  Explained limits{.level = line.level, .peak = line.level, .peak_of_all = line.level};
  if (by_element(form)) {
    // A different arithmetic changes almost all numbers.
    limits.all = figures.peak() <= line.level && (first || figures.share_above(rounding.level) >= 0.25);
    return limits;
  }
  // Sums of one sign have no cancellation: the worst-case bound gamma_k times the result is enough by itself, as long
  // as it is below 1.
  const double unit = std::ldexp(1.0, -d.type.digits), gamma = depth * unit / (1 - depth * unit);
  if (first && d.one_sign && depth * unit <= 1.0 / 64) limits.level = std::max(line.level, 2 * gamma);
  // If few numbers determine the scale, it may itself be small by chance.
  const double chance = 16 / std::sqrt(carriers);
  limits.level *= std::max(1.0, chance / 4);
  // A row or a column may be small by chance, so its own scale is applied less strictly. Relative to all, the largest
  // error is at most 16 times the median, or below ordinary rounding.
  limits.peak = 16 * limits.level;
  limits.peak_of_all = std::min(limits.peak, std::max(16 * figures.median(), rounding.level * std::max(1.0, chance)));
  // A result that is small by chance, so that its error is an eighth of it, is as rare as a large error.
  const bool small_by_chance =
      form == Form::conv || figures.far_share() <= std::min(64 * line.level, 0.25) + figures.allowed_by_chance();
  limits.all = figures.level() <= limits.level && figures.peak() <= limits.peak &&
               figures.peak_of_all() <= limits.peak_of_all && small_by_chance;
  return limits;
}

std::string capital(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

class ArrayJudge {
 public:
  ArrayJudge(ArrayDifference& d, const Operation& operation, const ArrayPair& pair, LineSums& sums)
      : d_(d), operation_(operation), pair_(pair), sums_(sums) {}

  void judge() {
    const Known* const row = form_of(operation_);
    if (d_.count == 0) {
      d_.explanation = "Nothing was compared: both are empty.";
    } else if (d_.differing == 0) {
      if (d_.sign_of_zero + d_.nan_payload > 0 || d_.type_a.name != d_.type_b.name)
        answer("same-numbers", "The two hold the same numbers, though not the same bits.");
      else
        answer("same-bits", "The two are identical.");
    } else if (d_.not_a_number + d_.infinite > 0) {
      answer("none", fmt::format("{} {} NaN or infinite in only one of the two: rounding cannot explain that.",
                                 d_.not_a_number + d_.infinite,
                                 d_.not_a_number + d_.infinite == 1 ? "number is" : "numbers are"));
    } else if (row && row->form == Form::network) {
      by_tolerance();
    } else if (!d_.floating()) {
      answer("none", "Integers are compared exactly: rounding cannot explain a difference.");
    } else if (d_.flushed == d_.differing) {
      flushed();
    } else if (d_.last_bits && d_.type.digits >= 8) {
      answer(d_.type.name + "-rounding",
             fmt::format("No number is off by more than one unit in the last place of {}: rounding in the last bit "
                         "explains this difference.",
                         d_.type.name));
    } else if (row && (by_element(row->form) || depth_of(operation_) > 0)) {
      by_arithmetic(row->form);
    }
  }

 private:
  void answer(const std::string& judgement, const std::string& explanation) {
    d_.judgement = judgement;
    d_.explanation = explanation;
  }

  void flushed() {
    answer("flushed-subnormals",
           fmt::format("{} that {} subnormal in one {} zero in the other: one of the two flushes subnormals to zero.{}",
                       d_.flushed == 1 ? "The number" : grouped(d_.flushed) + " numbers",
                       d_.flushed == 1 ? "is" : "are", d_.flushed == 1 ? "is" : "are",
                       d_.flushed == d_.differing ? "" : " Rounding explains all others."));
  }

  void by_tolerance() {
    const std::string limit = fmt::format("{:g} + {:g} of A's number", *d_.atol, *d_.rtol);
    if (d_.beyond.count() == 0) return answer("within-tolerance", fmt::format("Every number is within {}.", limit));
    const std::string where = d_.beyond.text(d_.layout);
    answer("outside-tolerance", fmt::format("{} of {} numbers are off by more than {}{}.", grouped(d_.beyond.count()),
                                            grouped(d_.count), limit, where.empty() ? "" : ", " + where));
  }

  template <class Take>
  void each_ratio(Form form, Take take) {
    Ratios ratios(d_, form, sums_);
    pair_.read([&](const Numbers& a, const Numbers& b, std::int64_t first) {
      for (std::size_t i = 0; i < a.values.size(); ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        take(ratios.next(a, b, i, at), at);
      }
    });
  }

  void scale_columns() {
    if (sums_.columns.empty()) return;
    pair_.read([&](const Numbers& a, const Numbers&, std::int64_t first) {
      for (std::size_t i = 0; i < a.values.size(); ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        const long double x = a.values[i];
        const long double line = sums_.lines[static_cast<std::size_t>(at / sums_.width / sums_.lines_together)];
        if (line > 0 && std::isfinite(x)) sums_.columns[static_cast<std::size_t>(at % sums_.width)] += x * x / line;
      }
    });
    const auto whole_lines = d_.count / sums_.width;
    const auto lines = static_cast<long double>(whole_lines);
    for (long double& column : sums_.columns) column /= lines;
  }

  void by_arithmetic(Form form) {
    scale_columns();
    RatioFigures figures;
    each_ratio(form, [&](const Ratio& ratio, std::int64_t) { figures.take(ratio); });
    const auto depth = static_cast<double>(depth_of(operation_));
    const auto lines = lines_for(d_, form, depth);
    for (const Line& line : lines) {
      const Explained explained = explained_by(line, lines.front(), figures, d_, form, depth, sums_.carriers);
      if (!explained.all) continue;
      const bool rounding = &line == &lines.front();
      const bool all_small = d_.rms_reference < std::ldexp(1.0, d_.type.min_exponent + 20);
      if (rounding && d_.flushed > 0 && (by_element(form) || all_small)) return flushed();
      const std::string figure =
          by_element(form) ? fmt::format("no number is off by more than 2^{:.1f} of itself", std::log2(figures.peak()))
                           : fmt::format("its root mean square is 2^{:.1f} of that of the results around it",
                                         std::log2(figures.level()));
      return answer(line.judgement, fmt::format("{} explains this difference: {}, the limit is 2^{:.1f}.",
                                                capital(line.arithmetic), figure, std::log2(explained.level)));
    }
    const Explained limits = explained_by(lines.front(), lines.front(), figures, d_, form, depth, sums_.carriers);
    each_ratio(form, [&](const Ratio& ratio, std::int64_t at) {
      if (ratio.counts && !limits.holds(ratio)) d_.beyond.add(d_.type.complex ? at / 2 : at, d_.layout);
    });
    none(form, figures, lines, limits.peak_of_all);
  }

  void none(Form form, const RatioFigures& figures, const std::vector<Line>& lines, double limit) {
    const std::string where = d_.beyond.text(d_.layout), kind = d_.beyond.kind(d_.layout);
    const std::int64_t beyond = d_.beyond.count(), all = d_.layout.width * d_.layout.lines;
    if (beyond > 0 && kind != "all" && (kind != "spread" || beyond * 8 < all))
      return answer(
          "none",
          fmt::format("{} of {} numbers {} off by more than 2^{:.1f} of the numbers there, {}: {} cannot explain {}{}. "
                      "That indicates a local fault, not another arithmetic.",
                      grouped(beyond), grouped(all), beyond == 1 ? "is" : "are", std::log2(limit), where,
                      lines.front().arithmetic, beyond == 1 ? "it" : "them",
                      figures.median() * 4 <= lines.front().level ? ", and explains the others" : ""));
    if (by_element(form))
      return answer("none", fmt::format("Neither rounding nor half precision explains this difference: a number is off "
                                        "by 2^{:.1f} of itself, the largest limit is 2^{:.1f}.",
                                        std::log2(figures.peak()), std::log2(lines.back().level)));
    if (figures.level() > lines.back().level)
      return answer("none", fmt::format("Neither rounding nor TF32 nor half precision explains this difference: its "
                                        "root mean square is 2^{:.1f} of that of the results, the largest limit is "
                                        "2^{:.1f}.",
                                        std::log2(figures.level()), std::log2(lines.back().level)));
    answer("none", fmt::format("Neither rounding nor another arithmetic explains this difference: {:.2g} % of the "
                               "numbers are off by more than an eighth of themselves, and the differences reach from "
                               "2^{:.1f} in the middle to 2^{:.1f}.",
                               100 * figures.far_share(), std::log2(std::max(figures.median(), 1e-60)),
                               std::log2(figures.peak())));
  }

  ArrayDifference& d_;
  const Operation& operation_;
  const ArrayPair& pair_;
  LineSums& sums_;
};

}  // namespace

const std::vector<std::string>& known_operations() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const Known& row : known) list.emplace_back(row.name);
    return list;
  }();
  return names;
}

bool ArrayDifference::alike() const {
  return error.empty() && (differing == 0 || judgement == "within-tolerance" || judgement == type.name + "-rounding");
}

// A convolution's channel has its own scale, but its rows don't: a transform mixes them.
LineSums sums_for(const Operation& operation, const Layout& layout, bool complex) {
  const Known* const row = form_of(operation);
  LineSums sums{.width = std::max<std::int64_t>(layout.width, 1) * (complex ? 2 : 1)};
  if (!row || by_element(row->form) || row->form == Form::network || depth_of(operation) <= 0) return sums;
  if (row->form == Form::scan) return sums;
  std::int64_t lines = layout.lines;
  const bool conv = row->form == Form::conv;
  if (conv && layout.shape.size() >= 3 && !layout.fortran_order) {
    const std::int64_t rows = std::max<std::int64_t>(layout.shape[layout.shape.size() - 2], 1);
    sums.width *= rows;
    lines /= rows;
  }
  if (sums.width < 4 || lines < 1) return sums;  // too few for a scale
  sums.lines_together = (lines + LineSums::most - 1) / LineSums::most;
  sums.lines.resize(static_cast<std::size_t>((lines + sums.lines_together - 1) / sums.lines_together));
  if (!conv && lines >= 8 && sums.width <= LineSums::most) sums.columns.resize(static_cast<std::size_t>(sums.width));
  return sums;
}

// For float32 the values of PyTorch's ONNX export tutorial; for float64 those of torch.testing.assert_close; for
// the others a few units in the last place, because the errors of a network's layers add up.
std::pair<double, double> tolerance_of(const Type& type) {
  if (type.kind != Kind::floating) return {0, 0};
  if (type.digits == 53) return {1e-7, 1e-7};
  if (type.digits == 24) return {1e-3, 1e-5};
  if (type.digits == 11) return {1e-2, 1e-3};
  return type.digits == 8 ? std::pair(3e-2, 1e-2) : std::pair(0.25, 0.1);
}

void judge_arithmetic(ArrayDifference& difference, const Operation& operation, const ArrayPair& pair, LineSums& sums) {
  ArrayJudge(difference, operation, pair, sums).judge();
}

}  // namespace envdoctor::compare
