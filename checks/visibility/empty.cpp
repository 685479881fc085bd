// visibility.empty: a variable whose text selects nothing, whatever devices there are: "", -1, NoDevFiles.
#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/selection.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_empty {
namespace {

constexpr const char* id = "visibility.empty";

using Select = Selection (*)(std::string_view, const std::vector<Selectable>&);

// The first entry ends the list already, and not for want of devices.
bool hides_all(Select select, const std::string& value) {
  const Selection selection = select(value, {});
  return selection.cut_at == 0 &&
         (selection.cut == Cut::empty_entry || selection.cut == Cut::negative || selection.cut == Cut::word);
}

std::string shown(const std::string& value) { return value.empty() ? "set, and empty" : value; }

void tell(const Snapshot& snapshot, const std::string& name, const std::string& value, Vendor vendor,
          Answers& answers) {
  Finding& finding = answers.found(id, "env:" + name);
  const bool nvidia = vendor == Vendor::nvidia;
  const auto none = nvidia ? cuda_finds_none(snapshot) : std::nullopt;
  finding.explanation = name + (value.empty() ? " is set to the empty text" : " is \"" + value + "\"") +
                        ", which selects no GPU at all. No program started from here can use one.";
  finding.evidence = {evidence("/env/" + name, shown(value))};
  const Flag gpu = has_gpu(snapshot, vendor);
  finding.confidence = gpu.is(true) || none ? Confidence::certain : Confidence::likely;
  if (none) finding.evidence.push_back(*none);
  if (gpu.is(true)) finding.evidence.push_back(gpus_seen(snapshot, vendor));
  finding.fix = {
      {.text = "Unset the variable, or set it to the number or UUID of the GPU that is meant; look for it in shell "
               "profiles, job scripts and container settings.",
       .command = of(snapshot.host, &HostFacts::platform).is("windows") ? "" : "unset " + name}};
}

// 1: found; 0: looked at and harmless; -1: could not be looked at (answered).
int judge(const Snapshot& snapshot, const std::string& name, Select select, Vendor vendor, Answers& answers) {
  const Text variable = env_of(snapshot, name);
  if (variable.outcome() == Outcome::absent) return 0;
  if (!variable.get()) {
    answers.unknown(id, why_unknown("/env/" + name, variable));
    return -1;
  }
  // Windows has no empty variables: setting one to nothing removes it.
  if (variable.get()->empty() && of(snapshot.host, &HostFacts::platform).is("windows")) return 0;
  if (!hides_all(select, *variable.get())) return 0;
  tell(snapshot, name, *variable.get(), vendor, answers);
  return 1;
}

// A program's own word, or the first setting that a log shows, unless a device is used all the same.
void judge_shown(const Facts& facts, Answers& answers) {
  if (facts.used()) return;
  const auto& hidden = facts.all({SymptomClass::hidden, "gpu-by-visible-devices"});
  if (!hidden.empty()) {
    add_finding(answers, *hidden.front(), id, Confidence::certain, "env:" + hidden.front()->detail("name"));
    return;
  }
  for (const visibility::Setting& setting : visibility::shown_settings(facts)) {
    if (!visibility::hides_all(facts, setting)) continue;
    const bool confirmed = visibility::no_device_answered(facts);
    visibility::add_finding(answers, setting, id, confirmed ? Confidence::likely : Confidence::possible);
    return;
  }
}

void judge_environment(const Facts& facts, Answers& answers) {
  const Snapshot& snapshot = facts.snapshot();
  const Flag nvidia = has_gpu(snapshot, Vendor::nvidia), amd = has_gpu(snapshot, Vendor::amd);
  if (nvidia.is(false) && amd.is(false)) return answers.not_applicable(id, "no GPU that such a variable could hide");
  if (!snapshot.env.get()) return answers.unknown(id, why_unknown("/env", snapshot.env));
  int worst = 0;
  if (!cuda_device_seen(snapshot) && (nvidia.is(true) || (!nvidia.is(false) && !amd.is(true))))
    worst = judge(snapshot, "CUDA_VISIBLE_DEVICES", select_cuda, Vendor::nvidia, answers);
  if (!amd.is(false) && !hip_device_seen(snapshot)) {
    const Text hip = env_of(snapshot, "HIP_VISIBLE_DEVICES");
    const bool own = hip.get() && !hip.get()->empty();
    if (judge(snapshot, "ROCR_VISIBLE_DEVICES", select_rocr, Vendor::amd, answers) != 0) worst = 1;
    if (own && judge(snapshot, "HIP_VISIBLE_DEVICES", select_hip, Vendor::amd, answers) != 0) worst = 1;
    if (!own && amd.is(true) && !nvidia.is(true) &&
        judge(snapshot, "CUDA_VISIBLE_DEVICES", select_hip, Vendor::amd, answers) != 0)
      worst = 1;
  }
  if (worst == 0) answers.passed(id);
}

void judge(const Facts& facts, Answers& answers) {
  judge_environment(facts, answers);
  judge_shown(facts, answers);
}

}  // namespace

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
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_empty
