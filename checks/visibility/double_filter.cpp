// visibility.double-filter: the second variable selects from what the first one left, which is not enough.
#include "checks/facts/visible.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_double_filter {

using enum SymptomClass;

// Whether an entry is a number from 0 on, and which.
std::optional<std::size_t> number_in(const std::string& entry) {
  if (!starts_as_number(entry) || entry.front() == '-') return std::nullopt;
  return std::strtoul(entry.substr(0, 6).c_str(), nullptr, 10);
}

// Both are set, and the second list has a number that is out of range after the first.
void judge(const visibility::Setting& first, const visibility::Setting& second, Answers& answers) {
  const std::string &all = first.value, &some = second.value;
  if (all.empty() || some.empty() || some == "all") return;
  const std::size_t left = entries_of(all).size();
  const auto entries = entries_of(some);
  const auto end = std::ranges::find_if(entries, [](const auto& entry) { return !number_in(entry); });
  const auto beyond = std::find_if(entries.begin(), end, [&](const auto& entry) { return *number_in(entry) >= left; });
  if (beyond == end) return;
  const bool nothing = beyond == entries.begin();  // cut at the very first entry
  Finding& finding =
      second.shown ? visibility::found_in(answers, second, Confidence::likely) : answers.found_on("env:" + second.name);
  finding.explanation = fmt::format(
      "{}={} leaves at most {} GPU{}, numbered anew from 0; {}={} then asks for a number beyond them{}", first.name,
      all, left, left == 1 ? "" : "s", second.name, some, nothing ? " and no GPU is left." : ".");
  finding.severity = nothing ? Severity::error : Severity::warning;
  if (!second.shown) finding.evidence = {evidence("/env/" + first.name, all), evidence("/env/" + second.name, some)};
  finding.fix = {
      {fmt::format("Set only one of the two; with {} kept, unset the other.", first.name), "unset " + second.name}};
}

void judge(const Snapshot& snapshot, const std::string& first, const std::string& second, Answers& answers) {
  judge({first, env_of(snapshot, first).or_empty()}, {second, env_of(snapshot, second).or_empty()}, answers);
}

// The same for variables that lines of a text set.
void judge_shown(const Facts& facts, Answers& answers) {
  const auto shown = visibility::shown_settings(facts);
  const auto of = [&](const char* name) { return std::ranges::find(shown, name, &visibility::Setting::name); };
  const auto first = of("ROCR_VISIBLE_DEVICES");
  auto second = of("HIP_VISIBLE_DEVICES");
  if (second == shown.end()) second = of("CUDA_VISIBLE_DEVICES");  // HIP reads it as well
  if (first != shown.end() && second != shown.end() && !facts.used()) judge(*first, *second, answers);
}

// A program that uses a number beyond the variable's own list must count within the variable's list.
void judge_program(const Facts& facts, Answers& answers) {
  judge_shown(facts, answers);
  const Symptom* asked =
      facts.first({{missing, "gpu-index"}, {missing, "cuda-device-index"}, {missing, "tensorflow-device"}});
  const auto entries = entries_of(visibility::setting_of(facts, "CUDA_VISIBLE_DEVICES").value);
  const std::size_t gpus = visibility::listed_gpus(facts);
  // Where the variable itself goes beyond the list, that is the cause.
  const auto fits = [gpus](const std::string& entry) {
    const auto number = number_in(entry);
    return number && (gpus == 0 || *number < gpus);
  };
  // A list such as 0,1,2 leaves the numbers as they are.
  std::size_t in_order = 0;
  while (in_order < entries.size() && number_in(entries[in_order]) == in_order) ++in_order;
  if (in_order == entries.size()) return;
  // Ranks are numbered from 0 whatever the variable names, so there are more ranks than GPUs.
  if (facts.saw({{noted, "ranks"}})) return;
  if (asked && !entries.empty() && gpus != 1 && std::ranges::all_of(entries, fits))
    answers.found_in(*asked, Confidence::likely, "env:CUDA_VISIBLE_DEVICES");
}

void judge_environment(const Snapshot& snapshot, Answers& answers) {
  if (!snapshot.env.get()) return answers.unknown(why_unknown("/env", snapshot.env));
  const Flag amd = has_gpu(snapshot, Vendor::amd), nvidia = has_gpu(snapshot, Vendor::nvidia);
  if (amd.is(false) && nvidia.is(false)) return answers.not_applicable("no GPU that such variables could select");
  answers.passed();
  // The runtime's list takes precedence over the calculation.
  if (!amd.is(false) && !hip_device_seen(snapshot)) {
    // With a known NVIDIA GPU, CUDA's variable is more likely meant for that one.
    if (!env_of(snapshot, "HIP_VISIBLE_DEVICES").or_empty().empty())
      judge(snapshot, "ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", answers);
    else if (amd.is(true) || !nvidia.is(true))
      judge(snapshot, "ROCR_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", answers);
  }
  // A container numbers the GPUs that it was given anew.
  const std::string given = env_of(snapshot, "NVIDIA_VISIBLE_DEVICES").or_empty();
  if (!nvidia.is(false) && in_container(snapshot).is(true) && !cuda_device_seen(snapshot) && given != "all" &&
      given != "void" && given != "none")
    judge(snapshot, "NVIDIA_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES", answers);
  if (!nvidia.is(false) && !framework_version(snapshot, "jax").empty())
    judge(snapshot, "CUDA_VISIBLE_DEVICES", "JAX_CUDA_VISIBLE_DEVICES", answers);
}

Diagnosis diagnosis() {
  return {
      .id = "visibility.double-filter",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "Two variables filter the GPUs one after the other",
      .claim =
          "The second variable counts what the first one left, so together they leave other devices than either names, "
          "or none.",
      .proof = "The second variable's numbers lie beyond what the first one leaves.",
      .disproof = "Only one of the variables is set, or together they leave the wanted device.",
      .remedy = "Set only one of them.",
      .explains = {"usage.detected-unused", "usage.wrong-gpu", "visibility.invalid-ordinal"},
      .judge_host = judge_environment,
      .judge = judge_program,
  };
}

}  // namespace envdoctor::visibility_double_filter
