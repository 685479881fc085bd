// /proc/cpuinfo, and the same facts from lscpu.
#include <algorithm>
#include <cctype>

#include "knowledge/codes/names.h"
#include "probe/gpu/lspci.h"
#include "probe/os/cpu_info.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_cpuinfo(std::string_view line) {
  return (line.starts_with("flags") || line.starts_with("Flags:")) && line.find(" sse2") != std::string_view::npos;
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
  Cpu& told = snapshot.cpu.fill();
  told.model = cpu.model;
  told.isa = cpu.isa;
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

// env, export -p, declare -x: a whole environment, of which the variables that matter are taken.

namespace {

struct Assignment {
  std::string_view name{};
  std::string_view value{};
};

Assignment assignment(std::string_view line) {
  for (const std::string_view word : {"declare -x ", "export "}) {
    if (line.starts_with(word)) line.remove_prefix(word.size());
  }
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos || equals == 0) return {};
  const std::string_view name = line.substr(0, equals);
  const bool good = std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
  if (!good || std::isdigit(static_cast<unsigned char>(name[0]))) return {};
  std::string_view value = line.substr(equals + 1);
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  return {name, value};
}

bool always_there(std::string_view name) {
  return name == "PATH" || name == "HOME" || name == "SHELL" || name == "USER" || name == "PWD" || name == "LANG" ||
         name == "HOSTNAME" || name == "SHLVL" || name == "TERM" || name == "LOGNAME";
}

}  // namespace

bool starts_env(std::string_view line) {
  const std::size_t equals = line.substr(0, 64).find('=');
  return equals != std::string_view::npos && always_there(assignment(line).name);
}

// Three variables that every shell has make a whole environment; fewer may be a script's own lines, which say nothing
// of the variables that aren't named.
Snapshot parse_env(const std::string& text) {
  std::map<std::string, Text> matter;
  int common = 0;
  for (const std::string_view line : lines_of(text)) {
    const Assignment one = assignment(trimmed(line));
    if (one.name.empty()) continue;
    common += always_there(one.name);
    const std::string name(one.name);
    const auto& allowed = knowledge::env_allow_list();
    if (std::ranges::find(allowed, name) != allowed.end()) matter.emplace(name, std::string(one.value));
  }
  Snapshot snapshot;
  if (common >= 3) snapshot.env = std::move(matter);
  return snapshot;
}

// rocminfo: one block an agent, of which those of type GPU are taken.

bool starts_rocminfo(std::string_view line) { return line.find("HSA Agents") != std::string_view::npos; }

Snapshot parse_rocminfo(const std::string& text) {
  struct Agent {
    std::string name{}, marketing{}, type{};
  };
  std::vector<Agent> agents;
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).starts_with("Agent ") && line.find(':') == std::string_view::npos) {
      agents.emplace_back();
    } else if (!agents.empty()) {
      Agent& agent = agents.back();
      if (const auto name = after(line, "Name:"); name && agent.name.empty()) agent.name = *name;
      if (const auto name = after(line, "Marketing Name:"); name && agent.marketing.empty()) agent.marketing = *name;
      if (const auto type = after(line, "Device Type:"); type && agent.type.empty()) agent.type = *type;
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
  }
  return snapshot;
}

}  // namespace envdoctor
