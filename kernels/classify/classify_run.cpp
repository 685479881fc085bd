#include <algorithm>

#include "kernels/classify/classify.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/problem_run.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {
namespace {

// What this kernel, whose program replaces the device's, makes of these inputs.
Array answers_of(Device& device, const Kernel& kernel, const Problem& problem, const std::vector<Array>& inputs,
                 Variant variant, const std::string& build_options) {
  device.build({&kernel}, build_options);
  const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
  return run_once(device, plan, inputs, {}, problem.precision).arrays.front();
}

// Runs the precision probes as rows of the dot kernel.
std::optional<MeasuredPrecision> measure_precision(Device& device, Precision precision, Variant variant,
                                                   const std::string& build_options) {
  const std::vector<PrecisionProbe>& probes = precision_probes(precision);
  constexpr std::size_t k = 2;
  Array a(precision, probes.size() * k), b(precision, probes.size() * k);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    for (std::size_t term = 0; term < k; ++term) {
      a.set(i * k + term, probes[i].terms.a[term]);
      b.set(i * k + term, probes[i].terms.b[term]);
    }
  }
  const Problem problem{.precision = precision, .size = {{"k", k}, {"rows", static_cast<std::int64_t>(probes.size())}}};
  return measured_precision(precision,
                            answers_of(device, kernel_named("dot"), problem, {a, b}, variant, build_options).values());
}

// The mode that single operations show, with the fp-probe kernel.
FpMode probe_mode(Device& device, Precision precision, Variant variant, const std::string& build_options) {
  const Kernel& probe = kernel_named("fp-probe");
  const Problem problem{.precision = precision, .size = probe.sizes(precision, Effort::tiny).front()};
  return fp_probe::read(answers_of(device, probe, problem, probe.inputs(problem), variant, build_options));
}

// The experiments on this device. One that fails says nothing.
struct DeviceExperiments {
  Device& device;
  const Kernel& kernel;
  const Problem& problem;
  Variant variant;
  const VerifyOptions& options;
  const Trace& trace;

  template <class Try>
  auto attempt(const std::string& what, const Try& one) const -> decltype(one()) {
    try {
      trace(what);
      return one();
    } catch (const DeviceError&) {
      return {};
    }
  }
  bool right(const Problem& tried) const {
    return run_problem(device, kernel, tried, variant, 1, [](const std::string&) {}).right();
  }

  std::optional<bool> right_at(std::int64_t size) const {
    Problem other = problem;
    other.size[kernel.grows] = size;
    return attempt(problem_name(kernel, other), [&] { return std::optional(right(other)); });
  }

  // Built with one more option.
  std::optional<bool> right_with(const std::string& option) const {
    return attempt("building with " + option, [&] {
      device.build({&kernel}, options.build_options + " " + option);
      const bool is_right = right(problem);
      device.build({&kernel}, options.build_options);
      return std::optional(is_right);
    });
  }

  std::optional<bool> right_in_groups_of_one(const ProblemRun& run) const {
    return attempt("one work-item per group", [&]() -> std::optional<bool> {
      Capabilities alone = device.facts().capabilities;
      alone.max_local_items = 1;
      const Plan plan = kernel.plan(problem, variant, alone);
      const Outputs now = run_once(device, plan, run.inputs, run.expected, problem.precision);
      return now.guard_intact && all_right(compare_outputs(kernel, problem, run, now.arrays));
    });
  }

  // The same kernel in plain C++, where it is written so.
  std::optional<Comparison> twin(std::size_t output) const {
    return attempt("the host's own arithmetic", [&]() -> std::optional<Comparison> {
      const auto host = open_host({.guard_bytes = 0});
      host->build({&kernel}, "");
      return run_problem(*host, kernel, problem, Variant::host, 1, [](const std::string&) {}).comparisons.at(output);
    });
  }

  std::optional<MeasuredPrecision> precision() const {
    return attempt("precision probes",
                   [&] { return measure_precision(device, problem.precision, variant, options.build_options); });
  }

  std::optional<FpMode> mode() const {
    return attempt("fp-probe", [&] {
      return std::optional(probe_mode(device, problem.precision, variant, options.build_options));
    });
  }
};

}  // namespace

void classify_run(Device& device, const Kernel& kernel, const Problem& problem, Variant variant,
                  const VerifyOptions& options, const ProblemRun& run, const Trace& trace, ComputeResult& result) {
  if (run.comparisons.empty() || run.expected.empty()) return;  // spot checks classify nothing
  // The output to classify: the first wrong one, else the first.
  const auto wrong_one = std::ranges::find(run.comparisons, false, &Comparison::right);
  const auto output = static_cast<std::size_t>(wrong_one - run.comparisons.begin()) % run.comparisons.size();
  const Operation operation = kernel.operation(problem, run.inputs);
  Observation observation{.operation = operation,
                          .got = run.outputs[output],
                          .expected = run.expected[output],
                          .comparison = run.comparisons[output],
                          .guard_changed = !run.guard_intact};
  for (const std::vector<Array>& other : run.others) observation.repeats.push_back(&other[output]);
  Experiments experiments;
  const DeviceExperiments on_device{device, kernel, problem, variant, options, trace};
  const bool wrong = !run.right();
  if (wrong) {
    const bool plain = problem.precision == Precision::fp16 || problem.precision == Precision::fp32 ||
                       problem.precision == Precision::fp64;
    if (operation.terms && plain) experiments.measured = on_device.precision();
    if (plain) experiments.mode = on_device.mode();
    device.build({&kernel}, options.build_options);
    if (kernel.grows && problem.size.at(kernel.grows) > experiments.small_size) {
      experiments.right_at = [&](std::int64_t size) { return on_device.right_at(size); };
      experiments.this_size = problem.size.at(kernel.grows);
    }
    const bool by_framework = device.facts().backend == "framework";
    if (by_framework || plain) experiments.twin = [&] { return on_device.twin(output); };
    if (!by_framework) experiments.right_without_optimisation = [&] { return on_device.right_with("-cl-opt-disable"); };
    const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
    if (std::ranges::any_of(plan.steps, [](const Step& step) { return step.local[0] > 1; }))
      experiments.right_in_groups_of_one = [&] { return on_device.right_in_groups_of_one(run); };
    for (const Switch& one : device.facts().switches)
      experiments.without.push_back({one.kind, one.text, [&] { return on_device.right_with(one.option); }});
  }
  write(classify(observation, experiments), observation, result);
}

}  // namespace envdoctor::kernels
