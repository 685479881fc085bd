// nvidia-smi pmon: "# gpu  pid  type  sm  mem  enc  dec  command", and a row per process.
#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_pmon(std::string_view line) {
  if (!line.starts_with("# gpu ")) return false;
  const auto words = words_of(line.substr(0, 400));
  return words.size() >= 5 && words[2] == "pid" && words[3] == "type";
}

Snapshot parse_pmon(const std::string& text) {
  std::vector<NvidiaProcess> processes;
  bool inside = false;
  for (const std::string_view line : lines_of(text)) {
    if (starts_pmon(line)) {
      inside = true;
      continue;
    }
    if (!inside || line.starts_with("#")) continue;
    const auto words = words_of(line.substr(0, 400));
    const auto gpu = words.size() >= 4 ? number_of(words[0]) : std::nullopt;
    inside = gpu.has_value();
    const auto pid = inside ? number_of(words[1]) : std::nullopt;
    if (!pid || processes.size() >= 1024) continue;
    const auto same = [&](const NvidiaProcess& known) { return known.pid.is(*pid) && known.gpu.is(*gpu); };
    if (std::ranges::none_of(processes, same))
      processes.push_back({.pid = *pid, .name = std::string(words.back()), .gpu = *gpu});
  }
  Snapshot snapshot;
  if (!processes.empty()) snapshot.nvidia.fill().processes = std::move(processes);
  return snapshot;
}

}  // namespace envdoctor
