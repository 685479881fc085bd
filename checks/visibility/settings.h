#pragma once
// Visibility variables as they were set: in the environment, in a shell's line, in a program's own lines.
#include "checks/engine/rule.h"
#include "checks/facts/selection.h"

namespace envdoctor::visibility {

struct Setting {
  std::string name{};
  std::string value{};
  const Symptom* shown = nullptr;  // the line that shows it; null: it stands in /env
  bool in_program = false;         // a program sets it for itself
};

// Those that the logs show.
std::vector<Setting> shown_settings(const Facts& facts);
// What the environment holds, else what the logs show first; an empty name: neither. Of the logs, any variable counts.
Setting setting_of(const Facts& facts, const std::string& name);

// Whether the value selects nothing on any host. On Windows setting a variable to nothing removes it.
bool hides_all(const Facts& facts, const Setting& setting);

// A finding about a shown setting, with its line as the evidence.
Finding& found_in(Answers& answers, const Setting& setting, Confidence confidence);

// A CUDA, HIP or framework program answered that it has no device.
bool no_device_answered(const Facts& facts);

// How many GPUs nvidia-smi lists; 0: not known.
std::size_t listed_gpus(const Facts& facts);

}  // namespace envdoctor::visibility
