// visibility.invalid-uuid: the visibility variable names a UUID that is not the beginning of exactly one device's.
#include "checks/engine/rule.h"
#include "checks/visibility/cut_list.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_invalid_uuid {

using enum SymptomClass;

// Whether the first entry of a list is a UUID that begins none of these devices'. Reports keep eight digits of each.
bool names_none(const std::string& value, const std::vector<NvidiaDevice>& devices) {
  constexpr std::size_t kept = sizeof("GPU-12345678") - 1;
  const std::string first = value.substr(0, value.find(',')).substr(0, kept);
  return std::ranges::none_of(
      devices, [&](const NvidiaDevice& device) { return device.uuid.get() && device.uuid.get()->starts_with(first); });
}

// A setting that a text shows, where the GPUs are listed or none was found.
void judge_shown(const Facts& facts, Answers& answers) {
  if (facts.used() || !visibility::no_device_answered(facts)) return;
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  for (const visibility::Setting& setting : visibility::shown_settings(facts)) {
    if (!setting.name.starts_with("CUDA") || !setting.value.starts_with("GPU-") || !names_none(setting.value, devices))
      continue;
    const bool listed = std::ranges::any_of(devices, [](const NvidiaDevice& one) { return one.uuid.get() != nullptr; });
    visibility::found_in(answers, setting, listed ? Confidence::likely : Confidence::possible);
    return;
  }
}

// "MIG-GPU-0:0" where every instance that is listed has another name. Reports keep the first digits of each.
void judge_instance(const Facts& facts, Answers& answers) {
  const auto listed = facts.all({noted, "mig-instance-name"});
  if (listed.empty() || !visibility::no_device_answered(facts)) return;
  for (const visibility::Setting& setting : visibility::shown_settings(facts)) {
    const std::string first = setting.value.substr(0, setting.value.find(','));
    const bool known = std::ranges::any_of(
        listed, [&](const Symptom* one) { return one->text.or_empty().find(first) != std::string::npos; });
    if (!setting.name.starts_with("CUDA") || !first.starts_with("MIG-") || known) continue;
    visibility::found_in(answers, setting, Confidence::likely);
    return;
  }
}

// A program that takes each entry for a number.
void judge_number(const Facts& facts, Answers& answers) {
  const Symptom* line = facts.first({{unsupported, "uuid-as-device"}});
  if (!line) return;
  // Where the tools list UUIDs, the machine is set up rightly and only the program refuses them.
  const bool listed = facts.saw({{noted, "mig-instance-name"}}) ||
                      std::ranges::any_of(of(facts.snapshot().nvidia, &Nvidia::devices).or_empty(),
                                          [](const NvidiaDevice& device) { return device.uuid.get() != nullptr; });
  Finding& finding = answers.found_in(*line, listed ? Confidence::possible : Confidence::likely);
  finding.title = "The program takes no UUIDs in the visibility variable";
  finding.explanation = "CUDA takes numbers and UUIDs; this program reads each entry as a number.";
  finding.fix = {{.text =
                      "Name the GPU by its number. A MIG slice has none: give it to a container as its only device, "
                      "or leave it to a release of the program that takes UUIDs."}};
}

void judge(const Facts& facts, Answers& answers) {
  judge_number(facts, answers);
  judge_shown(facts, answers);
  judge_instance(facts, answers);
}

Diagnosis diagnosis() {
  using enum Confidence;
  return {
      .id = "visibility.invalid-uuid",
      .layer = Layer::visibility,
      .severity = Severity::error,
      .title = "A UUID in the visibility variable fits no GPU",
      .claim = "No GPU, or more than one, has a UUID that begins like this; the list is cut there.",
      .proof = "The variable names a UUID that begins no device's.",
      .disproof = "The UUID is that of exactly one GPU of this host.",
      .remedy = "Take the UUID from nvidia-smi -L.",
      .explains = {"opencl.icd-no-device", "opencl.cpu-only", "driver.init-failed", "driver.unreachable",
                   "usage.detected-unused"},
      .symptoms =
          {
              {{missing, "container-device"}, likely, nullptr, "device", "GPU-"},
              {{missing, "container-device"}, likely, nullptr, "device", "MIG-"},
              {{missing, "gpu-uuid"}, likely},
          },
      .judge_host = [](const Snapshot& snapshot, Answers& answers) { visibility::judge_cut(snapshot, answers, true); },
      .judge = judge,
  };
}

}  // namespace envdoctor::visibility_invalid_uuid
