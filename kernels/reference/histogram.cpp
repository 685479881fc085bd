// Counting into bins: integer atomics lose nothing, in any order.
#include "kernels/reference/reference.h"

namespace envdoctor::kernels::histogram {
namespace {

constexpr std::size_t bins = 256;

std::vector<Array> inputs(const Problem& problem) {
  return {position_coded(Precision::uint32, problem.at("n"), problem.seed, 0)};
}

void count_into(std::span<const std::uint32_t> x, std::span<std::uint32_t> counts) {
  std::ranges::fill(counts, 0U);
  for (const std::uint32_t value : x) ++counts[value % bins];
}

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = Array(Precision::uint32, bins)};
  count_into(in[0].as<std::uint32_t>(), out.exact->as<std::uint32_t>());
  return {out};
}

Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n"), local = capabilities.group(256);
  const std::size_t groups = divide_up(count, local);
  const std::size_t items = local * (variant == Variant::gpu ? std::min<std::size_t>(groups, 64) : groups);
  Plan plan = one_step_plan(function_name("histogram", problem.precision, variant), {{count * 4, 0}, {bins * 4}},
                            {u32(count)}, items, local);
  if (variant != Variant::host)
    plan.steps.insert(plan.steps.begin(),
                      line_of_items("histogram_clear_uint32_gpu", bins, local, {BufferArgument{1}}));
  return plan;
}

Work work(const Problem& problem) { return work_of(problem, problem.at("n"), 1, 1); }

void on_host(const HostCall& call) { count_into(call.buffer<const std::uint32_t>(0), call.buffer<std::uint32_t>(1)); }

}  // namespace

const Kernel kernel = {
    .name = "histogram",
    .claim = "integer atomics count every element once",
    .precisions = {Precision::uint32},
    .tiny = {{{"n", 600}}},
    .quick = {{{"n", 65537}}},
    .full = {{{"n", 999}}, {{"n", 65537}}, {{"n", (1 << 21) + 1}}},
    .functions = {inputs, reference, plan, work},
    .describe = [](const Problem&, const std::vector<Array>&) { return Operation{.counts = true}; },
    .grows = "n",
    .host = {{"histogram_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels::histogram
