#include "probe/os/cpu_info.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "host/text.h"
#include "probe/os/topology.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

// Instruction sets that frameworks are built for, as the kernel names them.
constexpr std::array<std::string_view, 18> instruction_sets = {
    "sse4_1",  "sse4_2", "avx",  "avx2", "fma",  "f16c",    "avx_vnni", "asimd", "asimdhp",
    "asimddp", "bf16",   "i8mm", "sve",  "sve2", "svebf16", "svei8mm",  "sme",   "rvv"};

bool is_wanted_feature(std::string_view flag) {
  return std::ranges::find(instruction_sets, flag) != instruction_sets.end() || flag.starts_with("avx512") ||
         flag.starts_with("amx_") || flag.starts_with("avx10");
}

struct Part {
  std::string_view implementer;
  std::string_view part;
  const char* name;
};

// Arm kernels write numbers for the model (MIDR_EL1). Only models of hosts with GPUs.
constexpr std::array parts = {Part{"0x41", "0xd0c", "Arm Neoverse-N1"},   Part{"0x41", "0xd40", "Arm Neoverse-V1"},
                              Part{"0x41", "0xd49", "Arm Neoverse-N2"},   Part{"0x41", "0xd4f", "Arm Neoverse-V2"},
                              Part{"0x41", "0xd83", "Arm Neoverse-V3AE"}, Part{"0x41", "0xd84", "Arm Neoverse-V3"},
                              Part{"0x41", "0xd8e", "Arm Neoverse-N3"},   Part{"0x41", "0xd42", "Arm Cortex-A78AE"},
                              Part{"0x41", "0xd07", "Arm Cortex-A57"},    Part{"0x41", "0xd08", "Arm Cortex-A72"},
                              Part{"0x4e", "0x003", "NVIDIA Denver 2"},   Part{"0x4e", "0x004", "NVIDIA Carmel"},
                              Part{"0xc0", "0xac3", "Ampere-1"},          Part{"0xc0", "0xac4", "Ampere-1a"},
                              Part{"0x48", "0xd01", "HiSilicon TSV110"}};

// The value of the first of these keys that has one.
std::string_view first_value(std::string_view text, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto value = value_of(text, key).value_or(""); !value.empty()) return value;
  return {};
}

Text model_of(std::string_view cpuinfo) {
  if (const auto name = first_value(cpuinfo, {"model name", "cpu", "uarch"}); !name.empty())
    return std::string(name.substr(0, 200));
  const auto implementer = value_of(cpuinfo, "CPU implementer").value_or("");
  const auto part = value_of(cpuinfo, "CPU part").value_or("");
  for (const Part& known : parts)
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  if (!part.empty()) return "Arm " + std::string(implementer.substr(0, 8)) + " " + std::string(part.substr(0, 8));
  return failed("/proc/cpuinfo: no line that names the model");
}

Number kib_line(std::string_view meminfo, std::string_view key) {
  const auto kib = first_number(value_of(meminfo, key).value_or(""));
  if (!kib || *kib < 0) return failed("/proc/meminfo: no line '" + std::string(key) + "' with a number");
  return *kib >> 10;
}

}  // namespace

Cpu parse_cpuinfo(std::string_view cpuinfo) {
  Cpu cpu{.model = model_of(cpuinfo)};
  const auto flags = words_of(first_value(cpuinfo, {"flags", "Features", "isa"}));
  if (flags.empty()) cpu.isa = absent("/proc/cpuinfo lists no instruction sets");
  for (const auto flag : flags)
    if (is_wanted_feature(flag)) cpu.isa.fill().emplace_back(flag);
  if (!flags.empty()) sort_unique(cpu.isa.fill());
  return cpu;
}

Memory parse_meminfo(std::string_view meminfo) {
  return {.total_mib = kib_line(meminfo, "MemTotal"), .available_mib = kib_line(meminfo, "MemAvailable")};
}

Reading<std::vector<std::int64_t>> cpu_list(std::string_view text) {
  constexpr std::int64_t most = 65536;
  std::vector<std::int64_t> numbers;
  for (const auto range : pieces(trimmed(text), ',')) {
    const auto dash = range.find('-');
    const auto first = number_of(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : number_of(range.substr(dash + 1));
    if (!first || !last || *first < 0 || *last < *first || *last >= most)
      return failed("not a list of processors: " + std::string(text.substr(0, 40)));
    for (auto i = *first; i <= *last; ++i) numbers.push_back(i);
    if (numbers.size() > static_cast<std::size_t>(most)) return failed("the list has too many processors");
  }
  return numbers;
}

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

// Package and core of each thread, from sysfs. False where it doesn't list a thread.
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

// One block of lines per thread; sandboxes leave out package and core.
void count_in_cpuinfo(std::string_view text, Cpu& cpu) {
  std::size_t threads = 0;
  std::int64_t package = -1;
  std::set<std::int64_t> packages;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  for (const auto line : lines_of(text)) {
    const auto [key, text_of_value] = key_value(line);
    const auto value = number_of(text_of_value);
    if (key == "processor") ++threads;
    if (key == "physical id" && value) packages.insert(package = *value);
    if (key == "core id" && value) cores.emplace(package, *value);
  }
  const auto count = [](std::size_t number, const char* why) { return number > 0 ? Number(number) : failed(why); };
  cpu.threads = count(threads, "/proc/cpuinfo: no processor");
  cpu.sockets = count(packages.size(), "/proc/cpuinfo: no packages");
  cpu.cores = count(cores.size(), "/proc/cpuinfo: no cores");
}

}  // namespace

Cpu count_cpus(const Files& files, const Reading<std::string>& cpuinfo) {
  Cpu cpu{.numa_nodes = numa_nodes(files)};
  const auto online =
      read_line(files, std::string(cpus) + "/online").then([](const std::string& text) { return cpu_list(text); });
  if (online.get() && count_in_sysfs(files, *online.get(), cpu)) return cpu;
  if (cpuinfo.get())
    count_in_cpuinfo(*cpuinfo.get(), cpu);
  else
    cpu.threads = cpu.sockets = cpu.cores = Number(cpuinfo.missing());
  return cpu;
}

// Processor, memory and topology: texts in this process, hwloc in a child.

namespace {

constexpr Limits limits{.time = Milliseconds(10'000), .memory_mib = 1024};
constexpr std::size_t cpuinfo_limit = 32 << 20;

// Affinity and cpuset together.
Number allowed_cpus(const Files& files) {
  return files.read("/proc/self/status").then([](const std::string& text) -> Number {
    const auto list = value_of(text, "Cpus_allowed_list");
    if (!list) return failed("/proc/self/status: no Cpus_allowed_list");
    return cpu_list(*list).then([](const auto& allowed) { return static_cast<std::int64_t>(allowed.size()); });
  });
}

void add_counts(Session& session, const Reading<std::string>& cpuinfo) {
  Snapshot part;
  part.cpu = count_cpus(session.host.files, cpuinfo);
  session.add(part);
}

// Runs last, because it needs the list of GPUs.
void add_gpu_paths(Session& session) {
  Snapshot part;
  part.topology.fill().gpus = gpu_paths(session.host.files, session.so_far().pci);
  session.add(part);
}

}  // namespace

void probe_cpu(Session& session) {
  const Files& files = session.host.files;
  const auto cpuinfo = files.read("/proc/cpuinfo", cpuinfo_limit);
  Snapshot part;
  part.cpu = cpuinfo.then(parse_cpuinfo).value_or({.model = cpuinfo.missing(), .isa = cpuinfo.missing()});
  part.cpu.fill().allowed_cpus = allowed_cpus(files);
  part.memory = files.read("/proc/meminfo").then(parse_meminfo);
  session.add(part);
  // Without these files hwloc invents one processor.
  const bool hwloc_can_see = files.status("/sys/devices/system/cpu/cpu0/topology").get() != nullptr;
  if (!hwloc_can_see) add_counts(session, cpuinfo);
  session.start(
      "cpu", "", limits,
      [root = files.root(), hwloc_can_see](const Channel&) {
        return hwloc_can_see ? read_with_hwloc(root) : Snapshot{};
      },
      [&session, cpuinfo](const Ended&, const Snapshot& answer) {
        if (!answer.cpu.get()) add_counts(session, cpuinfo);
        add_gpu_paths(session);
      });
}

}  // namespace envdoctor
