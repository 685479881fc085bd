#include "checks/visibility/cut_list.h"

#include "checks/facts/visible.h"

namespace envdoctor::visibility {
namespace {

// A last entry that ends the list ("0,-1", "0,") hides nothing; one that comes first belongs to visibility.empty.
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

bool of_uuid(const Selection& selection) {
  return selection.cut == Cut::unknown_uuid || selection.cut == Cut::ambiguous_uuid;
}

// A variable and the list that it selects from.
struct Variable {
  std::string name{};
  std::string value{};
  bool nvidia = true;
};

void report_finding(const Snapshot& snapshot, const Variable& variable, const Basis& basis, const Selection& selection,
                    Answers& answers) {
  Finding& finding = answers.found_on("env:" + variable.name);
  const std::size_t count = basis.devices.size();
  finding.explanation = fmt::format(
      "{}: {}; this entry and all after it select nothing. {}{}", variable.name, describe_cut(selection),
      selection.cut == Cut::repeated && variable.nvidia ? "CUDA then treats the whole list as invalid. " : "",
      what_is_left(basis, selection));
  finding.evidence = {evidence("/env/" + variable.name, variable.value),
                      gpus_seen(snapshot, variable.nvidia ? Vendor::nvidia : Vendor::amd)};
  const std::string cuinit = of(snapshot.nvidia, &Nvidia::cuinit_error).or_empty();
  const bool confirmed = variable.nvidia && cuinit.find(cuda_error::no_device) != std::string::npos;
  if (confirmed) finding.evidence.push_back(evidence("/nvidia/cuinit_error", cuinit));
  // Repetitions and mixtures are cut by rules that were observed, not documented.
  const bool documented = selection.cut != Cut::repeated && selection.cut != Cut::other_kind;
  finding.confidence = documented || confirmed ? Confidence::certain : Confidence::likely;
  // A report's list of devices may be the result of the variable, not its input.
  if (!confirmed && from_report(snapshot)) finding.confidence = Confidence::possible;
  if (!selection.chosen.empty())
    finding.severity = selection.chosen.size() == count ? Severity::info : Severity::warning;
  if (of_uuid(selection))
    finding.fix = {{"Take the UUID from the driver's own list.", variable.nvidia ? "nvidia-smi -L" : ""}};
  else
    finding.fix = {{fmt::format("The numbers here go from 0 to {}.", count - 1), ""}};
}

// The number of GPUs is unknown, but the driver works and finds none: the device number is the likeliest reason.
bool report_from_answer(const Snapshot& snapshot, const std::string& value, bool uuids, Answers& answers) {
  const auto none = cuda_finds_none(snapshot);
  const auto entries = entries_of(value);
  if (!none || entries.empty() || !starts_as_number(entries.front()) || entries.front().front() == '-') return false;
  if (uuids) {
    answers.unknown("the GPUs' UUIDs are not known");
    return true;
  }
  Finding& finding = answers.found_on("env:CUDA_VISIBLE_DEVICES");
  finding.confidence = Confidence::possible;
  finding.explanation = "CUDA starts and finds no device while CUDA_VISIBLE_DEVICES asks for number " +
                        entries.front() + "; how many GPUs there are is not known.";
  finding.evidence = {evidence("/env/CUDA_VISIBLE_DEVICES", value), *none};
  finding.fix = {
      {.text = "Count the GPUs; the numbers go from 0 to their count less one.", .command = "nvidia-smi -L"}};
  return true;
}

// ROCr's own variable counts first; HIP selects by the others from what it leaves, which is all where it isn't set.
const char* amd_variable(const Snapshot& snapshot) {
  for (const char* name : {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "CUDA_VISIBLE_DEVICES"}) {
    if (env_of(snapshot, name).get()) return name;
  }
  return "ROCR_VISIBLE_DEVICES";
}

bool nameless(const Selectable& one) {
  return one.uuid.empty() || (one.mig && (one.instances.empty() || one.instances.front().empty()));
}

}  // namespace

void judge_cut(const Snapshot& snapshot, Answers& answers, bool uuids) {
  const Flag nvidia = has_gpu(snapshot, Vendor::nvidia);
  const bool amd = has_gpu(snapshot, Vendor::amd).is(true) && !nvidia.is(true);
  if (nvidia.is(false) && !amd) return answers.not_applicable("no GPU that such a variable could select");
  const std::string name = amd ? amd_variable(snapshot) : "CUDA_VISIBLE_DEVICES";
  const Text set = env_of(snapshot, name);
  if (set.outcome() == Outcome::absent) return answers.passed();
  if (!set.get()) return answers.unknown(why_unknown("/env/" + name, set));
  const Variable variable{name, *set.get(), !amd};
  const Basis basis = amd ? rocm_basis(snapshot) : cuda_basis(snapshot);
  const bool device_seen = (amd ? hip_device_seen(snapshot) : cuda_device_seen(snapshot)).has_value();
  if (basis.devices.empty()) {
    if (amd || device_seen || !report_from_answer(snapshot, variable.value, uuids, answers))
      answers.unknown(basis.unknown.empty() ? "no GPU is listed to choose from" : basis.unknown);
    return;
  }
  const auto select = !amd ? select_cuda : name.starts_with("ROCR") ? select_rocr : select_hip;
  const Selection selection = select(variable.value, basis.selectable);
  const std::size_t listed = amd ? of(snapshot.rocm, &Rocm::hip_devices).or_empty().size()
                                 : of(snapshot.nvidia, &Nvidia::cuda_devices).or_empty().size();
  // The runtime's own list takes precedence over rules computed here.
  const bool overruled = device_seen && listed != selection.chosen.size() && (listed > 0 || selection.chosen.empty());
  if (harmless(selection) || overruled) return answers.passed();
  if (of_uuid(selection) && std::ranges::any_of(basis.selectable, nameless))
    return answers.unknown(std::string(amd ? "/rocm/devices" : "/nvidia/devices") + ": not every UUID is known");
  if (of_uuid(selection) != uuids) return answers.passed();
  report_finding(snapshot, variable, basis, selection, answers);
}

}  // namespace envdoctor::visibility
