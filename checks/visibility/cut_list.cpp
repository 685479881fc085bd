#include "checks/visibility/cut_list.h"

#include "checks/facts/facts.h"
#include "checks/facts/presence.h"
#include "checks/facts/visible.h"
#include "knowledge/codes/constants.h"

namespace envdoctor::visibility {
namespace {

struct Wanted {
  const char* id;
  bool uuids;
};

// A last entry that ends the list ("0,-1", "0,") hides nothing; one that comes first is visibility.empty's.
bool harmless(const Selection& selection) {
  const bool end_mark = selection.cut == Cut::negative || selection.cut == Cut::empty_entry;
  const bool first = selection.cut_at == 0 && (end_mark || selection.cut == Cut::word);
  return selection.cut == Cut::none || first || (end_mark && selection.cut_at + 1 == selection.entries);
}

std::string what_is_left(const Basis& basis, const Selection& selection) {
  if (selection.chosen.empty()) return "No GPU is left.";
  std::string text = "What is left: ";
  for (std::size_t i = 0; i < selection.chosen.size(); ++i)
    text += (i ? ", " : "") + describe(i, basis.devices[selection.chosen[i].device]);
  return text + ".";
}

struct Variable {
  const char* name;
  const char* devices;  // where the devices that it chooses from stand
  bool nvidia;
};

void tell(const Snapshot& snapshot, const Variable& variable, const Basis& basis, const Selection& selection,
          const std::string& value, const Wanted& wanted, Answers& answers) {
  const bool by_uuid = selection.cut == Cut::unknown_uuid || selection.cut == Cut::ambiguous_uuid;
  if (by_uuid != wanted.uuids) return answers.passed(wanted.id);
  Finding& finding = answers.found(wanted.id, std::string("env:") + variable.name);
  const std::size_t count = basis.devices.size();
  finding.explanation =
      std::string(variable.name) + ": " + describe_cut(selection) + "; this entry and all after it select nothing. " +
      (selection.cut == Cut::repeated && variable.nvidia ? "CUDA then treats the whole list as invalid. " : "") +
      what_is_left(basis, selection);
  finding.evidence = {evidence(std::string("/env/") + variable.name, value),
                      gpus_seen(snapshot, variable.nvidia ? Vendor::nvidia : Vendor::amd)};
  const Text cuinit = of(snapshot.nvidia, &Nvidia::cuinit_error);
  const bool confirmed =
      variable.nvidia && cuinit.get() && cuinit.get()->find(cuda_error::no_device) != std::string::npos;
  if (confirmed) finding.evidence.push_back(evidence("/nvidia/cuinit_error", *cuinit.get()));
  // Repetitions and mixtures are cut by rules that were observed, not documented.
  const bool documented = selection.cut != Cut::repeated && selection.cut != Cut::other_kind;
  finding.confidence = documented || confirmed ? Confidence::certain : Confidence::likely;
  // A report's list of devices may be what the variable left, and not what it chose from.
  if (!confirmed && told_by_a_report(snapshot)) finding.confidence = Confidence::possible;
  if (!selection.chosen.empty())
    finding.severity = selection.chosen.size() == count ? Severity::info : Severity::warning;
  std::string hint = by_uuid ? "Take the UUID from the driver's own list."
                             : "The numbers here go from 0 to " + std::to_string(count - 1) + ".";
  finding.fix = {{.text = hint, .command = by_uuid && variable.nvidia ? "nvidia-smi -L" : ""}};
}

// Nobody counted the GPUs, yet the driver is there and finds none: the number is the likeliest reason.
bool tell_by_answer(const Snapshot& snapshot, const std::string& value, const Wanted& wanted, Answers& answers) {
  const auto none = cuda_finds_none(snapshot);
  const auto entries = entries_of(value);
  if (!none || entries.empty()) return false;
  if (!starts_as_number(entries.front()) || entries.front().front() == '-') return false;
  if (wanted.uuids) {
    answers.unknown(wanted.id, "the GPUs' UUIDs are not known");
    return true;
  }
  Finding& finding = answers.found(wanted.id, "env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::possible;
  finding.explanation = "CUDA starts and finds no device while CUDA_VISIBLE_DEVICES asks for number " +
                        entries.front() + "; how many GPUs there are is not known.";
  finding.evidence = {evidence("/env/CUDA_VISIBLE_DEVICES", value), *none};
  finding.fix = {
      {.text = "Count the GPUs; the numbers go from 0 to their count less one.", .command = "nvidia-smi -L"}};
  return true;
}

void judge_selection(const Snapshot& snapshot, const Variable& variable, const Basis& basis, const Selection& selection,
                     const std::string& value, bool device_seen, std::size_t listed, const Wanted& wanted,
                     Answers& answers) {
  if (harmless(selection)) return answers.passed(wanted.id);
  // The runtime's own list stands above any rule worked out here.
  if (device_seen && listed != selection.chosen.size() && (listed > 0 || selection.chosen.empty()))
    return answers.passed(wanted.id);
  const bool by_uuid = selection.cut == Cut::unknown_uuid || selection.cut == Cut::ambiguous_uuid;
  for (const Selectable& one : basis.selectable) {
    const bool nameless = one.uuid.empty() || (one.mig && (one.instances.empty() || one.instances.front().empty()));
    if (by_uuid && nameless)
      return answers.unknown(wanted.id, std::string(variable.devices) + ": not every UUID is known");
  }
  tell(snapshot, variable, basis, selection, value, wanted, answers);
}

}  // namespace

void judge_cut(const Snapshot& snapshot, Answers& answers, const char* id, bool uuids) {
  const Wanted wanted{id, uuids};
  const bool amd = has_gpu(snapshot, Vendor::amd).is(true) && !has_gpu(snapshot, Vendor::nvidia).is(true);
  if (has_gpu(snapshot, Vendor::nvidia).is(false) && !amd)
    return answers.not_applicable(wanted.id, "no GPU that such a variable could select");
  const Variable variable = amd ? Variable{"ROCR_VISIBLE_DEVICES", "/rocm/devices", false}
                                : Variable{"CUDA_VISIBLE_DEVICES", "/nvidia/devices", true};
  const Text value = env_of(snapshot, variable.name);
  if (value.outcome() == Outcome::absent) return answers.passed(wanted.id);
  if (!value.get()) return answers.unknown(wanted.id, why_unknown(std::string("/env/") + variable.name, value));
  const Basis basis = amd ? rocm_basis(snapshot) : cuda_basis(snapshot);
  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  const auto hip = of(snapshot.rocm, &Rocm::hip_devices);
  const bool device_seen = amd ? hip_device_seen(snapshot).has_value() : cuda_device_seen(snapshot).has_value();
  if (basis.devices.empty()) {
    if (!amd && !device_seen && tell_by_answer(snapshot, *value.get(), wanted, answers)) return;
    return answers.unknown(wanted.id, basis.unknown.empty() ? "no GPU is listed to choose from" : basis.unknown);
  }
  const Selection selection =
      amd ? select_rocr(*value.get(), basis.selectable) : select_cuda(*value.get(), basis.selectable);
  const std::size_t listed = amd ? (hip.get() ? hip.get()->size() : 0) : (cuda.get() ? cuda.get()->size() : 0);
  judge_selection(snapshot, variable, basis, selection, *value.get(), device_seen, listed, wanted, answers);
}

}  // namespace envdoctor::visibility
