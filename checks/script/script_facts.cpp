#include "checks/script/script_facts.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <cctype>

#include "checks/facts/facts.h"
#include "checks/facts/imports.h"
#include "checks/facts/selection.h"
#include "knowledge/gpus/drivers.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {
namespace {

constexpr std::string_view prefix = "script-";

// The call that started a framework, the first on each path.
struct Started {
  std::vector<const ScriptEvent*> by_import{};
  std::vector<const ScriptEvent*> driver{};
  std::vector<const ScriptEvent*> devices{};
};

const ScriptEvent* first_before(const std::vector<const ScriptEvent*>& starts, const ScriptEvent& event) {
  const auto found = std::ranges::find_if(starts, [&](const ScriptEvent* one) { return surely_before(*one, event); });
  return found == starts.end() ? nullptr : *found;
}

void add(std::vector<const ScriptEvent*>& starts, const ScriptEvent& event) {
  if (!first_before(starts, event)) starts.push_back(&event);
}

// "tensorflow.keras" -> "tensorflow"; Keras is also imported by tensorflow.keras.
bool imports(const ScriptEvent& event, const std::string& framework) {
  const std::string root = event.name.substr(0, event.name.find('.'));
  return root == framework || (framework == "keras" && event.name.starts_with("tensorflow.keras"));
}

void note(std::map<std::string, Started>& started, const ScriptEvent& event) {
  if (event.event->detail("doubted") == "yes") return;
  if (event.kind == "import") {
    for (const char* framework : {"tensorflow", "keras", "torch", "jax"}) {
      if (imports(event, framework)) add(started[framework].by_import, event);
    }
  }
  const auto starts = knowledge::started_by(event.name);
  if (event.kind != "call" || starts.framework.empty()) return;
  Started& one = started[starts.framework];
  add(one.driver, event);
  if (starts.what == "devices") add(one.devices, event);
}

// Only the first line with a removed name is reported: nobody reads a list of a hundred. Of a removed module, the first
// line with each of its names is.
constexpr std::size_t most_further_lines = 16;
constexpr std::size_t most_further_names = 4;

bool names_call(const knowledge::ScriptCall& row, const ScriptEvent& event) {
  if (row.mistake != (event.kind == "mistake")) return false;
  const bool named = event.kind == "import" || event.kind == "use";
  if (named ? !row.removed : event.kind != "call" && event.kind != "mistake") return false;
  if (row.removed && !event.event->detail("guarded").empty()) return false;
  return knowledge::stands_for(row, event.name);
}

// The other line that a mistake has to do with.
Evidence evidence_of_other(const Symptom& event) {
  return {"log", event.detail("other"), event.source.or_empty(), std::atoll(event.detail("other_line").c_str()),
          std::atoll(event.detail("other_cell").c_str())};
}

// Further lines with the same mistake, "CELL:LINE" each; no script has a cell 0.
void add_further_lines(Finding& finding, const ScriptEvent& event) {
  static const LazyRegex place(R"((\d+):(\d+) ?)", RE2::Latin1);
  const std::string said = event.event->detail("again");
  re2::StringPiece rest(said);
  std::int64_t cell = 0, line = 0;
  while (RE2::Consume(&rest, place, &cell, &line))
    finding.evidence.push_back({"log", event.value, event.event->source.or_empty(), line, cell});
}

std::string line_in_file(const Symptom& event) {
  return event.source.or_empty() + ":" + event.detail("cell") + ":" + std::to_string(event.line.or_empty());
}

// {0} to {4}: what the reader saw.
std::string filled(std::string text, const ScriptEvent& event) {
  const std::string details[] = {event.value, event.event->detail("first"), event.event->detail("second"),
                                 event.event->detail("third"), event.event->detail("fourth")};
  for (std::size_t i = 0; i < std::size(details); ++i) {
    const std::string mark = "{" + std::to_string(i) + "}";
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + details[i].size()))
      text.replace(at, mark.size(), details[i]);
  }
  return text;
}

// The release that a script says that it is written for; absent: it says none.
Text pinned(const std::vector<ScriptEvent>& events, const std::string& framework) {
  for (const ScriptEvent& event : events)
    if (event.kind == "pin" && event.name == framework) return event.value;
  return absent("the script pins no release");
}

// "flax 0.6.11": the release of a library that is installed; nullptr: none is.
const std::string* installed(const Snapshot& snapshot, std::string_view release) {
  const std::string library(release.substr(0, release.find(' ')));
  for (const std::string& name :
       {library, std::string(library == "pytorch_lightning" ? "lightning" : ""), "dm-" + library}) {
    if (const std::string* version = package_version(snapshot, name)) return version;
  }
  return nullptr;
}

bool has_older(const Snapshot& snapshot, std::string_view release) {
  const std::string* version = installed(snapshot, release);
  return version && knowledge::compare_versions(*version, release.substr(release.find(' ') + 1)) < 0;
}

std::string version_words(const std::string& framework, const Text& version, bool pins) {
  const std::string newest = knowledge::newest_tried(framework);
  if (framework.empty()) return {};
  if (pins) return " (" + framework + " " + *version.get() + ", which the script pins)";
  if (version.get()) return " (" + framework + " " + *version.get() + ")";
  return " (checked against " + framework + " " + newest + ", the newest tried; none is installed here)";
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
                   .path = event.detail("path"),
                   .has_value = event.details.contains("value"),
                   .sure = event.detail("sure") == "yes"});
  }
  return all;
}

bool surely_before(const ScriptEvent& earlier, const ScriptEvent& later) {
  const std::string &begin = earlier.path, &path = later.path;
  const bool anew = path.starts_with('p') && path.find(':') != path.npos;  // a process of its own
  if (begin.empty()) return !anew;
  return path.starts_with(begin) && (path.size() == begin.size() || path[begin.size()] == '/');
}

bool meant_for_here(const Snapshot& snapshot) {
  const Symptom* script = first_symptom(snapshot, {{SymptomClass::present, "script"}});
  return script && script->detail("here") == "yes";
}

std::string checked_against(const Snapshot& snapshot) {
  std::string all;
  const auto events = script_events(snapshot);
  for (const char* framework : {"tensorflow", "keras", "torch", "jax"}) {
    const bool used = std::ranges::any_of(
        events, [&](const ScriptEvent& event) { return event.kind == "import" && imports(event, framework); });
    const Text version = version_for_script(snapshot, framework);
    if (used)
      all += (all.empty() ? "" : ", ") + std::string(framework) + " " +
             (version.get() ? *version.get() + " (installed)"
                            : knowledge::newest_tried(framework) + " (the newest tried; none is installed)");
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
  if (event.kind == "mistake")
    written = event.value;
  else if (event.has_value)
    written += event.kind == "call" ? "(" + event.value + ")" : " = '" + event.value + "'";
  finding.evidence.push_back(evidence(*event.event, written));
  if (event.kind == "mistake" && !symptom.detail("other").empty())
    finding.evidence.push_back(evidence_of_other(symptom));
  finding.fix.push_back({.text = std::move(instead)});
  return finding;
}

// The script that the user named; its imported modules are read as part of it.
std::string script_of(const ScriptEvent& event) {
  const std::string importer = event.event->detail("script");
  return importer.empty() ? event.event->source.value_or("") : importer;
}

void judge_script(const Facts& facts, Answers& answers,
                  const std::function<void(const std::vector<ScriptEvent>&)>& look) {
  const Flag read = script_read(facts.snapshot());
  if (read.outcome() == Outcome::absent) return answers.not_applicable(read.why());
  if (read.outcome() == Outcome::failed) return answers.unknown(read.why());
  std::vector<std::vector<ScriptEvent>> scripts;  // each runs by itself
  for (const ScriptEvent& event : script_events(facts.snapshot())) {
    if (scripts.empty() || script_of(scripts.back().front()) != script_of(event)) scripts.emplace_back();
    scripts.back().push_back(event);
  }
  std::ranges::for_each(scripts, look);
  // A module that several scripts import, or that the user named as well, is reported once. Two mistakes of one line
  // are one finding that says both, the worse one first.
  std::vector<Finding> once;
  for (Finding& finding : answers.findings) {
    const auto same = std::ranges::find_if(
        once, [&](const Finding& other) { return other.id == finding.id && other.subject == finding.subject; });
    if (same == once.end()) {
      once.push_back(std::move(finding));
    } else if (same->explanation.find(finding.explanation) == std::string::npos) {
      if (finding.severity > same->severity) std::swap(*same, finding);
      same->explanation += " " + finding.explanation;
      std::ranges::move(finding.evidence, std::back_inserter(same->evidence));
      std::ranges::move(finding.fix, std::back_inserter(same->fix));
    }
  }
  answers.findings = std::move(once);
  answers.passed();
}

void judge_events(const Facts& facts, Answers& answers, const std::function<void(const ScriptEvent&)>& look) {
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) { std::ranges::for_each(events, look); });
}

std::string place_beside(const ScriptEvent& event, const ScriptEvent& other) {
  const std::string file = event.event->source.value_or("");
  if (file == other.event->source.value_or("")) return place_of(*event.event);
  return place_of(*event.event) + " of " + file.substr(file.rfind('/') + 1);
}

std::string place_of(const Symptom& event) {
  const std::string cell = event.detail("cell");
  return fmt::format("{}line {}", cell.empty() ? "" : "cell " + cell + ", ", event.line.or_empty());
}

// The name that a traceback misses is one that raises: mostly because later releases of the framework removed it.
bool judge_missed_names(const Facts& facts, Answers& answers) {
  for (const auto& [line, name] : missed_names(facts)) {
    const knowledge::ScriptCall* row = knowledge::call_that_raises(name, answers.id);
    if (!row) continue;
    const Text version = version_for_script(facts.snapshot(), row->framework);
    if (!row->from.empty() && version.get() && knowledge::compare_versions(*version.get(), row->from) < 0) continue;
    Finding& finding = answers.found_in(*line, Confidence::possible);
    finding.title = "The program asks for a name that this release of its framework lacks";
    finding.explanation = row->call + " " + row->says + ".";
    finding.fix = {{.text = row->instead +
                            " Or keep the release that the program was written for, in an environment of its own."}};
    return true;
  }
  return false;
}

void judge_calls(const Facts& facts, Answers& answers) {
  if (judge_missed_names(facts, answers)) return;
  judge_script(facts, answers, [&](const std::vector<ScriptEvent>& events) {
    const auto holds = [&](const std::string& call) {
      return std::ranges::any_of(events, [&](const ScriptEvent& e) { return e.kind == "call" && e.name == call; });
    };
    for (const knowledge::ScriptCall& row : knowledge::script_calls()) {
      if (row.id != answers.id || std::ranges::any_of(row.unless, holds)) continue;
      Text version = pinned(events, row.framework);
      const bool pins = version.get() != nullptr;
      if (!pins) version = version_for_script(facts.snapshot(), row.framework);
      if (!row.from.empty() && version.get() && knowledge::compare_versions(*version.get(), row.from) < 0) continue;
      std::string known;  // the finding of this row in this script, by its subject
      std::set<std::string> told_names, told_lines;
      std::size_t lines = 0;
      bool by_import = false;  // told where it is imported: what uses it is not reached
      for (const ScriptEvent& event : events) {
        if (!names_call(row, event) || event.value.find(row.argument) == std::string::npos) continue;
        const std::string since = event.event->detail("since"), against = event.event->detail("against");
        if (has_older(facts.snapshot(), since) || has_older(facts.snapshot(), against)) continue;
        const auto first = std::ranges::find(answers.findings, known, &Finding::subject);
        const bool another = row.id != "script.tf1-api" && told_names.size() <= most_further_names &&
                             !told_names.contains(event.name) && !told_lines.contains(line_in_file(*event.event)) &&
                             (event.kind == "import" || !by_import);
        told_names.insert(event.name);
        if (row.removed && !known.empty() && first != answers.findings.end() && !another) {
          if (++lines <= most_further_lines) first->evidence.push_back(evidence(*event.event, event.name));
          continue;
        }
        std::string says = row.mistake ? filled(row.says, event) : row.call + " " + row.says;
        if (!since.empty()) says += " (gone since " + since + " at the latest)";
        if (!against.empty()) says += " (checked against " + against + ")";
        Finding& finding = found_in_script(answers, event, says + version_words(row.framework, version, pins) + ".",
                                           filled(row.instead, event));
        if (!row.title.empty()) finding.title = row.title;
        add_further_lines(finding, event);
        if (known.empty() || !row.removed) known = finding.subject;
        told_lines.insert(line_in_file(*event.event));
        by_import = by_import || (event.kind == "import" && event.event->detail("used").empty());
        if (row.label == "raises") finding.severity = Severity::error;
        if (row.label == "works") finding.severity = Severity::info;
        const bool of_unknown = !since.empty() && !installed(facts.snapshot(), since);
        if ((!version.get() && !row.from.empty()) || of_unknown) {
          finding.confidence = Confidence::likely;
          finding.severity = std::min(finding.severity, Severity::warning);
        }
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
  static const LazyRegex number_first("^([0-9]+)", RE2::Latin1),
      number_behind_kind("(?i)(?:gpu|cuda):([0-9]+)", RE2::Latin1);
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
      const ScriptEvent* reader = first_before(row.read == "import"   ? one.by_import
                                               : row.read == "driver" ? one.driver
                                                                      : one.devices,
                                               event);
      if (!reader) continue;
      late.push_back({.event = &event, .after = reader, .variable = &row});
      break;  // once, for any framework
    }
    const knowledge::EarlyCall* early = event.kind == "call" ? knowledge::early_call(event.name) : nullptr;
    const ScriptEvent* reader = early ? first_before(started[early->framework].devices, event) : nullptr;
    if (reader && event.value.find(early->argument) != std::string::npos)
      late.push_back({.event = &event, .after = reader, .call = early});
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
      Finding& finding = found_in_script(answers, *late.event,
                                         late.event->name + " is set after " + late.after->name + " (" +
                                             place_beside(*late.after, *late.event) +
                                             "), which has read it already: setting it here has no effect.",
                                         before);
      finding.evidence.push_back(evidence(*late.after->event, late.after->name));
    }
  });
}

}  // namespace envdoctor
