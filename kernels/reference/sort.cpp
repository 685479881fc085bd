// Bitonic sort: branches, barriers, and many launches that depend on each other.
#include <bit>

#include "kernels/reference/reference.h"

namespace envdoctor::kernels::sort {
namespace {

std::vector<Array> inputs(const Problem& problem) {
  return {position_coded(Precision::uint32, problem.at("n"), problem.seed, 0)};
}

std::vector<Expected> reference(const Problem& /*problem*/, const std::vector<Array>& in) {
  Expected out{.precision = Precision::uint32, .exact = in[0]};
  std::ranges::sort(out.exact->as<std::uint32_t>());
  return {out};
}

// The numbers, padded with the largest number up to a power of two that fills a group twice.
Plan plan(const Problem& problem, Variant variant, const Capabilities& capabilities) {
  const std::size_t count = problem.at("n");
  const auto name = [&](const char* step) { return function_name(step, problem.precision, written_once(variant)); };
  if (variant == Variant::host) return one_step_plan(name("sort"), {{count * 4, 0}, {count * 4}}, {});
  const std::size_t local = capabilities.group(variant == Variant::gpu ? 256 : 64);
  const std::size_t padded = std::max(std::bit_ceil(count), 2 * local);
  Plan plan = one_step_plan(name("sort-copy"), {{count * 4, 0}, {padded * 4}}, {u32(count)}, padded, local);
  for (std::size_t size = 2; size <= padded; size *= 2) {
    for (std::size_t stride = size / 2; stride > 0; stride /= 2) {
      const bool in_group = variant == Variant::gpu && stride <= local;
      std::vector<Argument> arguments = {BufferArgument{1}, u32(size)};
      if (!in_group) arguments.emplace_back(u32(stride));
      plan.steps.push_back(line_of_items(name(in_group ? "sort-local" : "sort-pass"), padded / 2, local, arguments));
      if (in_group) break;  // that step does the smaller strides as well
    }
  }
  return plan;
}

Work work(const Problem& problem) {
  const auto count = static_cast<double>(std::bit_ceil(problem.at("n")));
  const auto levels = static_cast<double>(std::bit_width(std::bit_ceil(problem.at("n"))));
  return {.flops = count * levels * levels / 4, .bytes = 2 * count * levels * levels};
}

void on_host(const HostCall& call) {
  const auto x = call.buffer<const std::uint32_t>(0);
  const auto out = call.buffer<std::uint32_t>(1);
  std::ranges::copy(x, out.begin());
  std::ranges::sort(out);
}

}  // namespace

const Kernel kernel = {
    .name = "sort",
    .claim = "a sort through many dependent launches ends in order with every element kept",
    .precisions = {Precision::uint32},
    .tiny = {{{"n", 100}}},
    .quick = {{{"n", 2000}}},
    .full = {{{"n", 1}}, {{"n", 1000}}, {{"n", 65537}}},
    .functions = {inputs, reference, plan, work},
    .grows = "n",
    .host = {{"sort_uint32_host", on_host}},
};

}  // namespace envdoctor::kernels::sort
