// Visibility variables and calls as logs show them: in a shell's line, in a program's own lines, in a framework's
// words.
#include <algorithm>

#include "checks/facts.h"
#include "checks/log_facts.h"
#include "checks/selection.h"

namespace envdoctor {
namespace {

using enum Confidence;

bool no_device_answered(const LogFacts& facts) {
  return facts.saw({"no-visible-devices", "cuda-no-device", "no-gpus-available", "hip-no-device", "tf-no-gpu-listed",
                    "torch-cuda-unavailable", "jax-fallback-cpu", "no-supported-devices"}) ||
         facts.with("cuinit-failed", "code", "CUDA_ERROR_NO_DEVICE");
}

// The assignments that the logs show. A field that is missing beside the name is an empty value.
std::vector<const LogEvent*> assignments(const LogFacts& facts) {
  std::vector<const LogEvent*> all;
  for (const char* event : {"visible-devices-set", "visible-devices-in-program"}) {
    for (const LogEvent* one : facts.all(event)) {
      if (!field_of(*one, "name").empty()) all.push_back(one);
    }
  }
  return all;
}

bool on_windows(const LogFacts& facts) { return of(facts.snapshot().host, &HostFacts::platform).is("windows"); }

// Python on Windows deletes a variable that is set to nothing; everywhere else that hides all.
bool hides_all(const LogFacts& facts, const LogEvent& event) {
  const auto entries = entries_of(field_of(event, "value"));
  if (entries.empty()) return !on_windows(facts);
  return entries.front().starts_with("-") || entries.front() == "none" || entries.front() == "NoDevFiles";
}

std::string subject(const LogEvent& event) { return "env:" + field_of(event, "name"); }

void hidden(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("visible-devices-empty")) {
    if (facts.used()) break;
    log_finding(answers, *event, "visibility.empty", certain, subject(*event));
    return;
  }
  for (const LogEvent* event : assignments(facts)) {
    if (!hides_all(facts, *event)) continue;
    if (!facts.used())
      log_finding(answers, *event, "visibility.empty", no_device_answered(facts) ? likely : possible, subject(*event));
    else if (event->event.is("visible-devices-in-program"))  // hides all, and yet a device is used: it came too late
      log_finding(answers, *event, "visibility.set-too-late", likely, subject(*event));
    return;
  }
}

std::size_t known_gpus(const LogFacts& facts) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  return devices.get() ? devices.get()->size() : 0;
}

// Numbers that no device has. Where the number of devices isn't known, there may be one: then CUDA's answer to a list
// that begins beyond it is that there is no device.
void beyond_the_list(const LogFacts& facts, Answers& answers) {
  const std::size_t gpus = known_gpus(facts);
  if (facts.used() || (gpus == 0 && (facts.driver_dead() || !no_device_answered(facts)))) return;
  const std::vector<Selectable> devices(std::max<std::size_t>(gpus, 1));
  for (const LogEvent* event : assignments(facts)) {
    if (!field_of(*event, "name").starts_with("CUDA")) continue;
    const Selection selection = select_cuda(field_of(*event, "value"), devices);
    if (!selection.chosen.empty() || selection.cut != Cut::out_of_range) continue;
    log_finding(answers, *event, "visibility.invalid-ordinal", gpus > 0 ? likely : possible, subject(*event));
    return;
  }
}

// A program that asks for a number which the variable's own list is too short for counts what the variable left.
void counted_twice(const LogFacts& facts, Answers& answers) {
  std::vector<const LogEvent*> asked;
  for (const char* event : {"invalid-ordinal", "cuda-invalid-device", "device-not-registered"}) {
    const auto& all = facts.all(event);
    asked.insert(asked.end(), all.begin(), all.end());
  }
  if (asked.empty()) return;
  const Text set = env_of(facts.snapshot(), "CUDA_VISIBLE_DEVICES");
  const auto from_log = assignments(facts);
  const std::string value = set.get() ? *set.get() : from_log.empty() ? "" : field_of(*from_log.front(), "value");
  const auto entries = entries_of(value);
  if (entries.empty() || known_gpus(facts) == 1 ||
      !std::ranges::all_of(entries, [](const std::string& e) { return starts_as_number(e) && e[0] != '-'; }))
    return;
  const std::size_t gpus = known_gpus(facts);
  if (gpus > 0 &&
      std::ranges::any_of(entries, [gpus](const std::string& e) { return std::stoul(e.substr(0, 6)) >= gpus; }))
    return;  // the variable itself goes beyond the list
  log_finding(answers, *asked.front(), "visibility.double-filter", likely, "env:CUDA_VISIBLE_DEVICES");
}

// An import above the assignment, in the same text: whether it comes too late depends on what ran in between.
void after_import(const LogFacts& facts, Answers& answers) {
  for (const LogEvent* event : facts.all("visible-devices-in-program")) {
    for (const LogEvent* import : facts.all("framework-imported")) {
      const auto* above = import->line.get();
      const auto* below = event->line.get();
      if (!above || !below || *above >= *below || !(import->source == event->source)) continue;
      log_finding(answers, *event, "visibility.set-too-late", possible, subject(*event));
      return;
    }
  }
}

// A process uses one MIG instance; who asks for a second one, as the ranks of one job do, finds none.
void second_instance(const LogFacts& facts, Answers& answers) {
  const auto devices = of(facts.snapshot().nvidia, &Nvidia::devices);
  if (!devices.get() || std::ranges::none_of(*devices.get(), [](const NvidiaDevice& d) { return d.mig.is(true); }))
    return;
  for (const char* event : {"no-supported-devices", "cuda-invalid-device", "invalid-ordinal"}) {
    if (facts.all(event).empty()) continue;
    log_finding(answers, *facts.all(event).front(), "visibility.mig-single-instance", likely).severity =
        Severity::error;
    return;
  }
}

}  // namespace

const LogRules& log_visibility_rules() {
  static const LogRules rules = {
      {"framework-hides-gpus", "visibility.framework-hidden", likely, not_used},
      {"invalid-uuid", "visibility.invalid-uuid", likely},
      {"visible-changed-late", "visibility.set-too-late", possible},
  };
  return rules;
}

void log_visibility(const LogFacts& facts, Answers& answers) {
  hidden(facts, answers);
  beyond_the_list(facts, answers);
  counted_twice(facts, answers);
  after_import(facts, answers);
  second_instance(facts, answers);
}

}  // namespace envdoctor
