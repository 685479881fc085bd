// The peak rate of multiply-adds, with which all other rates are compared.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::fma_peak {
namespace {

constexpr std::size_t block = fma_block;
constexpr std::size_t cpu_items = 64;  // few and long: a group costs CPU drivers as much as thousands of operations

std::size_t count_of(const Problem& problem) { return round_up(problem.at("n"), block); }
std::uint32_t rounds_of(const Problem& problem) { return u32(problem.size.at("rounds")); }

// Half precision holds integers up to 2048.
std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 128}, {"rounds", 5}}};
  const std::int64_t rounds = precision == Precision::fp16 || effort == Effort::quick ? 512 : 1024;
  return {{{"n", 1 << 20}, {"rounds", rounds}}};
}

std::vector<Array> inputs(const Problem& problem) {
  const int bits = problem.precision == Precision::fp16 ? 7 : 12;
  const auto b = static_cast<double>(1 + random_bits(problem.seed, 1, 0) % ((1U << bits) - 2));
  return {odd_integers(problem.precision, count_of(problem), problem.seed, 0, bits),
          Array(problem.precision, {-1, b, b + 1})};
}

// Two roundings that change nothing: b1 - (b0 - x) = x + 1.
std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  Expected out{.precision = problem.precision, .exact = Array(problem.precision, count_of(problem))};
  const std::uint32_t rounds = rounds_of(problem);
  parallel_for_each(out.count(), 4096, [&](std::size_t i) { out.exact->set(i, in[0].value(i) + rounds); });
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = count_of(problem), element = problem.element_bytes(), blocks = count / block;
  const std::size_t local = variant == Variant::gpu ? capabilities.group(256) : 1;
  const std::size_t of_item = divide_up(blocks, cpu_items);
  const std::size_t items = variant == Variant::gpu ? round_up(count / 8, local) : divide_up(blocks, of_item);
  std::vector<Argument> scalars = {u32(count), rounds_of(problem)};
  if (variant == Variant::cpu) scalars.emplace_back(u32(of_item));
  return one_step_plan(function_name("fma-peak", problem.precision, variant),
                       {{count * element, 0}, {3 * element, 1}, {count * element}}, scalars, items, local);
}

Work work(const Problem& problem) { return work_of(problem, count_of(problem), 4.0 * rounds_of(problem), 2); }

template <class T>
void on_host(const HostCall& call) {
  const auto start = call.buffer<const T>(0), constants = call.buffer<const T>(1);
  const auto out = call.buffer<T>(2);
  const std::uint32_t rounds = call.scalar<std::uint32_t>(4);
  parallel_for(
      out.size() / block,
      [&](std::size_t begin, std::size_t end) {
        host_loops<T>().fma_rounds(&start[begin * block], constants.data(), &out[begin * block], end - begin, rounds);
      },
      8);
}

}  // namespace

const Kernel kernel = {
    .name = "fma-peak",
    .claim = "long chains of a * x + b stay exact on small integers, in every round",
    .precisions = {Precision::fp32, Precision::fp64, Precision::fp16},
    .sizes_for = sizes,
    .functions = {inputs, reference, plan, work},
    .grows = "rounds",
    .host = {{"fma_peak_fp32_host", on_host<float>}, {"fma_peak_fp64_host", on_host<double>}},
};

}  // namespace envdoctor::kernels::fma_peak
