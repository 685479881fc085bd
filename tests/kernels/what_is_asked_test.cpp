// What each kernel computes and accepts, as figures in files: inputs, references, bounds and the facts
// about the operation. Other tests show that they are right; this one detects small changes that those allow.
// UPDATE_GOLDEN=1 rewrites them.
#include <fmt/format.h>

#include <cmath>
#include <set>
#include <sstream>

#include "kernels/core/kernel.h"
#include "tests/support/golden.h"
#include "tests/support/paths.h"

namespace envdoctor::kernels::what_is_asked_test {
namespace {

// One figure of many numbers in which each counts by its order of magnitude, its sign and its place.
class Figure {
 public:
  void take(double value) {
    const double size = std::isnan(value)   ? 7
                        : std::isinf(value) ? 3000
                        : value == 0        ? 1
                                            : 1200 + std::log2(std::fabs(value));
    const double weight = 1 + std::fmod(0.6180339887 * static_cast<double>(++count_), 1.0);
    sum_ += static_cast<long double>(std::signbit(value) && !std::isnan(value) ? -size : size) * weight;
  }
  [[nodiscard]] std::string text() const { return fmt::format("{}:{:.6f}", count_, static_cast<double>(sum_)); }

 private:
  std::size_t count_ = 0;
  long double sum_ = 0;
};

std::string figure(const std::vector<double>& values) {
  Figure figure;
  for (const double value : values) figure.take(value);
  return figure.text();
}

std::string in_figures(const Expected& e) {
  std::string text;
  if (!e.value.empty()) text += " value=" + figure(e.value);
  if (!e.bound.empty()) text += " bound=" + figure(e.bound);
  if (!e.probable.empty()) text += " probable=" + figure(e.probable);
  if (!e.flushed.empty()) text += " flushed=" + figure(e.flushed);
  if (e.exact) text += " exact=" + figure(e.exact->values());
  if (e.also_exact) text += " also=" + figure(e.also_exact->values());
  return text;
}

std::string in_figures(const Operation& o, std::size_t elements) {
  std::string text = fmt::format("depth={} columns={} marks={}{}{}", o.depth, o.columns, o.row_for_each_function,
                                 o.counts, o.order_free);
  for (const std::string& function : o.functions) text += " " + function;
  if (!o.terms) return text;
  Figure terms;
  for (std::size_t element = 0; element < std::min<std::size_t>(elements, 2); ++element) {
    const Terms some = o.terms(element);
    for (std::size_t i = 0; i < some.a.size(); ++i) terms.take(some.a[i]), terms.take(some.b[i]);
  }
  return text + " terms=" + terms.text();
}

std::vector<Sizes> sizes_of(const Kernel& kernel, Precision precision) {
  std::vector<Sizes> sizes = kernel.sizes(precision, Effort::tiny);
  for (const Sizes& quick : kernel.sizes(precision, Effort::quick)) sizes.push_back(quick);
  if (std::string_view(kernel.name) == "conv2d") {
    sizes.push_back(kernel.full.at(0));  // without a border
    sizes.push_back(kernel.full.at(1));  // strides, groups
  }
  // The longest rows that have offsets, and longer ones.
  if (std::string_view(kernel.name) == "layernorm") {
    sizes.push_back({{"n", 1024}, {"rows", 10}});
    sizes.push_back({{"n", 1500}, {"rows", 10}});
  }
  // That the chunks divide.
  if (std::string_view(kernel.name) == "scan" || std::string_view(kernel.name) == "reduce")
    sizes.push_back({{"n", 2048}});
  // That a special number would stand just behind the last; as many terms in a bin as a power of two, in the bound.
  if (std::string_view(kernel.name) == "triad") sizes.push_back({{"n", 30}});
  if (std::string_view(kernel.name) == "float-atomics") sizes.push_back({{"n", 4032}});
  // Without a stage, and with as many as there may be.
  if (std::string_view(kernel.name) == "fft-butterfly") {
    sizes.push_back({{"n", 1}, {"transforms", 2}});
    sizes.push_back({{"n", 2048}, {"transforms", 1}});
  }
  // Tails, and chains that are longest in a row of lanes and in one of items.
  if (std::string_view(kernel.name) == "lstm") {
    sizes.push_back({{"hidden", 24}, {"inputs", 70}, {"steps", 2}});
    sizes.push_back({{"hidden", 260}, {"inputs", 300}, {"steps", 1}});
  }
  return sizes;
}

void describe(const Kernel& kernel, const Problem& problem, const char* kind, std::string& out) {
  const std::vector<Array> in = kernel.inputs(problem);
  out += fmt::format("{} {}", kernel.name, text(problem.precision));
  for (const auto& [name, value] : problem.size) out += fmt::format(" {}={}", name, value);
  out += fmt::format(" {}\n", kind);
  for (const Array& array : in) out += "  in " + figure(array.values()) + "\n";
  const std::vector<Expected> right = kernel.reference(problem, in);
  for (const Expected& expected : right) out += "  out" + in_figures(expected) + "\n";
  out += "  " + in_figures(kernel.operation(problem, in), right.front().count()) + "\n";
}

std::string in_figures(const Kernel& kernel) {
  std::string out;
  for (const Precision precision : kernel.precisions) {
    for (const Sizes& size : sizes_of(kernel, precision)) {
      const Problem usual{.precision = precision, .size = size, .seed = 7};
      describe(kernel, usual, "usual", out);
      if (const Problem other = on_other_inputs(kernel, usual, true); other.whole_numbers)
        describe(kernel, other, "whole numbers", out);
      Problem loose = usual;
      loose.relaxed = loose.any_order = true;
      describe(kernel, loose, "relaxed, in any order", out);
    }
  }
  return out;
}

// The same words, and figures that are nearly the same: mathematical libraries differ in their last bits.
bool same_line(const std::string& one, const std::string& other) {
  std::istringstream left(one), right(other);
  std::string a, b;
  while (left >> a) {
    if (!(right >> b)) return false;
    const auto dot = a.rfind(':'), other_dot = b.rfind(':');
    if (dot == a.npos || a.substr(0, dot) != b.substr(0, other_dot)) {
      if (a != b) return false;
    } else if (!(std::fabs(std::stod(a.substr(dot + 1)) - std::stod(b.substr(other_dot + 1))) < 1e-4)) {
      return false;
    }
  }
  return !(right >> b);
}

// A kernel of our own, or the one that frameworks are asked.
struct Asked {
  const Kernel* kernel;
  std::string name;
};
void PrintTo(const Asked& asked, std::ostream* out) { *out << asked.name; }
std::vector<Asked> all_asked() {
  std::vector<Asked> all;
  for (const Kernel& kernel : all_kernels()) all.push_back({&kernel, kernel.name});
  for (const Kernel& kernel : framework_kernels()) all.push_back({&kernel, std::string("framework-") + kernel.name});
  return all;
}

class WhatIsAsked : public testing::TestWithParam<Asked> {};

TEST_P(WhatIsAsked, IsWhatItWas) {
  const std::filesystem::path file =
      std::filesystem::path(source_folder) / "fixtures/kernels" / (GetParam().name + ".txt");
  const std::string now = in_figures(*GetParam().kernel);
  if (std::getenv("UPDATE_GOLDEN")) return expect_golden(file, now);
  std::istringstream before(read_whole(file)), after(now);
  std::string known, line, problem;
  while (std::getline(after, line)) {
    if (!line.starts_with(" ")) problem = line;
    ASSERT_TRUE(std::getline(before, known)) << "not in " << file << ": " << line;
    ASSERT_TRUE(same_line(known, line)) << problem << "\n"
                                        << known << "\n"
                                        << line << "\nUPDATE_GOLDEN=1 rewrites " << file;
  }
  EXPECT_FALSE(std::getline(before, known)) << "no longer asked: " << known;
}

INSTANTIATE_TEST_SUITE_P(Of, WhatIsAsked, testing::ValuesIn(all_asked()), [](const auto& of) {
  std::string name = of.param.name;
  std::erase(name, '-');
  return name;
});

}  // namespace
}  // namespace envdoctor::kernels::what_is_asked_test
