// Prefix sums: barriers, and the values that blocks pass on.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::scan {
namespace {

constexpr std::size_t cpu_parts = 64;

std::vector<Array> inputs(const Problem& problem) {
  if (problem.whole_numbers)
    return {whole_numbers(problem.precision, problem.at("n"), problem.seed, 0,
                          whole_number_limit(problem.precision, static_cast<double>(problem.at("n"))))};
  if (is_floating(problem.precision)) return {normal_array(problem.precision, problem.at("n"), problem.seed, 0)};
  const double most = std::min(1000.0, std::floor(0x1p31 / static_cast<double>(problem.at("n"))) - 1);
  return {uniform_array(problem.precision, problem.at("n"), problem.seed, 0, -most, most)};
}

// The longest chain of additions in element i of any variant: a CPU's chunk, the sums of the chunks and the last one.
// The pieces of a group of at least 32 items, with their levels, are shorter.
double chain(std::size_t i, std::size_t count) {
  const std::size_t chunk = divide_up(count, cpu_parts);
  return std::min(static_cast<double>(i), static_cast<double>(chunk + cpu_parts + 1));
}

// Element i is a sum of i + 1 terms: gamma_chain Sum |x|.
std::vector<Expected> reference(const Problem& problem, const std::vector<Array>& in) {
  const std::size_t count = in[0].count();
  const bool floating = is_floating(problem.precision);
  Expected out{.precision = problem.precision};
  if (!floating) out.exact = Array(problem.precision, count);
  DoubleDouble sum;
  double sizes_sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = in[0].value(i);
    sum = sum + DoubleDouble(value);
    sizes_sum += std::fabs(value);
    if (!floating) {
      out.exact->set(i, sum.high);
      continue;
    }
    out.value.push_back(sum.high);
    out.low.push_back(sum.low);
    const double longest = chain(i, count), all = static_cast<double>(count) * static_cast<double>(count);
    out.bound.push_back(sum_bound(longest, sizes_sum, problem.precision));
    out.probable.push_back(probable_sum_bound(longest, sizes_sum, all, problem.precision));
  }
  return {exactly(problem, std::move(out))};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), element = problem.element_bytes();
  const auto name = [&](const char* step) { return function_name(step, problem.precision, variant); };
  if (variant == Variant::host) return one_step_plan(name("scan"), {{count * element, 0}, {count * element}}, {});
  const bool gpu = variant == Variant::gpu;
  const std::size_t local = gpu ? capabilities.group(256) : 1;
  const std::size_t parts = gpu ? divide_up(count, local) : cpu_parts;
  const auto chunk = u32(divide_up(count, cpu_parts));
  Plan plan{.buffers = {{count * element, 0}, {count * element}, {parts * element}},
            .steps = {line_of_items(name("scan-parts"), parts * local, local,
                                    {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, u32(count)}),
                      line_of_items(function_name("scan-sums", problem.precision, Variant::gpu), local, local,
                                    {BufferArgument{2}, u32(parts)}),
                      line_of_items(name("scan-add"), parts * local, local,
                                    {BufferArgument{1}, BufferArgument{2}, u32(count)})},
            .outputs = {1}};
  if (!gpu) {
    plan.steps[0].arguments.emplace_back(chunk);
    plan.steps[2].arguments.emplace_back(chunk);
  }
  return plan;
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 2, 4); }

Operation describe(const Problem& problem, const std::vector<Array>& /*in*/) { return {.depth = problem.size.at("n")}; }

std::vector<Sizes> sizes(Precision precision, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 1}}, {{"n", 300}}};
  if (effort == Effort::quick) return {{{"n", 16385}}};
  std::vector<Sizes> out = {{{"n", 1}},     {{"n", 257}},           {{"n", 65535}},        {{"n", 65536}},
                            {{"n", 65537}}, {{"n", (1 << 20) - 1}}, {{"n", (1 << 20) + 7}}};
  if (!is_floating(precision)) out.push_back({{"n", (1 << 24) + 1}});
  return out;
}

template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<const T>(0);
  const auto s = call.buffer<T>(1);
  // Like the chunks of CPU devices.
  const std::size_t chunk = divide_up(x.size(), cpu_parts);
  parallel_for_each(cpu_parts, 4, [&](std::size_t part) {
    T sum = 0;
    const std::size_t end = std::min((part + 1) * chunk, x.size());
    for (std::size_t i = part * chunk; i < end; ++i) s[i] = sum += x[i];
  });
  for (std::size_t first = chunk; first < x.size(); first += chunk) {
    const std::size_t end = std::min(first + chunk, x.size());
    const T before = s[first - 1];
    for (std::size_t i = first; i < end; ++i) s[i] += before;
  }
}

}  // namespace

const Kernel kernel = {
    .name = "scan",
    .claim = "every prefix sum holds all that stands before it",
    .precisions = {Precision::int32, Precision::fp32},
    .sizes_for = sizes,
    .functions = {inputs, reference, plan, work},
    .describe = describe,
    .grows = "n",
    .terms = [](const Problem& problem) { return static_cast<double>(problem.at("n")); },
    .host = {{"scan_int32_host", on_host<std::int32_t>}, {"scan_fp32_host", on_host<float>}},
};

}  // namespace envdoctor::kernels::scan
