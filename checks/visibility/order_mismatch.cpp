// visibility.order-mismatch: different GPUs, CUDA numbers them in another order than nvidia-smi, and a number is used.
#include <functional>

#include "checks/engine/rule.h"
#include "checks/facts/visible.h"
#include "checks/visibility/settings.h"

namespace envdoctor::visibility_order_mismatch {

using enum SymptomClass;

bool by_number(const Text& variable) {
  const auto entries = entries_of(variable.or_empty());
  return !entries.empty() && starts_as_number(entries.front()) && entries.front().front() != '-';
}

void report_finding(const Text& variable, const VisibleDevice& meant, const VisibleDevice& got, std::size_t number,
                    bool guessed, Answers& answers) {
  Finding& finding = answers.found_on(variable.get() ? "env:CUDA_VISIBLE_DEVICES" : "host");
  finding.confidence = guessed ? Confidence::possible : Confidence::certain;
  const std::string n = std::to_string(number);
  finding.explanation = "nvidia-smi's GPU " + n + " is " + meant.name + " (" + describe(meant) + "), CUDA's " + n +
                        (guessed ? " may well be " : " is ") + got.name + " (" + describe(got) +
                        "). Without CUDA_DEVICE_ORDER=PCI_BUS_ID, CUDA puts the fastest GPU first.";
  finding.evidence = {evidence("/nvidia/devices", n + ": " + meant.name)};
  if (!guessed) finding.evidence.push_back(evidence("/nvidia/cuda_devices", got.name));
  finding.evidence.push_back(evidence("/env", "CUDA_DEVICE_ORDER is not PCI_BUS_ID"));
  if (variable.get()) finding.evidence.push_back(evidence("/env/CUDA_VISIBLE_DEVICES", *variable.get()));
  finding.fix = {{.text = "Let CUDA number the GPUs as nvidia-smi does, or name them by UUID.",
                  .command = "export CUDA_DEVICE_ORDER=PCI_BUS_ID"}};
}

// The GPU that each entry names in nvidia-smi's order, compared with the one that CUDA selects.
void compare(const Text& variable, const std::vector<VisibleDevice>& nvml, const std::vector<VisibleDevice>& cuda,
             bool guessed, Answers& answers) {
  std::vector<Selectable> selectable;
  for (const VisibleDevice& device : nvml) selectable.push_back({.uuid = device.uuid});
  const Selection meant = variable.get() ? select_cuda(*variable.get(), selectable) : select_cuda_default(selectable);
  for (std::size_t i = 0; i < meant.chosen.size() && i < cuda.size(); ++i) {
    const VisibleDevice& expected = nvml[meant.chosen[i].device];
    const bool comparable =
        (!expected.uuid.empty() && !cuda[i].uuid.empty()) || (!expected.address.empty() && !cuda[i].address.empty());
    // Two cards of one model: the order differs, but both GPUs are equal.
    if (!comparable || same_device(expected, cuda[i]) || expected.name == cuda[i].name) continue;
    return report_finding(variable, expected, cuda[i], meant.chosen[i].device, guessed, answers);
  }
  if (guessed) return answers.unknown("the GPUs differ, and CUDA was not asked for its order");
  answers.passed();
}

std::string bare_name(const std::string& name) { return name.starts_with("NVIDIA ") ? name.substr(7) : name; }

// nvidia-smi cuts a name that is too long for its table: "Tesla V100-PCIE...".
bool is_name(const NvidiaDevice& device, const std::string& name) {
  const std::string listed = bare_name(device.name.or_empty());
  const std::size_t dots = listed.ends_with("...") ? listed.size() - 3 : listed.npos;
  return listed == name || (dots != listed.npos && dots > 4 && name.starts_with(listed.substr(0, dots)));
}

// The variable is set for every command of the text, not for one that shows what it changes, and before this line.
bool orders_by_bus(const Facts& facts, const Symptom& line) {
  const auto& sources = facts.snapshot().sources.or_empty();
  const auto set = sources.find("/env/CUDA_DEVICE_ORDER");
  const bool later =
      set != sources.end() && line.source == set->second.source && set->second.line.or_empty() > line.line.or_empty();
  return env_of(facts, "CUDA_DEVICE_ORDER").get() && !later &&
         !facts.with({noted, "variable-of-one-command"}, "name", "CUDA_DEVICE_ORDER");
}

// The number that a command set before this line selects; nullopt: none, or not by a single number.
std::optional<std::size_t> number_selected_before(const Facts& facts, std::int64_t line) {
  const Symptom* last = nullptr;
  for (const Symptom* set : facts.all({noted, "visible-devices"})) {
    if (set->detail("name") == "CUDA_VISIBLE_DEVICES" && set->line.or_empty() < line) last = set;
  }
  const std::string value = last ? last->detail("value") : "";
  const bool number = !value.empty() && value.size() < 3 && value.find_first_not_of("0123456789") == value.npos;
  return number ? std::optional(std::strtoull(value.c_str(), nullptr, 10)) : std::nullopt;
}

// A program prints another name for this number than nvidia-smi, which lists that name elsewhere.
bool report_other_name(const Facts& facts, const Symptom& line, std::size_t number,
                       const std::function<bool(const NvidiaDevice&)>& is_named, Answers& answers) {
  const auto& devices = of(facts.snapshot().nvidia, &Nvidia::devices).or_empty();
  if (number >= devices.size() || !devices[number].name.get() || is_named(devices[number]) ||
      std::ranges::none_of(devices, is_named))
    return false;
  Finding& finding = answers.found_in(line, Confidence::likely);
  finding.evidence.push_back(evidence(at("/nvidia/devices", number, "name"), *devices[number].name.get()));
  return true;
}

// A command selects one GPU by its number, and the program behind it prints another one's name.
void judge_selected_names(const Facts& facts, Answers& answers) {
  for (const Kind& kind : {Kind{used, "gpu"}, Kind{noted, "program-device"}}) {
    for (const Symptom* symptom : facts.all(kind)) {
      if (orders_by_bus(facts, *symptom)) continue;
      const auto number = number_selected_before(facts, symptom->line.or_empty());
      const std::string name = bare_name(symptom->detail("name"));
      // A program may cut the name: "TITAN X" of "TITAN X (Pascal)".
      const auto begins_so = [&](const NvidiaDevice& d) { return bare_name(d.name.or_empty()).starts_with(name); };
      if (number && !name.empty() && report_other_name(facts, *symptom, *number, begins_so, answers)) return;
    }
  }
}

// The number among all GPUs of the one that a program calls `ordinal`, by the list that makes GPUs visible to it;
// nullopt: unknown.
std::optional<std::size_t> number_of_visible(const Facts& facts, std::size_t ordinal) {
  const visibility::Setting setting = visibility::setting_of(facts, "CUDA_VISIBLE_DEVICES");
  if (setting.name.empty()) return ordinal;
  if (setting.name != "CUDA_VISIBLE_DEVICES" || visibility::shown_settings(facts).size() > 1) return std::nullopt;
  const auto entries = entries_of(setting.value);
  const bool number = ordinal < entries.size() && !entries[ordinal].empty() && entries[ordinal].size() < 3 &&
                      entries[ordinal].find_first_not_of("0123456789") == std::string::npos;
  return number ? std::optional(std::strtoull(std::string(entries[ordinal]).c_str(), nullptr, 10)) : std::nullopt;
}

// nvidia-smi numbers by PCI bus; CUDA puts the fastest first. The same number with another name shows it.
void judge_printed_names(const Facts& facts, Answers& answers) {
  for (const Kind& kind : {Kind{noted, "program-device"}, Kind{used, "gpu"}, Kind{present, "gpu"}}) {
    for (const Symptom* symptom : facts.all(kind)) {
      const std::string name = bare_name(symptom->detail("name")), number = symptom->detail("ordinal");
      const auto is_named = [&](const NvidiaDevice& device) { return is_name(device, name); };
      if (name.empty() || number.empty() || orders_by_bus(facts, *symptom)) continue;
      const auto of_all = number_of_visible(facts, std::strtoull(number.c_str(), nullptr, 10));
      if (of_all && report_other_name(facts, *symptom, *of_all, is_named, answers)) return;
    }
  }
}

void judge_lists(const Snapshot& snapshot, Answers& answers) {
  if (has_gpu(snapshot, Vendor::nvidia).is(false)) return answers.not_applicable("no NVIDIA GPU");
  const auto nvml = of(snapshot.nvidia, &Nvidia::devices);
  if (!nvml.get()) return answers.unknown(why_unknown("/nvidia/devices", nvml));
  const auto listed = nvml_list(*nvml.get());
  const bool mixed = std::ranges::any_of(listed, [&](const VisibleDevice& d) { return d.name != listed.front().name; });
  if (!mixed) return answers.not_applicable("the GPUs are all of one kind");
  const Text order = env_of(snapshot, "CUDA_DEVICE_ORDER"), variable = env_of(snapshot, "CUDA_VISIBLE_DEVICES");
  if (order.is("PCI_BUS_ID")) return answers.passed();
  if (order.outcome() != Outcome::absent && !order.get())
    return answers.unknown(why_unknown("/env/CUDA_DEVICE_ORDER", order));
  if (variable.get() && !by_number(variable)) return answers.passed();  // UUIDs name the GPU whatever the order

  const auto cuda = of(snapshot.nvidia, &Nvidia::cuda_devices);
  if (cuda.get()) return compare(variable, listed, cuda_list(*cuda.get()), false, answers);
  // A guess is reported only where a single GPU was selected by number.
  if (!variable.get()) return answers.unknown(why_unknown("/nvidia/cuda_devices", cuda));
  compare(variable, listed, visible_to_cuda(snapshot).devices, true, answers);
}

Diagnosis diagnosis() {
  return {
      .id = "visibility.order-mismatch",
      .layer = Layer::visibility,
      .severity = Severity::warning,
      .title = "CUDA numbers the GPUs in another order than nvidia-smi",
      .claim =
          "By default CUDA puts the fastest GPU first, nvidia-smi goes by bus address, and here the two "
          "differ.",
      .proof = "The same number has another name in CUDA's list than in nvidia-smi's.",
      .disproof = "Both orders are equal, or CUDA_DEVICE_ORDER is PCI_BUS_ID.",
      .remedy = "Set CUDA_DEVICE_ORDER=PCI_BUS_ID, or select GPUs by UUID.",
      .explains = {"usage.wrong-gpu", "memory.out-of-memory"},
      .symptoms = {helped_by("bus-order")},
      .judge_host = judge_lists,
      .judge =
          [](const Facts& facts, Answers& answers) {
            judge_selected_names(facts, answers);
            judge_printed_names(facts, answers);
          },
  };
}

}  // namespace envdoctor::visibility_order_mismatch
