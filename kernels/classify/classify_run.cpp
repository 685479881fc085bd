#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "kernels/classify/classify.h"
#include "kernels/classify/precision_probes.h"
#include "kernels/core/problem_run.h"
#include "kernels/reference/fp_probe.h"

namespace envdoctor::kernels {
namespace {

// The outputs of this kernel on these inputs. Its program replaces the device's current one.
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

}  // namespace

// The experiments on this device. One that fails, or has no time left, gives no answer.
struct DeviceExperiments {
  Device& device;
  const Kernel& kernel;
  const Problem& problem;
  Variant variant;
  const VerifyOptions& options;
  const Trace& trace;
  DeviceModes& modes;
  bool by_chance = false;  // right means within the probable bound

  template <class Try>
  auto attempt(const std::string& what, const Try& one) const -> decltype(one()) {
    if (!modes.time_left()) return {};
    try {
      trace(what);
      return one();
    } catch (const DeviceError&) {
      return {};
    }
  }
  bool right(const Problem& tried) const {
    const ProblemRun run = run_problem(device, kernel, tried, variant, 1, [](const std::string&) {});
    return run.right() && !(by_chance && run.beyond_chance());
  }

  std::optional<bool> right_at(std::int64_t size) const {
    Problem other = problem;
    other.size[kernel.grows] = size;
    return attempt(problem_name(kernel, other), [&] { return std::optional(right(other)); });
  }

  // Built with one more option, on the inputs of `run`, which may differ from the problem's.
  std::optional<bool> right_with(const std::string& option, ProblemRun run) const {
    return attempt("building with " + option, [&] {
      device.build({&kernel}, options.build_options + " " + option);
      const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
      const Outputs now = run_once(device, plan, run.inputs, run.expected, problem.precision);
      run.comparisons = compare_outputs(kernel, run, now.arrays);
      device.build({&kernel}, options.build_options);
      return std::optional(now.guard_intact && all_right(run.comparisons) && !(by_chance && run.beyond_chance()));
    });
  }

  std::optional<bool> right_in_groups_of_one(const ProblemRun& run) const {
    return attempt("one work-item per group", [&]() -> std::optional<bool> {
      // Alternating, so that an intermittent fault isn't mistaken for it.
      constexpr int turns = 3;
      Capabilities alone = device.facts().capabilities;
      const Plan together = kernel.plan(problem, variant, alone);
      alone.max_local_items = 1;
      const Plan plan = kernel.plan(problem, variant, alone);
      const auto is_right = [&](const Plan& tried) {
        const Outputs now = run_once(device, tried, run.inputs, run.expected, problem.precision);
        return now.guard_intact && all_right(compare_outputs(kernel, run, now.arrays));
      };
      int wrong = 0;
      for (int turn = 0; turn < turns; ++turn) {
        wrong += is_right(together) ? 0 : 1;
        if (!is_right(plan)) return false;
      }
      return 2 * wrong > turns;
    });
  }

  // The same kernel in plain C++, if it has such a version.
  std::optional<Comparison> twin(std::size_t output) const {
    return attempt("the host's own arithmetic", [&]() -> std::optional<Comparison> {
      const auto host = open_host({.guard_bytes = 0});
      host->build({&kernel}, "");
      return run_problem(*host, kernel, problem, Variant::host, 1, [](const std::string&) {}).comparisons.at(output);
    });
  }

  std::optional<MeasuredPrecision> precision() const {
    return measured_once(modes.measured_, [&] {
      return attempt("precision probes",
                     [&] { return measure_precision(device, problem.precision, variant, options.build_options); });
    });
  }

  std::optional<FpMode> mode() const {
    return measured_once(modes.modes_, [&] {
      return attempt("fp-probe", [&] {
        return std::optional(probe_mode(device, problem.precision, variant, options.build_options));
      });
    });
  }

  template <class Map, class Measure>
  typename Map::mapped_type measured_once(Map& map, const Measure& measure) const {
    const auto key = std::pair(problem.precision, variant);
    const auto found = map.find(key);
    return found != map.end() ? found->second : map[key] = measure();
  }

  // The operation's functions that the map kernel finds inexact, each in more than one place.
  std::optional<std::string> inexact_functions(const Operation& operation) const {
    const auto off = measured_once(modes.functions_, [&] {
      return attempt("single functions", [&]() -> std::optional<std::set<std::string>> {
        const Kernel& map = kernel_named("map");
        const Problem tried{.precision = problem.precision,
                            .size = map.sizes(problem.precision, Effort::quick).front()};
        device.build({&map}, options.build_options);
        const auto wrong_on = [&](std::uint64_t seed) {
          Problem seeded = tried;
          seeded.seed = seed;
          return run_problem(device, map, seeded, variant, 1, [](const std::string&) {}).comparisons.front().wrong;
        };
        const Operation rows = map.operation(tried, map.inputs(tried));
        const auto columns = static_cast<std::size_t>(rows.columns);
        const std::vector<std::size_t> again = wrong_on(tried.seed + 1);
        struct Wrong {
          std::size_t places = 0, stay = 0;
        };
        std::map<std::size_t, Wrong> wrong;
        for (const std::size_t i : wrong_on(tried.seed)) {
          ++wrong[i / columns].places;
          if (std::ranges::binary_search(again, i)) ++wrong[i / columns].stay;
        }
        std::set<std::string> names;
        for (const auto& [row, of_row] : wrong) {
          // A few elements that are also wrong on other inputs are faulty places.
          const bool place = 2 * of_row.places < columns && 2 * of_row.stay >= of_row.places;
          if (of_row.places >= 3 && !place) names.insert(rows.functions.at(row));
        }
        device.build({&kernel}, options.build_options);
        if (2 * names.size() > rows.functions.size()) names.clear();  // then the functions are not at fault
        return names;
      });
    });
    if (!off) return {};
    std::string names;
    for (const std::string& function : operation.functions) {
      if (off->contains(function)) names += (names.empty() ? "" : ", ") + function;
    }
    return names;
  }

  // Compares the same outputs with the bounds that fast-math options allow.
  std::optional<Expected> relaxed(const ProblemRun& run, std::size_t output) const {
    Problem loose = problem;
    loose.relaxed = true;
    return kernel.reference(loose, run.inputs).at(output);
  }

  // Other inputs of the same kind: the wrong elements are the same ones.
  std::optional<bool> same_places(const ProblemRun& run, std::size_t output) const {
    return attempt("the same places", [&]() -> std::optional<bool> {
      const std::vector<std::size_t>& wrong = run.comparisons[output].wrong;
      constexpr std::size_t few = 8;
      for (const std::uint64_t seed : {problem.seed + 101, problem.seed + 102}) {
        Problem other = problem;
        other.seed = seed;
        const ProblemRun now = run_problem(device, kernel, other, variant, 1, [](const std::string&) {});
        if (now.comparisons.size() <= output) return false;
        // With many elements some are right by chance.
        const std::vector<std::size_t>& again = now.comparisons[output].wrong;
        std::vector<std::size_t> both;
        std::ranges::set_intersection(wrong, again, std::back_inserter(both));
        const std::size_t larger = std::max(wrong.size(), again.size());
        if (larger <= few ? both.size() != larger : 10 * both.size() < 9 * larger) return false;
      }
      return true;
    });
  }

  // Sums of ones count their terms.
  std::optional<std::size_t> additions_lost(const ProblemRun& run, std::size_t output) const {
    return attempt("sums of ones", [&]() -> std::optional<std::size_t> {
      std::vector<Array> ones = run.inputs;
      for (Array& input : ones) {
        for (std::size_t i = 0; i < input.count(); ++i) input.set(i, 1);
      }
      const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
      const std::vector<Expected> right = kernel.reference(problem, ones);
      double lost = 0;
      for (int times = 3; times > 0 && lost == 0; --times) {  // a race loses an addition only sometimes
        const Outputs now = run_once(device, plan, ones, right, problem.precision);
        for (std::size_t i = 0; i < right[output].count(); ++i) {
          const double missing = right[output].right_value(i) - now.arrays[output].value(i);
          if (!(missing >= 0) || missing != std::trunc(missing)) return 0;
          lost += missing;
        }
      }
      return static_cast<std::size_t>(lost);
    });
  }

  // Reads the buffer again: right if only the first read came too early.
  std::optional<bool> right_when_read_again(const ProblemRun& run) const {
    return attempt("reading again", [&]() -> std::optional<bool> {
      constexpr int times = 3;  // an intermittent fault is no early read, which happens every time
      const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
      device.load(plan, run.inputs);
      for (int i = 0; i < times; ++i) {
        device.poison();
        device.run(1);
        const Outputs first = read_outputs(device, plan, run.expected, problem.precision);
        const Outputs second = read_outputs(device, plan, run.expected, problem.precision);
        if (all_right(compare_outputs(kernel, run, first.arrays)) ||
            !all_right(compare_outputs(kernel, run, second.arrays)))
          return false;
      }
      return true;
    });
  }
};

void classify_run(Device& device, const Kernel& kernel, Variant variant, const VerifyOptions& options,
                  const ProblemRun& run, const Trace& trace, DeviceModes& modes, ComputeResult& result) {
  const Problem& problem = run.problem;
  if (run.comparisons.empty() || run.expected.empty()) return;  // spot checks can't be classified
  // The output to classify: the first wrong one, otherwise the first.
  const auto wrong_one = std::ranges::find(run.comparisons, false, &Comparison::right);
  const auto output = static_cast<std::size_t>(wrong_one - run.comparisons.begin()) % run.comparisons.size();
  const Operation operation = kernel.operation(problem, run.inputs);
  Observation observation{
      .operation = operation,
      .got = run.outputs[output],
      .expected = run.expected[output],
      .comparison = run.comparisons[output],
      .repeats_equal = run.other_inputs
                           ? 0
                           : static_cast<std::size_t>(options.repeat - 1) -
                                 std::min<std::size_t>(run.others.size(), static_cast<std::size_t>(options.repeat - 1)),
      .guard_changed = !run.guard_intact,
      .guard_bits = run.guard_bits,
      .cut = run.cut,
      .by_place = run.by_place,
      .stale = run.stale};
  if (run.changed_input) {
    const ChangedInput& changed = *run.changed_input;
    observation.changed_input = fmt::format("{} of {} bytes of input {}, the first at byte {}", changed.changed,
                                            changed.bytes, changed.input, changed.first);
    observation.changed_before_launch = changed.before_launch;
  }
  for (const std::vector<Array>& other : run.others) observation.repeats.push_back(&other[output]);
  Experiments experiments;
  const DeviceExperiments on_device{device, kernel, problem, variant, options, trace, modes, run.improbable};
  const bool wrong = !run.right();
  if (wrong) {
    const bool plain = problem.precision == Precision::fp16 || problem.precision == Precision::fp32 ||
                       problem.precision == Precision::fp64;
    if (operation.terms && plain) experiments.measured = on_device.precision();
    if (plain) experiments.mode = on_device.mode();
    if (plain && !operation.functions.empty() && !operation.row_for_each_function)
      experiments.inexact_functions = [&] { return on_device.inexact_functions(operation); };
    experiments.relaxed = [&] { return on_device.relaxed(run, output); };
    device.build({&kernel}, options.build_options);
    experiments.same_places = [&] { return on_device.same_places(run, output); };
    if (operation.order_free) experiments.additions_lost = [&] { return on_device.additions_lost(run, output); };
    experiments.right_when_read_again = [&] { return on_device.right_when_read_again(run); };
    if (kernel.grows && problem.size.at(kernel.grows) > experiments.small_size) {
      experiments.right_at = [&](std::int64_t size) { return on_device.right_at(size); };
      experiments.this_size = problem.size.at(kernel.grows);
    }
    const bool by_framework = device.facts().backend == "framework";
    if (by_framework || plain) experiments.twin = [&] { return on_device.twin(output); };
    if (!by_framework)
      experiments.right_without_optimisation = [&] { return on_device.right_with("-cl-opt-disable", run); };
    const Plan plan = kernel.plan(problem, variant, device.facts().capabilities);
    if (std::ranges::any_of(plan.steps, [](const Step& step) { return step.local[0] > 1; }))
      experiments.right_in_groups_of_one = [&] { return on_device.right_in_groups_of_one(run); };
    for (const Switch& one : device.facts().switches)
      experiments.without.push_back({one.kind, one.text, [&] { return on_device.right_with(one.option, run); }});
  }
  write(classify(observation, experiments), observation, result);
}

}  // namespace envdoctor::kernels
