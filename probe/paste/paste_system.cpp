// /proc/cpuinfo, and the same facts from lscpu.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "knowledge/codes/names.h"
#include "probe/gpu/lspci.h"
#include "probe/os/cpu_info.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_cpuinfo(std::string_view line) {
  return (line.starts_with("flags") || line.starts_with("Flags:")) && contains(line, " sse2");
}

Snapshot parse_cpuinfo_report(const std::string& text) {
  std::string cpuinfo;
  for (const std::string_view line : lines_of(text)) {
    if (const auto flags = after(line, "Flags:"))
      cpuinfo.append("flags\t\t: ").append(*flags).push_back('\n');
    else if (const auto model = after(line, "Model name:"))
      cpuinfo.append("model name\t: ").append(*model).push_back('\n');
    else if (line.starts_with("flags") || line.starts_with("model name"))
      cpuinfo.append(line).push_back('\n');
  }
  Snapshot snapshot;
  const Cpu cpu = parse_cpuinfo(cpuinfo);
  Cpu& known = snapshot.cpu.fill();
  known.model = cpu.model;
  known.isa = cpu.isa;
  return snapshot;
}

// lspci in any of its forms, in the middle of a log.

// "0000:65:00.0 3D controller: …", or the first line of a block of -vmm.
bool starts_lspci(std::string_view line) { return is_lspci_header(line) || line.starts_with("Slot:\t"); }

Snapshot parse_lspci_report(const std::string& text) {
  Snapshot snapshot;
  snapshot.pci = parse_lspci(text);
  return snapshot;
}

// env, export -p, declare -x: a whole environment, from which the relevant variables are taken.

namespace {

// Without a pattern, as every line of a long text may be one.
bool read_assignment(std::string_view line, std::string_view& name, std::string_view& value) {
  for (const std::string_view command : {"declare -x ", "export "})
    if (line.starts_with(command)) line.remove_prefix(command.size());
  const std::size_t end = line.find('=');
  if (end == line.npos || end == 0 || (line[0] >= '0' && line[0] <= '9')) return false;
  name = line.substr(0, end);
  value = line.substr(end + 1);
  const bool quoted = value.size() > 1 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0];
  if (quoted) value = value.substr(1, value.size() - 2);
  return std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
}

bool is_always_there(std::string_view name) {
  static constexpr auto names = std::to_array<std::string_view>(
      {"PATH", "HOME", "SHELL", "USER", "PWD", "LANG", "HOSTNAME", "SHLVL", "TERM", "LOGNAME"});
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool starts_env(std::string_view line) {
  std::string_view name, value;
  return contains(line.substr(0, 64), "=") && read_assignment(line, name, value) && is_always_there(name);
}

// Three variables that every shell has show a whole environment; fewer may be lines of a script, which say nothing
// about other variables.
Snapshot parse_env(const std::string& text) {
  std::map<std::string, Text> matter;
  int common = 0;
  std::string_view name, value;
  for (const std::string_view line : lines_of(text)) {
    if (!read_assignment(trimmed(line), name, value)) continue;
    common += is_always_there(name) ? 1 : 0;
    if (std::ranges::binary_search(knowledge::env_allow_list(), name)) matter.emplace(name, std::string(value));
  }
  Snapshot snapshot;
  if (common >= 3) snapshot.env = std::move(matter);
  return snapshot;
}

// rocminfo: one block per agent, of which those of type GPU are read.

bool starts_rocminfo(std::string_view line) { return contains(line, "HSA Agents"); }

Snapshot parse_rocminfo(const std::string& text) {
  struct Agent {
    std::string name{}, marketing{}, type{};
    std::int64_t place = 0;  // bus, device and function in one number; 0: unknown
  };
  std::vector<Agent> agents;
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).starts_with("Agent ") && !contains(line, ":")) {
      agents.emplace_back();
    } else if (!agents.empty()) {
      Agent& agent = agents.back();
      if (const auto name = after(line, "Name:"); name && agent.name.empty()) agent.name = *name;
      if (const auto name = after(line, "Marketing Name:"); name && agent.marketing.empty()) agent.marketing = *name;
      if (const auto type = after(line, "Device Type:"); type && agent.type.empty()) agent.type = *type;
      if (const auto place = after(line, "BDFID:"); place) agent.place = number_of(*place).value_or(0);
    }
  }
  Snapshot snapshot;
  if (agents.empty()) return snapshot;
  auto& devices = snapshot.rocm.fill().devices.fill();
  for (const Agent& agent : agents) {
    if (agent.type != "GPU") continue;
    RocmDevice& device = devices.emplace_back();
    device.index = static_cast<std::int64_t>(devices.size()) - 1;
    if (agent.name.starts_with("gfx")) device.gfx = agent.name;
    if (!agent.marketing.empty()) device.name = agent.marketing;
    if (agent.place > 0 && agent.place <= 0xFFFF)
      device.pci_address =
          fmt::format("0000:{:02x}:{:02x}.{}", agent.place >> 8, agent.place >> 3 & 0x1F, agent.place & 7);
  }
  const bool processors = std::ranges::all_of(agents, [](const Agent& agent) { return agent.type == "CPU"; });
  if (processors) {
    Symptom& symptom = snapshot.log.fill().emplace_back();
    symptom.class_ = "missing";
    symptom.subject = "hip-device";
  }
  return snapshot;
}

}  // namespace envdoctor
