// a = b + s * c: every load, store and tail, and whether product and sum are rounded once or twice.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::triad {
namespace {

constexpr float factor = 0.7F;  // not dyadic in any precision, so that the product is rounded

// Signed zeros, overflow, infinities, subnormals, and very different sizes, scattered among the other values.
constexpr std::size_t special_each = 499, first_special = 30;
std::vector<std::pair<double, double>> specials(Precision p) {
  const double huge = largest_finite(p), inf = HUGE_VAL, tiny = smallest_normal(p), sub = tiny / 8;
  return {{-0.0, -0.0}, {0.0, -0.0},     {huge, huge},  {-huge, huge},  {inf, 1},  {1, -inf},
          {sub, sub},   {huge / 8, sub}, {1, tiny * 4}, {-1, huge / 8}, {tiny, 1}, {0, 1}};
}

std::vector<Array> inputs(const Problem& problem) {
  const std::size_t count = problem.at("n");
  std::vector<Array> in{normal_array(problem.precision, count, problem.seed, 0),
                        normal_array(problem.precision, count, problem.seed, 1)};
  const auto list = specials(problem.precision);
  std::size_t next = problem.seed % list.size();
  for (std::size_t i = first_special; i < count; i += special_each, ++next) {
    in[0].set(i, list[next % list.size()].first);
    in[1].set(i, list[next % list.size()].second);
  }
  return in;
}

// `s` as in the kernel: a float, then rounded to the element's precision.
double factor_in(Precision precision) {
  Array one(precision, 1);
  one.set(0, factor);
  return one.value(0);
}

// Exactly two patterns are right: fma(s, c, b), and b + round(s * c).
std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t count = problem.at("n");
  const Precision precision = problem.precision;
  const double s = factor_in(precision);
  Expected expected{.precision = precision, .exact = Array(precision, count), .also_exact = Array(precision, count)};
  parallel_for(count, [&](std::size_t begin, std::size_t end) {
    Array rounded(precision, 1);
    for (std::size_t i = begin; i < end; ++i) {
      const double b = in[0].value(i), c = in[1].value(i);
      const double product = s * c;
      if (precision == Precision::fp64) {
        expected.exact->set(i, std::fma(s, c, b));
      } else {  // whose product is exact
        const double sum = b + product, back = sum - b;
        expected.exact->set_bits(i, rounded_bits(precision, sum, (b - (sum - back)) + (product - back)));
      }
      rounded.set(0, product);
      expected.also_exact->set(i, b + rounded.value(0));  // with two such numbers double loses no relevant bits
    }
  });
  if (!problem.relaxed) return {expected};
  // With fast-math options infinities and the sign of zero are unspecified.
  Expected loose = Expected::bounded(precision, count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool finite = std::isfinite(expected.exact->value(i));
    loose.value[i] = expected.exact->value(i);
    loose.bound[i] = finite ? std::fabs(expected.also_exact->value(i) - loose.value[i]) : HUGE_VAL;
  }
  return {loose};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), bytes = count * problem.element_bytes();
  const std::size_t local = capabilities.group(variant == Variant::cpu ? 256 : 128);
  const std::size_t items = divide_up(count, variant == Variant::cpu ? 16 : 4);
  return one_step_plan(function_name("triad", problem.precision, variant), {{bytes}, {bytes, 0}, {bytes, 1}},
                       {factor, u32(count)}, items, local);
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 2, 3); }

template <class T>
void on_host(const HostCall& call) {
  const auto a = call.buffer<T>(0);
  const auto b = call.buffer<const T>(1), c = call.buffer<const T>(2);
  const auto s = static_cast<T>(call.scalar<float>(3));
  parallel_for(a.size(), [=](std::size_t begin, std::size_t end) {
    host_loops<T>().triad(&a[begin], &b[begin], &c[begin], s, end - begin);
  });
}

}  // namespace

const Kernel kernel = {
    .name = "triad",
    .claim = "a = b + s * c has one of its two legal roundings in every element, tails included",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .tiny = {{{"n", 1}}, {{"n", 67}}},
    .quick = {{{"n", 65537}}},
    .full = {{{"n", 1}},
             {{"n", 3}},
             {{"n", 1023}},
             {{"n", 65535}},
             {{"n", 65536}},
             {{"n", 65537}},
             {{"n", (1 << 20) - 1}},
             {{"n", (1 << 22) + 5}}},
    .functions = {inputs, reference, plan, work},
    .grows = "n",
    .host = {{"triad_fp32_host", on_host<float>}, {"triad_fp64_host", on_host<double>}},
};

}  // namespace envdoctor::kernels::triad
