// visibility.empty: a variable whose text selects nothing, whatever devices there are: "", -1, NoDevFiles.
#include <re2/re2.h>

#include "checks/facts/selection.h"
#include "checks/visibility/settings.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor::visibility_empty {

using enum SymptomClass;

using Select = Selection (*)(std::string_view, const std::vector<Selectable>&);

// The first entry already ends the list, and not because devices are missing.
bool hides_all(Select select, const std::string& value) {
  const Selection selection = select(value, {});
  return selection.cut_at == 0 &&
         (selection.cut == Cut::empty_entry || selection.cut == Cut::negative || selection.cut == Cut::word);
}

void report_finding(const Snapshot& snapshot, const std::string& name, const std::string& value, Vendor vendor,
                    Answers& answers) {
  Finding& finding = answers.found_on("env:" + name);
  const auto none = vendor == Vendor::nvidia ? cuda_finds_none(snapshot) : std::nullopt;
  finding.explanation = fmt::format("{} is {}, which selects no GPU at all. No program started from here can use one.",
                                    name, value.empty() ? "set to the empty text" : "\"" + value + "\"");
  finding.evidence = {evidence("/env/" + name, value.empty() ? "set, and empty" : value)};
  const Flag gpu = has_gpu(snapshot, vendor);
  finding.confidence = gpu.is(true) || none ? Confidence::certain : Confidence::likely;
  if (none) finding.evidence.push_back(*none);
  if (gpu.is(true)) finding.evidence.push_back(gpus_seen(snapshot, vendor));
  finding.fix = {{.text = "Unset the variable, or set it to the number or UUID of the GPU that is meant; look for it "
                          "in shell profiles, job scripts and container settings.",
                  .command = of(snapshot.host, &HostFacts::platform).is("windows") ? "" : "unset " + name}};
}

void judge(const Snapshot& snapshot, const std::string& name, Select select, Vendor vendor, Answers& answers) {
  const Text variable = env_of(snapshot, name);
  const std::string& value = variable.or_empty();
  // Windows has no empty variables: setting one to nothing removes it.
  const bool removed = value.empty() && of(snapshot.host, &HostFacts::platform).is("windows");
  if (!variable.get() && variable.outcome() != Outcome::absent)
    answers.unknown(why_unknown("/env/" + name, variable));
  else if (variable.get() && !removed && hides_all(select, value))
    report_finding(snapshot, name, value, vendor, answers);
}

// "CUDA_VISIBLE_DEVICES= python reference.py": for this one command, which nothing says to have missed a GPU.
bool for_one_command(const Facts& facts, const visibility::Setting& setting) {
  static const LazyRegex form(
      R"(\b[A-Z]+_VISIBLE_DEVICES=(?:"[^"]*"|'[^']*'|[-\w]*) +(?:\w+=\S* +)*(?:(?:[\w./~-]*python|\./)[\d.]* ?\S|(?:py\.?test|ctest|Rscript|julia|time|mpirun|torchrun)\b))",
      RE2::Latin1);
  return !setting.in_program && !visibility::no_device_answered(facts) &&
         RE2::PartialMatch(setting.shown->text.or_empty(), form);
}

// A program's own statement, or the first setting that a log shows, unless a device is used anyway.
void judge_shown(const Facts& facts, Answers& answers) {
  if (facts.used()) return;
  if (const Symptom* line = facts.first({{hidden, "gpu-by-visible-devices"}})) {
    answers.found_in(*line, Confidence::certain, "env:" + line->detail("name"));
    return;
  }
  const auto settings = visibility::shown_settings(facts);
  const auto setting = std::ranges::find_if(
      settings, [&](const auto& one) { return visibility::hides_all(facts, one) && !for_one_command(facts, one); });
  if (setting != settings.end())
    visibility::found_in(answers, *setting,
                         visibility::no_device_answered(facts) ? Confidence::likely : Confidence::possible);
  // The value is a shell variable, which may be empty.
  const auto expanded = std::ranges::find_if(settings, [](const auto& one) { return one.value.starts_with("$"); });
  if (setting == settings.end() && expanded != settings.end() && visibility::no_device_answered(facts))
    visibility::found_in(answers, *expanded, Confidence::possible);
}

void judge_environment(const Snapshot& snapshot, Answers& answers) {
  const Flag nvidia = has_gpu(snapshot, Vendor::nvidia), amd = has_gpu(snapshot, Vendor::amd);
  if (nvidia.is(false) && amd.is(false)) return answers.not_applicable("no GPU that such a variable could hide");
  if (!snapshot.env.get()) return answers.unknown(why_unknown("/env", snapshot.env));
  answers.passed();
  if (!cuda_device_seen(snapshot) && (nvidia.is(true) || (!nvidia.is(false) && !amd.is(true))))
    judge(snapshot, "CUDA_VISIBLE_DEVICES", select_cuda, Vendor::nvidia, answers);
  if (amd.is(false) || hip_device_seen(snapshot)) return;
  judge(snapshot, "ROCR_VISIBLE_DEVICES", select_rocr, Vendor::amd, answers);
  if (!env_of(snapshot, "HIP_VISIBLE_DEVICES").or_empty().empty())
    judge(snapshot, "HIP_VISIBLE_DEVICES", select_hip, Vendor::amd, answers);
  else if (amd.is(true) && !nvidia.is(true))
    judge(snapshot, "CUDA_VISIBLE_DEVICES", select_hip, Vendor::amd, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "visibility.empty",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "An environment variable hides every GPU",
      .claim = "The variable is set to the empty text, -1 or another value that selects nothing.",
      .proof = "The variable's value selects nothing, and CUDA answers that it has no device.",
      .disproof = "The variable is not set, or CUDA lists a device with this value.",
      .remedy = "Unset the variable, or set it to the device that is meant.",
      .explains = {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable",
                   "usage.detected-unused", "visibility.framework-hidden"},
      .judge_host = judge_environment,
      .judge = judge_shown,
  };
}

}  // namespace envdoctor::visibility_empty
