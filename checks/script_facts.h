#pragma once
// A training script as its reader told it, for the checks script.*.
#include <string>
#include <string_view>
#include <vector>

#include "checks/check.h"

namespace envdoctor {

struct ScriptEvent {
  const LogEvent* event = nullptr;
  std::string kind{};    // import, call, set-variable, placed-call, handler
  std::string name{};
  std::string value{};   // empty where it is computed: see has_value
  std::string inside{};
  bool has_value = false;
  bool sure = false;
};

// Whether a script was read; absent: none was given; failed: it could not be read.
Flag script_read(const Snapshot& snapshot);
// Its events in the order in which they would run.
std::vector<ScriptEvent> script_events(const Snapshot& snapshot);

// The installed version of a framework (tensorflow, keras, torch, jax), as far as the environment was looked at.
Text framework_version(const Snapshot& snapshot, std::string_view framework);

// A finding at this event: subject script:<file>:<line>, the line as its first evidence, and what to write instead.
Finding& found_in_script(Answers& answers, std::string_view id, const ScriptEvent& event, std::string explanation,
                         std::string instead);

// Gives these ids not-applicable or unknown where no script was read. True if one was.
bool have_script(const Snapshot& snapshot, Answers& answers, const std::vector<const char*>& ids);
// Gives those of the ids that found nothing: sound.
void rest_is_sound(Answers& answers, const std::vector<const char*>& ids);

}  // namespace envdoctor
