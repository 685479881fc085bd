// Products on data for which every order of operations, fused or not, gives the same bits; and the ladders that show
// how many bits of inputs and sums there are.
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/kernel.h"
#include "kernels/ladders.h"
#include "kernels/parallel.h"
#include "kernels/product.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

// Odd 13-bit integers by -1, 0 and 1: sums stay below 2^24 up to k = 2048, and 13 bits are more than TF32 or fp16 have.
constexpr int odd_bits = 13;
constexpr std::size_t ladder_k = 16;

struct Shape {
  std::size_t m, n, k;
};

Shape shape_of(const Problem& problem) {
  const auto at = [&](const char* name) { return static_cast<std::size_t>(problem.size.at(name)); };
  return {at("m"), at("n"), std::min<std::size_t>(at("k"), 2048)};
}

std::size_t rungs_of(Precision precision) { return is_floating(precision) ? ladder_for(precision).size() : 0; }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"k", 5}, {"m", 3}, {"n", 4}}};
  if (effort == Effort::quick) return {{{"k", 64}, {"m", 65}, {"n", 67}}};
  return {{{"k", 1}, {"m", 33}, {"n", 17}}, {{"k", 513}, {"m", 257}, {"n", 255}}};
}

// Odd A with signs B, signs A with odd B, and the ladder as a product whose diagonal holds its answers.
std::vector<Array> inputs(const Problem& problem) {
  const auto [m, n, k] = shape_of(problem);
  const Precision p = problem.precision;
  std::vector<Array> in{odd_integers(p, m * k, problem.seed, 0, odd_bits), signs(p, k * n, problem.seed, 1),
                        signs(p, m * k, problem.seed, 2), odd_integers(p, k * n, problem.seed, 3, odd_bits)};
  const std::size_t rungs = rungs_of(p);
  if (rungs == 0) return in;
  Array a(p, rungs * ladder_k), b(p, ladder_k * rungs);
  for (std::size_t r = 0; r < rungs; ++r) {
    const Terms& terms = ladder_for(p)[r].terms;
    for (std::size_t l = 0; l < terms.a.size(); ++l) {
      a.set(r * ladder_k + l, terms.a[l]);
      b.set(l * rungs + r, terms.b[l]);
    }
  }
  in.push_back(a);
  in.push_back(b);
  return in;
}

Expected exact_product(const Array& a, const Array& b, std::size_t m, std::size_t n, std::size_t k) {
  Expected out{.precision = a.precision, .exact = Array(a.precision, m * n)};
  const std::vector<double> x = a.values(), y = b.values();
  parallel_for(
      m,
      [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            double sum = 0;
            for (std::size_t l = 0; l < k; ++l) sum += x[i * k + l] * y[l * n + j];
            out.exact->set(i * n + j, sum);
          }
        }
      },
      4);
  return out;
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const auto [m, n, k] = shape_of(problem);
  std::vector<Expected> out{exact_product(in[0], in[1], m, n, k), exact_product(in[2], in[3], m, n, k)};
  const auto rungs = static_cast<std::int64_t>(rungs_of(problem.precision));
  if (rungs == 0) return out;
  out.push_back(product_reference(in[4], in[5], {.m = rungs, .n = rungs, .k = ladder_k}));
  for (std::size_t r = 0; r < static_cast<std::size_t>(rungs); ++r) {
    const std::size_t at = r * static_cast<std::size_t>(rungs) + r;
    out.back().value[at] = ladder_for(problem.precision)[r].exact;
    if (!out.back().low.empty()) out.back().low[at] = 0;
    out.back().bound[at] = 0;
  }
  return out;
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const auto [m, n, k] = shape_of(problem);
  const std::size_t element = size_of(problem.precision), rungs = rungs_of(problem.precision);
  Plan plan;
  const auto product = [&](std::size_t rows, std::size_t columns, std::size_t depth) {
    const auto first = static_cast<int>(plan.buffers.size()), input = static_cast<int>(2 * plan.steps.size());
    plan.buffers.push_back({.bytes = rows * depth * element, .input = input});
    plan.buffers.push_back({.bytes = depth * columns * element, .input = input + 1});
    plan.buffers.push_back({.bytes = rows * columns * element});
    // The tiles of the GPU's way need their whole group; a device without one that large takes the other.
    const bool tiles = variant == Variant::gpu;
    const std::size_t across = tiles ? 16 : abilities.group(16);
    plan.steps.push_back({.function = function_name("gemm-exact", problem.precision, variant),
                          .global = {round_up(columns, across), tiles ? round_up(rows, 16) : rows, 1},
                          .local = {across, tiles ? std::size_t{16} : std::size_t{1}, 1},
                          .arguments = {BufferArgument{first}, BufferArgument{first + 1}, BufferArgument{first + 2},
                                        static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(columns),
                                        static_cast<std::uint32_t>(depth)}});
    plan.outputs.push_back(first + 2);
  };
  product(m, n, k);
  product(m, n, k);
  if (rungs > 0) product(rungs, rungs, ladder_k);
  return plan;
}

Work work(const Problem& problem) {
  const auto [m, n, k] = shape_of(problem);
  const auto products = 2 * static_cast<double>(m * n * k);
  return {.flops = 2 * products,
          .bytes = 2 * static_cast<double>((m * k + k * n + m * n) * size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*inputs*/) {
  return {.name = "gemm-exact", .depth = problem.size.at("k"), .columns = problem.size.at("n")};
}

std::string mode(const std::vector<Array>& outputs) {
  if (outputs.size() < 3) return "";
  const Array& ladder = outputs[2];
  const std::size_t rungs = rungs_of(ladder.precision);
  std::vector<double> answers;
  for (std::size_t r = 0; r < rungs; ++r) answers.push_back(ladder.value(r * rungs + r));
  const auto reading = read_ladder(ladder.precision, answers);
  if (!reading) return "";
  const bool plain = ladder.precision == Precision::fp32 && reading->full(Precision::fp32);
  return (plain ? "products without TF32: " : "products: ") + text(*reading);
}

template <class T>
void on_host(const HostCall& call) {
  const auto a = call.buffer<const T>(0), b = call.buffer<const T>(1);
  const auto c = call.buffer<T>(2);
  const std::size_t m = call.scalar<std::uint32_t>(3), n = call.scalar<std::uint32_t>(4),
                    k = call.scalar<std::uint32_t>(5);
  parallel_for(
      m,
      [=](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            T sum = 0;
            for (std::size_t l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
            c[i * n + j] = sum;
          }
        }
      },
      4);
}

}  // namespace

extern const Kernel gemm_exact;
const Kernel gemm_exact = {
    .name = "gemm-exact",
    .claim = "products of whole numbers are exact in every bit, and ladders show the full width of inputs and sums",
    .precisions = {Precision::fp32, Precision::fp64, Precision::int32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .mode = mode,
    .host = {{"gemm_exact_fp32_host", on_host<float>},
             {"gemm_exact_fp64_host", on_host<double>},
             {"gemm_exact_int32_host", on_host<std::int32_t>}},
};

}  // namespace envdoctor::kernels
