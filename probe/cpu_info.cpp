#include "probe/cpu_info.h"

#include <algorithm>
#include <array>

#include "probe/text.h"

namespace envdoctor {
namespace {

// Instruction sets that frameworks are built for, as the kernel names them.
constexpr std::array<std::string_view, 18> instruction_sets = {
    "sse4_1",  "sse4_2", "avx",  "avx2", "fma",  "f16c",    "avx_vnni", "asimd", "asimdhp",
    "asimddp", "bf16",   "i8mm", "sve",  "sve2", "svebf16", "svei8mm",  "sme",   "rvv"};

bool is_wanted(std::string_view flag) {
  return std::ranges::find(instruction_sets, flag) != instruction_sets.end() || flag.starts_with("avx512") ||
         flag.starts_with("amx_") || flag.starts_with("avx10");
}

struct Part {
  std::string_view implementer;
  std::string_view part;
  const char* name;
};

// Arm kernels write numbers for the model (MIDR_EL1). Those that GPUs are found beside.
constexpr std::array parts = {Part{"0x41", "0xd0c", "Arm Neoverse-N1"},   Part{"0x41", "0xd40", "Arm Neoverse-V1"},
                              Part{"0x41", "0xd49", "Arm Neoverse-N2"},   Part{"0x41", "0xd4f", "Arm Neoverse-V2"},
                              Part{"0x41", "0xd83", "Arm Neoverse-V3AE"}, Part{"0x41", "0xd84", "Arm Neoverse-V3"},
                              Part{"0x41", "0xd8e", "Arm Neoverse-N3"},   Part{"0x41", "0xd42", "Arm Cortex-A78AE"},
                              Part{"0x41", "0xd07", "Arm Cortex-A57"},    Part{"0x41", "0xd08", "Arm Cortex-A72"},
                              Part{"0x4e", "0x003", "NVIDIA Denver 2"},   Part{"0x4e", "0x004", "NVIDIA Carmel"},
                              Part{"0xc0", "0xac3", "Ampere-1"},          Part{"0xc0", "0xac4", "Ampere-1a"},
                              Part{"0x48", "0xd01", "HiSilicon TSV110"}};

// The value of the first line with this key.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (const auto line : lines_of(text)) {
    if (!line.starts_with(key)) continue;
    const auto colon = line.find(':');
    if (colon != std::string_view::npos && trimmed(line.substr(0, colon)) == key)
      return trimmed(line.substr(colon + 1));
  }
  return {};
}

Text model_of(std::string_view cpuinfo) {
  for (const std::string_view key : {"model name", "cpu", "uarch"})
    if (const auto name = value_of(cpuinfo, key); !name.empty()) return std::string(name.substr(0, 200));
  const auto implementer = value_of(cpuinfo, "CPU implementer");
  const auto part = value_of(cpuinfo, "CPU part");
  for (const Part& known : parts)
    if (known.implementer == implementer && known.part == part) return std::string(known.name);
  if (!part.empty()) return "Arm " + std::string(implementer.substr(0, 8)) + " " + std::string(part.substr(0, 8));
  return failed("/proc/cpuinfo: no line that names the model");
}

Number kib_line(std::string_view meminfo, std::string_view key) {
  const auto words = words_of(value_of(meminfo, key));
  const auto kib = words.empty() ? std::nullopt : number_of(words[0]);
  if (!kib || *kib < 0) return failed("/proc/meminfo: no line '" + std::string(key) + "' with a number");
  return *kib >> 10;
}

}  // namespace

Cpu parse_cpuinfo(std::string_view cpuinfo) {
  Cpu cpu{.model = model_of(cpuinfo)};
  std::string_view flags;
  for (const std::string_view key : {"flags", "Features", "isa"})
    if (flags.empty()) flags = value_of(cpuinfo, key);
  if (flags.empty()) {
    cpu.isa = absent("/proc/cpuinfo lists no instruction sets");
    return cpu;
  }
  auto& isa = cpu.isa.fill();
  for (const auto flag : words_of(flags))
    if (is_wanted(flag)) isa.emplace_back(flag);
  std::ranges::sort(isa);
  isa.erase(std::unique(isa.begin(), isa.end()), isa.end());
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
    if (numbers.size() > static_cast<std::size_t>(most)) return failed("a list of too many processors");
  }
  return numbers;
}

}  // namespace envdoctor
