#include "checks/script/script_facts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "checks/facts/facts.h"
#include "checks/facts/selection.h"
#include "knowledge/gpus/drivers.h"

namespace envdoctor {
namespace {

constexpr std::string_view prefix = "script-";

struct Started {
  const ScriptEvent* by_import = nullptr;
  const ScriptEvent* driver = nullptr;  // the first event that surely started it
  const ScriptEvent* devices = nullptr;
};

// "tensorflow.keras" -> "tensorflow"; Keras is also imported by tensorflow.keras.
bool imports(const ScriptEvent& event, const std::string& framework) {
  const std::string root = event.name.substr(0, event.name.find('.'));
  return root == framework || (framework == "keras" && event.name.starts_with("tensorflow.keras"));
}

void note(std::map<std::string, Started>& started, const ScriptEvent& event) {
  if (!event.sure) return;
  if (event.kind == "import") {
    for (const char* framework : {"tensorflow", "keras", "torch", "jax"}) {
      Started& one = started[framework];
      if (imports(event, framework) && !one.by_import) one.by_import = &event;
    }
  }
  const auto starts = knowledge::started_by(event.name);
  if (event.kind != "call" || starts.framework.empty()) return;
  Started& one = started[starts.framework];
  if (!one.driver) one.driver = &event;
  if (starts.what == "devices" && !one.devices) one.devices = &event;
}

}  // namespace

Flag script_read(const Snapshot& snapshot) {
  if (!symptoms_of(snapshot, {SymptomClass::present, "script"}).empty()) return true;
  if (const auto events = symptoms_of(snapshot, {SymptomClass::failed, "script-reading"}); !events.empty())
    return failed("the script can't be read: " + events.front()->detail("why"));
  return absent("no script was given");
}

std::vector<ScriptEvent> script_events(const Snapshot& snapshot) {
  std::vector<ScriptEvent> all;
  for (const Symptom& event : snapshot.log.or_empty()) {
    const std::string& subject = event.subject.or_empty();
    if (!event.class_.is("noted") || !subject.starts_with(prefix)) continue;
    all.push_back({.event = &event,
                   .kind = subject.substr(prefix.size()),
                   .name = event.detail("name"),
                   .value = event.detail("value"),
                   .inside = event.detail("inside"),
                   .has_value = event.details.contains("value"),
                   .sure = event.detail("sure") == "yes"});
  }
  return all;
}

Text version_for_script(const Snapshot& snapshot, std::string_view framework) {
  return framework == "tensorflow" ? of(snapshot.tensorflow, &Tensorflow::version)
         : framework == "torch"    ? of(snapshot.torch, &Torch::version)
         : framework == "jax"      ? of(snapshot.jax, &Jax::version)
         : framework == "keras"    ? of(snapshot.keras, &Keras::version)
                                   : Text{};
}

Finding& found_in_script(Answers& answers, const ScriptEvent& event, std::string explanation, std::string instead) {
  const Symptom& symptom = *event.event;
  const std::string cell = symptom.detail("cell");
  Finding& finding = answers.found_on(fmt::format("script:{}:{}{}", symptom.source.value_or("script"),
                                                  cell.empty() ? "" : "cell " + cell + ":", symptom.line.or_empty()));
  finding.confidence = event.sure ? Confidence::certain : Confidence::likely;
  finding.explanation = place_of(symptom) + ": " + std::move(explanation);
  finding.explanation[0] = static_cast<char>(std::toupper(finding.explanation[0]));
  std::string written = event.name;
  if (event.has_value) written += event.kind == "call" ? "(" + event.value + ")" : " = '" + event.value + "'";
  finding.evidence.push_back(evidence(*event.event, written));
  finding.fix.push_back({.text = std::move(instead)});
  return finding;
}

void judge_script(const Facts& facts, Answers& answers,
                  const std::function<void(const std::vector<ScriptEvent>&)>& look) {
  const Flag read = script_read(facts.snapshot());
  if (read.outcome() == Outcome::absent) return answers.not_applicable(read.why());
  if (read.outcome() == Outcome::failed) return answers.unknown(read.why());
  std::vector<std::vector<ScriptEvent>> scripts;  // each runs by itself
  for (const ScriptEvent& event : script_events(facts.snapshot())) {
    if (scripts.empty() || scripts.back().front().event->source != event.event->source) scripts.emplace_back();
    scripts.back().push_back(event);
  }
  std::ranges::for_each(scripts, look);
  answers.passed();
}

void judge_events(const Facts& facts, Answers& answers, const std::function<void(const ScriptEvent&)>& look) {
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) { std::ranges::for_each(events, look); });
}

std::string place_of(const Symptom& event) {
  const std::string cell = event.detail("cell");
  return fmt::format("{}line {}", cell.empty() ? "" : "cell " + cell + ", ", event.line.or_empty());
}

void judge_calls(const Facts& facts, Answers& answers) {
  judge_events(facts, answers, [&](const ScriptEvent& event) {
    if (event.kind != "call") return;
    for (const knowledge::ScriptCall& row : knowledge::script_calls()) {
      if (row.id != answers.id || row.call != event.name || event.value.find(row.argument) == std::string::npos)
        continue;
      const Text version = version_for_script(facts.snapshot(), row.framework);
      if (!row.from.empty() && version.get() && knowledge::compare_versions(*version.get(), row.from) < 0) continue;
      const std::string where = version.get()
                                    ? " (" + row.framework + " " + *version.get() + ")"
                                    : std::string(" (" + row.framework + " " +
                                                  (row.from.empty() ? "of any version" : row.from + " and newer") +
                                                  "; which is installed is not known)");
      Finding& finding = found_in_script(answers, event, row.call + " " + row.says + where + ".", row.instead);
      if (row.label == "raises") finding.severity = Severity::error;
      if (row.label == "works") finding.severity = Severity::info;
      if (!version.get() && !row.from.empty()) {
        finding.confidence = Confidence::likely;
        finding.severity = std::min(finding.severity, Severity::warning);
      }
    }
  });
}

bool chooses_cuda_devices(const ScriptEvent& event) {
  return event.kind == "set-variable" && event.name == "CUDA_VISIBLE_DEVICES";
}

std::set<std::size_t> gpu_numbers(const ScriptEvent& event) {
  std::set<std::size_t> numbers;
  // "1" and "'/GPU:3'", in any letters.
  static const RE2 number_first("^([0-9]+)"), number_behind_kind("(?i)(?:gpu|cuda):([0-9]+)");
  const auto note = [&](const std::string& text, const RE2& form) {
    std::size_t number = 0;
    if (RE2::PartialMatch(text, form, &number)) numbers.insert(number);
  };
  const bool bare = event.name == "torch.cuda.set_device" || event.name == ".cuda";
  if (chooses_cuda_devices(event)) {
    for (const std::string& entry : entries_of(event.value)) note(entry, number_first);
  } else if (event.kind == "call") {
    note(event.value, number_behind_kind);
    if (bare) note(event.value, number_first);
  } else if (event.kind == "placed-call") {
    note(event.inside, number_behind_kind);
  }
  return numbers;
}

std::vector<LateEvent> late_events(const std::vector<ScriptEvent>& events) {
  std::vector<LateEvent> late;
  std::map<std::string, Started> started;
  for (const ScriptEvent& event : events) {
    for (const knowledge::ReadVariable& row : knowledge::read_variables()) {
      if (event.kind != "set-variable" || row.name != event.name) continue;
      const Started& one = started[row.framework];
      const ScriptEvent* reader = row.read == "import"   ? one.by_import
                                  : row.read == "driver" ? one.driver
                                                         : one.devices;
      if (!reader) continue;
      late.push_back({.event = &event, .after = reader, .variable = &row});
      break;  // once, whichever framework it was
    }
    const knowledge::EarlyCall* early = event.kind == "call" ? knowledge::early_call(event.name) : nullptr;
    if (early && event.value.find(early->argument) != std::string::npos && started[early->framework].devices)
      late.push_back({.event = &event, .after = started[early->framework].devices, .call = early});
    note(started, event);
  }
  return late;
}

void judge_late_variables(const Facts& facts, Answers& answers, bool keras_backend) {
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) {
    for (const LateEvent& late : late_events(events)) {
      if (!late.variable || (late.variable->name == "KERAS_BACKEND") != keras_backend) continue;
      const std::string before =
          late.variable->read == "import"
              ? "Set it before the line that imports " + late.variable->framework + ", or in the shell."
              : "Set it before that line, best in the shell: envdoctor run --device cpu|gpu:N -- CMD.";
      Finding& finding =
          found_in_script(answers, *late.event,
                          late.event->name + " is set after " + late.after->name + " (" + place_of(*late.after->event) +
                              "), which has read it already: setting it here has no effect.",
                          before);
      finding.evidence.push_back(evidence(*late.after->event, late.after->name));
    }
  });
}

}  // namespace envdoctor
