#include <algorithm>

#include "kernels/classify/classify.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/problem_run.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {
namespace {

// Runs the precision probes as rows of the dot kernel, whose program this replaces.
std::optional<MeasuredPrecision> measure_precision(Device& device, Precision precision, Variant variant,
                                                   const std::string& build_options) {
  const Kernel& dot = kernel_named("dot");
  const std::vector<PrecisionProbe>& probes = precision_probes(precision);
  constexpr std::size_t k = 2;
  Array a(precision, probes.size() * k), b(precision, probes.size() * k);
  for (std::size_t i = 0; i < probes.size(); ++i) {
    for (std::size_t term = 0; term < std::min(k, probes[i].terms.a.size()); ++term) {
      a.set(i * k + term, probes[i].terms.a[term]);
      b.set(i * k + term, probes[i].terms.b[term]);
    }
  }
  const Problem problem{.precision = precision, .size = {{"k", k}, {"rows", static_cast<std::int64_t>(probes.size())}}};
  const Plan plan = dot.plan(problem, variant, device.facts().capabilities);
  device.build({&dot}, build_options);
  device.load(plan, {a, b});
  device.poison();
  device.run(1);
  Array answers(precision, probes.size());
  answers.bytes = device.read(plan.outputs.front()).bytes;
  std::vector<double> values;
  for (std::size_t i = 0; i < answers.count(); ++i) values.push_back(answers.value(i));
  return measured_precision(precision, values);
}

// The mode that single operations show, with the fp-probe kernel, whose program this replaces.
FpMode probe_mode(Device& device, Precision precision, Variant variant, const std::string& build_options) {
  const Kernel& probe = kernel_named("fp-probe");
  const Problem problem{.precision = precision, .size = probe.sizes(precision, Effort::tiny).front()};
  const std::vector<Array> inputs = probe.inputs(problem);
  const Plan plan = probe.plan(problem, variant, device.facts().capabilities);
  device.build({&probe}, build_options);
  device.load(plan, inputs);
  device.poison();
  device.run(1);
  const std::size_t count = probe.reference(problem, inputs).front().count();
  Array answers(precision, count);
  std::vector<std::byte> bytes = device.read(plan.outputs.front()).bytes;
  bytes.resize(answers.bytes.size());
  answers.bytes = std::move(bytes);
  return fp_probe::read(answers);
}

// The experiments on this device. One that fails says nothing.
class DeviceExperiments {
 public:
  DeviceExperiments(Device& device, const Kernel& kernel, const Problem& problem, Variant variant,
                    const VerifyOptions& options, const Trace& trace)
      : device_(device), kernel_(kernel), problem_(problem), variant_(variant), options_(options), trace_(trace) {}

  std::optional<bool> right_at(std::int64_t size) const {
    Problem other = problem_;
    other.size[kernel_.grows] = size;
    return attempt(problem_name(kernel_, other), [&] { return std::optional(right(other)); });
  }

  // Built with one more option.
  std::optional<bool> right_with(const std::string& option) const {
    return attempt("building with " + option, [&] {
      device_.build({&kernel_}, options_.build_options + " " + option);
      const bool is_right = right(problem_);
      device_.build({&kernel_}, options_.build_options);
      return std::optional(is_right);
    });
  }

  std::optional<bool> right_in_groups_of_one(const ProblemRun& run) const {
    return attempt("one work-item per group", [&]() -> std::optional<bool> {
      Capabilities alone = device_.facts().capabilities;
      alone.max_local_items = 1;
      const Plan plan = kernel_.plan(problem_, variant_, alone);
      device_.load(plan, run.inputs);
      device_.poison();
      device_.run(1);
      const Outputs now = read_outputs(device_, plan, run.expected, problem_.precision);
      return now.guard_intact &&
             std::ranges::all_of(compare_outputs(kernel_, problem_, run, now.arrays), &Comparison::right);
    });
  }

  // The same kernel in plain C++, where it is written so.
  std::optional<Comparison> twin(std::size_t output) const {
    return attempt("the host's own arithmetic", [&]() -> std::optional<Comparison> {
      const auto host = open_host({.guard_bytes = 0});
      host->build({&kernel_}, "");
      return run_problem(*host, kernel_, problem_, Variant::host, 1, [](const std::string&) {}).comparisons.at(output);
    });
  }

  std::optional<MeasuredPrecision> precision() const {
    return attempt("precision probes",
                   [&] { return measure_precision(device_, problem_.precision, variant_, options_.build_options); });
  }

  std::optional<FpMode> mode() const {
    return attempt("fp-probe", [&] {
      return std::optional(probe_mode(device_, problem_.precision, variant_, options_.build_options));
    });
  }

 private:
  template <class Try>
  auto attempt(const std::string& what, const Try& one) const -> decltype(one()) {
    try {
      trace_(what);
      return one();
    } catch (const DeviceError&) {
      return {};
    }
  }
  bool right(const Problem& problem) const {
    return run_problem(device_, kernel_, problem, variant_, 1, [](const std::string&) {}).right();
  }

  Device& device_;
  const Kernel& kernel_;
  const Problem& problem_;
  Variant variant_;
  const VerifyOptions& options_;
  const Trace& trace_;
};

// The output to classify: the first wrong one, else the first.
std::size_t worst_output(const ProblemRun& run) {
  for (std::size_t i = 0; i < run.comparisons.size(); ++i) {
    if (!run.comparisons[i].right()) return i;
  }
  return 0;
}

}  // namespace

void classify_run(Device& device, const Kernel& kernel, const Problem& problem, Variant variant,
                  const VerifyOptions& options, const ProblemRun& run, const Trace& trace, ComputeResult& result) {
  if (run.comparisons.empty() || run.expected.empty()) return;  // spot checks classify nothing
  const std::size_t output = worst_output(run);
  const Operation operation = kernel.operation(problem, run.inputs);
  Observation observation{.operation = operation,
                          .got = run.outputs[output],
                          .expected = run.expected[output],
                          .comparison = run.comparisons[output],
                          .guard_changed = !run.guard_intact};
  for (const std::vector<Array>& other : run.others) observation.repeats.push_back(&other[output]);
  Experiments experiments;
  const DeviceExperiments on_device(device, kernel, problem, variant, options, trace);
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
