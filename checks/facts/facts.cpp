#include "checks/facts/facts.h"

#include <fmt/format.h>

#include <algorithm>

#include "evidence/merge.h"
#include "knowledge/lower_case.h"

namespace envdoctor {
namespace {

std::string plain_name(std::string_view name) {
  std::string plain(name);
  for (char& c : plain) c = c == '_' || c == '.' ? '-' : lower_case(c);
  return plain;
}

}  // namespace

Text env_of(const Snapshot& snapshot, const std::string& name) {
  return snapshot.env.then([&](const auto& env) {
    const auto found = env.find(name);
    if (found != env.end()) return found->second;
    return environment_is_whole(snapshot) ? Text(absent("not set")) : Text();
  });
}

Flag module_loaded(const Snapshot& snapshot, std::string_view name) {
  return snapshot.modules.then([&](const std::vector<Module>& modules) {
    return std::ranges::any_of(modules, [&](const Module& m) { return m.name.get() && *m.name.get() == name; });
  });
}

std::vector<const DeviceNode*> nodes_under(const Snapshot& snapshot, std::string_view prefix) {
  std::vector<const DeviceNode*> found;
  for (const DeviceNode& node : snapshot.device_nodes.or_empty()) {
    if (node.path.get() && node.path.get()->starts_with(prefix)) found.push_back(&node);
  }
  return found;
}

const DeviceNode* node_of(const Snapshot& snapshot, std::string_view path) {
  const auto nodes = nodes_under(snapshot, path);
  const auto found = std::ranges::find(nodes, path, [](const DeviceNode* node) { return *node->path.get(); });
  return found == nodes.end() ? nullptr : *found;
}

bool is_card_node(const DeviceNode& node) {
  constexpr std::string_view prefix = "/dev/nvidia";
  const std::string& path = node.path.or_empty();
  return path.starts_with(prefix) && path.size() > prefix.size() &&
         path.find_first_not_of("0123456789", prefix.size()) == path.npos;
}

Flag in_container(const Snapshot& snapshot) {
  return of(snapshot.host, &HostFacts::container).then([](const std::string& kind) { return kind != "none"; });
}

std::vector<const Symptom*> symptoms_of(const Snapshot& snapshot, const Kind& kind) {
  std::vector<const Symptom*> found;
  for (const Symptom& line : snapshot.log.or_empty()) {
    if (line.is(kind)) found.push_back(&line);
  }
  return found;
}

const Symptom* first_symptom(const Snapshot& snapshot, std::initializer_list<Kind> kinds) {
  for (const Kind& kind : kinds) {
    if (const auto lines = symptoms_of(snapshot, kind); !lines.empty()) return lines.front();
  }
  return nullptr;
}

Flag package_installed(const Snapshot& snapshot, std::string_view name) {
  return of(snapshot.python, &Python::packages).then([&](const std::map<std::string, std::string>&) {
    return package_version(snapshot, name) != nullptr;
  });
}

const std::string* package_version(const Snapshot& snapshot, std::string_view name) {
  const Python* python = snapshot.python.get();
  const auto* packages = python ? python->packages.get() : nullptr;
  if (!packages) return nullptr;
  const auto found = std::ranges::find_if(
      *packages, [plain = plain_name(name)](const auto& entry) { return plain_name(entry.first) == plain; });
  return found == packages->end() ? nullptr : &found->second;
}

std::string normal_address(std::string_view address) {
  const std::string lower = lower_case(address);
  const auto colons = std::ranges::count(lower, ':');
  if (colons == 1) return "0000:" + lower;
  const auto domain = lower.find(':');
  if (colons == 2 && domain == 8 && lower.starts_with("0000")) return lower.substr(4);
  return lower;
}

std::string address_of(const Text& address) { return normal_address(address.or_empty()); }

std::string at(std::string_view list, std::size_t index, std::string_view field) {
  return fmt::format("{}/{}{}{}", list, index, field.empty() ? "" : "/", field);
}

}  // namespace envdoctor
