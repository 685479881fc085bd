#pragma once
// A training script's facts from its reader, for the checks script.*.
#include <functional>
#include <set>

#include "checks/engine/diagnosis.h"
#include "knowledge/frameworks/device_calls.h"

namespace envdoctor {

struct ScriptEvent {
  const Symptom* event = nullptr;
  std::string kind{};  // import, call, set-variable, placed-call, handler
  std::string name{};
  std::string value{};  // empty where it is computed: see has_value
  std::string inside{};
  std::string path{};  // the branch that it is on; empty: it always runs
  bool has_value = false;
  bool sure = false;
};

// Whether a script was read; absent: none was given; failed: it could not be read.
Flag script_read(const Snapshot& snapshot);
// Its events in the order in which they would run.
std::vector<ScriptEvent> script_events(const Snapshot& snapshot);

// Whether `later` runs after `earlier` on every path to it, if both are in this order.
bool surely_before(const ScriptEvent& earlier, const ScriptEvent& later);

// The script is judged for this host, as --here asks: a GPU that is missing here is an error.
bool meant_for_here(const Snapshot& snapshot);

// What the script was checked against: "tensorflow 2.15.1 (installed), torch 2.15.0 (the newest tried)".
std::string checked_against(const Snapshot& snapshot);

// The installed version of a framework (tensorflow, keras, torch, jax), as far as the environment was probed.
Text version_for_script(const Snapshot& snapshot, std::string_view framework);

// A finding at this event: subject script:<file>:<line>, the line as its first evidence, and the code to write instead.
Finding& found_in_script(Answers& answers, const ScriptEvent& event, std::string explanation, std::string instead);

// Shows the events to `look`, those of one script at a time or one by one; `id` has passed unless that gives it a
// finding. Without a script it is not applicable or unknown.
void judge_script(const Facts& facts, Answers& answers,
                  const std::function<void(const std::vector<ScriptEvent>&)>& look);
void judge_events(const Facts& facts, Answers& answers, const std::function<void(const ScriptEvent&)>& look);

// The calls of the table script_calls.json that belong to this id.
void judge_calls(const Facts& facts, Answers& answers);

// "os.environ['CUDA_VISIBLE_DEVICES'] = …".
bool chooses_cuda_devices(const ScriptEvent& event);
// The GPU numbers in it: 3 in "'/GPU:3'", 0 and 1 in "0,1".
std::set<std::size_t> gpu_numbers(const ScriptEvent& event);

// An event that comes after the event that reads or starts it.
struct LateEvent {
  const ScriptEvent* event = nullptr;
  const ScriptEvent* after = nullptr;
  const knowledge::ReadVariable* variable = nullptr;  // a variable that is set, or
  const knowledge::EarlyCall* call = nullptr;         // a configuration that is made
};
std::vector<LateEvent> late_events(const std::vector<ScriptEvent>& events);

// Variables that are set too late: KERAS_BACKEND, or all other variables.
void judge_late_variables(const Facts& facts, Answers& answers, bool keras_backend);

// The place of an event: "line 3"; "cell 2, line 3" of a notebook.
std::string place_of(const Symptom& event);
// The same, with the file's name where it is not that of the other event.
std::string place_beside(const ScriptEvent& event, const ScriptEvent& other);

}  // namespace envdoctor
