// visibility.mig-single-instance: several MIG instances are named or given, but CUDA uses only one.
#include "checks/engine/rule.h"
#include "checks/facts/selection.h"
#include "checks/facts/visible.h"

namespace envdoctor::visibility_mig_single_instance {

using enum SymptomClass;

std::size_t instances_given(const std::vector<NvidiaDevice>& devices) {
  std::size_t count = 0;
  for (const NvidiaDevice& device : devices) count += device.mig.is(true) ? device.mig_devices.or_empty().size() : 0;
  return count;
}

// The text mentions instances, and a program that sees one device.
void judge_complaint(const Facts& facts, Answers& answers) {
  const Symptom* one = facts.first({{noted, "only-one-used"}});
  const Symptom* instances = facts.first({{noted, "mig-instances"}});
  if (!one || !instances || !answers.findings.empty()) return;
  Finding& finding = answers.found_in(*one, Confidence::possible);
  finding.severity = Severity::warning;
  finding.evidence.push_back(evidence(*instances));
}

// A program that requests a second instance, such as a rank of a job, finds none.
void judge_program(const Facts& facts, Answers& answers) {
  const Symptom* asked = facts.first({{missing, "supported-device"},
                                      {missing, "cuda-device-index"},
                                      {missing, "gpu-index"},
                                      {ignored, "visible-devices"}});
  if (asked && std::ranges::any_of(of(facts.snapshot().nvidia, &Nvidia::devices).or_empty(),
                                   [](const NvidiaDevice& d) { return d.mig.is(true); }))
    answers.found_in(*asked, Confidence::likely).severity = Severity::error;
  judge_complaint(facts, answers);
  // An instance's name in the very text of a program that asks for a second device.
  const Symptom* named = facts.first({{noted, "mig-instance-name"}});
  const Symptom* listed = facts.with({noted, "visible-devices"}, "value", "MIG-");
  const bool several = listed && listed->detail("value").find(",MIG-") != std::string::npos;
  if (several && of(facts.snapshot().torch, &Torch::device_count).is(1))
    answers.found_in(*listed, Confidence::likely).severity = Severity::warning;
  if (!answers.findings.empty() || !named || !asked) return;
  answers.found_in(*asked, Confidence::possible).severity = Severity::error;
}

// There are GPUs besides the one in MIG mode, but CUDA still counts one device.
void judge_mixed(const Snapshot& snapshot, const std::vector<NvidiaDevice>& devices, Answers& answers) {
  const auto split = std::ranges::find_if(devices, [](const NvidiaDevice& d) { return d.mig.is(true); });
  if (!from_report(snapshot) || devices.size() < 2 || split == devices.end() ||
      !of(snapshot.torch, &Torch::device_count).is(1) || instances_given(devices) > 1 ||
      env_of(snapshot, "CUDA_VISIBLE_DEVICES").get())
    return;
  Finding& finding = answers.found();
  finding.severity = Severity::warning;
  finding.confidence = Confidence::possible;
  finding.explanation = fmt::format(
      "{} GPUs are here, one of them in MIG mode, and a CUDA program counts one device: beside a GPU that is split it "
      "sees a single instance.",
      devices.size());
  finding.evidence = {
      evidence("/torch/device_count", "1"),
      evidence(at("/nvidia/devices", static_cast<std::size_t>(split - devices.begin()), "mig"), "true")};
  finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
}

std::size_t names_instances(const std::string& list) {
  const auto entries = entries_of(list);
  return static_cast<std::size_t>(
      std::ranges::count_if(entries, [](std::string_view entry) { return entry.starts_with("MIG-"); }));
}

void judge_instances(const Snapshot& snapshot, Answers& answers) {
  const auto devices = of(snapshot.nvidia, &Nvidia::devices);
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  if (!devices.get()) return answers.unknown(why_unknown("/nvidia/devices", devices));
  const std::size_t given = instances_given(*devices.get());
  judge_mixed(snapshot, *devices.get(), answers);
  const Text variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (given < 2 && names_instances(variable.or_empty()) > 1 && of(snapshot.torch, &Torch::device_count).is(1)) {
    Finding& finding = answers.found_on("env:CUDA_VISIBLE_DEVICES");
    finding.severity = Severity::warning;
    finding.confidence = Confidence::likely;
    finding.explanation = "The variable names several MIG instances, and a CUDA program uses only the first of them.";
    finding.evidence = {evidence("/env/CUDA_VISIBLE_DEVICES", *variable.get()), evidence("/torch/device_count", "1")};
    finding.fix = {{.text = find_diagnosis(answers.id)->remedy}};
    return;
  }
  if (given < 2) return answers.not_applicable("fewer than two MIG instances are here");
  std::size_t named = given;
  if (variable.get()) named = select_cuda(*variable.get(), cuda_basis(snapshot).selectable).instances;
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  const bool counted = from_report(snapshot) && of(snapshot.torch, &Torch::device_count).is(1);
  if (named < 2 || (cuda.get() && cuda.get()->size() > 1)) return answers.passed();
  if (!counted && !variable.get() && variable.outcome() != Outcome::absent)
    return answers.unknown(why_unknown("/env/CUDA_VISIBLE_DEVICES", variable));

  Finding& finding = answers.found();
  finding.confidence = cuda.get() ? Confidence::certain : Confidence::likely;
  if (counted) {
    finding.severity = Severity::warning;
    finding.evidence.push_back(evidence("/torch/device_count", "1"));
  }
  finding.explanation = std::to_string(named) + " MIG instances are " + (variable.get() ? "named" : "here") +
                        ", and a CUDA program uses only the first of them: its device count is 1.";
  finding.evidence.push_back(evidence("/nvidia/devices", std::to_string(given) + " MIG instances"));
  if (variable.get()) finding.evidence.push_back(evidence("/env/CUDA_VISIBLE_DEVICES", *variable.get()));
  if (cuda.get())
    finding.evidence.push_back(evidence("/nvidia/cuda_devices", std::to_string(cuda.get()->size()) + " device"));
  finding.fix = {
      {.text = "Start one process for each instance, each with the instance's UUID in CUDA_VISIBLE_DEVICES."}};
}

Diagnosis diagnosis() {
  return {
      .id = "visibility.mig-single-instance",
      .layer = Layer::visibility,
      .severity = Severity::info,
      .title = "With MIG a CUDA program sees one instance only",
      .claim = "CUDA lets a process use a single MIG instance, however many are named or exist.",
      .proof = "MIG is on, several instances are named or given, and CUDA counts one device.",
      .disproof = "The process lists more than one MIG device.",
      .remedy = "Start one process per instance, each with its own CUDA_VISIBLE_DEVICES.",
      .explains = {"driver.unreachable", "visibility.invalid-ordinal", "visibility.set-too-late"},
      .judge_host = judge_instances,
      .judge = judge_program,
  };
}

}  // namespace envdoctor::visibility_mig_single_instance
