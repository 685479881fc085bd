// The matrix product that training consists of: wrong tiles, edges, inputs or sums of too few bits.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::gemm {
namespace {

constexpr std::size_t gpu_tile = 64;

ProductShape shape_of(const Problem& problem) { return {problem.at("m"), problem.at("n"), problem.at("k")}; }

Sizes cube(std::int64_t n) { return {{"k", n}, {"m", n}, {"n", n}}; }

std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {cube(1), {{"k", 19}, {"m", 9}, {"n", 35}}};
  if (effort == Effort::quick) return {{{"k", 257}, {"m", 65}, {"n", 129}}};
  std::vector<Sizes> out = {
      {{"k", 1}, {"m", 63}, {"n", 65}}, {{"k", 97}, {"m", 257}, {"n", 31}}, {{"k", 511}, {"m", 129}, {"n", 513}}};
  if (precision == Precision::fp32) out.push_back(cube(1024));
  return out;
}

std::vector<Array> inputs(const Problem& problem) {
  const ProductShape s = shape_of(problem);
  return factors_of_sums(problem, s.m * s.k, s.k * s.n, static_cast<double>(s.k));
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  return {exactly(problem, product_reference(in[0], in[1], shape_of(problem), problem.whole_numbers))};
}

// 256 elements in full and, for 24-bit and narrower numbers, Freivalds' check of all; if that fails, the row that it
// names.
std::vector<Comparison> spot_check(const Problem& problem, const std::vector<Array>& in,
                                   const std::vector<Array>& out) {
  const ProductShape s = shape_of(problem);
  const auto compared = [&](const std::vector<std::size_t>& places) {
    Array got(problem.precision, places.size());
    for (std::size_t i = 0; i < places.size(); ++i) got.set_bits(i, out[0].bits(places[i]));
    Comparison comparison = compare(got, exactly(problem, product_samples(in[0], in[1], s, places)));
    for (auto* list : {&comparison.wrong, &comparison.improbable}) {
      for (std::size_t& at : *list) at = places[at];
    }
    return comparison;
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < 256; ++i) places.push_back(random_bits(problem.seed, 2, i) % (s.m * s.n));
  Comparison samples = compared(places);
  if (problem.precision == Precision::fp64 || !samples.right()) return {samples};
  const Freivalds all = freivalds(in[0], in[1], out[0], s, problem.seed, problem.whole_numbers);
  if (all.right() || all.worst_row < 0) return {samples};
  places.clear();
  for (std::size_t j = 0; j < s.n; ++j) places.push_back(static_cast<std::size_t>(all.worst_row) * s.n + j);
  return {compared(places)};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const ProductShape s = shape_of(problem);
  const std::size_t element = problem.element_bytes();
  Plan plan = one_step_plan(function_name("gemm", problem.precision, variant),
                            {{s.m * s.k * element, 0}, {s.k * s.n * element, 1}, {s.m * s.n * element}},
                            {u32(s.m), u32(s.n), u32(s.k)});
  Step& product = plan.steps.front();
  if (variant == Variant::gpu) {
    product.global = {divide_up(s.n, gpu_tile) * 16, divide_up(s.m, gpu_tile) * 16, 1};
    product.local = {16, 16, 1};
  } else if (variant == Variant::cpu) {
    const bool wide = capabilities.vector_bytes == 64;  // as in kernels/cl/gemm.cl
    const std::size_t lanes = std::min<std::size_t>(16, capabilities.vector_bytes / element),
                      rows_of_item = wide ? 64 : 48;
    const std::size_t width = 2 * lanes, panels = divide_up(s.n, width);
    const std::size_t pack = capabilities.group(256);
    plan.buffers.push_back({panels * width * s.k * element});
    product.arguments[1] = BufferArgument{3};
    product.global = {divide_up(s.m, rows_of_item), panels, 1};
    Step packing = line_of_items(function_name("gemm-pack", problem.precision, variant), s.k, pack,
                                 {BufferArgument{1}, BufferArgument{3}, u32(s.n), u32(s.k)});
    packing.global[1] = panels;
    plan.steps.insert(plan.steps.begin(), packing);
  }
  return plan;
}

Work work(const Problem& problem) {
  const ProductShape s = shape_of(problem);
  const auto m = static_cast<double>(s.m), n = static_cast<double>(s.n), k = static_cast<double>(s.k);
  return {.flops = 2 * m * n * k, .bytes = (m * k + k * n + m * n) * static_cast<double>(problem.element_bytes())};
}

Operation describe(const Problem& problem, const std::vector<Array>& in) {
  const ProductShape s = shape_of(problem);
  return {.depth = problem.size.at("k"),
          .columns = problem.size.at("n"),
          .terms = [a = in[0], b = in[1], s](std::size_t element) {
            Terms terms;
            for (std::size_t l = 0; l < s.k; ++l) {
              terms.a.push_back(a.value(element / s.n * s.k + l));
              terms.b.push_back(b.value(l * s.n + element % s.n));
            }
            return terms;
          }};
}

// B is laid out in panels first, as for CPU devices; then each tile of C in registers.
template <class T>
void on_host(const HostCall& call) {
  const HostLoops<T>& loops = host_loops<T>();
  const auto a = call.buffer<const T>(0), b = call.buffer<const T>(1);
  const auto c = call.buffer<T>(2);
  const std::size_t m = call.scalar<std::uint32_t>(3), n = call.scalar<std::uint32_t>(4),
                    k = call.scalar<std::uint32_t>(5);
  const std::size_t width = loops.columns, panels = divide_up(n, width), tiles = divide_up(m, loops.rows);
  static thread_local std::vector<T> packed;  // kept, because new pages for each product would cost time
  packed.resize(panels * width * k);
  T* const all = packed.data();
  parallel_for_each(panels, 4, [&](std::size_t panel) {
    const std::size_t first = panel * width, columns = std::min(width, n - first);
    for (std::size_t l = 0; l < k; ++l) std::copy_n(&b[l * n + first], columns, all + (panel * k + l) * width);
  });
  parallel_for_each(panels * tiles, 4, [&](std::size_t i) {
    const std::size_t panel = i / tiles, row = i % tiles * loops.rows, first = panel * width;
    loops.tile(&a[row * k], k, std::min(loops.rows, m - row), all + panel * k * width, k, &c[row * n + first], n,
               std::min(width, n - first));
  });
}

}  // namespace

const Kernel kernel = {
    .name = "gemm",
    .claim = "every element of a matrix product lies within the bound of plain arithmetic, edges included",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .sizes_for = sizes,
    .functions = {inputs, reference, plan, work},
    .spot_check = spot_check,
    .describe = describe,
    .grows = "k",
    .terms = [](const Problem& problem) { return static_cast<double>(problem.at("k")); },
    .host = {{"gemm_fp32_host", on_host<float>}, {"gemm_fp64_host", on_host<double>}},
};

}  // namespace envdoctor::kernels::gemm
