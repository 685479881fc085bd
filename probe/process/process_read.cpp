#include "probe/process/process_read.h"

#include <re2/re2.h>

#include <algorithm>

#include "host/text.h"
#include "knowledge/frameworks/process_names.h"
#include "knowledge/lazy_regex.h"

namespace envdoctor {

namespace {

// "1234 KiB" in MiB; a bare number is bytes.
std::int64_t mib_of(std::string_view value) {
  static const LazyRegex form(R"((\d+)(?:\s+(\S+))?.*)", RE2::Latin1);
  std::int64_t number = 0;
  std::string unit;
  if (!RE2::FullMatch(value, form, &number, &unit)) return 0;
  return unit.empty() ? number >> 20U : unit == "KiB" ? number >> 10U : unit == "MiB" ? number : 0;
}

}  // namespace

std::vector<std::string> mapped_libraries(std::string_view maps) {
  std::set<std::string> found;
  for (std::string_view line : lines_of(maps)) {
    const auto slash = line.find('/');
    if (slash == std::string_view::npos) continue;
    std::string_view path = line.substr(slash);
    if (path.ends_with(" (deleted)")) path.remove_suffix(10);
    if (knowledge::process_library_kind(base_name(path))) found.emplace(path);
  }
  return {found.begin(), found.end()};
}

DrmClient parse_fdinfo(std::string_view text) {
  static const LazyRegex form("drm-(engine-capacity|engine|resident|memory)-(.*)", RE2::Latin1);
  static const LazyRegex on_device("(?:vram|local|stolen).*", RE2::Latin1);
  DrmClient client;
  std::map<std::string, std::int64_t> capacity;
  std::int64_t resident = 0, older = 0;
  std::string what, part;
  for (const std::string_view line : lines_of(text)) {
    const auto [key, value] = key_value(line);
    if (key == "drm-driver") client.driver = value;
    if (key == "drm-pdev") client.address = value;
    if (key == "drm-client-id") client.id = value;
    if (!RE2::FullMatch(key, form, &what, &part)) continue;
    if (what == "engine-capacity")
      capacity[part] = number_of(value).value_or(1);
    else if (what == "engine" && !value.empty())
      client.busy_ns[part] = first_number(value).value_or(0);
    else if (RE2::FullMatch(part, on_device))
      (what == "resident" ? resident : older) += mib_of(value);
  }
  client.memory_mib = std::max(resident, older);
  for (const auto& [engine, number] : capacity) {
    if (const auto busy = client.busy_ns.find(engine); busy != client.busy_ns.end() && number > 1)
      busy->second /= number;
  }
  return client;
}

bool is_compute_node(std::string_view name) {
  static const LazyRegex form("(?:nvidia|dri/renderD|accel/accel)\\d+|nvidia-uvm|kfd|dxg|nvhost-(?:ctrl-)?gpu|nvgpu/.*",
                              RE2::Latin1);
  return RE2::FullMatch(name, form);
}

bool is_gpu_node(std::string_view name) {
  static const LazyRegex form("nvidiactl|nvidia-(?:uvm-tools|modeset|caps/.*)|nvmap|dri/card\\d+", RE2::Latin1);
  return is_compute_node(name) || RE2::FullMatch(name, form);
}

Reading<OpenNodes> open_nodes(const Files& files, std::int64_t pid, const std::string& folder) {
  const std::string own = "/proc/" + std::to_string(pid);
  const std::string prefix = folder + "/";
  return files.list(own + "/fd").then([&](const std::vector<std::string>& numbers) {
    OpenNodes nodes;
    for (const std::string& number : numbers) {
      const auto target = files.link(own + "/fd/" + number);
      if (!target.get() || !target.get()->starts_with(prefix)) continue;
      const std::string name = target.get()->substr(prefix.size());
      if (!is_gpu_node(name)) continue;
      nodes.paths.insert(*target.get());
      if (!name.starts_with("dri/")) continue;
      if (const auto text = files.read(own + "/fdinfo/" + number); text.get())
        nodes.clients.push_back(parse_fdinfo(*text.get()));
    }
    return nodes;
  });
}

ProcessStat parse_stat(std::string_view text) {
  const auto open = text.find('(');
  const auto close = text.rfind(')');  // the name may contain brackets
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  const auto words = words_of(text.substr(close + 1));
  constexpr std::size_t state = 0, parent = 1, user = 11, system = 12, started = 19;
  if (words.size() <= started) return {};
  return {.name = std::string(text.substr(open + 1, close - open - 1)),
          .parent = number_of(words[parent]).value_or(0),
          .started = number_of(words[started]).value_or(0),
          .spent = number_of(words[user]).value_or(0) + number_of(words[system]).value_or(0),
          .state = words[state].front()};
}

void ProcessTree::look() {
  const auto stat_of = [&](std::int64_t pid) {
    const auto text = files_.read("/proc/" + std::to_string(pid) + "/stat", 1 << 16);
    return text.get() ? parse_stat(*text.get()) : ProcessStat{};
  };
  const auto lives = [](const ProcessStat& stat) {
    return stat.started != 0 && stat.state != 'Z' && stat.state != 'X';
  };

  std::map<std::int64_t, ProcessStat> still;
  for (const auto& [pid, before] : alive_) {
    const ProcessStat now = stat_of(pid);
    if (lives(now) && now.started == before.started) still[pid] = now;
  }
  if (ever_.empty()) {
    const ProcessStat first = stat_of(root_);
    if (!lives(first)) return;
    still[root_] = first;
    ever_.insert(root_);
  }
  alive_ = std::move(still);

  const auto names = files_.list("/proc");
  if (!names.get()) return;
  std::map<std::int64_t, std::int64_t> parents;
  std::map<std::int64_t, ProcessStat> fresh;
  for (const std::string& name : *names.get()) {
    const auto pid = number_of(name);
    if (!pid) continue;
    if (const auto known = parents_.find(*pid); known != parents_.end()) {
      parents.insert(*known);
      continue;
    }
    const ProcessStat stat = stat_of(*pid);
    parents[*pid] = stat.parent;
    if (lives(stat) && !besides_.contains(*pid)) fresh[*pid] = stat;
  }
  parents_ = std::move(parents);
  // After PIDs wrap a child may have a lower number than its parent, so repeat until nothing is added.
  const auto adopt = [&](const auto& entry) {
    if (!alive_.contains(entry.second.parent)) return false;
    ever_.insert(entry.first);
    return alive_.insert(entry).second;
  };
  while (std::erase_if(fresh, adopt) > 0) {
  }
}

}  // namespace envdoctor
