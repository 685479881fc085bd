#include "kernels/core/problem_run.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <future>
#include <iterator>

namespace envdoctor::kernels {
namespace {

// Beyond this a whole reference takes longer than a second.
constexpr double most_flops_in_full = 2.2e9;
constexpr double few_flops = 2e7;
constexpr std::size_t fewest_rows = 4;  // of moved rows: shifts by one, two and three must be distinguishable
constexpr std::size_t more_rows = 16;   // whole vectors, so that no other row is in an incomplete vector

bool is_spot_checked(const Kernel& kernel, const Problem& problem) {
  return kernel.spot_check && kernel.work(problem).flops > most_flops_in_full;
}

// The place where the device's copy of an input differs from what was sent.
std::optional<ChangedInput> changed_input(const BufferSpec& buffer, const Contents& now,
                                          const std::vector<Array>& inputs) {
  if (buffer.input < 0) return {};
  const std::vector<std::byte>& sent = inputs.at(static_cast<std::size_t>(buffer.input)).bytes;
  const std::size_t count = std::min({buffer.bytes, sent.size(), now.bytes.size()});
  if (std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(count), now.bytes.begin())) return {};
  ChangedInput changed{.input = buffer.input, .first = count, .bytes = count};
  for (std::size_t i = count; i-- > 0;) {
    if (sent[i] == now.bytes[i]) continue;
    changed.first = i;
    ++changed.changed;
  }
  return changed;
}

// Reads everything except outputs: guards, and inputs, which no launch may change.
void look_at_other_buffers(Device& device, const Plan& plan, ProblemRun& run) {
  for (int buffer = 0; buffer < static_cast<int>(plan.buffers.size()); ++buffer) {
    if (std::ranges::find(plan.outputs, buffer) != plan.outputs.end()) continue;
    const Contents now = device.read(buffer);
    run.guard_intact = run.guard_intact && now.guard_intact;
    run.guard_bits = std::max(run.guard_bits, now.guard_bits);
    run.cut = run.cut || now.cut;
    if (!run.changed_input)
      run.changed_input = changed_input(plan.buffers[static_cast<std::size_t>(buffer)], now, run.inputs);
  }
  if (!run.changed_input) return;
  // Sends it again and reads it back without a launch: if it changes then as well, even only sometimes, the transfer is
  // at fault.
  constexpr int times = 3;
  for (int i = 0; i < times && !run.changed_input->before_launch; ++i) {
    device.load(plan, run.inputs);
    for (int buffer = 0; buffer < static_cast<int>(plan.buffers.size()); ++buffer) {
      const BufferSpec& spec = plan.buffers[static_cast<std::size_t>(buffer)];
      if (spec.input == run.changed_input->input && changed_input(spec, device.read(buffer), run.inputs))
        run.changed_input->before_launch = true;
    }
  }
}

// In the reference's precision and number of elements.
void fit(std::vector<Array>& outputs, const std::vector<Expected>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    outputs.at(i).precision = expected[i].precision;
    outputs[i].bytes.resize(std::min(outputs[i].bytes.size(), expected[i].count() * size_of(expected[i].precision)));
  }
}

// The outputs of one more launch on the inputs of `run`: compared with its first ones, and with the reference where
// they differ. Wrong ones take the place of right ones.
void add_launch(const Kernel& kernel, Outputs now, ProblemRun& run) {
  run.guard_intact = run.guard_intact && now.guard_intact;
  run.guard_bits = std::max(run.guard_bits, now.guard_bits);
  run.cut = run.cut || now.cut;
  fit(now.arrays, run.expected);
  if (run.outputs.empty()) {
    run.comparisons = compare_outputs(kernel, run, now.arrays);
    run.outputs = std::move(now.arrays);
  } else if (differ(run.outputs, now.arrays)) {
    std::vector<Comparison> comparisons = compare_outputs(kernel, run, now.arrays);
    if (all_right(run.comparisons) && !all_right(comparisons)) {
      std::swap(run.outputs, now.arrays);
      run.comparisons = std::move(comparisons);
    }
    run.others.push_back(std::move(now.arrays));
  }
}

auto rank(const Agreement& agreement) {
  static constexpr std::array outcomes = {"same-bits", "within-bound", "not-trustworthy", "outside"};
  return std::ranges::find(outcomes, agreement.outcome.or_empty());
}

// The CPU time of this process, all threads.
double cpu_ms() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const timeval& time) {
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_usec);
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

// FNV-1a, eight bytes at a time.
std::uint64_t digest_of(const std::vector<Array>& outputs) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const Array& output : outputs) {
    for (std::size_t at = 0; at < output.bytes.size(); at += sizeof digest) {
      std::uint64_t word = 0;
      std::memcpy(&word, output.bytes.data() + at, std::min(sizeof word, output.bytes.size() - at));
      digest = (digest ^ word) * 0x100000001b3;
    }
  }
  return digest;
}

// The worst of the outputs represents all; counts are summed.
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

bool ProblemRun::right() const { return guard_intact && !changed_input && all_right(comparisons); }

bool ProblemRun::beyond_chance() const {
  return std::ranges::any_of(comparisons, [](const Comparison& one) { return !one.improbable.empty(); });
}

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
    outputs.guard_bits = std::max(outputs.guard_bits, contents.guard_bits);
    outputs.cut = outputs.cut || contents.cut;
    Array& array = outputs.arrays.emplace_back();
    array.precision = expected.empty() ? precision : expected.at(i).precision;
    array.bytes = std::move(contents.bytes);
  }
  fit(outputs.arrays, expected);
  return outputs;
}

std::vector<Comparison> compare_outputs(const Kernel& kernel, const ProblemRun& run,
                                        const std::vector<Array>& outputs) {
  if (run.expected.empty()) return kernel.spot_check(run.problem, run.inputs, outputs);
  const Operation operation = kernel.operation(run.problem, run.inputs);
  const std::int64_t columns = operation.columns;
  const bool counts = operation.counts;
  std::vector<Comparison> all;
  for (std::size_t i = 0; i < outputs.size(); ++i) all.push_back(compare(outputs[i], run.expected[i], columns));
  // A few elements leave most bins empty.
  for (Comparison& comparison : all) {
    if (counts && comparison.agreement.outcome.is("not-trustworthy"))
      comparison.agreement.outcome = std::string("same-bits");
  }
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

namespace {

// Rows in one or more sections.
struct Layout {
  std::size_t rows = 1, sections = 1;
};

// Rotates rows by this many places within their sections, and appends the first `more` again.
template <class List>
void move_rows(List& list, const Layout& layout, std::size_t by, std::size_t more) {
  const std::size_t section = list.size() / layout.sections, row = section / layout.rows;
  for (std::size_t from = 0; row > 0 && from < list.size(); from += section) {
    const auto first = list.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = first + static_cast<std::ptrdiff_t>(section);
    std::rotate(first, end - static_cast<std::ptrdiff_t>(row * by), end);
  }
  for (std::size_t i = 0; i < row * more; ++i) list.push_back(typename List::value_type(list[i]));
}

void move_rows(Expected& expected, const Layout& layout, std::size_t by, std::size_t more) {
  for (auto* list : {&expected.value, &expected.low, &expected.bound, &expected.probable, &expected.flushed})
    move_rows(*list, layout, by, more);
  for (auto* exact : {&expected.exact, &expected.also_exact}) {
    if (*exact) move_rows((*exact)->bytes, layout, by, more);
  }
}

// One run of these inputs, compared.
void run_on(Device& device, const Kernel& kernel, const Plan& plan, ProblemRun& run) {
  device.load(plan, run.inputs);
  device.poison();
  device.run(1);
  add_launch(kernel, read_outputs(device, plan, run.expected, run.problem.precision), run);
  look_at_other_buffers(device, plan, run);
}

// Output and element.
using Places = std::set<std::pair<std::size_t, std::size_t>>;

// Where the outputs of moved rows, with `more` rows appended, differ from the moved outputs. None if they differ in
// many places, as where the bits depend on the place by design; none in the last row, which a device may compute by the
// code for remainders, nor in the appended ones.
Places changed_by_place(const std::vector<Array>& before, const std::vector<Array>& after, const Layout& layout,
                        std::size_t by, std::size_t more = 0) {
  Places places;
  for (std::size_t o = 0; o < before.size(); ++o) {
    Array moved = before[o];
    const std::size_t count = moved.count(), last_row = count - count / (layout.rows * layout.sections);
    const std::size_t most = std::clamp<std::size_t>(count / 64, 2, 16);  // fewer than a lane of every eight has
    std::size_t found = 0;
    move_rows(moved.bytes, layout, by, more);
    for (const std::size_t i : differing(moved, after[o])) {
      if (i < (more > 0 ? count : last_row)) places.emplace(o, i);
      if (++found > most) return {};
    }
  }
  return places;
}

Places common(const Places& one, const Places& other) {
  Places both;
  std::ranges::set_intersection(one, other, std::inserter(both, both.end()));
  return both;
}

// Whether the wrong values in `now` are those of the previous run on other inputs.
bool wrong_ones_are_of(const ProblemRun& before, const ProblemRun& now) {
  std::size_t wrong = 0;
  for (std::size_t o = 0; o < now.outputs.size(); ++o) {
    if (before.outputs[o].count() != now.outputs[o].count()) return false;
    for (const std::size_t i : now.comparisons.at(o).wrong) {
      if (i >= now.outputs[o].count() || before.outputs[o].bits(i) != now.outputs[o].bits(i)) return false;
      ++wrong;
    }
  }
  return wrong > 1;
}

// A place that gives different bits for the same rows than all other places is wrong, however small the difference.
void mark_places(ProblemRun& run, const Places& places) {
  for (const auto& [output, element] : places) {
    Comparison& comparison = run.comparisons.at(output);
    comparison.wrong.push_back(element);
    comparison.agreement.outcome = std::string("outside");
    comparison.agreement.wrong = static_cast<std::int64_t>(comparison.wrong.size());
    run.by_place = true;
  }
}

// A result beyond the probable bound is wrong.
void mark_improbable(ProblemRun& run) {
  run.improbable = true;
  for (Comparison& comparison : run.comparisons) {
    if (comparison.improbable.empty()) continue;
    comparison.wrong = comparison.improbable;
    comparison.agreement.outcome = std::string("outside");
    comparison.agreement.wrong = static_cast<std::int64_t>(comparison.wrong.size());
    comparison.agreement.pattern = std::string("further off than chance explains");
  }
}

}  // namespace

std::optional<ProblemRun> wrong_try_out(const Kernel& kernel, const ProblemRun& run,
                                        const std::vector<Outputs>& tried) {
  ProblemRun other{.problem = run.problem, .expected = run.expected};
  other.inputs = run.inputs;
  for (const Outputs& outputs : tried) add_launch(kernel, outputs, other);
  return other.right() ? std::nullopt : std::optional(std::move(other));
}

ProblemRun run_problem(Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                       const Trace& trace, const std::vector<Outputs>& tried) {
  const DeviceFacts& facts = device.facts();
  const bool spot = is_spot_checked(kernel, problem);
  ProblemRun run{.problem = problem};
  trace("inputs");
  run.inputs = kernel.inputs(problem);
  // If the device uses the same cores, the reference comes first: both at once would compete.
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
    add_launch(kernel, read_outputs(device, plan, run.expected, problem.precision), run);
    if (i == 0 || i + 1 == repeat) look_at_other_buffers(device, plan, run);
    if (run.changed_input) break;  // it was loaded again
  }
  for (const Outputs& outputs : tried) add_launch(kernel, outputs, run);
  if (repeat == 1 || !run.right()) return run;
  // A device that caches by shape, or a dropped transfer, gives the previous result.
  trace("other inputs");
  const Kernel::Rows& of = kernel.rows;
  const bool moves = of.size && problem.at(of.size) % of.block == 0 && problem.at(of.size) / of.block >= fewest_rows &&
                     !spot && facts.backend != "framework";
  const Layout layout{moves ? problem.at(of.size) / of.block : 1, of.sections};
  const auto run_moved = [&](std::size_t by, std::size_t more = 0) {
    ProblemRun other{.problem = problem, .inputs = run.inputs, .expected = run.expected, .other_inputs = true};
    other.problem.size[of.size] += static_cast<std::int64_t>(more);
    for (const int input : of.inputs)
      move_rows(other.inputs.at(static_cast<std::size_t>(input)).bytes, layout, by, more);
    for (Expected& expected : other.expected) move_rows(expected, layout, by, more);
    run_on(device, kernel, kernel.plan(other.problem, variant, facts.capabilities), other);
    return other;
  };
  const auto run_others = [&](bool whole_numbers) {
    ProblemRun other{.problem = on_other_inputs(kernel, problem, whole_numbers), .other_inputs = true};
    other.inputs = kernel.inputs(other.problem);
    // With integers a check without a full product detects every wrong element; the reference then shows which.
    const bool checked = spot || (other.problem.whole_numbers && kernel.spot_check &&
                                  problem.precision != Precision::fp64 && kernel.work(problem).flops > few_flops);
    if (!checked) other.expected = kernel.reference(other.problem, other.inputs);
    run_on(device, kernel, kernel.plan(other.problem, variant, facts.capabilities), other);
    if (!other.right() && checked && !spot) {
      other.expected = kernel.reference(other.problem, other.inputs);
      fit(other.outputs, other.expected);
      other.comparisons = compare_outputs(kernel, other, other.outputs);
    }
    return other;
  };
  ProblemRun other = moves ? run_moved(1) : run_others(facts.backend != "framework");
  if (!other.right()) {
    other.stale = !differ(run.outputs, other.outputs) || (!other.expected.empty() && wrong_ones_are_of(run, other));
    return other;
  }
  if (!moves) {
    if (!run.beyond_chance()) return run;
    trace("other inputs, once more");
    other = run_others(false);
    if (!other.right()) return other;
    if (other.beyond_chance()) mark_improbable(run);
    return run;
  }
  // Twice: with the same number of rows, and with rows after the former last one.
  Problem more = problem;
  more.size[of.size] += static_cast<std::int64_t>(more_rows);
  for (const std::size_t added : {std::size_t{0}, more_rows}) {
    if (added > 0) {
      if (of.block * of.sections > 1 || !why_too_large(device, kernel, more).empty()) break;
      trace("moved rows, and more of them");
      other = run_moved(1, added);
      if (!other.right()) return other;
    }
    const auto changed = [&](std::size_t by) {
      return changed_by_place(run.outputs, other.outputs, layout, by, added);
    };
    const Places once = changed(1);
    if (once.empty()) continue;
    other = run_moved(2, added);
    if (!other.right()) return other;
    const Places twice = changed(2);
    Places both = common(once, twice);
    // A place may have held a zero in one of them, which no factor changes.
    if (both.empty()) {
      other = run_moved(3, added);
      if (!other.right()) return other;
      const Places thrice = changed(3);
      both = common(once, thrice);
      both.merge(common(twice, thrice));
    }
    mark_places(run, both);
    if (!run.right()) break;
  }
  return run;
}

ComputeResult result_of(const Device& device, const Kernel& kernel, const Problem& problem, Variant variant, int repeat,
                        const ProblemRun& run) {
  const DeviceFacts& facts = device.facts();
  const Work work = kernel.work(problem);
  // There is one for the run on other inputs.
  const std::uint64_t digest = digest_of(run.outputs);
  const bool repeated = repeat > 1 && !run.other_inputs;
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
                       .agreement = whole_agreement(run.comparisons),
                       .digest = fmt::format("{:016x}", digest)};
  if (repeated) result.repeatable = run.others.empty();
  if (!run.right()) result.agreement.get()->outcome = std::string("outside");
  if (run.improbable) result.agreement.get()->bound = std::string("probable");
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

Variant DeviceSession::choose(const Kernel& kernel, const Problem& problem, double no_matter_ms, TryOuts* tried) {
  constexpr double try_out_ms = 10;  // each
  constexpr double most_ms = 500;    // including poisoning, reading and comparing
  constexpr int most_launches = 12;
  constexpr double worth_measuring_ms = 0.2;
  const DeviceFacts& facts = device_.facts();
  if (facts.variants.size() == 1) return facts.variants.front();
  if (options_.variant) return *options_.variant;
  step("measuring which variant is faster");
  const std::vector<Array> inputs = kernel.inputs(problem);
  const auto best_of = [&](Variant variant) {
    const Plan plan = kernel.plan(problem, variant, facts.capabilities);
    device_.load(plan, inputs);
    double best_ms = HUGE_VAL, spent_ms = 0;
    const Stopwatch time;
    for (int i = 0; i < most_launches && spent_ms < try_out_ms && (i < 2 || time.ms() < most_ms); ++i) {
      if (tried) device_.poison();
      const double cpu_ms_before = cpu_ms();
      const double ms = device_.run(1).wall_ms;
      if (ms > worth_measuring_ms) {
        launches_ms_ += ms;
        cpu_of_launches_ms_ += cpu_ms() - cpu_ms_before;
      }
      best_ms = std::min(best_ms, ms);
      if (i > 0) spent_ms += std::max(ms, 0.01);  // the first one may compile
      if (!tried) continue;
      Outputs now = read_outputs(device_, plan, {}, problem.precision);
      const auto same = [&](const Outputs& before) { return !differ(before.arrays, now.arrays); };
      std::vector<Outputs>& distinct = (*tried)[variant];
      if (!now.guard_intact || std::ranges::none_of(distinct, same)) distinct.push_back(std::move(now));
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

void DeviceSession::note_host_cores() {
  constexpr double enough_ms = 20;
  if (device_.facts().on_host_cores || launches_ms_ < enough_ms) return;
  for (ComputeResult& result : *part_.compute.get()) result.host_cores = cpu_of_launches_ms_ / launches_ms_;
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
