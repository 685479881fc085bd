#pragma once
// Visibility variables as they were set: in the environment, in a shell command, in a program's code.
#include "checks/engine/rule.h"
#include "checks/facts/selection.h"

namespace envdoctor::visibility {

struct Setting {
  std::string name{};
  std::string value{};
  const Symptom* shown = nullptr;  // the line that shows it; null: it is in /env
  bool in_program = false;         // a program sets it for itself
};

// Those that the logs show.
std::vector<Setting> shown_settings(const Facts& facts);
// The setting in the environment, otherwise the first in the logs (any variable); an empty name: neither.
Setting setting_of(const Facts& facts, const std::string& name);

// Whether the value selects nothing on any host. On Windows setting a variable to nothing removes it.
bool hides_all(const Facts& facts, const Setting& setting);

// A finding about a shown setting, with its line as the evidence.
Finding& found_in(Answers& answers, const Setting& setting, Confidence confidence);

// A CUDA, HIP or framework program answered that it has no device.
bool no_device_answered(const Facts& facts);

// How many GPUs nvidia-smi lists; 0: unknown.
std::size_t listed_gpus(const Facts& facts);

}  // namespace envdoctor::visibility
