#include <algorithm>
#include <set>
#include <utility>

#include "probe/cpu_info.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr const char* cpus = "/sys/devices/system/cpu";

Number numa_nodes(const Files& files) {
  const auto names = files.list("/sys/devices/system/node");
  if (names.outcome() == Outcome::absent) return absent("this kernel shows no NUMA nodes");
  return names.then([](const std::vector<std::string>& all) {
    return static_cast<std::int64_t>(std::ranges::count_if(
        all, [](const std::string& name) { return name.starts_with("node") && number_of(name.substr(4)); }));
  });
}

// Package and core of each thread, as sysfs has them. False where it says nothing of one.
bool count_in_sysfs(const Files& files, const std::vector<std::int64_t>& online, Cpu& cpu) {
  std::set<std::int64_t> packages;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  for (const auto number : online) {
    const std::string folder = std::string(cpus) + "/cpu" + std::to_string(number) + "/topology/";
    const auto package = read_number(files, folder + "physical_package_id");
    const auto core = read_number(files, folder + "core_id");
    if (!package.get() || !core.get()) return false;
    packages.insert(*package.get());
    cores.emplace(*package.get(), *core.get());
  }
  cpu.threads = static_cast<std::int64_t>(online.size());
  cpu.sockets = static_cast<std::int64_t>(packages.size());
  cpu.cores = static_cast<std::int64_t>(cores.size());
  return !online.empty();
}

// One block of lines per thread; sandboxes leave out where it sits.
void count_in_cpuinfo(std::string_view text, Cpu& cpu) {
  std::int64_t threads = 0, package = -1;
  std::set<std::int64_t> packages;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  for (const auto line : lines_of(text)) {
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const auto key = trimmed(line.substr(0, colon));
    const auto value = number_of(line.substr(colon + 1));
    if (key == "processor") ++threads;
    if (key == "physical id" && value) packages.insert(package = *value);
    if (key == "core id" && value) cores.emplace(package, *value);
  }
  cpu.threads = threads > 0 ? Number(threads) : failed("/proc/cpuinfo: no processor");
  cpu.sockets =
      packages.empty() ? Number(failed("/proc/cpuinfo: no packages")) : static_cast<std::int64_t>(packages.size());
  cpu.cores = cores.empty() ? Number(failed("/proc/cpuinfo: no cores")) : static_cast<std::int64_t>(cores.size());
}

}  // namespace

Cpu count_cpus(const Files& files, const Reading<std::string>& cpuinfo) {
  Cpu cpu{.numa_nodes = numa_nodes(files)};
  const auto online =
      read_line(files, std::string(cpus) + "/online").then([](const std::string& text) { return cpu_list(text); });
  if (online.get() && count_in_sysfs(files, *online.get(), cpu)) return cpu;
  if (cpuinfo.get()) {
    count_in_cpuinfo(*cpuinfo.get(), cpu);
  } else {
    cpu.threads = cpu.sockets = cpu.cores = Number(cpuinfo.missing());
  }
  return cpu;
}

}  // namespace envdoctor
