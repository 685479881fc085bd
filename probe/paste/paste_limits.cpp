// A process's limits, as small tools print them: ulimit -a, df of /dev/shm, taskset -p, lscpu, numactl -H, free.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/os/cpu_info.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"

namespace envdoctor {
namespace {

Number amount(std::string_view value, std::int64_t unit_bytes) {
  if (value == "unlimited") return absent("unlimited");
  const auto number = number_of(value);
  return number && *number < std::int64_t{1} << 40 ? Number(*number * unit_bytes >> 20)
                                                   : Number(failed("not a number"));
}

// "max locked memory           (kbytes, -l) 64"
bool limit_line(std::string_view line, Ulimits& limits) {
  static const LazyRegex form(R"((.+?)\s+\((?:[a-z0-9]+ ?[a-z]*, )?-(\w)\)\s+(\d+|unlimited))", RE2::Latin1);
  std::string name, option, value;
  if (!contains(line, ", -") && !contains(line, "(-")) return false;
  if (!RE2::FullMatch(line, form, &name, &option, &value)) return false;
  const auto count = [&] {
    return value == "unlimited" ? Number(absent("unlimited")) : Number(number_of(value).value_or(0));
  };
  if (option == "l") limits.memlock_mib = amount(value, 1024);
  if (option == "v") limits.address_space_mib = amount(value, 1024);
  if (option == "n") limits.open_files = count();
  if (option == "u") limits.processes = count();
  return true;
}

// "64M", "7.8G", and without a unit kilobytes, as df prints them.
std::optional<std::int64_t> size_in_mib(std::string_view text) {
  static const LazyRegex form(R"((\d{1,12}(?:\.\d+)?)([KMGT]?)i?B?)", RE2::Latin1);
  double number = 0;
  std::string unit;
  if (!RE2::FullMatch(text, form, &number, &unit)) return std::nullopt;
  const double kib = unit.empty() || unit == "K" ? 1 : unit == "M" ? 1024.0 : unit == "G" ? 1048576.0 : 1073741824.0;
  return static_cast<std::int64_t>(number * kib / 1024);
}

// "shm    65536  0  65536   0% /dev/shm"
void file_system_line(std::string_view line, Snapshot& snapshot) {
  const auto words = words_of(line);
  if (words.size() != 6 || words[5] != "/dev/shm" || !words[4].ends_with("%") || !leading_number(words[4])) return;
  if (const auto size = size_in_mib(words[1])) snapshot.host.fill().shm_mib = *size;
  constexpr std::int64_t full_percent = 98;
  if (*leading_number(words[4]) < full_percent) return;
  Symptom& symptom = snapshot.log.fill().emplace_back();
  symptom.class_ = "exhausted";
  symptom.subject = "shared-memory";
  symptom.details["used"] = std::string(words[4]);
}

// The number of bits in "00000000,0000000f"; 0: not such a mask.
std::int64_t bits_of_mask(std::string_view digits) {
  std::int64_t count = 0;
  for (const char c : digits) {
    const auto digit = number_of<unsigned>(std::string_view(&c, 1), 16);
    if (!digit && c != ',') return 0;
    for (unsigned bits = digit.value_or(0); bits > 0; bits >>= 1) count += bits & 1;
  }
  return count;
}

// "os.cpu_count()=64, len(os.sched_getaffinity(0))=16": what a program's log says of itself; and "KMP_AFFINITY: 4
// available OS procs" of Intel's OpenMP.
void counted_line(std::string_view line, Snapshot& snapshot) {
  static const LazyRegex allowed(R"((?:sched_getaffinity\(0\)|cpu_affinity\(\))\)\}? ?(?:=|:|->) ?(\d{1,5})\b)",
                                 RE2::Latin1),
      all(R"(cpu_count\((?:logical=True)?\)\}? ?(?:=|:|->) ?(\d{1,5})\b)", RE2::Latin1),
      openmp(R"(KMP_AFFINITY: (\d{1,5}) available OS procs)", RE2::Latin1);
  std::int64_t count = 0;
  const auto reads = [&](const RE2& form) { return RE2::PartialMatch(piece_of(line), form, &count) && count > 0; };
  if (contains(line, "affinity(") && reads(allowed)) snapshot.cpu.fill().allowed_cpus = count;
  if (contains(line, "affinity(") && reads(all)) snapshot.cpu.fill().threads = count;
  if (contains(line, "KMP_AFFINITY") && reads(openmp)) snapshot.cpu.fill().allowed_cpus = count;
}

// "pid 41's current affinity list: 0-3", or "mask: f".
void affinity_line(std::string_view line, Snapshot& snapshot) {
  // The startup calls of libgomp and similar libraries in strace.
  if (line.starts_with("sched_setaffinity(") && line.ends_with("= 0")) {
    const std::size_t open = line.find('['), close = line.find(']');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open) return;
    const auto cpus = words_of(line.substr(open + 1, close - open - 1)).size();
    if (cpus > 0) snapshot.cpu.fill().allowed_cpus = static_cast<std::int64_t>(cpus);
  } else if (const std::size_t mine = line.find("Cpus_allowed_list:"); mine != std::string_view::npos) {
    if (const auto cpus = cpu_list(trimmed(line.substr(mine + 18))); cpus.get() && !cpus.get()->empty())
      snapshot.cpu.fill().allowed_cpus = static_cast<std::int64_t>(cpus.get()->size());
  } else if (const std::size_t at = line.find("current affinity list: "); at != std::string_view::npos) {
    if (const auto cpus = cpu_list(line.substr(at + 23)); cpus.get() && !cpus.get()->empty())
      snapshot.cpu.fill().allowed_cpus = static_cast<std::int64_t>(cpus.get()->size());
  } else if (const std::size_t mask = line.find("current affinity mask: "); mask != std::string_view::npos) {
    if (const auto count = bits_of_mask(trimmed(line.substr(mask + 23)))) snapshot.cpu.fill().allowed_cpus = count;
  } else if (line.starts_with("Cpus_allowed:")) {
    if (const auto count = bits_of_mask(trimmed(line.substr(13)))) snapshot.cpu.fill().allowed_cpus = count;
  } else if (line.starts_with("physcpubind: ")) {
    if (const auto count = std::ssize(words_of(line.substr(13)))) snapshot.cpu.fill().allowed_cpus = count;
  }
}

void processor_line(std::string_view line, Snapshot& snapshot) {
  const auto set = [&](std::string_view key, Number Cpu::*field) {
    if (const auto value = after(line, key); value && number_of(*value))
      snapshot.cpu.fill().*field = *number_of(*value);
  };
  set("CPU(s):", &Cpu::threads);
  set("Socket(s):", &Cpu::sockets);
  set("NUMA node(s):", &Cpu::numa_nodes);
}

// "available: 2 nodes (0-1)" of numactl -H.
void numa_line(std::string_view line, Snapshot& snapshot) {
  const auto count = leading_number(line.substr(11));
  if (count && contains(line, " nodes (")) snapshot.cpu.fill().numa_nodes = *count;
}

// "Mem:  64215  2034 …  61000" of free -m, whose header doesn't name the unit: read only with units after the numbers.
void memory_line(std::string_view line, Snapshot& snapshot) {
  const auto words = words_of(line);
  if (words.size() < 7 || words[0] != "Mem:" || !words[1].ends_with("i")) return;
  const auto total = size_in_mib(words[1]), available = size_in_mib(words[6]);
  if (total) snapshot.memory.fill().total_mib = *total;
  if (available) snapshot.memory.fill().available_mib = *available;
}

}  // namespace

bool starts_limits(std::string_view line) {
  return contains(line, "% /dev/shm") || contains(line, "current affinity ") || contains(line, "locked memory") ||
         contains(line, "Cpus_allowed") || contains(line, "sched_setaffinity(") || contains(line, "affinity(") ||
         contains(line, " available OS procs") || line.starts_with("physcpubind: ") ||
         contains(line, "NUMA node(s):") || line.starts_with("CPU(s):") || line.starts_with("available: ") ||
         line.starts_with("Mem:");
}

Snapshot parse_limits(const std::string& text) {
  Snapshot snapshot;
  Ulimits limits;
  bool limited = false;
  for (const std::string_view raw : lines_of(text)) {
    const std::string_view line = trimmed(raw.substr(0, 400));
    if (line.empty()) continue;
    limited = limit_line(line, limits) || limited;
    if (line.ends_with("/dev/shm")) file_system_line(line, snapshot);
    if (contains(line, "affinity") || contains(line, "Cpus_allowed") || line.starts_with("physcpubind: "))
      affinity_line(line, snapshot);
    if (contains(line, "affinity(") || contains(line, " available OS procs")) counted_line(line, snapshot);
    if (contains(line, "(s):")) processor_line(line, snapshot);
    if (line.starts_with("available: ")) numa_line(line, snapshot);
    if (line.starts_with("Mem:")) memory_line(line, snapshot);
  }
  if (limited) snapshot.host.fill().ulimits = limits;
  return snapshot;
}

}  // namespace envdoctor
