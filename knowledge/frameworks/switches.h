#pragma once
// Which environment variables put a program on a device, or change how it computes there (switches.json).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

struct SwitchVariable {
  std::string name{};
  std::optional<std::string> value{};  // may contain {uuid} or {index}; nullopt: unset it
  std::string when{};                  // "hides", "names only cpu": only if the current value does; empty: always
  bool append = false;                 // to the current value, after a blank
  std::string why{};
};
// The changes of one switch: cpu, gpu, gpu-nvidia, gpu-amd, gpu-intel, deterministic, tf32-on, tf32-off, memory-growth.
std::vector<SwitchVariable> variables_of_switch(std::string_view name);
// What the variables of a switch can't do, in a sentence without full stop; empty: nothing.
std::string left_by_switch(std::string_view name);

}  // namespace envdoctor::knowledge
