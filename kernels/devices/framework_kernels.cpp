// The kernels for frameworks. Narrow precisions get short sums: a bound of n u is useless where n u
// is close to 1.
#include <algorithm>
#include <cmath>

#include "kernels/core/bounds.h"
#include "kernels/core/kernel.h"

namespace envdoctor::kernels {
namespace {

constexpr auto products = {Precision::fp32, Precision::tf32, Precision::bf16, Precision::fp16};
constexpr auto others = {Precision::fp32, Precision::bf16, Precision::fp16};

// The longest sum of products whose bound n u Sum |a b| stays below the typical size of the sum itself, sqrt(n): n^1.5
// u < 1/2.
std::int64_t longest_product(Precision precision, std::int64_t most) {
  return std::min(most, std::int64_t{1} << (2 * significand_bits(precision) / 3 - 1));
}

// The longest row: at most 1/4 of the length that makes the bound infinite.
std::int64_t longest(Precision precision, std::int64_t most) {
  return std::min(most, std::int64_t{1} << (significand_bits(precision) - 2));
}

std::vector<Sizes> gemm_sizes(Precision precision, Effort effort) {
  if (effort != Effort::full) return {{{"k", longest_product(precision, 257)}, {"m", 65}, {"n", 129}}};
  std::vector<Sizes> sizes = {{{"k", longest_product(precision, 97)}, {"m", 257}, {"n", 31}},
                              {{"k", longest_product(precision, 511)}, {"m", 129}, {"n", 513}}};
  if (precision == Precision::fp32) sizes.push_back({{"k", 1024}, {"m", 1024}, {"n", 1024}});
  return sizes;
}

std::vector<Sizes> conv2d_sizes(Precision precision, Effort effort) {
  const auto size = [&](std::int64_t batch, std::int64_t channels, std::int64_t edge, std::int64_t stride) {
    const std::int64_t most = longest_product(precision, 9 * channels) / 9;
    return Sizes{{"batch", batch}, {"channels", most}, {"filters", channels}, {"groups", 1},
                 {"height", edge}, {"pad", 1},         {"stride", stride},    {"width", edge + 3}};
  };
  if (effort != Effort::full) return {size(1, 8, 17, 1)};
  return {size(2, 8, 19, 2), size(2, 32, 56, 1)};
}

std::vector<Sizes> softmax_sizes(Precision precision, Effort effort) {
  if (effort != Effort::full) return {{{"n", longest(precision, 1000)}, {"rows", 32}}};
  return {{{"n", 3}, {"rows", 33}}, {{"n", longest(precision, 1000)}, {"rows", 256}}};
}

std::vector<Sizes> layernorm_sizes(Precision precision, Effort effort) {
  if (effort != Effort::full) return {{{"n", longest(precision, 768)}, {"rows", 32}}};
  return {{{"n", longest(precision, 64)}, {"rows", 64}}, {{"n", longest(precision, 1023)}, {"rows", 128}}};
}

std::vector<Sizes> lstm_sizes(Precision precision, Effort effort) {
  const std::int64_t width = longest_product(precision, effort == Effort::full ? 192 : 96) / 3;
  return {{{"hidden", 2 * width}, {"inputs", width}, {"steps", effort == Effort::full ? 64 : 8}}};
}

template <std::size_t size>
struct Name {
  char text[size];  // NOLINT(modernize-avoid-c-arrays): a template argument
  constexpr Name(const char (&name)[size]) { std::copy_n(name, size, text); }  // NOLINT
};
// Our own reference, with bounds that hold for any order of additions.
template <Name name>
std::vector<Expected> in_any_order(const Problem& problem, const std::vector<Array>& in) {
  Problem any = problem;
  any.any_order = true;
  return kernel_named(name.text).reference(any, in);
}

// Frameworks may multiply out, x s + (b - m s) with s = gain / deviation: the cancellation between the larger terms is
// legal.
std::vector<Expected> layernorm_reference(const Problem& problem, const std::vector<Array>& in) {
  std::vector<Expected> expected = in_any_order<"layernorm">(problem, in);
  const auto rows = static_cast<std::size_t>(problem.size.at("rows")),
             n = static_cast<std::size_t>(problem.size.at("n"));
  const double u = unit_roundoff(problem.precision);
  for (std::size_t row = 0; row < rows; ++row) {
    double mean = 0, squares = 0;
    for (std::size_t i = 0; i < n; ++i) mean += in[0].value(row * n + i) / static_cast<double>(n);
    for (std::size_t i = 0; i < n; ++i) squares += std::pow(in[0].value(row * n + i) - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(n) + 1e-5);
    for (std::size_t i = 0; i < n; ++i) {
      const double terms =
          std::fabs(in[1].value(i)) * (std::fabs(in[0].value(row * n + i)) + std::fabs(mean)) / deviation;
      expected[0].bound[row * n + i] += gamma(4, u) * (terms + std::fabs(in[2].value(i)));
    }
  }
  return expected;
}

Kernel as_framework(const char* name, std::vector<Precision> precisions,
                    std::vector<Sizes> (*sizes)(Precision, Effort)) {
  Kernel ours = kernel_named(name);
  ours.precisions = std::move(precisions);
  ours.sizes_for = sizes;
  if (ours.name == std::string_view("lstm")) ours.functions.reference = in_any_order<"lstm">;
  if (ours.name == std::string_view("layernorm")) ours.functions.reference = layernorm_reference;
  return ours;
}

}  // namespace

const std::vector<Kernel>& framework_kernels() {
  static const std::vector<Kernel> kernels = {
      as_framework("gemm", products, gemm_sizes),     as_framework("conv2d", products, conv2d_sizes),
      as_framework("softmax", others, softmax_sizes), as_framework("layernorm", others, layernorm_sizes),
      as_framework("lstm", products, lstm_sizes),
  };
  return kernels;
}

}  // namespace envdoctor::kernels
