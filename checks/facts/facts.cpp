#include "checks/facts/facts.h"

#include <algorithm>

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
  const auto* env = snapshot.env.get();
  if (!env) return snapshot.env.missing();
  const auto found = env->find(name);
  return found == env->end() ? Text(absent("not set")) : found->second;
}

Flag module_loaded(const Snapshot& snapshot, std::string_view name) {
  return snapshot.modules.then([&](const std::vector<Module>& modules) {
    return std::ranges::any_of(modules, [&](const Module& m) { return m.name.get() && *m.name.get() == name; });
  });
}

std::vector<const DeviceNode*> nodes_under(const Snapshot& snapshot, std::string_view prefix) {
  std::vector<const DeviceNode*> found;
  if (const auto* nodes = snapshot.device_nodes.get()) {
    for (const auto& node : *nodes) {
      if (node.path.get() && node.path.get()->starts_with(prefix)) found.push_back(&node);
    }
  }
  return found;
}

const DeviceNode* node_of(const Snapshot& snapshot, std::string_view path) {
  for (const auto* node : nodes_under(snapshot, path)) {
    if (*node->path.get() == path) return node;
  }
  return nullptr;
}

Flag in_container(const Snapshot& snapshot) {
  return of(snapshot.host, &HostFacts::container).then([](const std::string& kind) { return kind != "none"; });
}

std::vector<const Symptom*> symptoms_of(const Snapshot& snapshot, const Kind& kind) {
  std::vector<const Symptom*> found;
  if (const auto* log = snapshot.log.get()) {
    for (const Symptom& line : *log) {
      if (line.is(kind)) found.push_back(&line);
    }
  }
  return found;
}

Flag package_installed(const Snapshot& snapshot, std::string_view name) {
  return of(snapshot.python, &Python::packages).then([&](const std::map<std::string, std::string>& packages) {
    return std::ranges::any_of(packages,
                               [&](const auto& entry) { return plain_name(entry.first) == plain_name(name); });
  });
}

std::string normal_address(std::string_view address) {
  const std::string lower = lower_case(address);
  const auto colons = std::ranges::count(lower, ':');
  if (colons == 1) return "0000:" + lower;
  const auto domain = lower.find(':');
  if (colons == 2 && domain == 8 && lower.starts_with("0000")) return lower.substr(4);
  return lower;
}

std::string address_of(const Text& address) {
  return address.get() ? normal_address(std::string_view(*address.get())) : std::string();
}

std::string at(std::string_view list, std::size_t index, std::string_view field) {
  std::string pointer(list);
  pointer += "/" + std::to_string(index);
  if (!field.empty()) pointer.append("/").append(field);
  return pointer;
}

}  // namespace envdoctor
