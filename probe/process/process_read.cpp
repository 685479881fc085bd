#include "probe/process/process_read.h"

#include <algorithm>

#include "knowledge/frameworks/process_names.h"
#include "probe/text.h"

namespace envdoctor {

namespace {

bool has_number(std::string_view name, std::string_view begin) {
  return name.starts_with(begin) && number_of(name.substr(begin.size())).has_value();
}

// "1234 KiB" in MiB; a bare number is bytes.
std::int64_t mib_of(std::string_view value) {
  const auto words = words_of(value);
  if (words.empty()) return 0;
  const std::int64_t number = number_of(words[0]).value_or(0);
  if (words.size() < 2) return number >> 20U;
  if (words[1] == "KiB") return number >> 10U;
  return words[1] == "MiB" ? number : 0;
}

bool on_device(std::string_view region) {
  return region.starts_with("vram") || region.starts_with("local") || region.starts_with("stolen");
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
  DrmClient client;
  std::map<std::string, std::int64_t> capacity;
  std::int64_t resident = 0, older = 0;
  for (const std::string_view line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon), value = trimmed(line.substr(colon + 1));
    const auto after = [&](std::string_view begin) { return std::string(key.substr(begin.size())); };
    if (key == "drm-driver") {
      client.driver = value;
    } else if (key == "drm-pdev") {
      client.address = value;
    } else if (key == "drm-client-id") {
      client.id = value;
    } else if (key.starts_with("drm-engine-capacity-")) {
      capacity[after("drm-engine-capacity-")] = number_of(value).value_or(1);
    } else if (key.starts_with("drm-engine-")) {
      const auto words = words_of(value);
      if (!words.empty()) client.busy_ns[after("drm-engine-")] = number_of(words[0]).value_or(0);
    } else if (key.starts_with("drm-resident-") && on_device(after("drm-resident-"))) {
      resident += mib_of(value);
    } else if (key.starts_with("drm-memory-") && on_device(after("drm-memory-"))) {
      older += mib_of(value);
    }
  }
  client.memory_mib = std::max(resident, older);
  for (const auto& [engine, number] : capacity) {
    if (const auto busy = client.busy_ns.find(engine); busy != client.busy_ns.end() && number > 1)
      busy->second /= number;
  }
  return client;
}

bool is_compute_node(std::string_view name) {
  return has_number(name, "nvidia") || has_number(name, "dri/renderD") || has_number(name, "accel/accel") ||
         name == "nvidia-uvm" || name == "kfd" || name == "dxg" || name == "nvhost-gpu" || name == "nvhost-ctrl-gpu" ||
         name.starts_with("nvgpu/");
}

bool is_gpu_node(std::string_view name) {
  return is_compute_node(name) || name == "nvidiactl" || name == "nvidia-uvm-tools" || name == "nvidia-modeset" ||
         name.starts_with("nvidia-caps/") || name == "nvmap" || has_number(name, "dri/card");
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
  const auto close = text.rfind(')');  // the name may hold brackets
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  ProcessStat stat{.name = std::string(text.substr(open + 1, close - open - 1))};
  const auto words = words_of(text.substr(close + 1));
  constexpr std::size_t state = 0, parent = 1, started = 19;
  if (words.size() <= started) return {};
  stat.state = words[state].front();
  stat.parent = number_of(words[parent]).value_or(0);
  stat.started = number_of(words[started]).value_or(0);
  return stat;
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
    if (lives(stat)) fresh[*pid] = stat;
  }
  parents_ = std::move(parents);
  // A child may carry a lower number than its parent, once numbers have wrapped: until nothing is added any more.
  for (bool added = true; added;) {
    added = false;
    for (auto entry = fresh.begin(); entry != fresh.end();) {
      if (alive_.contains(entry->second.parent)) {
        ever_.insert(entry->first);
        alive_.insert(*entry);
        entry = fresh.erase(entry);
        added = true;
      } else {
        ++entry;
      }
    }
  }
}

}  // namespace envdoctor
