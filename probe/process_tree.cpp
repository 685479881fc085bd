#include "probe/process_tree.h"

#include "probe/text.h"

namespace envdoctor {

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
