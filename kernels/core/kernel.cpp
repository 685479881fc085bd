#include "kernels/core/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/core/random.h"

namespace envdoctor::kernels {

std::string identifier(std::string_view kernel) {
  std::string name(kernel);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string function_name(std::string_view kernel, Precision precision, Variant variant) {
  return fmt::format("{}_{}_{}", identifier(kernel), text(precision), text(variant));
}

Step line_of_items(std::string function, std::size_t items, std::size_t group, std::vector<Argument> arguments) {
  return {.function = std::move(function),
          .global = {round_up(items, group), 1, 1},
          .local = {group, 1, 1},
          .arguments = std::move(arguments)};
}

Plan one_step_plan(std::string function, std::vector<BufferSpec> buffers, std::vector<Argument> scalars,
                   std::size_t items, std::size_t group) {
  Plan plan{.buffers = std::move(buffers)};
  std::vector<Argument> arguments;
  for (int i = 0; i < static_cast<int>(plan.buffers.size()); ++i) {
    arguments.emplace_back(BufferArgument{i});
    if (plan.buffers[static_cast<std::size_t>(i)].input < 0) plan.outputs.push_back(i);
  }
  std::ranges::move(scalars, std::back_inserter(arguments));
  plan.steps.push_back(line_of_items(std::move(function), items, group, std::move(arguments)));
  return plan;
}

Work work_of(const Problem& problem, std::size_t elements, double flops_each, double moved_each) {
  const auto count = static_cast<double>(elements);
  return {.flops = flops_each * count, .bytes = moved_each * count * static_cast<double>(problem.element_bytes())};
}

Problem on_other_inputs(const Kernel& kernel, const Problem& problem, bool whole_numbers) {
  Problem other = problem;
  other.seed = random_bits(problem.seed, 0x07e5, 0) >> 11;  // a valid value for '--seed'
  other.whole_numbers = whole_numbers && kernel.terms && is_floating(problem.precision) &&
                        whole_number_limit(problem.precision, kernel.terms(problem)) >= 1;
  return other;
}

const std::vector<Kernel>& all_kernels() {
#define ENVDOCTOR_LIST(name) name::kernel,
  static const std::vector<Kernel> kernels = {ENVDOCTOR_KERNELS(ENVDOCTOR_LIST)};
  return kernels;
}

const Kernel& kernel_named(std::string_view name) {
  return *std::ranges::find_if(all_kernels(), [&](const Kernel& kernel) { return kernel.name == name; });
}

}  // namespace envdoctor::kernels
