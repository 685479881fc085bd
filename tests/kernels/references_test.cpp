// References compared with third-party references, and each of ours broken on purpose.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <tuple>

#include "kernels/classify/replay.h"
#include "kernels/core/compare_results.h"
#include "kernels/core/double_double.h"
#include "kernels/core/product.h"
#include "kernels/core/random.h"
#include "kernels/devices/device.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels::references_test {
namespace {

const Kernel& kernel_named(std::string_view name) {
  return *std::ranges::find_if(all_kernels(), [&](const Kernel& kernel) { return kernel.name == name; });
}

// What the host device gives for the kernel's largest quick problem.
struct HostRun {
  Problem problem{};
  std::vector<Array> inputs{};
  std::vector<Expected> expected{};
  std::vector<Array> got{};
};

HostRun run_on_host(const Kernel& kernel, Precision precision, const Sizes& size, std::uint64_t seed = 3) {
  HostRun run{.problem = {.precision = precision, .size = size, .seed = seed}};
  run.inputs = kernel.inputs(run.problem);
  run.expected = kernel.reference(run.problem, run.inputs);
  const auto device = open_host({});
  const Plan plan = kernel.plan(run.problem, Variant::host, device->facts().capabilities);
  device->build({&kernel}, "");
  device->load(plan, run.inputs);
  device->poison();
  device->run(1);
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    Array out(run.expected[i].precision, run.expected[i].count());
    out.bytes = device->read(plan.outputs[i]).bytes;
    out.bytes.resize(run.expected[i].count() * size_of(out.precision));
    run.got.push_back(out);
  }
  return run;
}

HostRun run_on_host(const Kernel& kernel, Precision precision, std::uint64_t seed = 3) {
  return run_on_host(kernel, precision, kernel.sizes(precision, Effort::quick).back(), seed);
}

class EveryKernel : public testing::TestWithParam<const char*> {};

// The smallest sizes, and the smaller half of the large ones: edges, strides, groups.
TEST_P(EveryKernel, IsRightOnTheHostAtOddSizes) {
  const Kernel& kernel = kernel_named(GetParam());
  for (const Precision precision : kernel.precisions) {
    if (precision == Precision::fp16) continue;
    std::vector<Sizes> sizes = kernel.sizes(precision, Effort::tiny);
    const std::vector<Sizes> full = kernel.sizes(precision, Effort::full);
    sizes.insert(sizes.end(), full.begin(), full.begin() + static_cast<std::ptrdiff_t>(full.size() / 2));
    for (const Sizes& size : sizes) {
      const HostRun run = run_on_host(kernel, precision, size);
      for (std::size_t o = 0; o < run.got.size(); ++o) {
        const Comparison found = compare(run.got[o], run.expected[o]);
        EXPECT_TRUE(found.right()) << text(precision) << " " << size.begin()->second << " output " << o;
      }
    }
  }
}

TEST_P(EveryKernel, IsRightOnTheHostAndWrongAgainstASpoiltReference) {
  const Kernel& kernel = kernel_named(GetParam());
  for (const Precision precision : kernel.precisions) {
    if (precision == Precision::fp16) continue;  // the host has none
    const HostRun run = run_on_host(kernel, precision);
    for (std::size_t o = 0; o < run.got.size(); ++o) {
      ASSERT_TRUE(compare(run.got[o], run.expected[o]).right()) << text(precision) << " output " << o;
      // One element off by a little more than its bound, then all elements taken from their neighbours.
      Expected off = run.expected[o], shifted = run.expected[o];
      std::size_t middle = off.count() / 3;
      // Not where zero may stand for a subnormal number.
      while (!off.exact && middle + 1 < off.count() &&
             !(std::fabs(off.value[middle]) > smallest_normal(precision) && std::isfinite(off.value[middle])))
        ++middle;
      if (off.exact) {
        off.exact->set_bits(middle, off.exact->bits(middle) ^ 4);
        if (off.also_exact) off.also_exact->set_bits(middle, off.also_exact->bits(middle) ^ 4);
      } else {
        const double value = off.value[middle];
        off.value[middle] = std::isfinite(value) ? value + 2.1 * (off.bound[middle] + ulp(precision, value)) : 1;
      }
      EXPECT_FALSE(compare(run.got[o], off).right()) << text(precision) << " output " << o;
      if (off.count() < 4) continue;
      for (std::size_t i = 0; i < shifted.count(); ++i) {
        const std::size_t from = (i + 1) % shifted.count();
        if (shifted.exact) shifted.exact->set_bits(i, run.expected[o].exact->bits(from));
        if (shifted.also_exact) shifted.also_exact->set_bits(i, run.expected[o].also_exact->bits(from));
        if (!shifted.exact) shifted.value[i] = run.expected[o].value[from];
      }
      EXPECT_FALSE(compare(run.got[o], shifted).right()) << text(precision) << " output " << o;
    }
  }
}

// Error over bound of the host's own runs, output by output: a property of bound and reference, and much the same
// whatever compiler and mathematical library made the host's code.
struct Tightness {
  const char* kernel;
  Precision precision;
  std::vector<double> over_bound;
};

const std::vector<Tightness>& tightnesses() {
  using enum Precision;
  static const std::vector<Tightness> all = {
      {"fp-probe", fp32, {1}},
      {"fp-probe", fp64, {1}},
      {"map", fp32, {0.71}},
      {"map", fp64, {1}},
      {"reduce", fp32, {0.0003}},
      {"reduce", fp64, {0.00025}},
      {"dot", fp32, {0.0032}},
      {"dot", fp64, {0.0049}},
      {"gemm", fp32, {0.013}},
      {"gemm", fp64, {0.011}},
      {"gemm-exact", fp32, {0, 0, 0.0625}},
      {"gemm-exact", fp64, {0, 0, 0.0625}},
      {"gemv", fp32, {0.015}},
      {"conv2d", fp32, {0.047}},
      {"softmax", fp32, {0.041, 0.26}},
      {"layernorm", fp32, {0.11}},
      {"lstm", fp32, {0.014, 0.016}},
      {"fft-butterfly", fp32, {0.0075}},
      {"fft-butterfly", fp64, {0.0067}},
      {"scan", fp32, {0.97}},
      {"float-atomics", fp32, {0.0059}},
  };
  return all;
}

double over_bound(const HostRun& run, std::size_t output, double factor) {
  Expected expected = run.expected[output];
  for (double& bound : expected.bound) bound *= factor;
  const Agreement agreement = compare(run.got[output], expected).agreement;
  return agreement.error_over_bound.get() ? *agreement.error_over_bound.get() : 0;
}

bool has_bounds(const Expected& expected) {
  return std::ranges::any_of(expected.bound, [](double bound) { return bound > 0; });
}

// Eight times either way is no slip of a bound, a hundred is: then the host's run leaves the place it is known to have.
bool is_as_known(double over_bound, double known) {
  return over_bound <= 1 && over_bound <= 8 * known && over_bound >= known / 8;
}

// What is to be found fault with, were each bound of this kernel `factor` times what it is; empty: nothing.
std::string fault_with(const Kernel& kernel, const std::vector<HostRun>& runs, double factor) {
  const Precision precision = runs.front().problem.precision;
  const auto known = std::ranges::find_if(tightnesses(), [&](const Tightness& t) {
    return kernel.name == std::string(t.kernel) && t.precision == precision;
  });
  for (std::size_t o = 0; o < runs.front().got.size(); ++o) {
    if (!has_bounds(runs.front().expected[o])) continue;  // these bits and no others
    double largest = 0;
    for (const HostRun& run : runs) largest = std::max(largest, over_bound(run, o, factor));
    const bool listed = known != tightnesses().end() && o < known->over_bound.size();
    if (!listed || !is_as_known(largest, known->over_bound[o]))
      return std::string(text(precision)) + " output " + std::to_string(o) + ": " + std::to_string(largest);
  }
  return "";
}

// The largest error of a few numbers is steady only over many draws.
std::vector<HostRun> enough_runs(const Kernel& kernel, Precision precision) {
  std::vector<HostRun> runs = {run_on_host(kernel, precision)};
  const bool few = std::ranges::any_of(runs.front().got, [](const Array& got) { return got.count() < 8; });
  for (std::uint64_t seed = 4; few && seed < 44; ++seed) runs.push_back(run_on_host(kernel, precision, seed));
  return runs;
}

TEST_P(EveryKernel, HasABoundThatCouldNotBeAHundredthNorAHundredfold) {
  const Kernel& kernel = kernel_named(GetParam());
  for (const Precision precision : kernel.precisions) {
    if (precision == Precision::fp16) continue;  // below
    const std::vector<HostRun> runs = enough_runs(kernel, precision);
    EXPECT_EQ(fault_with(kernel, runs, 1), "");
    if (std::ranges::none_of(runs.front().expected, has_bounds)) continue;
    EXPECT_NE(fault_with(kernel, runs, 0.01), "") << text(precision);
    EXPECT_NE(fault_with(kernel, runs, 100), "") << text(precision);
  }
}

std::vector<const char*> names_of_all() {
  std::vector<const char*> names;
  for (const Kernel& kernel : all_kernels()) names.push_back(kernel.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Ours, EveryKernel, testing::ValuesIn(names_of_all()), [](const auto& of) {
  std::string name = of.param;
  std::erase(name, '-');
  return name;
});

// Half precision without a device: sums of products rounded to half after each step.
HostRun in_half(const char* name) {
  const Kernel& kernel = kernel_named(name);
  HostRun run{.problem = {.precision = Precision::fp16,
                          .size = kernel.sizes(Precision::fp16, Effort::quick).back(),
                          .seed = 3}};
  run.inputs = kernel.inputs(run.problem);
  run.expected = kernel.reference(run.problem, run.inputs);
  const Operation operation = kernel.operation(run.problem, run.inputs);
  Array& got = run.got.emplace_back(Precision::fp16, run.expected[0].count());
  for (std::size_t i = 0; i < got.count(); ++i) {
    const Terms terms = operation.terms(i);
    double sum = 0;
    for (std::size_t p = 0; p < terms.a.size(); ++p)
      sum = rounded_to_half(sum + rounded_to_half(terms.a[p] * terms.b[p]));
    got.set(i, sum);
  }
  return run;
}

// Kernels whose host code is the reference's own, written down a second time.
struct Again {
  const char* kernel;
  Precision precision;
  Sizes size;
  std::function<std::vector<double>(const Array& in, std::uint64_t seed)> values;  // of the first output
};

std::uint32_t chained_thrice(std::uint32_t x) {
  for (int round = 0; round < 3; ++round) {
    x ^= x << 13;
    x ^= x >> 17;
    x = x * 2654435761U + 1;
  }
  return x;
}

std::uint32_t murmur_finalizer(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6b;
  x ^= x >> 13;
  x *= 0xc2b2ae35;
  x ^= x >> 16;
  return x;
}

// Two steps on a grid with a rim of zeros; the mean of the four neighbours, or their sum less twice the middle.
std::vector<double> two_stencil_steps(const Array& in, int height, int width, bool floating) {
  std::vector<double> now = in.values();
  for (int step = 0; step < 2; ++step) {
    std::vector<double> then;
    const auto at = [&](int i, int j) {
      return i < 0 || j < 0 || i >= height || j >= width ? 0.0 : now[static_cast<std::size_t>(i * width + j)];
    };
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) {
        const double around = at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1);
        const double whole = std::fmod(around - 2 * at(i, j) + 0x1p34, 0x1p32);
        then.push_back(floating ? around / 4 : whole);
      }
    }
    now = then;
  }
  return now;
}

const Again agains[] = {
    {"hash-chain",
     Precision::uint32,
     {{"items", 32}, {"rounds", 3}},
     [](const Array& in, std::uint64_t) {
       std::vector<double> out;
       for (const double start : in.values()) out.push_back(chained_thrice(static_cast<std::uint32_t>(start)));
       return out;
     }},
    {"pattern",
     Precision::uint32,
     {{"n", 100}},
     [](const Array&, std::uint64_t seed) {
       std::vector<double> out;
       for (std::uint32_t i = 0; i < 100; ++i) out.push_back(murmur_finalizer(i ^ static_cast<std::uint32_t>(seed)));
       return out;
     }},
    {"histogram",
     Precision::uint32,
     {{"n", 5000}},
     [](const Array& in, std::uint64_t) {
       std::vector<double> out(256);
       for (const double x : in.values()) out[static_cast<std::size_t>(std::fmod(x, 256))] += 1;
       return out;
     }},
    {"stencil",
     Precision::fp32,
     {{"height", 7}, {"steps", 2}, {"width", 9}},
     [](const Array& in, std::uint64_t) { return two_stencil_steps(in, 7, 9, true); }},
    {"stencil",
     Precision::uint32,
     {{"height", 7}, {"steps", 2}, {"width", 9}},
     [](const Array& in, std::uint64_t) { return two_stencil_steps(in, 7, 9, false); }},
};

TEST(References, ThatTheHostSharesAreRightWhenWrittenDownAgain) {
  for (const Again& again : agains) {
    const Kernel& kernel = kernel_named(again.kernel);
    const Problem problem{.precision = again.precision, .size = again.size, .seed = 77};
    const std::vector<Array> in = kernel.inputs(problem);
    const Expected expected = kernel.reference(problem, in).front();
    EXPECT_EQ(expected.exact->values(), again.values(in.empty() ? Array() : in[0], problem.seed)) << again.kernel;
  }
}

class InHalf : public testing::TestWithParam<const char*> {};

TEST_P(InHalf, IsRightWithinItsBoundAndWrongBesideIt) {
  const HostRun run = in_half(GetParam());
  const Comparison right = compare(run.got[0], run.expected[0]);
  EXPECT_TRUE(right.agreement.outcome.is("within-bound")) << *right.agreement.outcome.get();
  EXPECT_GT(over_bound(run, 0, 1), 0.01);
  EXPECT_GT(over_bound(run, 0, 0.01), 1);
  Array off = run.got[0];
  off.set(7,
          run.expected[0].value[7] + 2.1 * (run.expected[0].bound[7] + ulp(Precision::fp16, run.expected[0].value[7])));
  EXPECT_EQ(compare(off, run.expected[0]).wrong, std::vector<std::size_t>{7});
  Expected lax = run.expected[0];
  for (double& bound : lax.bound) bound *= 100;
  EXPECT_TRUE(compare(off, lax).right());
}

// Of the other kernels with half precision, triad asks for bits, and the probe for the correctly rounded value or a few
// ulp.
TEST(HalfPrecision, IsTriedInEveryKernelThatHasIt) {
  std::vector<std::string> names;
  for (const Kernel& kernel : all_kernels()) {
    if (std::ranges::find(kernel.precisions, Precision::fp16) != kernel.precisions.end())
      names.emplace_back(kernel.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"fp-probe", "triad", "dot", "gemm", "conv2d"}));
}

// The furthest from the exact value that its bound allows, where that is a number.
Array at_the_bound(const Expected& expected) {
  Array got(expected.precision, expected.count());
  for (std::size_t i = 0; i < got.count(); ++i) {
    const double value = expected.value[i], furthest = value - expected.bound[i];
    got.set(i, furthest);
    if (!std::isfinite(value) || got.value(i) != furthest) got.set(i, value);
  }
  return got;
}

TEST(FpProbe, HasBoundsInHalfPrecisionThatCouldNotBeAHundredthNorAHundredfold) {
  const Kernel& probe = kernel_named("fp-probe");
  HostRun run{
      .problem = {.precision = Precision::fp16, .size = probe.sizes(Precision::fp16, Effort::quick).back(), .seed = 3}};
  run.expected = probe.reference(run.problem, probe.inputs(run.problem));
  run.got = {at_the_bound(run.expected[0])};
  EXPECT_TRUE(is_as_known(over_bound(run, 0, 1), 1)) << over_bound(run, 0, 1);
  EXPECT_FALSE(is_as_known(over_bound(run, 0, 0.01), 1));
  EXPECT_FALSE(is_as_known(over_bound(run, 0, 100), 1));
}

INSTANTIATE_TEST_SUITE_P(SumsOfProducts, InHalf, testing::Values("dot", "gemm", "conv2d"),
                         [](const auto& of) { return std::string(of.param); });

TEST(Triad, TakesOneRoundingOrTwoInHalfPrecision) {
  const Kernel& triad = kernel_named("triad");
  const Problem problem{.precision = Precision::fp16, .size = {{"n", 1000}}, .seed = 3};
  const std::vector<Array> in = triad.inputs(problem);
  const Expected expected = triad.reference(problem, in).front();
  Array fused(Precision::fp16, 1000), twice(Precision::fp16, 1000);
  for (std::size_t i = 0; i < 1000; ++i) {
    const double product = rounded_to_half(0.7F) * in[1].value(i);
    fused.set(i, in[0].value(i) + product);
    twice.set(i, in[0].value(i) + rounded_to_half(product));
  }
  EXPECT_TRUE(compare(fused, expected).right());
  EXPECT_TRUE(compare(twice, expected).right());
  EXPECT_FALSE(differing(fused, twice).empty());
  twice.set_bits(5, twice.bits(5) + 2);
  EXPECT_FALSE(compare(twice, expected).right());
}

// b lies just beside what is missing to halfway between two floats, closer than double holds of the sum.
TEST(Triad, IsRoundedAsItsExactSumWhereDoubleHoldsTooFewBits) {
  const Kernel& triad = kernel_named("triad");
  constexpr std::int64_t factor = 11744051;  // 0.7F 2^24
  std::vector<std::array<double, 3>> cases;  // b, c, and what is right
  for (std::int64_t c = 1 << 23; c < 1 << 24; c += 7) {
    const std::int64_t product = c * factor, unit = product < std::int64_t{1} << 47 ? 1 << 23 : 1 << 24;
    const std::int64_t missing = unit / 2 - product % unit;
    if (missing == 0 || std::abs(missing) >= 1 << 16) continue;
    const auto below = static_cast<double>(product - product % unit);
    const auto b = static_cast<double>(missing), more = 0x1p-7;
    cases.push_back({b + more, static_cast<double>(c) * 0x1p24, below + static_cast<double>(unit)});
    cases.push_back({b - more, static_cast<double>(c) * 0x1p24, below});
  }
  ASSERT_GT(cases.size(), 1000U);
  Array b(Precision::fp32, cases.size()), c(Precision::fp32, cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) b.set(i, cases[i][0]), c.set(i, cases[i][1]);
  const Problem problem{.precision = Precision::fp32, .size = {{"n", static_cast<std::int64_t>(cases.size())}}};
  const Expected expected = triad.reference(problem, {b, c}).front();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    ASSERT_EQ(b.value(i), cases[i][0]);
    ASSERT_EQ(expected.exact->value(i), cases[i][2]) << i;
  }
}

// In double precision: a product just above half a unit, and one that cancels but for what rounding took off it.
TEST(Triad, IsFusedInDoublePrecision) {
  const double s = 0.7F;
  double halves = 1, c_half = 0x1p-53 / s;  // of the unit of 1
  while (s * c_half != halves * 0x1p-53 || std::fma(s, c_half, -halves * 0x1p-53) <= 0)
    halves += 4, c_half = halves * 0x1p-53 / s;
  const double below = 1 + (halves - 1) * 0x1p-53;
  const Array b(Precision::fp64, {1, -(s * 1.1)}), c(Precision::fp64, {c_half, 1.1});
  const Problem problem{.precision = Precision::fp64, .size = {{"n", 2}}};
  const Expected expected = kernel_named("triad").reference(problem, {b, c}).front();
  EXPECT_EQ(expected.exact->values(), (std::vector<double>{below + 0x1p-52, std::fma(s, 1.1, -(s * 1.1))}));
  EXPECT_EQ(expected.also_exact->values(), (std::vector<double>{below, 0}));
}

using Mpfr = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
int reciprocal(mpfr_t out, const mpfr_t x, mpfr_rnd_t how) { return mpfr_ui_div(out, 1, x, how); }

// In the order of the kernel's functions; null: pow, which takes two.
constexpr std::array<Mpfr, 16> with_mpfr{mpfr_exp,      mpfr_exp2, mpfr_expm1, mpfr_log,  mpfr_log2, mpfr_log1p,
                                         mpfr_sin,      mpfr_cos,  mpfr_tan,   mpfr_tanh, mpfr_erf,  nullptr,
                                         mpfr_rec_sqrt, mpfr_sqrt, reciprocal, mpfr_atan};

TEST(Map, HasReferencesThatMpfrConfirms) {
  const Kernel& map = kernel_named("map");
  mpfr_t x, y, out;
  mpfr_inits2(200, x, y, out, static_cast<mpfr_ptr>(nullptr));
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const Problem problem{.precision = precision, .size = {{"n", 500}}, .seed = 9};
    const std::vector<Array> in = map.inputs(problem);
    const Expected expected = map.reference(problem, in).front();
    int checked = 0;
    for (std::size_t i = 0; i < expected.count(); ++i) {
      if (!std::isfinite(expected.value[i]) || expected.value[i] == 0) continue;
      mpfr_set_d(x, in[0].value(i), MPFR_RNDN);
      mpfr_set_d(y, in[1].value(i), MPFR_RNDN);
      const Mpfr function = with_mpfr[i / 500];
      function ? function(out, x, MPFR_RNDN) : mpfr_pow(out, x, y, MPFR_RNDN);
      mpfr_sub_d(out, out, expected.value[i], MPFR_RNDN);
      mpfr_sub_d(out, out, expected.low[i], MPFR_RNDN);
      const double unit = ulp(precision, expected.value[i], expected.low[i]);
      EXPECT_LE(std::fabs(mpfr_get_d(out, MPFR_RNDN)), 0x1p-9 * unit)
          << text(precision) << " function " << i / 500 << " of " << in[0].value(i);
      ++checked;
    }
    EXPECT_GT(checked, 7000);
  }
  mpfr_clears(x, y, out, static_cast<mpfr_ptr>(nullptr));
}

TEST(DoubleDouble, SumsMultipliesAndDividesToAHundredBits) {
  mpfr_t a, b, out;
  mpfr_inits2(400, a, b, out, static_cast<mpfr_ptr>(nullptr));
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const DoubleDouble p = two_sum(normal(1, 0, i), std::ldexp(normal(1, 1, i), -60)),
                       q = two_sum(normal(1, 2, i), std::ldexp(normal(1, 3, i), -60));
    const std::array<DoubleDouble, 3> got{p + q, p * q, p / q};
    for (std::size_t operation = 0; operation < 3; ++operation) {
      mpfr_set_d(a, p.high, MPFR_RNDN);
      mpfr_add_d(a, a, p.low, MPFR_RNDN);
      mpfr_set_d(b, q.high, MPFR_RNDN);
      mpfr_add_d(b, b, q.low, MPFR_RNDN);
      (operation == 0 ? mpfr_add : operation == 1 ? mpfr_mul : mpfr_div)(out, a, b, MPFR_RNDN);
      mpfr_sub_d(out, out, got[operation].high, MPFR_RNDN);
      mpfr_sub_d(out, out, got[operation].low, MPFR_RNDN);
      // A sum that cancels keeps its error relative to the operands.
      const double size = operation == 0 ? std::fabs(p.high) + std::fabs(q.high) : std::fabs(got[operation].high);
      ASSERT_LE(std::fabs(mpfr_get_d(out, MPFR_RNDN)), 0x1p-100 * size) << operation << " " << i;
    }
  }
  mpfr_clears(a, b, out, static_cast<mpfr_ptr>(nullptr));
}

TEST(Product, AgreesWithOpenBlas) {
  void* blas = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!blas) GTEST_SKIP() << "OpenBLAS is not installed";
  const auto dgemm = reinterpret_cast<void (*)(int, int, int, int, int, int, double, const double*, int, const double*,
                                               int, double, double*, int)>(dlsym(blas, "cblas_dgemm"));
  ASSERT_NE(dgemm, nullptr);
  constexpr int m = 37, n = 29, k = 411, row_major = 101, plain = 111;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const Array a = normal_array(precision, m * k, 1, 0), b = normal_array(precision, k * n, 1, 1);
    const Expected expected = product_reference(a, b, {.m = m, .n = n, .k = k});
    std::vector<double> c(m * n);
    dgemm(row_major, plain, plain, m, n, k, 1, a.values().data(), k, b.values().data(), n, 0, c.data(), n);
    Array got(Precision::fp64, c.size());
    for (std::size_t i = 0; i < c.size(); ++i) got.set(i, c[i]);
    Expected in_double = expected;
    in_double.precision = Precision::fp64;
    for (double& bound : in_double.bound) bound *= precision == Precision::fp32 ? 0x1p-29 : 1;
    EXPECT_TRUE(compare(got, in_double).right()) << text(precision);
    const std::vector<std::size_t> some = {0, 17, 1000};
    const Expected samples = product_samples(a, b, {.m = m, .n = n, .k = k}, some);
    for (std::size_t s = 0; s < some.size(); ++s) EXPECT_NEAR(samples.value[s], expected.value[some[s]], 1e-12);
  }
}

FpMode probed(Precision precision, const std::function<void(std::size_t row, Array&)>& spoil = {}) {
  HostRun run = run_on_host(kernel_named("fp-probe"), precision);
  for (std::size_t i = 0; spoil && i < run.got[0].count(); ++i) spoil(i, run.got[0]);
  return fp_probe::read(run.got[0]);
}

TEST(FpProbe, TellsTheArithmeticOfThisHost) {
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    const FpMode mode = probed(precision);
    EXPECT_TRUE(mode.flushes.empty() && mode.fast_math.empty() && mode.subnormals_tried);
    EXPECT_EQ(mode.rounding, "to nearest");
  }
}

TEST(FpProbe, TellsFlushingFastMathAndTruncation) {
  const FpMode flushed = probed(Precision::fp32, [](std::size_t i, Array& got) {
    if (std::fabs(got.value(i)) < 0x1p-126) got.set(i, 0);
  });
  EXPECT_EQ(text(flushed).find("fast-math"), std::string::npos);
  EXPECT_NE(text(flushed).find("subnormals flushed by add, multiply"), std::string::npos) << text(flushed);
  const FpMode fast = probed(Precision::fp32, [](std::size_t i, Array& got) {
    if (std::isnan(got.value(i))) got.set(i, 0);
  });
  EXPECT_NE(text(fast).find("fast-math: infinity minus infinity is no NaN"), std::string::npos) << text(fast);
  const FpMode truncated = probed(Precision::fp32, [](std::size_t i, Array& got) {
    if (std::fabs(got.value(i)) == 1 + 0x1p-23) got.set(i, std::copysign(1, got.value(i)));
  });
  EXPECT_EQ(truncated.rounding, "towards zero");
}

// Each row of the table by itself: what a wrong answer there is called, and that no other answer is.
TEST(FpProbe, NamesWhatEachRowShows) {
  constexpr std::size_t rows = 45;
  const auto with = [](std::size_t row, double answer) {
    return probed(Precision::fp32, [=](std::size_t i, Array& got) {
      if (i % rows == row) got.set(i, answer);
    });
  };
  const std::vector<std::pair<std::size_t, const char*>> flushes = {{0, "add"},      {1, "multiply"}, {2, "multiply"},
                                                                    {3, "operands"}, {4, "fma"},      {5, "divide"},
                                                                    {6, "exp"},      {7, "sqrt"},     {8, "1/x"}};
  for (const auto& [row, name] : flushes) {
    EXPECT_EQ(with(row, row == 8 ? HUGE_VAL : 0).flushes, std::vector<std::string>{name}) << row;
    EXPECT_TRUE(with(row, 0x1p-120).flushes.empty()) << row;
  }
  const double huge = std::numeric_limits<float>::max();
  const std::vector<std::tuple<std::size_t, double, double, const char*>> fast = {
      {26, 0, 5, "NaN equals itself"},
      {28, 0, NAN, "infinity minus infinity is no NaN"},
      {29, 0, NAN, "zero times infinity is no NaN"},
      {30, 1, NAN, "NaN is lost"},
      {31, 0, 5, "infinity is not recognized"},
      {32, 1, 5, "sums are reassociated"},
      {33, huge, 5, "x * y / y is x"},
      {37, 1, 5, "the sign of zero is lost"}};
  for (const auto& [row, answer, other, name] : fast) {
    EXPECT_EQ(with(row, answer).fast_math, std::vector<std::string>{name}) << row;
    EXPECT_TRUE(with(row, other).fast_math.empty()) << row;
  }
  // Plain sums and overflow that come out wrong show nothing else; by one unit, another rounding.
  for (const std::size_t row : {13, 14, 15, 16, 21, 22, 23, 39, 40})
    EXPECT_FALSE(with(row, 77).plain_sums_right) << row;
  for (const std::size_t row : {17, 18, 20, 24, 27, 34, 36, 38}) EXPECT_TRUE(with(row, 77).plain_sums_right) << row;
  const auto rounded = [](double up, double down, double sum) {
    return probed(Precision::fp32, [=](std::size_t i, Array& got) {
      if (i % rows == 11) got.set(i, up);
      if (i % rows == 12) got.set(i, down);
      if (i % rows == 13) got.set(i, sum);
    });
  };
  const double unit = 0x1p-23;
  EXPECT_EQ(rounded(1 + unit, -1, 1 + unit).rounding, "up");
  EXPECT_EQ(rounded(1, -1 - unit, 1).rounding, "down");
  EXPECT_EQ(rounded(1, -1, 1).rounding, "towards zero");
  EXPECT_EQ(rounded(1 + unit, -1, 1 + unit).plain_sums_right, false);
  EXPECT_EQ(rounded(1 + unit, -1, 1 + 2 * unit).rounding, "");
  EXPECT_EQ(rounded(1 + unit, -1 - unit, 1 + unit).rounding, "");
  const auto off_by = [&](double units) {
    return probed(Precision::fp32, [=](std::size_t i, Array& got) {
      if (i % rows == 12) got.set(i, -1);
      if (i % rows == 14) got.set(i, 1 + (2 + units) * unit);
    });
  };
  EXPECT_EQ(off_by(2).rounding, "up");
  EXPECT_EQ(off_by(3).rounding, "");
  EXPECT_EQ(with(9, 0x1p-26).fused, true);
  EXPECT_EQ(with(9, 0).fused, false);
}

TEST(FpProbe, ReadsNothingOffADeviceThatCannotAdd) {
  const FpMode scaled = probed(Precision::fp32, [](std::size_t i, Array& got) { got.set(i, 1.25 * got.value(i)); });
  EXPECT_TRUE(scaled.fast_math.empty());
  EXPECT_EQ(text(scaled), "single operations give wrong results");
}

TEST(GemmExact, ReportsTheWidthOfInputsAndSums) {
  const Kernel& kernel = kernel_named("gemm-exact");
  EXPECT_EQ(kernel.mode(run_on_host(kernel, Precision::fp32).got),
            "products without TF32: 24-bit inputs, 24-bit sums, to nearest");
  EXPECT_EQ(kernel.mode(run_on_host(kernel, Precision::fp64).got), "products: 53-bit inputs, 53-bit sums, to nearest");
}

TEST(Random, GivesTheSameNumbersEverywhereAndNoTwoStreamsAlike) {
  EXPECT_EQ(random_bits(1, 0, 0), random_bits(1, 0, 0));
  EXPECT_NE(random_bits(1, 0, 1), random_bits(1, 1, 0));
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < 100000; ++i) {
    const double x = normal(1, 0, i);
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.02);
  EXPECT_NEAR(squares / 100000, 1, 0.02);
  const Array odd = odd_integers(Precision::fp32, 1000, 1, 0, 13);
  for (const double x : odd.values()) {
    EXPECT_LT(std::fabs(x), 8192);
    EXPECT_GE(std::fabs(x), 4096);
    EXPECT_EQ(std::fmod(std::fabs(x), 2), 1);
  }
}

}  // namespace
}  // namespace envdoctor::kernels::references_test
