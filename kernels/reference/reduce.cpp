// Sum, largest and smallest element: lost chunks, loop limits, races in local memory.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::reduce {
namespace {

constexpr std::size_t cpu_parts =
    64;  // chunks, independent of the device's cores, so that all devices add in the same order
constexpr std::size_t gpu_groups = 1024;  // several for each multiprocessor of the largest GPUs

std::size_t chunk_of(std::size_t count) { return round_up(divide_up(count, cpu_parts), 16); }

// Integers small enough that no order of additions overflows.
std::vector<Array> inputs(const Problem& problem) {
  if (problem.whole_numbers)
    return {whole_numbers(problem.precision, problem.at("n"), problem.seed, 0,
                          whole_number_limit(problem.precision, static_cast<double>(problem.at("n"))))};
  if (is_floating(problem.precision)) return {normal_array(problem.precision, problem.at("n"), problem.seed, 0)};
  const double most = std::min(400.0, std::floor(0x1p31 / static_cast<double>(problem.at("n"))) - 1);
  return {uniform_array(problem.precision, problem.at("n"), problem.seed, 0, -most, most)};
}

// The longest chain of additions of any variant: a CPU's chunk in 16 lanes (and its tail in one), 4 levels of lanes,
// the chunks. A GPU's stride of all items, 8 levels and the groups in 8 more are shorter, and so are the host's runs.
double chain(std::size_t count) {
  const double longest = static_cast<double>(chunk_of(count)) / 16 + 16 + 4 + cpu_parts;
  return std::min(static_cast<double>(count), longest);
}

std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const Array& x = in[0];
  DoubleDouble sum;
  double sizes_sum = 0, high = x.value(0), low = high;
  for (std::size_t i = 0; i < x.count(); ++i) {
    const double value = x.value(i);
    sum = sum + DoubleDouble(value);
    sizes_sum += std::fabs(value);
    high = std::max(high, value);
    low = std::min(low, value);
  }
  if (!is_floating(problem.precision))
    return {{.precision = problem.precision, .exact = Array(problem.precision, {sum.high, high, low})}};
  const double longest = chain(x.count()), all = static_cast<double>(x.count());
  return {exactly(problem, {.precision = problem.precision,
                            .value = {sum.high, high, low},
                            .low = {sum.low, 0, 0},
                            .bound = {sum_bound(longest, sizes_sum, problem.precision), 0, 0},
                            .probable = {probable_sum_bound(longest, sizes_sum, all, problem.precision), 0, 0}})};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), element = problem.element_bytes();
  const auto name = [&](const char* step) { return function_name(step, problem.precision, variant); };
  const std::size_t local = variant == Variant::gpu ? capabilities.group(256) : 1;
  const std::size_t parts = variant == Variant::gpu ? std::min(gpu_groups, divide_up(count, local)) : cpu_parts;
  const std::vector<BufferSpec> buffers = {{count * element, 0}, {parts * 3 * element}, {3 * element}};
  if (variant == Variant::host)
    return {.buffers = buffers,
            .steps = {line_of_items(name("reduce"), 1, 1, {BufferArgument{0}, BufferArgument{2}})},
            .outputs = {2}};
  Plan plan{.buffers = buffers,
            .steps = {line_of_items(name("reduce-parts"), parts * local, local,
                                    {BufferArgument{0}, BufferArgument{1}, u32(count)}),
                      line_of_items(function_name("reduce-whole", problem.precision, Variant::gpu), local, local,
                                    {BufferArgument{1}, BufferArgument{2}, u32(parts)})},
            .outputs = {2}};
  if (variant == Variant::cpu) plan.steps[0].arguments.emplace_back(u32(chunk_of(count)));
  return plan;
}

// Integers, which are cheap to add, exceed 4 MiB even in the short form, where transfers have been truncated.
std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 1}}, {{"n", 300}}};
  if (effort == Effort::quick) return {{{"n", is_floating(precision) ? 65537 : (1 << 20) + 4097}}};
  std::vector<Sizes> out = {{{"n", 1}},     {{"n", 1025}},          {{"n", 65535}},        {{"n", 65536}},
                            {{"n", 65537}}, {{"n", (1 << 20) - 1}}, {{"n", (1 << 22) + 3}}};
  if (!is_floating(precision)) out.push_back({{"n", (1 << 24) + 1}});
  return out;
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 1, 1); }

Operation describe(const Problem& problem, const std::vector<Array>& /*in*/) { return {.depth = problem.size.at("n")}; }

// As the chunks of CPU devices: 64 of them, 16 lanes each at least.
template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<const T>(0);
  const auto out = call.buffer<T>(1);
  const std::size_t chunk = chunk_of(x.size());
  std::vector<T> sums(cpu_parts), highs(cpu_parts, x[0]), lows(cpu_parts, x[0]);
  parallel_for_each(cpu_parts, 4, [&](std::size_t part) {
    const std::size_t first = std::min(part * chunk, x.size()), end = std::min(first + chunk, x.size());
    if constexpr (std::is_floating_point_v<T>) {
      host_loops<T>().sum_and_range(x.data() + first, end - first, sums[part], highs[part], lows[part]);
    } else {
      for (std::size_t i = first; i < end; ++i) {
        sums[part] += x[i];
        highs[part] = std::max(highs[part], x[i]);
        lows[part] = std::min(lows[part], x[i]);
      }
    }
  });
  T sum = 0;
  for (const T part : sums) sum += part;
  out[0] = sum;
  out[1] = *std::ranges::max_element(highs);
  out[2] = *std::ranges::min_element(lows);
}

}  // namespace

const Kernel kernel = {
    .name = "reduce",
    .claim = "no element is lost or counted twice: the sum lies within its bound, largest and smallest are exact",
    .precisions = {Precision::fp32, Precision::fp64, Precision::int32},
    .sizes_for = sizes,
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "n",
    .terms = [](const Problem& problem) { return static_cast<double>(problem.at("n")); },
    .host = {{"reduce_fp32_host", on_host<float>},
             {"reduce_fp64_host", on_host<double>},
             {"reduce_int32_host", on_host<std::int32_t>}},
};

}  // namespace envdoctor::kernels::reduce
