// Products on data for which every order of operations, fused or not, gives the same bits; and the probes that show
// how many bits of inputs and sums there are.

#include "kernels/classify/precision_probes.h"
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::gemm_exact {
namespace {

// Odd 13-bit integers by -1, 0 and 1: sums stay below 2^24 up to k = 2048, and 13 bits are more than TF32 or fp16 have.
constexpr int odd_bits = 13;
constexpr std::size_t probe_depth = 16;

ProductShape shape_of(const Problem& problem) {
  return {problem.at("m"), problem.at("n"), std::min<std::size_t>(problem.at("k"), 2048)};
}

std::size_t probe_count(Precision precision) { return is_floating(precision) ? precision_probes(precision).size() : 0; }

// Odd A with signs B, signs A with odd B, and the probes as a product whose diagonal holds its answers.
std::vector<Array> inputs(const Problem& problem) {
  const auto [m, n, k] = shape_of(problem);
  const Precision p = problem.precision;
  // Zeros among the factors of short sums would leave too many zeros.
  const auto factors = [&, k = k](std::size_t count, std::uint64_t stream) {
    return k < 8 ? whole_numbers(p, count, problem.seed, stream, 1) : signs(p, count, problem.seed, stream);
  };
  std::vector<Array> in{odd_integers(p, m * k, problem.seed, 0, odd_bits), factors(k * n, 1), factors(m * k, 2),
                        odd_integers(p, k * n, problem.seed, 3, odd_bits)};
  const std::size_t probes = probe_count(p);
  if (probes == 0) return in;
  Array a(p, probes * probe_depth), b(p, probe_depth * probes);
  for (std::size_t r = 0; r < probes; ++r) {
    const Terms& terms = precision_probes(p)[r].terms;
    for (std::size_t l = 0; l < terms.a.size(); ++l) {
      a.set(r * probe_depth + l, terms.a[l]);
      b.set(l * probes + r, terms.b[l]);
    }
  }
  in.push_back(a);
  in.push_back(b);
  return in;
}

template <class T, class Store>
void multiply(std::span<const T> a, std::span<const T> b, std::size_t m, std::size_t n, std::size_t k,
              const Store& store) {
  parallel_for_each(m, 4, [&](std::size_t i) {
    for (std::size_t j = 0; j < n; ++j) {
      T sum = 0;
      for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      store(i * n + j, sum);
    }
  });
}

Expected exact_product(const Array& a, const Array& b, std::size_t m, std::size_t n, std::size_t k) {
  Expected out{.precision = a.precision, .exact = Array(a.precision, m * n)};
  const std::vector<double> x = a.values(), y = b.values();
  multiply<double>(x, y, m, n, k, [&](std::size_t at, double sum) { out.exact->set(at, sum); });
  return out;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const auto [m, n, k] = shape_of(problem);
  std::vector<Expected> out{exact_product(in[0], in[1], m, n, k), exact_product(in[2], in[3], m, n, k)};
  const std::size_t probes = probe_count(problem.precision);
  if (probes == 0) return out;
  out.push_back(product_reference(in[4], in[5], {.m = probes, .n = probes, .k = probe_depth}));
  for (std::size_t r = 0; r < probes; ++r) {
    const std::size_t at = r * probes + r;
    out.back().value[at] = precision_probes(problem.precision)[r].exact;
    if (!out.back().low.empty()) out.back().low[at] = 0;
    out.back().bound[at] = 0;
  }
  return out;
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const auto [m, n, k] = shape_of(problem);
  const std::size_t element = problem.element_bytes(), probes = probe_count(problem.precision);
  Plan plan;
  const auto product = [&](std::size_t rows, std::size_t columns, std::size_t depth) {
    const auto first = static_cast<int>(plan.buffers.size()), input = static_cast<int>(2 * plan.steps.size());
    plan.buffers.push_back({.bytes = rows * depth * element, .input = input});
    plan.buffers.push_back({.bytes = depth * columns * element, .input = input + 1});
    plan.buffers.push_back({.bytes = rows * columns * element});
    // The tiles of the GPU variant need their whole group; a device without such large groups uses the other variant.
    const bool tiles = variant == Variant::gpu;
    const std::size_t across = tiles ? 16 : capabilities.group(16);
    plan.steps.push_back({.function = function_name("gemm-exact", problem.precision, variant),
                          .global = {round_up(columns, across), tiles ? round_up(rows, 16) : rows, 1},
                          .local = {across, tiles ? std::size_t{16} : std::size_t{1}, 1},
                          .arguments = {BufferArgument{first}, BufferArgument{first + 1}, BufferArgument{first + 2},
                                        u32(rows), u32(columns), u32(depth)}});
    plan.outputs.push_back(first + 2);
  };
  product(m, n, k);
  product(m, n, k);
  if (probes > 0) product(probes, probes, probe_depth);
  return plan;
}

Work work(const Problem& problem) {
  const auto [m, n, k] = shape_of(problem);
  const auto products = 2 * static_cast<double>(m * n * k);
  return {.flops = 2 * products, .bytes = 2 * static_cast<double>((m * k + k * n + m * n) * problem.element_bytes())};
}

Operation describe(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.depth = problem.size.at("k"), .columns = problem.size.at("n")};
}

std::string mode(const std::vector<Array>& outputs) {
  if (outputs.size() < 3) return "";
  const Array& probes_product = outputs[2];
  const std::size_t probes = probe_count(probes_product.precision);
  std::vector<double> answers;
  for (std::size_t r = 0; r < probes; ++r) answers.push_back(probes_product.value(r * probes + r));
  const auto reading = measured_precision(probes_product.precision, answers);
  if (!reading) return "";
  const bool plain = probes_product.precision == Precision::fp32 && reading->full(Precision::fp32);
  return (plain ? "products without TF32: " : "products: ") + text(*reading);
}

template <class T>
void on_host(const HostCall& call) {
  const auto size = [&](std::size_t index) { return call.scalar<std::uint32_t>(index); };
  multiply<T>(call.buffer<const T>(0), call.buffer<const T>(1), size(3), size(4), size(5),
              [c = call.buffer<T>(2)](std::size_t at, T sum) { c[at] = sum; });
}

}  // namespace

const Kernel kernel = {
    .name = "gemm-exact",
    .claim = "products of whole numbers are exact in every bit, and probes show the full width of inputs and sums",
    .precisions = {Precision::fp32, Precision::fp64, Precision::int32},
    .tiny = {{{"k", 5}, {"m", 3}, {"n", 4}}},
    .quick = {{{"k", 64}, {"m", 65}, {"n", 67}}},
    .full = {{{"k", 1}, {"m", 33}, {"n", 17}}, {{"k", 513}, {"m", 257}, {"n", 255}}},
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .mode = mode,
    .host = {{"gemm_exact_fp32_host", on_host<float>},
             {"gemm_exact_fp64_host", on_host<double>},
             {"gemm_exact_int32_host", on_host<std::int32_t>}},
};

}  // namespace envdoctor::kernels::gemm_exact
