// Prefix sums: barriers, and what one block hands on to the next.
#include <cmath>

#include "kernels/bounds.h"
#include "kernels/double_double.h"
#include "kernels/kernel.h"
#include "kernels/random.h"

namespace envdoctor::kernels {
namespace {

constexpr std::size_t cpu_parts = 64;

std::size_t count_of(const Problem& problem) { return static_cast<std::size_t>(problem.size.at("n")); }

std::vector<Sizes> sizes(Precision /*precision*/, Effort effort) {
  if (effort == Effort::tiny) return {{{"n", 1}}, {{"n", 300}}};
  if (effort == Effort::quick) return {{{"n", 16385}}};
  return {{{"n", 1}}, {{"n", 257}}, {{"n", 65537}}, {{"n", (1 << 20) + 7}}};
}

std::vector<Array> inputs(const Problem& problem) {
  if (is_floating(problem.precision)) return {normal_array(problem.precision, count_of(problem), problem.seed, 0)};
  return {uniform_array(problem.precision, count_of(problem), problem.seed, 0, -1000, 1000)};
}

// Element i is a sum of i + 1 terms, in whatever order: gamma_i Sum |x|.
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
    out.bound.push_back(sum_bound(static_cast<double>(i), sizes_sum, problem.precision));
  }
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Abilities& abilities) {
  const std::size_t count = count_of(problem), element = size_of(problem.precision);
  const auto n = static_cast<std::uint32_t>(count);
  const auto name = [&](const char* step) { return function_name(step, problem.precision, variant); };
  if (variant == Variant::host)
    return {.buffers = {{.bytes = count * element, .input = 0}, {.bytes = count * element}},
            .steps = {{.function = name("scan"), .arguments = {BufferArgument{0}, BufferArgument{1}}}},
            .outputs = {1}};
  const bool gpu = variant == Variant::gpu;
  const std::size_t local = gpu ? abilities.group(256) : 1;
  const std::size_t parts = gpu ? (count + local - 1) / local : cpu_parts;
  const auto chunk = static_cast<std::uint32_t>((count + cpu_parts - 1) / cpu_parts);
  Plan plan{.buffers = {{.bytes = count * element, .input = 0}, {.bytes = count * element}, {.bytes = parts * element}},
            .steps = {{.function = name("scan-parts"),
                       .global = {parts * local, 1, 1},
                       .local = {local, 1, 1},
                       .arguments = {BufferArgument{0}, BufferArgument{1}, BufferArgument{2}, n}},
                      {.function = name("scan-sums"),
                       .global = {local, 1, 1},
                       .local = {local, 1, 1},
                       .arguments = {BufferArgument{2}, static_cast<std::uint32_t>(parts)}},
                      {.function = name("scan-add"),
                       .global = {parts * local, 1, 1},
                       .local = {local, 1, 1},
                       .arguments = {BufferArgument{1}, BufferArgument{2}, n}}},
            .outputs = {1}};
  if (!gpu) {
    plan.steps[0].arguments.emplace_back(chunk);
    plan.steps[2].arguments.emplace_back(chunk);
  }
  return plan;
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(count_of(problem));
  return {.flops = 2 * count, .bytes = 4 * count * static_cast<double>(size_of(problem.precision))};
}

Operation operation(const Problem& problem, const std::vector<Array>& /*in*/) {
  return {.name = "scan", .depth = problem.size.at("n"), .chain = problem.size.at("n")};
}

template <class T>
void on_host(const HostCall& call) {
  const auto x = call.buffer<const T>(0);
  const auto s = call.buffer<T>(1);
  T sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) s[i] = sum += x[i];
}

}  // namespace

extern const Kernel scan;
const Kernel scan = {
    .name = "scan",
    .claim = "every prefix sum holds all that stands before it",
    .precisions = {Precision::int32, Precision::fp32},
    .sizes = sizes,
    .inputs = inputs,
    .reference = reference,
    .plan = plan,
    .work = work,
    .operation = operation,
    .grows = "n",
    .host = {{"scan_int32_host", on_host<std::int32_t>}, {"scan_fp32_host", on_host<float>}},
};

}  // namespace envdoctor::kernels
