// Commands whose output tells a fact only together with what was asked: where a module's file is, which Python a
// notebook runs, the two versions of cuDNN, the devices that have a kernel, the code in a program, and the GPU of a
// process.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/shell_session.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

constexpr std::size_t longest_output = 400;

// A command of a shell, or a line at a prompt of Python, and what was printed behind it.
struct Asked {
  ShellLine typed{};
  std::string python{};  // which one answers, by the environment of the prompt and its path; empty: none, or unknown
  std::vector<ShellLine> output{};
};

// "In [3]: " and "Out[3]: "; 0: neither.
std::size_t numbered(std::string_view line, std::string_view start) {
  const std::size_t end = line.starts_with(start) ? line.find("]: ") : line.npos;
  return end == line.npos || end > start.size() + 6 ? 0 : end + 3;
}

// The Python that a command starts, for a program in its text or for a prompt.
std::string python_started(const ShellCommand& command, std::string_view typed) {
  static const LazyRegex form(R"((?:.*[;&] *)?(\S*python[\d.]*(?:\.exe)?)(?: +(?:-\w+ +)*-c\b.*)?)", RE2::Latin1);
  static const LazyRegex environment(R"(\(([\w.-]+)\).*)", RE2::Latin1);
  std::string python, name;
  if (!command.engine.empty() || !RE2::FullMatch(piece_of(typed), form, &python)) return {};
  RE2::FullMatch(piece_of(command.prompt), environment, &name);
  return name + ' ' + python;
}

std::vector<Asked> asked_in(const std::string& text) {
  std::vector<Asked> all;
  for (const ShellCommand& command : shell_session(text)) {
    const std::string started = python_started(command, command.typed.text);
    all.push_back({.typed = command.typed, .python = started});
    for (const ShellLine& line : command.output) {
      const std::size_t in = numbered(line.text, "In ["), out = numbered(line.text, "Out[");
      const bool python = line.text.starts_with(">>> ");
      if (in == 0 && !python) {
        all.back().output.push_back({line.row, line.text.substr(out)});
        continue;
      }
      std::string_view typed = trimmed(line.text.substr(python ? 4 : in));
      const bool shell = typed.starts_with('!');
      if (shell) typed.remove_prefix(1);
      all.push_back({.typed = {line.row, typed},
                     .python = shell    ? python_started({}, typed)
                               : python ? started
                                        : "notebook"});
    }
  }
  return all;
}

// A word without the signs that Python prints around it.
std::string_view bare(std::string_view word) {
  constexpr std::string_view signs = "'\"(),[]<>";
  const std::size_t first = word.find_first_not_of(signs);
  return first == word.npos ? "" : word.substr(first, word.find_last_not_of(signs) + 1 - first);
}

bool among_packages(std::string_view path) {
  return contains(path, "site-packages") || contains(path, "dist-packages") || contains(path, "lib/python");
}

// "/srv/job/torch.py" for torch.__file__: a package is a folder, so this is a file of one's own; nor is a folder
// without a start, outside of all packages, one of them.
void module_file(const Asked& asked, std::string_view text, Snapshot& snapshot) {
  static const LazyRegex form(
      R"(\b(torch|tensorflow|tf|jax|keras|torchvision|cupy|onnxruntime|transformers|numpy|np)\.__(?:file|path)__)",
      RE2::Latin1);
  static const LazyRegex any_module(R"(\b([a-z][a-z0-9_]{2,30})\.__file__)", RE2::Latin1);
  std::string name;
  if (!contains(asked.typed.text, ".__")) return;
  // A file that is meant to be imported lacks nothing.
  const auto lacks_a_name = [&] { return contains(text, "module '" + name + "' has no attribute"); };
  if (!RE2::PartialMatch(piece_of(asked.typed.text), form, &name) &&
      !(RE2::PartialMatch(piece_of(asked.typed.text), any_module, &name) && lacks_a_name()))
    return;
  if (name == "tf") name = "tensorflow";
  if (name == "np") name = "numpy";
  for (const ShellLine& line : asked.output) {
    for (const std::string_view word : words_of(line.text.substr(0, longest_output))) {
      const std::string_view path = bare(word.starts_with("_NamespacePath(") ? word.substr(14) : word);
      const bool file = path.ends_with("/" + name + ".py") || path.ends_with("\\" + name + ".py");
      const bool folder = word.starts_with("_NamespacePath(") && path.ends_with(name);
      if ((!file && !folder) || among_packages(path)) continue;
      add_symptom(snapshot, {hidden, "python-package"}, line.row, line.text).details["file"] = std::string(path);
      return;
    }
  }
}

// Two Pythons answer differently whether torch has the GPU: a notebook's own and the one that its shell finds, or those
// whose prompts two commands open.
void two_pythons(const std::vector<Asked>& session, Snapshot& snapshot) {
  std::map<std::string, const Asked*> without;
  std::set<std::string> with;
  for (const Asked& asked : session) {
    // A kernel keeps what it has imported until it is restarted, and a variable hides the GPU from one of them.
    if (contains(asked.typed.text, " install ") || contains(asked.typed.text, "VISIBLE_DEVICES")) return;
    if (asked.python.empty() ||
        (!contains(asked.typed.text, "cuda.is_available") && !contains(asked.typed.text, "torch.__version__")))
      continue;
    for (const ShellLine& line : asked.output) {
      for (const std::string_view word : words_of(line.text.substr(0, longest_output))) {
        const std::string_view value = bare(word);
        if (value == "True") with.insert(asked.python);
        if (value == "False" || value.ends_with("+cpu")) without.emplace(asked.python, &asked);
      }
    }
  }
  for (const auto& [python, asked] : without) {
    if (with.contains(python) || with.empty()) continue;
    add_symptom(snapshot, {mismatch, "pythons"}, asked->typed.row, asked->typed.text);
    return;
  }
}

// The cuDNN that JAX has loaded, and the one that it was built with, in the order in which they were asked for.
void cudnn_of_jax(const Asked& asked, Snapshot& snapshot) {
  const std::size_t loaded_at = asked.typed.text.find("cudnn_get_version()");
  const std::size_t built_at = asked.typed.text.find("cudnn_build_version()");
  if (loaded_at == std::string_view::npos || built_at == std::string_view::npos) return;
  std::vector<std::int64_t> numbers;
  const ShellLine* shown = nullptr;
  for (const ShellLine& line : asked.output) {
    for (const std::string_view word : words_of(line.text.substr(0, longest_output))) {
      const auto number = number_of(bare(word));
      if (!number || *number < 1000 || *number > 999'999) continue;
      numbers.push_back(*number);
      shown = &line;
    }
  }
  if (numbers.size() != 2) return;
  const std::int64_t loaded = numbers[loaded_at < built_at ? 0 : 1], built = numbers[loaded_at < built_at ? 1 : 0];
  // 8904 is 8.9.4, and 90100 is 9.1.0. The same major version is needed, and the same or a higher minor one.
  const auto major = [](std::int64_t version) { return version < 10'000 ? version / 1000 : version / 10'000; };
  const auto minor = [](std::int64_t version) { return version / 100; };
  if (major(loaded) == major(built) && minor(loaded) >= minor(built)) return;
  add_symptom(snapshot, {mismatch, "cudnn-version"}, shown->row, shown->text).details = {
      {"loaded", std::to_string(loaded)}, {"built", std::to_string(built)}};
}

// The devices for which TensorFlow has a kernel of an operation. What reads, decodes or prints belongs to the CPU.
void kernels_of_operation(const Asked& asked, Snapshot& snapshot) {
  static const LazyRegex form(R"(get_registered_kernels_for_op\(["'](\w+)["']\))", RE2::Latin1);
  static const LazyRegex of_host(
      R"(Decode|Dataset|Iterator|String|Read|Write|Save|Restore|Parse|Summary|Queue|Print|File|Lookup|HashTable|PyFunc)",
      RE2::Latin1);
  std::string operation;
  if (!contains(asked.typed.text, "get_registered_kernels_for_op") ||
      !RE2::PartialMatch(piece_of(asked.typed.text), form, &operation) || RE2::PartialMatch(operation, of_host))
    return;
  const ShellLine* cpu = nullptr;
  for (const ShellLine& line : asked.output) {
    if (contains(line.text, "GPU") || contains(line.text, "Error")) return;
    if (contains(line.text, "CPU") && !cpu) cpu = &line;
  }
  if (cpu) add_symptom(snapshot, {missing, "gpu-kernel-for-operation"}, cpu->row, cpu->text).details["op"] = operation;
}

std::string joined(const std::set<std::string>& all) {
  std::string words;
  for (const std::string& one : all) words += (words.empty() ? "" : " ") + one;
  return words;
}

// A filter leaves only a part of what a program holds.
bool shows_a_part(std::string_view typed) {
  static const LazyRegex filter(R"(\|\s*(?:head|tail)\b|grep[^|]*(?:sm_|compute_|gfx)[0-9])", RE2::Latin1);
  return contains(typed, "|") && RE2::PartialMatch(piece_of(typed), filter);
}

// What cuobjdump finds in a program: "lbm.1.sm_80.cubin", or "arch = sm_80" below "Fatbin elf code:".
void code_in_program(const std::vector<Asked>& session, Snapshot& snapshot) {
  static const LazyRegex listed(R"((ELF|PTX) file +\d+: *\S*\b(?:sm|compute)_(\d+)(\d)[af]?\.(?:cubin|ptx)\s*)",
                                RE2::Latin1);
  static const LazyRegex dumped(R"(arch = (?:sm|compute)_(\d+)(\d)[af]?\s*)", RE2::Latin1);
  std::set<std::string> elf, ptx;
  bool ptx_asked = false;
  const ShellLine* first = nullptr;
  for (const Asked& asked : session) {
    if (!contains(asked.typed.text, "cuobjdump") || shows_a_part(asked.typed.text)) continue;
    std::string_view kind;
    for (const ShellLine& line : asked.output) {
      std::string of, major, minor;
      const std::string_view words = trimmed(line.text.substr(0, longest_output));
      if (words.starts_with("Fatbin ")) kind = words.starts_with("Fatbin ptx") ? "PTX" : "ELF";
      if (RE2::FullMatch(piece_of(words), dumped, &major, &minor))
        of = std::string(kind);
      else if (!RE2::FullMatch(piece_of(words), listed, &of, &major, &minor))
        continue;
      if (of.empty()) return;  // both kinds look alike without the heading
      (of == "PTX" ? ptx : elf).insert(major + "." + minor);
      if (!first) first = &line;
    }
    ptx_asked = ptx_asked || !kind.empty() || contains(asked.typed.text, "ptx");
  }
  if (!first || elf.empty() || (!ptx_asked && ptx.empty())) return;
  add_symptom(snapshot, {noted, "code-in-program"}, first->row, first->text).details = {{"native", joined(elf)},
                                                                                        {"ptx", joined(ptx)}};
}

// "hipv4-amdgcn-amd-amdhsa--gfx90a" of roc-obj-ls, llvm-objdump --offloading and the like.
void code_for_amd(const std::vector<Asked>& session, Snapshot& snapshot) {
  static const LazyRegex target(R"(amdgcn-amd-amdhsa-[\w.]*-(gfx[0-9][0-9a-z]{2,5}(?:-generic)?)\b)", RE2::Latin1);
  std::set<std::string> all;
  const ShellLine* first = nullptr;
  for (const Asked& asked : session) {
    if (!contains(asked.typed.text, "roc-obj") && !contains(asked.typed.text, "objdump")) continue;
    if (shows_a_part(asked.typed.text)) continue;
    for (const ShellLine& line : asked.output) {
      std::string gfx;
      if (!contains(line.text, "amdhsa") ||
          !RE2::PartialMatch(piece_of(line.text.substr(0, longest_output)), target, &gfx))
        continue;
      all.insert(gfx);
      if (!first) first = &line;
    }
  }
  if (first) add_symptom(snapshot, {noted, "code-in-program"}, first->row, first->text).details["gfx"] = joined(all);
}

// "9921  InvokeAI  1  15032385536  0  0" of rocm-smi --showpids.
void kfd_processes(const Asked& asked, Snapshot& snapshot) {
  static const LazyRegex row(R"(\s*(\d+)\s+(\S+)\s+\d+\s+(\d{6,13})\s+\d+\s+\S*\s*)", RE2::Latin1);
  bool inside = false;
  for (const ShellLine& line : asked.output) {
    inside = inside || (line.text.starts_with("PID") && contains(line.text, "VRAM USED"));
    std::string pid, name;
    std::int64_t bytes = 0;
    if (!inside || line.text.size() > longest_output || !RE2::FullMatch(piece_of(line.text), row, &pid, &name, &bytes))
      continue;
    add_symptom(snapshot, {noted, "gpu-memory-of-process"}, line.row, line.text).details = {
        {"pid", pid}, {"name", name}, {"mib", std::to_string(bytes >> 20)}};
  }
}

// The row of a program that keeps a processor and more busy, in what top and ps print.
void busy_program(const Asked& asked, Snapshot& snapshot) {
  static const LazyRegex of_top(
      R"(\s*\d+ +\S+ +(?:rt|-?\d+) +-?\d+ +\S+ +\S+ +\S+ +[RSD] +(\d+(?:\.\d)?) +\d+\.\d +[\d:.]+ +(\S+).*)",
      RE2::Latin1);
  static const LazyRegex of_ps(R"(\S+ +\d+ +(\d+(?:\.\d)?) +\d+\.\d +\d+ +\d+ +\S+ +[RSD]\S* +\S+ +[\d:.-]+ +(\S+).*)",
                               RE2::Latin1);
  if (!asked.typed.text.starts_with("top ") && !asked.typed.text.starts_with("ps ")) return;
  constexpr double busy_percent = 150;
  for (const ShellLine& line : asked.output) {
    double percent = 0;
    std::string name;
    const re2::StringPiece row = piece_of(line.text);
    if (line.text.size() > longest_output ||
        (!RE2::FullMatch(row, of_top, &percent, &name) && !RE2::FullMatch(row, of_ps, &percent, &name)) ||
        percent < busy_percent || !contains(name, "python"))
      continue;
    add_symptom(snapshot, {noted, "busy-program"}, line.row, line.text).details = {{"name", name}};
    return;
  }
}

// A program was given a GPU's number, and nvidia-smi shows its process on another GPU, by bus address or UUID; its own
// table, which names the GPU by number, is compared where the shell told the number of the process.
void gpu_of_process(const std::vector<Asked>& session, Snapshot& snapshot) {
  static const LazyRegex wish(
      R"((?:^|[\s;&/])(?:python[\d.]*|torchrun|\./\S+) [^|;\n]*--(?:gpu|gpu[-_]?ids?|device|device[-_]id|cuda[-_]device)[ =](?:cuda:)?(\d{1,2})(?:\s|$))",
      RE2::Latin1);
  static const LazyRegex key(R"(([0-9A-Fa-f]{8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.\d|GPU-[0-9a-f-]{8,36}))", RE2::Latin1);
  static const LazyRegex index(R"(^(?:GPU )?(\d{1,2})[,:] )", RE2::Latin1);
  std::map<std::string, int> numbers;
  std::vector<std::pair<std::string, const ShellLine*>> used;
  static const LazyRegex background(R"(\[\d+\] (\d{2,8})\s*)", RE2::Latin1);
  // "kim 30411 99.1 python train.py --gpu 2" of ps, with or without the user in front.
  static const LazyRegex listed(R"(^\s*(?:[A-Za-z_][\w.+-]*\s+)?(\d{2,8})\s)", RE2::Latin1);
  std::set<int> wishes;
  for (const Asked& asked : session) {
    const std::string_view typed = asked.typed.text;
    if (contains(typed, "VISIBLE_DEVICES")) return;
    int number = 0;
    std::string pid;
    if (RE2::PartialMatch(piece_of(typed), wish, &number)) {
      wishes.insert(number);
      if (!asked.output.empty() && RE2::FullMatch(piece_of(asked.output.front().text), background, &pid))
        add_symptom(snapshot, {noted, "gpu-asked-for"}, asked.typed.row, typed).details = {
            {"gpu", std::to_string(number)}, {"pid", pid}};
    }
    if (typed.starts_with("ps ")) {
      for (const ShellLine& line : asked.output) {
        if (line.text.size() < longest_output && RE2::PartialMatch(piece_of(line.text), listed, &pid) &&
            RE2::PartialMatch(piece_of(line.text), wish, &number))
          add_symptom(snapshot, {noted, "gpu-asked-for"}, line.row, line.text).details = {
              {"gpu", std::to_string(number)}, {"pid", pid}};
      }
    }
    const bool apps = contains(typed, "--query-compute-apps"), list = contains(typed, "nvidia-smi -L");
    if (!apps && !list && !contains(typed, "--query-gpu=index")) continue;
    for (const ShellLine& line : asked.output) {
      std::string of;
      if (line.text.size() > longest_output || !RE2::PartialMatch(piece_of(line.text), key, &of)) continue;
      if (apps)
        used.emplace_back(of, &line);
      else if (RE2::PartialMatch(piece_of(line.text), index, &number))
        numbers[of] = number;
    }
  }
  if (wishes.size() != 1 || used.size() != 1 || !numbers.contains(used[0].first)) return;
  const int found = numbers[used[0].first], wanted = *wishes.begin();
  const bool there = std::ranges::any_of(numbers, [&](const auto& one) { return one.second == wanted; });
  if (found == wanted || !there) return;
  add_symptom(snapshot, {mismatch, "gpu-of-process"}, used[0].second->row, used[0].second->text).details = {
      {"asked", std::to_string(wanted)}, {"found", std::to_string(found)}};
}

// "ggml_vulkan: 0 = Intel(R) UHD Graphics 770 | uma: 1", and later "using Vulkan0 backend": the first one shares the
// processor's memory, and another has its own.
void vulkan_device(const std::string& text, Snapshot& snapshot) {
  static const LazyRegex device(R"(ggml_vulkan: (?:Device )?(\d+)(?: =|:) ([^|]{2,100}?) \(.{1,60}\) \| uma: ([01]))",
                                RE2::Latin1);
  static const LazyRegex choice(R"((?i)\busing (?:device )?Vulkan(\d+)\b|Vulkan(\d+) (?:model|compute|KV) buffer size)",
                                RE2::Latin1);
  std::map<std::string, std::pair<std::string, bool>> devices;
  std::size_t row = 0, chosen_row = 0;
  std::string_view chosen_line;
  std::string chosen;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > longest_output || !contains(line, "ulkan")) continue;
    std::string number, name, uma, other;
    if (RE2::PartialMatch(piece_of(line), device, &number, &name, &uma)) devices[number] = {name, uma == "1"};
    if (!RE2::PartialMatch(piece_of(line), choice, &number, &other)) continue;
    if (number.empty()) number = other;
    if (!chosen.empty() && chosen != number) return;  // the work is shared
    if (chosen.empty()) chosen = number, chosen_row = at, chosen_line = line;
  }
  const auto used = devices.find(chosen);
  const bool better = std::ranges::any_of(devices, [](const auto& one) { return !one.second.second; });
  if (used == devices.end() || !used->second.second || !better) return;
  add_symptom(snapshot, {noted, "integrated-gpu-used"}, chosen_row, chosen_line).details["name"] = used->second.first;
}

// "1m 35s", "46.8s", "9.2ms" in seconds.
double seconds_in(const std::string& words) {
  static const LazyRegex form(R"((?:(\d+)h ?)?(?:(\d+)m ?)?(?:(\d+(?:\.\d+)?)s)?|(\d+(?:\.\d+)?)(ms|us))", RE2::Latin1);
  std::string hours, minutes, seconds, part, unit;
  if (!RE2::FullMatch(words, form, &hours, &minutes, &seconds, &part, &unit)) return 0;
  if (!part.empty()) return std::atof(part.c_str()) * (unit == "ms" ? 1e-3 : 1e-6);
  return 3600 * std::atof(hours.c_str()) + 60 * std::atof(minutes.c_str()) + std::atof(seconds.c_str());
}

// The time of each step that CatBoost prints ("400: learn: 0.67 total: 1m 35s"), by the device that its call names. The
// last step that both reached is compared.
void boosting_times(const std::vector<Asked>& session, Snapshot& snapshot) {
  static const LazyRegex device(R"((?i)task[_-]type['"]?\s*[=: ]\s*['"]?(GPU|CPU)\b)", RE2::Latin1);
  static const LazyRegex step(R"(^(\d{1,6}):\s+learn: .*\btotal: ((?:\d+h ?)?(?:\d+m ?)?\d[\d.]*[mu]?s)(?:\s.*)?)",
                              RE2::Latin1);
  constexpr double clearly = 1.5, least_seconds = 1;
  std::map<int, std::pair<double, const ShellLine*>> gpu, cpu;
  for (const Asked& asked : session) {
    std::string on, total;
    if (!contains(asked.typed.text, "task") || !RE2::PartialMatch(piece_of(asked.typed.text), device, &on)) continue;
    for (const ShellLine& line : asked.output) {
      int number = 0;
      if (contains(line.text, "total: ") && line.text.size() < longest_output &&
          RE2::FullMatch(piece_of(line.text), step, &number, &total))
        (on == "GPU" || on == "gpu" ? gpu : cpu)[number] = {seconds_in(total), &line};
    }
  }
  for (auto one = gpu.rbegin(); one != gpu.rend(); ++one) {
    const auto other = cpu.find(one->first);
    if (other == cpu.end()) continue;
    const double on_gpu = one->second.first, on_cpu = other->second.first;
    if (on_cpu <= 0 || on_gpu < least_seconds || on_gpu < clearly * on_cpu) return;
    const ShellLine& line = *one->second.second;
    add_symptom(snapshot, {slow, "gpu"}, line.row, line.text).details = {{"gpu", fmt::format("{:.4g}", on_gpu)},
                                                                         {"gpu_unit", "s"},
                                                                         {"cpu", fmt::format("{:.4g}", on_cpu)},
                                                                         {"cpu_unit", "s"}};
    return;
  }
}

}  // namespace

bool starts_asked(std::string_view line) { return line.size() < 2000; }

Snapshot parse_asked(const std::string& text) {
  const std::vector<Asked> session = asked_in(text);
  Snapshot snapshot;
  for (const Asked& asked : session) {
    module_file(asked, text, snapshot);
    cudnn_of_jax(asked, snapshot);
    kernels_of_operation(asked, snapshot);
    kfd_processes(asked, snapshot);
    busy_program(asked, snapshot);
  }
  two_pythons(session, snapshot);
  code_in_program(session, snapshot);
  code_for_amd(session, snapshot);
  gpu_of_process(session, snapshot);
  boosting_times(session, snapshot);
  vulkan_device(text, snapshot);
  return snapshot;
}

}  // namespace envdoctor
