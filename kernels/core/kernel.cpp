#include "kernels/core/kernel.h"

#include <algorithm>

namespace envdoctor::kernels {

std::string function_name(std::string_view kernel, Precision precision, Variant variant) {
  std::string name(kernel);
  std::ranges::replace(name, '-', '_');
  return name.append("_").append(text(precision)).append("_").append(text(variant));
}

Plan one_step_plan(std::string function, std::vector<BufferSpec> buffers, std::vector<Argument> scalars,
                   std::size_t items, std::size_t group) {
  Plan plan{.buffers = std::move(buffers)};
  Step step{.function = std::move(function), .global = {round_up(items, group), 1, 1}, .local = {group, 1, 1}};
  for (int i = 0; i < static_cast<int>(plan.buffers.size()); ++i) {
    step.arguments.emplace_back(BufferArgument{i});
    if (plan.buffers[static_cast<std::size_t>(i)].input < 0) plan.outputs.push_back(i);
  }
  std::ranges::move(scalars, std::back_inserter(step.arguments));
  plan.steps.push_back(std::move(step));
  return plan;
}

Work work_of(const Problem& problem, std::size_t elements, double flops_each, double moved_each) {
  const auto count = static_cast<double>(elements);
  return {.flops = flops_each * count, .bytes = moved_each * count * static_cast<double>(problem.element_bytes())};
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
