// compute.nondeterministic: different bits in each run on the same input. Normal for sums in a free order, and for
// nothing else.
#include <map>
#include <set>

#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::compute_nondeterministic {

using enum SymptomClass;

void describe(Finding& finding, const std::vector<compute::Row>& rows) {
  const bool free_order =
      std::ranges::all_of(rows, [](const compute::Row& row) { return row.cause == WrongResult::order; });
  finding.explanation = fmt::format("Repeated runs differ in their bits {}.", compute::in_problems(rows));
  for (const compute::Row& row : rows)
    finding.evidence.push_back(evidence(at("/compute", row.index, "repeatable"), "false"));
  if (free_order) {
    finding.explanation += " Sums are added in no fixed order; each result is within its bound.";
    finding.fix = {
        {.text = "Where bits must repeat, use the framework's deterministic mode; results are right either way."}};
    return;
  }
  if (std::ranges::all_of(rows, &compute::Row::by_framework)) {
    finding.title = "The framework gives different bits in each run";
    finding.explanation += " Libraries may choose another algorithm, or another order of additions, each time.";
    finding.fix = {
        {.text = "Where bits must repeat: torch.use_deterministic_algorithms(True); in TensorFlow "
                 "tf.config.experimental.enable_op_determinism(); in JAX XLA_FLAGS=--xla_gpu_deterministic_ops=true."}};
    return;
  }
  finding.severity = Severity::warning;
  finding.title = "The device gives different bits each time although the order of operations is fixed";
  finding.explanation += " Nothing in these kernels leaves the order open: unstable hardware, or a race in the driver.";
  finding.fix = {{.text = "Undo overclocking, look at temperature, power and memory errors, update the driver, and run "
                          "'envdoctor verify --repeat 20' again."}};
}

// The device's model name, which another device may have too.
std::string kind_of(const Snapshot& snapshot, const ComputeResult& result) {
  const std::string device = result.device.or_empty();
  for (const CudaDevice& card : snapshot.nvidia.or_empty().cuda_devices.or_empty()) {
    if (device == fmt::format("cuda:{}", card.ordinal.value_or(-1))) return "cuda:" + card.name.or_empty();
  }
  return device.substr(0, device.find(" #"));
}

// Devices of one kind, each of which repeats its own bits, but which differ from each other.
void judge_twins(const Snapshot& snapshot, Answers& answers) {
  std::map<std::string, std::pair<std::size_t, const ComputeResult*>> seen;
  std::set<std::string> reported;
  const auto& results = snapshot.compute.or_empty();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const ComputeResult& result = results[i];
    if (!result.digest.get() || !result.repeatable.is(true)) continue;
    const std::string work = fmt::format("{} {} {} {}", kind_of(snapshot, result), full_problem_name(result),
                                         result.seed.value_or(0), result.variant.or_empty());
    const auto [first, is_first] = seen.try_emplace(work, i, &result);
    const ComputeResult& other = *first->second.second;
    if (is_first || other.device == result.device || other.digest == result.digest) continue;
    if (!reported.insert(result.device.or_empty()).second) continue;
    Finding& finding = answers.found_on(compute::subject(snapshot, result));
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.title = "Two devices of one kind give different bits";
    finding.explanation = fmt::format(
        "{} and {} each repeat their own bits in {}, but not each other's, though their model, driver and work are the "
        "same.",
        other.device.or_empty(), result.device.or_empty(), full_problem_name(result));
    finding.evidence = {evidence(at("/compute", first->second.first, "digest"), *other.digest.get()),
                        evidence(at("/compute", i, "digest"), *result.digest.get())};
    finding.fix = {
        {.text = "Compare clocks, firmware and modes of the two; run 'envdoctor verify --repeat 20' on both, and "
                 "test the one whose results are nearer to their bounds."}};
  }
}

bool picked(const compute::Row& row) { return row.result->repeatable.is(false); }

constexpr const char* complaint =
    "A seed fixes the random numbers, not the order in which a GPU adds: cuDNN's choice of algorithm and atomic "
    "additions differ from run to run.";
constexpr const char* deterministic =
    "Switch the framework's deterministic mode on: torch.use_deterministic_algorithms(True), "
    "tf.config.experimental.enable_op_determinism(), XLA_FLAGS=--xla_gpu_deterministic_ops=true. If runs on the CPU "
    "differ as well, a source of random numbers has no seed.";

// The user says that runs differ although the seed is the same, or shows the numbers of two runs.
void judge_complaint(const Facts& facts, Answers& answers) {
  const Symptom* said = facts.first({{wrong_result, "repeated-results"}});
  const Symptom* shown = facts.first({{noted, "runs-differ"}});
  const Symptom* seed = facts.first({{noted, "random-seed"}});
  if (!shown && (!said || !seed)) return;
  const bool likely = shown && (said || seed);
  Finding& finding = answers.found_in(shown ? *shown : *said, likely ? Confidence::likely : Confidence::possible);
  finding.explanation = complaint;
  if (shown && said) finding.evidence.push_back(evidence(*said));
  if (seed) finding.evidence.push_back(evidence(*seed));
  finding.fix = {{.text = deterministic}};
}

// Equal inputs in one batch: each row is added in another order, mostly by another part of the same kernel.
void judge_rows(const Facts& facts, Answers& answers) {
  const Symptom* rows = facts.first({{noted, "equal-rows-differ"}});
  if (!rows) return;
  Finding& finding = answers.found_in(*rows, Confidence::possible);
  finding.title = "Equal inputs in one batch give slightly different results";
  finding.explanation =
      "The rows differ by rounding alone: a kernel adds the parts of each row in another order, and masks or padding "
      "change which kernel is taken.";
  finding.fix = {{.text = "Compare with a tolerance, or compute in float32 or one input at a time where bits matter."}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_rows(facts, answers);
  judge_complaint(facts, answers);
  compute::judge(facts.snapshot(), answers, picked, describe);
  judge_twins(facts.snapshot(), answers);
}

// The operation stopped the program; with warn_only it is a line among others.
bool raised(const Facts& facts) {
  return !facts.with({unsupported, "deterministic-operation"}, "level", "UserWarning");
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "compute.nondeterministic",
      .layer = Layer::compute,
      .severity = Severity::info,
      .title = "The same run gives different bits each time",
      .claim = "Sums are added in an order that varies from run to run.",
      .proof = "Two runs with equal input differ, or the framework names an operation without a fixed order.",
      .disproof = "Repeated runs agree bit by bit.",
      .remedy = "Switch on the framework's deterministic mode where it matters.",
      .symptoms =
          {
              {{unsupported, "deterministic-operation"}, certain, raised},
              {{unsupported, "deterministic-operation"}, possible, nullptr, "level", "UserWarning"},
          },
      .judge = judge,
  };
}

}  // namespace envdoctor::compute_nondeterministic
