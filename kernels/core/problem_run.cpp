#include "kernels/core/problem_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>

namespace envdoctor::kernels {
namespace {

// Beyond this a whole reference takes longer than a second.
constexpr double most_flops_in_full = 2.2e9;

bool is_spot_checked(const Kernel& kernel, const Problem& problem) {
  return kernel.spot_check && kernel.work(problem).flops > most_flops_in_full;
}

bool other_guards_intact(Device& device, const Plan& plan) {
  for (int buffer = 0; buffer < static_cast<int>(plan.buffers.size()); ++buffer) {
    if (std::ranges::find(plan.outputs, buffer) == plan.outputs.end() && !device.read(buffer).guard_intact)
      return false;
  }
  return true;
}

auto rank(const Agreement& agreement) {
  static constexpr std::array outcomes = {"same-bits", "within-bound", "not-trustworthy", "outside"};
  return std::ranges::find(outcomes, agreement.outcome.or_empty());
}

// The worst of the outputs stands for all; counts add up.
Agreement whole_agreement(const std::vector<Comparison>& comparisons) {
  Agreement whole;
  std::int64_t wrong = 0, elements = 0;
  for (const Comparison& comparison : comparisons) {
    const Agreement& part = comparison.agreement;
    if (!whole.outcome.get() || rank(part) > rank(whole)) whole = part;
    wrong += part.wrong.or_empty();
    elements += part.elements.or_empty();
  }
  whole.wrong = wrong;
  whole.elements = elements;
  return whole;
}

}  // namespace

std::string problem_name(const Kernel& kernel, const Problem& problem) {
  return full_problem_name(kernel.name, text(problem.precision), problem.size);
}

bool all_right(const std::vector<Comparison>& comparisons) {
  return std::ranges::all_of(comparisons, &Comparison::right);
}

bool ProblemRun::right() const { return guard_intact && all_right(comparisons); }

Outputs run_once(Device& device, const Plan& plan, const std::vector<Array>& inputs,
                 const std::vector<Expected>& expected, Precision precision) {
  device.load(plan, inputs);
  device.poison();
  device.run(1);
  return read_outputs(device, plan, expected, precision);
}

Outputs read_outputs(Device& device, const Plan& plan, const std::vector<Expected>& expected, Precision precision) {
  Outputs outputs;
  for (std::size_t i = 0; i < plan.outputs.size(); ++i) {
    Contents contents = device.read(plan.outputs[i]);
    outputs.guard_intact = outputs.guard_intact && contents.guard_intact;
    Array& array = outputs.arrays.emplace_back();
    array.precision = expected.empty() ? precision : expected.at(i).precision;
    if (!expected.empty())
      contents.bytes.resize(std::min(contents.bytes.size(), expected[i].count() * size_of(array.precision)));
    array.bytes = std::move(contents.bytes);
  }
  return outputs;
}

std::vector<Comparison> compare_outputs(const Kernel& kernel, const Problem& problem, const ProblemRun& run,
                                        const std::vector<Array>& outputs) {
  if (run.expected.empty()) return kernel.spot_check(problem, run.inputs, outputs);
  const std::int64_t columns = kernel.operation(problem, run.inputs).columns;
  std::vector<Comparison> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) all.push_back(compare(outputs[i], run.expected[i], columns));
  return all;
}

bool differ(const std::vector<Array>& one, const std::vector<Array>& other) {
  return !std::ranges::equal(one, other, {}, &Array::bytes, &Array::bytes);
}

std::string why_too_large(const Device& device, const Kernel& kernel, const Problem& problem) {
  const DeviceFacts& facts = device.facts();
  std::size_t all = 0, largest = 0;
  for (const BufferSpec& buffer : kernel.plan(problem, facts.variants.front(), facts.capabilities).buffers) {
    all += buffer.bytes;
    largest = std::max(largest, buffer.bytes);
  }
  const auto beyond = [](std::size_t bytes, std::size_t limit) { return limit != 0 && bytes > limit; };
  if (!beyond(all, facts.capabilities.memory_bytes) && !beyond(largest, facts.capabilities.largest_buffer_bytes))
    return "";
  return fmt::format("needs {} MiB, more than the device offers", all >> 20);
}

ProblemRun run_problem(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                       const Trace& trace) {
  const DeviceFacts& facts = device.facts();
  const bool spot = is_spot_checked(kernel, problem);
  ProblemRun run;
  trace("inputs");
  run.inputs = kernel.inputs(problem);
  // On the device's own cores the reference comes first: they would fight.
  trace("reference");
  auto reference = std::async(facts.on_host_cores ? std::launch::deferred : std::launch::async,
                              [&] { return spot ? std::vector<Expected>{} : kernel.reference(problem, run.inputs); });
  if (facts.on_host_cores) reference.wait();
  const Plan plan = kernel.plan(problem, variant, facts.capabilities);
  trace("loading");
  device.load(plan, run.inputs);
  for (int i = 0; i < repeat; ++i) {
    trace(fmt::format("run {} of {}", i + 1, repeat));
    device.poison();
    device.run(1);
    if (i == 0) run.expected = reference.get();
    auto [outputs, guard_intact] = read_outputs(device, plan, run.expected, problem.precision);
    run.guard_intact = run.guard_intact && guard_intact;
    if (i == 0) {
      run.guard_intact = run.guard_intact && other_guards_intact(device, plan);
      run.comparisons = compare_outputs(kernel, problem, run, outputs);
      run.outputs = std::move(outputs);
    } else if (differ(run.outputs, outputs)) {
      std::vector<Comparison> comparisons = compare_outputs(kernel, problem, run, outputs);
      if (all_right(run.comparisons) && !all_right(comparisons)) {
        std::swap(run.outputs, outputs);
        run.comparisons = std::move(comparisons);
      }
      run.others.push_back(std::move(outputs));
    }
  }
  return run;
}

ComputeResult result_of(const Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                        const ProblemRun& run) {
  const DeviceFacts& facts = device.facts();
  const Work work = kernel.work(problem);
  ComputeResult result{.device = facts.subject,
                       .backend = facts.backend,
                       .kernel = std::string(kernel.name),
                       .precision = std::string(text(problem.precision)),
                       .size = problem.size,
                       .seed = static_cast<std::int64_t>(problem.seed),
                       .variant = std::string(text(variant)),
                       .math_library = facts.math_library,
                       .flops = work.flops,
                       .bytes = work.bytes,
                       .agreement = whole_agreement(run.comparisons)};
  if (repeat > 1) result.repeatable = run.others.empty();
  if (!run.guard_intact) result.agreement.get()->outcome = std::string("outside");
  if (kernel.mode) result.mode = kernel.mode(run.outputs);
  if (const std::string said = device.mode(); !said.empty()) result.mode = said;
  return result;
}

DeviceSession::DeviceSession(Device& device, const VerifyOptions& options, const Reporter& reporter)
    : device_(device), options_(options), reporter_(reporter) {
  part_.compute.fill();
  part_.compute_not_run.fill();
}

bool DeviceSession::wanted(Precision precision) const {
  return options_.precisions.empty() || std::ranges::find(options_.precisions, precision) != options_.precisions.end();
}

Variant DeviceSession::choose(const Kernel& kernel, const Problem& problem, double no_matter_ms) const {
  constexpr double try_out_ms = 10;  // each
  const DeviceFacts& facts = device_.facts();
  if (facts.variants.size() == 1) return facts.variants.front();
  if (options_.variant) return *options_.variant;
  step("measuring which variant is faster");
  const std::vector<Array> inputs = kernel.inputs(problem);
  const auto best_of = [&](Variant variant) {
    device_.load(kernel.plan(problem, variant, facts.capabilities), inputs);
    double best_ms = device_.run(1).wall_ms;  // with what is compiled at the first launch
    for (double spent_ms = 0; spent_ms < try_out_ms;) {
      const double ms = device_.run(1).wall_ms;
      best_ms = std::min(best_ms, ms);
      spent_ms += std::max(ms, 0.01);
    }
    return best_ms;
  };
  const Variant likely = facts.on_host_cores ? Variant::cpu : Variant::gpu;
  const Variant other = likely == Variant::cpu ? Variant::gpu : Variant::cpu;
  const double likely_ms = best_of(likely);
  return likely_ms < no_matter_ms || likely_ms <= best_of(other) ? likely : other;
}

void DeviceSession::not_run(const Kernel& kernel, std::optional<Precision> precision, std::string_view kind,
                            const std::string& why) {
  ComputeNotRun row{
      .device = device_.facts().subject, .kernel = std::string(kernel.name), .why = fmt::format("{}: {}", kind, why)};
  if (precision) row.precision = std::string(text(*precision));
  part_.compute_not_run.get()->push_back(row);
  report();
}

bool DeviceSession::attempt(const Kernel& kernel, Precision precision, const std::function<void()>& work) {
  try {
    work();
    return true;
  } catch (const Unsupported& missing) {
    not_run(kernel, precision, "missing", missing.what());
  } catch (const DeviceError& error) {
    not_run(kernel, precision, "error", label_ + ": " + error.what());
  }
  return false;
}

bool DeviceSession::offers(const Kernel& kernel, Precision precision) {
  const bool has = device_.facts().capabilities.has(precision);
  if (!has) not_run(kernel, precision, "missing", fmt::format("the device does not support {}", text(precision)));
  return has;
}

void DeviceSession::report() const {
  reporter_.partial_result(part_);
  step("reported");
}

Trace DeviceSession::trace() const {
  return [this](const std::string& what) { step(what); };
}

void DeviceSession::label(const std::vector<const Kernel*>& kernels) {
  label_.clear();
  for (const Kernel* kernel : kernels) label_ += std::string(label_.empty() ? "" : ", ") + kernel->name;
}

}  // namespace envdoctor::kernels
