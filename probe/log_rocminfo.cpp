// rocminfo: one block an agent, of which those of type GPU are taken.
#include "probe/log_parsers.h"
#include "probe/log_text.h"

namespace envdoctor {

bool starts_rocminfo(std::string_view line) { return line.find("HSA Agents") != std::string_view::npos; }

Snapshot parse_rocminfo(const std::string& text) {
  using log_text::after;
  struct Agent {
    std::string name{}, marketing{}, type{};
  };
  std::vector<Agent> agents;
  log_text::each_line(text, [&agents](std::string_view line) {
    if (log_text::trimmed(line).starts_with("Agent ") && line.find(':') == std::string_view::npos) {
      agents.emplace_back();
    } else if (!agents.empty()) {
      Agent& agent = agents.back();
      if (const auto name = after(line, "Name:"); name && agent.name.empty()) agent.name = *name;
      if (const auto name = after(line, "Marketing Name:"); name && agent.marketing.empty()) agent.marketing = *name;
      if (const auto type = after(line, "Device Type:"); type && agent.type.empty()) agent.type = *type;
    }
  });
  Snapshot snapshot;
  if (agents.empty()) return snapshot;
  auto& devices = snapshot.rocm.fill().devices.fill();
  for (const Agent& agent : agents) {
    if (agent.type != "GPU") continue;
    RocmDevice& device = devices.emplace_back();
    device.index = static_cast<std::int64_t>(devices.size()) - 1;
    if (agent.name.starts_with("gfx")) device.gfx = agent.name;
    if (!agent.marketing.empty()) device.name = agent.marketing;
  }
  return snapshot;
}

}  // namespace envdoctor
