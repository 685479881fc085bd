// usage.cpu-faster: the same operation of one framework, timed on its GPU and on its CPU, and from which size on the
// GPU wins.
#include "checks/compute/compute_facts.h"
#include "checks/engine/rule.h"

namespace envdoctor::usage_cpu_faster {

using enum SymptomClass;

struct Timed {
  const ComputeResult* result = nullptr;
  std::size_t index = 0;
  [[nodiscard]] const ComputeTime& time() const { return *result->time.get(); }
};

// One operation at one size, on both.
struct Both {
  Timed gpu{}, cpu{};
  // Certainly faster: the intervals of the two medians don't overlap.
  [[nodiscard]] bool cpu_faster() const { return *cpu.time().high_ms.get() < *gpu.time().low_ms.get(); }
};

bool is_timed(const ComputeResult& result) {
  const ComputeTime* time = result.time.get();
  return result.backend.is("framework") && result.device.get() && result.kernel.get() && result.precision.get() &&
         result.size.get() && time && time->median_ms.get() && time->low_ms.get() && time->high_ms.get();
}

std::string framework_of(const std::string& device) { return device.substr(0, device.find('/')); }
bool on_cpu(const std::string& device) {
  return device.find("/cpu") != device.npos || device.find("/CPU") != device.npos;
}

// "lstm fp32" of one GPU -> its sizes, smallest work first.
using Key = std::pair<std::string, std::string>;  // device, operation
std::map<Key, std::vector<Both>> pairs_of(const std::vector<ComputeResult>& results) {
  std::map<Key, std::vector<Both>> pairs;
  for (std::size_t g = 0; g < results.size(); ++g) {
    if (!is_timed(results[g]) || on_cpu(*results[g].device.get())) continue;
    for (std::size_t c = 0; c < results.size(); ++c) {
      const ComputeResult &gpu = results[g], &cpu = results[c];
      if (!is_timed(cpu) || !on_cpu(*cpu.device.get()) || cpu.kernel != gpu.kernel || cpu.precision != gpu.precision ||
          cpu.size != gpu.size || framework_of(*cpu.device.get()) != framework_of(*gpu.device.get()))
        continue;
      pairs[{*gpu.device.get(), *gpu.kernel.get() + " " + *gpu.precision.get()}].push_back({{&gpu, g}, {&cpu, c}});
    }
  }
  for (auto& [key, list] : pairs)
    std::ranges::stable_sort(list, {}, [](const Both& both) { return both.gpu.result->flops.or_empty(); });
  return pairs;
}

void report_finding(const Snapshot& snapshot, const Key& key, const std::vector<Both>& sizes, Answers& answers) {
  const auto last_lost = std::ranges::find_if(sizes.rbegin(), sizes.rend(), &Both::cpu_faster);
  const Both& lost = *last_lost;
  Finding& finding = answers.found_on(compute::subject(snapshot, *lost.gpu.result));
  finding.explanation =
      fmt::format("Up to {} the CPU is faster: {:.3g} ms against {:.3g} ms on {}.", full_problem_name(*lost.gpu.result),
                  *lost.cpu.time().median_ms.get(), *lost.gpu.time().median_ms.get(), key.first);
  finding.explanation += last_lost == sizes.rbegin() ? " The GPU was faster at no size tried."
                                                     : fmt::format(" From {} on the GPU is faster.",
                                                                   full_problem_name(*last_lost.base()->gpu.result));
  for (const Timed* one : {&lost.gpu, &lost.cpu})
    finding.evidence.push_back(
        evidence(at("/compute", one->index, "time/median_ms"), fmt::format("{:.3g}", *one->time().median_ms.get())));
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

// "5.1", "ms" -> seconds.
double seconds(const std::string& value, const std::string& unit) {
  const double number = std::atof(value.c_str());
  return unit[0] == 'm' ? number / 1e3 : unit[0] == 'u' ? number / 1e6 : unit[0] == 'n' ? number / 1e9 : number;
}

// Times of both sides that a program prints, in one line or in two.
void judge_printed_times(const Facts& facts, Answers& answers) {
  constexpr double clearly = 1.5;
  for (const Symptom* one : facts.all({slow, "gpu"})) {
    if (seconds(one->detail("gpu"), one->detail("gpu_unit")) <=
        clearly * seconds(one->detail("cpu"), one->detail("cpu_unit")))
      continue;
    Finding& finding = answers.found_in(*one, Confidence::likely);
    finding.severity = Severity::warning;
    finding.explanation = fmt::format(
        "It takes {} {} on the GPU and {} {} on the CPU: starting kernels and copying data costs more than the "
        "arithmetic.",
        one->detail("gpu"), one->detail("gpu_unit"), one->detail("cpu"), one->detail("cpu_unit"));
    return;
  }
  const Symptom* cpu = facts.with({noted, "device-time"}, "on", "CPU");
  const Symptom* gpu = facts.with({noted, "device-time"}, "on", "GPU");
  // A GPU that is no faster gains nothing either.
  if (cpu && gpu &&
      seconds(gpu->detail("value"), gpu->detail("unit")) > seconds(cpu->detail("value"), cpu->detail("unit")))
    answers.found_in(*gpu, Confidence::possible).severity = Severity::warning;
}

// The user says so, and nothing says that the GPU is not used at all.
void judge_complaint(const Facts& facts, Answers& answers) {
  const Symptom* slower = facts.first({{noted, "gpu-slower-than-cpu"}});
  if (!slower || !answers.findings.empty()) return;
  answers.found_in(*slower, Confidence::possible).severity = Severity::warning;
}

// The times or rates that people state for both; one line of each is enough to suspect it.
void judge_stated(const Facts& facts, Answers& answers) {
  constexpr double clearly = 1.1;
  for (const char* subject : {"stated-time", "stated-rate"}) {
    const Symptom* cpu = facts.with({noted, subject}, "on", "CPU");
    const Symptom* gpu = facts.with({noted, subject}, "on", "GPU");
    if (!cpu || !gpu) continue;
    const double on_cpu = std::atof(cpu->detail("value").c_str()), on_gpu = std::atof(gpu->detail("value").c_str());
    const bool slower =
        std::string_view(subject) == "stated-time" ? on_gpu > clearly * on_cpu : on_cpu > clearly * on_gpu;
    if (!slower) continue;
    Finding& finding = answers.found_in(*gpu, Confidence::possible);
    finding.severity = Severity::warning;
    if (cpu != gpu) finding.evidence.push_back(evidence(*cpu));
    return;
  }
}

void judge_timed(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  if (!snapshot.compute.get()) return answers.unknown(why_unknown("/compute", snapshot.compute));
  const auto pairs = pairs_of(*snapshot.compute.get());
  if (pairs.empty()) return answers.unknown("/compute: nothing was timed on a framework's GPU and on its CPU");
  for (const auto& [key, sizes] : pairs) {
    if (std::ranges::any_of(sizes, &Both::cpu_faster)) report_finding(snapshot, key, sizes, answers);
  }
  answers.passed();
}

void judge(const Facts& facts, Answers& answers) {
  judge_timed(facts, answers);
  judge_printed_times(facts, answers);
  if (answers.findings.empty()) judge_stated(facts, answers);
  judge_complaint(facts, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "usage.cpu-faster",
      .layer = Layer::use,
      .severity = Severity::info,
      .title = "The work is too small for the GPU",
      .claim = "Starting kernels and copying data costs more than the arithmetic; the CPU is faster here.",
      .proof = "Both were timed, and the GPU took longer.",
      .disproof = "The GPU is faster at this size when measured.",
      .remedy = "Use larger batches, or leave this work on the CPU.",
      .judge = judge,
  };
}

}  // namespace envdoctor::usage_cpu_faster
