// Facts that follow from a command and its output together: a GPU that the host lists and a container does not, modules
// that a filtered lsmod would have shown, a module that DKMS built for other kernels only, a tool that crashes.
#include <re2/re2.h>

#include <algorithm>

#include "evidence/merge.h"
#include "knowledge/lazy_regex.h"
#include "knowledge/lower_case.h"
#include "probe/os/cpu_info.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/shell_session.h"
#include "probe/tools/tool_symptom.h"
#include "probe/tools/tried_changes.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

bool has_any(std::string_view line, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [line](std::string_view word) { return contains(line, word); });
}

bool lists_gpu(std::string_view line) {
  return contains(line, "(UUID: GPU-") || contains(line, "| NVIDIA-SMI ") || contains(line, " | 00000000:") ||
         (line.starts_with("crw") && contains(line, "/dev/nvidia0")) || trimmed(line) == "/dev/nvidia0";
}

// The output of a command that finds no GPU.
bool finds_no_gpu(std::string_view command, std::string_view line) {
  line = trimmed(line);
  const bool asks = has_any(command, {"is_available", "list_physical_devices", "device_count", "jax.devices"});
  if (asks && (line.starts_with("False") || line == "[]" || line == "0" || line.starts_with("[CpuDevice"))) return true;
  return has_any(line, {"No CUDA GPUs are available", "Found no NVIDIA driver", "couldn't communicate with the NVIDIA",
                        "no CUDA-capable device", "NVML Shared Library Not Found", "is_available(): False",
                        "Num GPUs Available: 0"}) ||
         (has_any(line, {"No such file", "not found", "cannot access"}) &&
          has_any(line, {"nvidia-smi", "/dev/nvidia", "libcuda.so"}));
}

void compare_places(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellCommand* blind = nullptr;
  const ShellLine* words = nullptr;
  bool host = false, container = false;
  for (const ShellCommand& command : session) {
    for (const ShellLine& line : command.output) {
      if (lists_gpu(line.text)) (command.engine.empty() ? host : container) = true;
      if (blind || command.engine.empty() || !finds_no_gpu(command.typed.text, line.text)) continue;
      blind = &command;
      words = &line;
    }
  }
  if (!blind || !host || container) return;
  Symptom& symptom = add_symptom(snapshot, {missing, "gpu-in-container"}, words->row, words->text);
  symptom.details = {{"engine", blind->engine}, {"option", blind->option}};
}

// "1.12.0a0+nv22.3 False": what a command that asks PyTorch for CUDA prints, among other things.
bool answers(const ShellCommand& command, std::string_view line, std::string_view word) {
  if (!contains(command.typed.text, "cuda.is_available")) return false;
  const auto words = words_of(line.substr(0, 300));
  return words.size() < 8 && std::ranges::find(words, word) != words.end();
}

// Two containers are started, one of them with an option for the GPU, and only that one finds it.
void compare_starts(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellCommand* blind = nullptr;
  const ShellLine* words = nullptr;
  bool seen_with = false, seen_without = false;
  for (const ShellCommand& command : session) {
    if (command.engine.empty() || command.option.empty()) continue;
    const bool given = command.option == "given";
    for (const ShellLine& line : command.output) {
      if (lists_gpu(line.text) || answers(command, line.text, "True")) (given ? seen_with : seen_without) = true;
      if (given || blind) continue;
      if (!answers(command, line.text, "False") && !finds_no_gpu(command.typed.text, line.text)) continue;
      blind = &command;
      words = &line;
    }
  }
  if (!blind || !seen_with || seen_without) return;
  add_symptom(snapshot, {missing, "gpu-in-container"}, words->row, words->text).details = {
      {"engine", blind->engine}, {"option", "none"}, {"with-option", "found"}};
}

// A command in a container that NVML doesn't serve there: elsewhere the same words have other causes.
void nvml_in_container(const ShellCommand& command, Snapshot& snapshot) {
  if (command.engine.empty()) return;
  for (const ShellLine& line : command.output) {
    if (contains(line.text, "Failed to initialize NVML: Unknown Error"))
      return void(add_symptom(snapshot, {present, "container"}, line.row, line.text));
  }
}

// "libnvidia-opencl.so.1 -> libnvidia-opencl.so.550.54.14": the release of NVIDIA's OpenCL driver that is loaded; and
// the file that registers it.
void opencl_of_nvidia(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex link(
      R"(libnvidia-opencl\.so\.1 -> (?:\S*/)?libnvidia-opencl\.so\.(\d{3}\.\d{2,3}(?:\.\d{2})?)\s*$)", RE2::Latin1);
  const bool lists = command.typed.text.starts_with("ls "), registers = contains(command.typed.text, "OpenCL/vendors/");
  for (const ShellLine& line : command.output) {
    if ((!lists && !registers) || line.text.size() > 400 || !contains(line.text, "libnvidia-opencl")) continue;
    std::string version;
    if (registers && !lists)
      return void(add_symptom(snapshot, {noted, "registered-opencl-driver"}, line.row, line.text));
    if (!RE2::PartialMatch(piece_of(line.text), link, &version)) continue;
    add_symptom(snapshot, {noted, "opencl-driver-link"}, line.row, line.text).details["version"] = version;
    return;
  }
}

// "c 195:* rwm": the rules of a container's cgroup v1, which a host doesn't have.
void cgroup_rules(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex form(R"(\s*([abc] (?:\*|\d+):(?:\*|\d+) [rwm]{1,3})\s*)", RE2::Latin1);
  if (!contains(command.typed.text, "devices.list") || contains(command.typed.text, "grep")) return;
  std::vector<std::string> rules;
  for (const ShellLine& line : command.output) {
    std::string rule;
    if (rules.size() < 256 && line.text.size() < 100 && RE2::FullMatch(piece_of(line.text), form, &rule))
      rules.push_back(rule);
  }
  if (!rules.empty()) snapshot.host.fill().cgroup.fill().devices = std::move(rules);
}

// "lsmod | grep -Ei 'amd|nouveau'": the filter on a module's name; empty: not such a command.
std::string filter_of(std::string_view command) {
  static const LazyRegex form(R"((?:sudo )?lsmod *\| *e?grep((?: +-\w+)*) +["']?([\w|\\_-]+)["']?\s*)", RE2::Latin1);
  std::string options, filter;
  if (!RE2::FullMatch(piece_of(command), form, &options, &filter)) return {};
  return contains(options, "v") ? "" : filter;
}

void filtered_modules(const ShellCommand& command, Snapshot& snapshot) {
  const std::string filter = filter_of(command.typed.text);
  if (filter.empty()) return;
  const auto shows = [&](std::string_view module) {
    return std::ranges::any_of(command.output, [&](const ShellLine& line) {
      const auto words = words_of(line.text.substr(0, 300));
      return words.size() >= 3 && words[0] == module && number_of(words[1]);
    });
  };
  const auto asks_for = [&](std::string_view module) {
    return std::ranges::any_of(pieces(filter, '|'), [&](std::string_view one) {
      while (!one.empty() && one.back() == '\\') one.remove_suffix(1);
      return one.size() >= 2 && module.starts_with(one);
    });
  };
  if (asks_for("amdgpu") && !shows("amdgpu"))
    add_symptom(snapshot, {missing, "amdgpu-kernel-module"}, command.typed.row, command.typed.text);
  if (asks_for("i915") && !shows("i915") && !shows("xe"))
    add_symptom(snapshot, {missing, "intel-kernel-module"}, command.typed.row, command.typed.text);
  if (asks_for("nvidia") && !shows("nvidia"))
    add_symptom(snapshot, {missing, "kernel-driver"}, command.typed.row, command.typed.text);
  if (shows("nouveau") && !shows("nvidia"))
    add_symptom(snapshot, {present, "nouveau-driver"}, command.typed.row, command.typed.text);
}

// The running kernel, by uname or the words of "Linux HOST RELEASE #1 SMP …".
std::string running_kernel(const std::vector<ShellCommand>& session) {
  static const LazyRegex release(R"((?:Linux \S+ )?(\d+\.\d+\.\d+-[\w.+-]+)(?: #.*)?)", RE2::Latin1);
  for (const ShellCommand& command : session) {
    if (!command.typed.text.starts_with("uname -") || command.output.empty()) continue;
    std::string kernel;
    const std::string_view line = trimmed(command.output.front().text);
    if (RE2::FullMatch(piece_of(line), release, &kernel)) return kernel;
  }
  return {};
}

// "nvidia/545.29.06, 6.5.0-28-generic, x86_64: installed"
void built_modules(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  static const LazyRegex row(R"((nvidia|amdgpu)[\w-]*[/,] ?[\w.:+~-]+, (\d+\.\d+\.\d+[\w.+-]*), \w+: installed.*)",
                             RE2::Latin1);
  const std::string kernel = running_kernel(session);
  if (kernel.empty()) return;
  const ShellLine* other = nullptr;
  std::string module, built;
  for (const ShellCommand& command : session) {
    for (const ShellLine& line : command.output) {
      if (!contains(line.text, ": installed") || !RE2::FullMatch(trimmed(line.text), row, &module, &built)) continue;
      if (built == kernel) return;
      other = &line;
    }
  }
  if (!other) return;
  const bool amd = other->text.find("amdgpu") != std::string_view::npos;
  add_symptom(snapshot, {missing, amd ? "amdgpu-kernel-module" : "kernel-module"}, other->row, other->text)
      .details["module"] = amd ? "amdgpu" : "nvidia";
}

// A tool that finds a GPU only as root.
bool finds_gpu(const ShellCommand& command) {
  static const LazyRegex devices(R"((?i)\s*number of devices:?\s+[1-9]\d*\s*)", RE2::Latin1);
  return std::ranges::any_of(command.output, [](const ShellLine& line) {
    return lists_gpu(line.text) ||
           has_any(line.text, {"Device #0", "Device Name ", "Name:                    gfx", "GPU[0]"}) ||
           (line.text.size() < 200 && RE2::FullMatch(re2::StringPiece(line.text.data(), line.text.size()), devices));
  });
}

// rocminfo lists the processor even where there is no GPU, and fails for a user who may not open /dev/kfd.
bool serves(const ShellCommand& command) {
  return finds_gpu(command) ||
         std::ranges::any_of(command.output, [](const ShellLine& line) { return contains(line.text, "HSA Agents"); });
}

void compare_users(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  for (const std::string_view tool : {"clinfo", "rocminfo", "nvidia-smi", "rocm-smi", "sycl-ls"}) {
    const ShellCommand* in_vain = nullptr;
    bool as_root = false;
    for (const ShellCommand& command : session) {
      static const LazyRegex sudo(R"(sudo (?:-\w(?: root)? )*)", RE2::Latin1);
      re2::StringPiece rest(command.typed.text.data(), command.typed.text.size());
      const bool root = RE2::Consume(&rest, sudo);
      const std::string_view typed = trimmed({rest.data(), rest.size()});
      const std::string_view program = typed.substr(0, typed.find(' '));
      // clinfo prints nothing where it finds no platform; the end of the text tells nothing.
      const bool silent = command.output.empty() && (tool != "clinfo" || &command == &session.back());
      if (program.substr(program.rfind('/') + 1) != tool || silent || contains(command.prompt, "#")) continue;
      const bool found = tool == "rocminfo" ? serves(command) : finds_gpu(command);
      as_root = as_root || (root && found);
      if (!root && !found && !in_vain) in_vain = &command;
    }
    if (!as_root || !in_vain) continue;
    const char* subject = tool == "clinfo" ? "clinfo-without-root" : "tool-without-root";
    add_symptom(snapshot, {refused, subject}, in_vain->typed.row, in_vain->typed.text).details["tool"] =
        std::string(tool);
  }
}

// "pip list | grep torch", "conda list cudnn": rows of the list without its heading.
void packages_listed(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex pip(R"((?:.*\s)?(?:pip[\d.]*|-m pip|uv pip) list\b.*)", RE2::Latin1);
  static const LazyRegex conda(R"((?:.*\s)?(?:conda|mamba|micromamba) list\b.*)", RE2::Latin1);
  if (!contains(command.typed.text, " list") || !command.engine.empty()) return;
  std::string rows;
  for (const ShellLine& line : command.output) rows += std::string(line.text.substr(0, 400)) + '\n';
  const re2::StringPiece typed(command.typed.text.data(), command.typed.text.size());
  if (RE2::FullMatch(typed, pip)) fill_in(snapshot, parse_pip_list("Package Version\n------- -------\n" + rows));
  if (RE2::FullMatch(typed, conda)) fill_in(snapshot, parse_conda_list("# packages in environment\n" + rows));
}

// "python" of "venv\\Scripts\\python.exe -c …", with the environment that its prompt names, and with sudo, which looks
// for another one; empty: no Python.
std::string python_of(const ShellCommand& command) {
  static const LazyRegex form(R"(((?:sudo +(?:-[EHin]+ +)*)?\S*python[\d.]*(?:\.exe)?)["']? +(?:-\w+ +)*-c\b.*)",
                              RE2::Latin1);
  static const LazyRegex environment(R"(\(([\w.-]+)\).*)", RE2::Latin1);
  std::string python, name;
  if (!RE2::FullMatch(piece_of(command.typed.text), form, &python)) return {};
  RE2::FullMatch(piece_of(command.prompt), environment, &name);
  return name + ' ' + python;
}

// Two Pythons are asked for the same, and one of them finds the GPU.
void compare_pythons(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellCommand *with = nullptr, *without = nullptr;
  for (const ShellCommand& command : session) {
    if (!contains(command.typed.text, "cuda.is_available") || !command.engine.empty() || python_of(command).empty())
      continue;
    for (const ShellLine& line : command.output) {
      const auto words = words_of(line.text.substr(0, 300));
      if (!with && std::ranges::find(words, "True") != words.end()) with = &command;
      if (!without && std::ranges::find(words, "False") != words.end()) without = &command;
    }
  }
  if (with && without && python_of(*with) != python_of(*without))
    add_symptom(snapshot, {mismatch, "pythons"}, without->typed.row, without->typed.text);
}

// "nproc" counts the processors that this process may use, "nproc --all" those of the machine; a cgroup's cpuset lists
// the first.
void processors_counted(const ShellCommand& command, Snapshot& snapshot) {
  if (command.output.empty() || !command.engine.empty()) return;
  if (command.typed.text.starts_with("cat /sys/fs/cgroup/") && contains(command.typed.text, "cpuset.cpus")) {
    const auto cpus = cpu_list(std::string(trimmed(command.output.front().text.substr(0, 4000))));
    if (cpus.get() && !cpus.get()->empty())
      snapshot.cpu.fill().allowed_cpus = static_cast<std::int64_t>(cpus.get()->size());
  }
  if (!command.typed.text.starts_with("nproc")) return;
  const auto count = number_of(command.output.front().text);
  if (!count || *count <= 0 || *count > 65536) return;
  if (command.typed.text == "nproc") snapshot.cpu.fill().allowed_cpus = *count;
  if (command.typed.text == "nproc --all") snapshot.cpu.fill().threads = *count;
}

// "load average: 263.80, 251.12, 188.94", far beyond what nproc counts: more threads want to run than there are
// processors.
void load_of_processors(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  constexpr double far_beyond = 4;
  static const LazyRegex form(R"(load average: ([0-9]+\.[0-9]+),)", RE2::Latin1);
  const auto cpus = snapshot.cpu.or_empty().allowed_cpus.or_empty();
  if (cpus <= 0) return;
  for (const ShellCommand& command : session) {
    for (const ShellLine& line : command.output) {
      double load = 0;
      if (!contains(line.text, "load average") || !RE2::PartialMatch(piece_of(line.text.substr(0, 300)), form, &load) ||
          load < far_beyond * static_cast<double>(cpus))
        continue;
      add_symptom(snapshot, {exhausted, "cpu-cores"}, line.row, line.text);
      return;
    }
  }
}

// "ls /dev/nvidia*", "ls /dev | grep nvidia", "ls /dev/dri": paths without their modes. (With -l the lines speak for
// themselves, see paste_nodes.)
void nodes_listed(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex asked(R"(ls(?: -[1AadF]+)?(?: +/dev(?:/dri|/kfd|/nvidia\S*|/?))+ *(?:\| *e?grep[^|]*)?)",
                               RE2::Latin1);
  static const LazyRegex path(R"((?:/dev/)?(nvidia(?:\d+|ctl|-uvm|-uvm-tools|-modeset)|kfd|dri/(?:renderD|card)\d+))",
                              RE2::Latin1);
  const std::string_view typed = command.typed.text;
  if (!command.engine.empty() || typed.size() > 200 || !RE2::FullMatch(piece_of(typed), asked)) return;
  std::vector<DeviceNode> nodes;
  for (const ShellLine& line : command.output) {
    for (const std::string_view word : words_of(line.text.substr(0, 2000))) {
      std::string name;
      const bool of_dri = contains(typed, "/dev/dri") && (word.starts_with("renderD") || word.starts_with("card"));
      const std::string whole = of_dri ? "/dev/dri/" + std::string(word) : std::string(word);
      if (nodes.size() < 256 && RE2::FullMatch(whole, path, &name)) nodes.push_back({.path = "/dev/" + name});
    }
  }
  if (!nodes.empty() && !snapshot.device_nodes.get()) snapshot.device_nodes = std::move(nodes);
}

// A listing of NVIDIA's nodes without the one that CUDA opens, which a later listing has: it was made in between.
void node_made_later(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellCommand* before = nullptr;
  for (const ShellCommand& command : session) {
    if (!command.typed.text.starts_with("ls ") || !contains(command.typed.text, "/dev/nvidia")) continue;
    const auto shows = [&](std::string_view node) {
      return std::ranges::any_of(command.output, [&](const ShellLine& line) {
        const std::string_view text = trimmed(line.text.substr(0, 300));
        return text.ends_with(node) || contains(text, std::string(node) + " ");
      });
    };
    const bool whole = contains(command.typed.text, "/dev/nvidia*");
    if (whole && shows("/dev/nvidia0") && shows("/dev/nvidiactl") && !shows("/dev/nvidia-uvm") && !before)
      before = &command;
    if (!before || before == &command || !shows("/dev/nvidia-uvm")) continue;
    add_symptom(snapshot, {missing, "device-node"}, before->typed.row, before->typed.text).details = {
        {"node", "/dev/nvidia-uvm"}, {"later", "there"}};
    return;
  }
}

// "* Ubuntu    Running    1" of wsl -l -v: the version of WSL that the default distribution, or the one that runs, has.
void wsl_version(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex asked(R"((?:.*\s)?wsl(?:\.exe)? (?:-l|--list)\b.*)", RE2::Latin1);
  static const LazyRegex distribution(R"(\s*(\*?)\s*\S+\s+(\w+)\s+([12])\s*)", RE2::Latin1);
  const std::string_view typed = command.typed.text;
  if (!RE2::FullMatch(piece_of(typed), asked)) return;
  const ShellLine* first = nullptr;
  for (const ShellLine& line : command.output) {
    std::string mark, state, version;
    if (line.text.size() > 200 ||
        !RE2::FullMatch(re2::StringPiece(line.text.data(), line.text.size()), distribution, &mark, &state, &version))
      continue;
    if (state != "Running" && mark.empty()) continue;
    if (version == "2") return;
    first = &line;
  }
  if (first) add_symptom(snapshot, {present, "wsl1"}, first->row, first->text);
}

// "sycl-ls", also behind an engine's words.
bool lists_sycl(std::string_view typed) {
  static const LazyRegex form(R"((?:.*[\s;&"'/])?sycl-ls(?: --verbose)?["']?\s*)", RE2::Latin1);
  return contains(typed, "sycl-ls") && RE2::FullMatch(piece_of(typed), form);
}

// sycl-ls lists a GPU on the host, and inside a container only the processor and its emulators.
void compare_sycl_lists(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellLine* processor = nullptr;
  bool host = false, container = false;
  for (const ShellCommand& command : session) {
    if (!lists_sycl(command.typed.text)) continue;
    const auto shows = [](const ShellLine& line, const char* type) {
      return line.text.starts_with("[") && contains(line.text, std::string(":") + type);
    };
    for (const ShellLine& line : command.output) {
      if (shows(line, "gpu")) (command.engine.empty() ? host : container) = true;
      if (!command.engine.empty() && !processor && (shows(line, "cpu") || shows(line, "acc"))) processor = &line;
    }
  }
  if (host && processor && !container)
    add_symptom(snapshot, {missing, "sycl-gpu-in-container"}, processor->row, processor->text);
}

// A listing of the whole of /dev.
bool lists_dev(std::string_view typed) {
  static const LazyRegex form(R"((?:.*[\s"'])?ls(?: -[1AadF]+)? /dev/?["']?(?: *[;&|].*)?)", RE2::Latin1);
  return contains(typed, "ls ") && RE2::FullMatch(piece_of(typed), form);
}

// /dev of one container has none of the nodes of the GPUs that the host's, or another container's, has.
void compare_nodes(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  const ShellCommand* blind = nullptr;
  bool seen = false;
  for (const ShellCommand& command : session) {
    if (!lists_dev(command.typed.text)) continue;
    const auto has = [&](std::string_view node) {
      return std::ranges::any_of(command.output, [&](const ShellLine& line) {
        return std::ranges::any_of(words_of(line.text.substr(0, 2000)), [&](auto word) { return word == node; });
      });
    };
    const bool gpu = has("nvidia0") || has("nvidiactl") || has("kfd");
    seen = seen || gpu;
    // Without these the listing was filtered, or is another folder's.
    if (!gpu && !command.engine.empty() && has("null") && has("zero") && !blind) blind = &command;
  }
  if (!blind || !seen) return;
  Symptom& symptom = add_symptom(snapshot, {missing, "gpu-in-container"}, blind->typed.row, blind->typed.text);
  symptom.details = {{"engine", blind->engine}, {"option", blind->option}, {"nodes", "none"}};
}

// The folder of a Python, by its packages or its program: "/opt/py" of "/opt/py/lib/python3.11/site-packages", and of
// "/opt/py/bin/python".
std::string folder_of_python(std::string_view path) {
  static const LazyRegex end(R"([/\\](?:(?:lib(?:64)?[/\\])(?:python[\d.]+[/\\])?(?:site|dist)-packages\b.*|)"
                             R"((?:(?:bin|scripts)[/\\])?python[\d.]*(?:\.exe)?)$)",
                             RE2::Latin1);
  std::string folder = lower_case(path);
  const bool found = RE2::Replace(&folder, end, "");
  std::ranges::replace(folder, '\\', '/');
  return found ? folder : "";
}

// pip installs a package into one Python, and the program that finds no such package runs in another.
void installed_elsewhere(const std::vector<ShellCommand>& session, Snapshot& snapshot) {
  static const LazyRegex place(R"(Requirement already satisfied: \S+ in (\S.*?(?:site|dist)-packages)(?: \(.*)?\s*)",
                               RE2::Latin1);
  static const LazyRegex program(R"((?:.*\W)?[Pp]ython executable:? +(\S.*[/\\]python[\d.]*(?:\.exe)?)\s*)",
                                 RE2::Latin1);
  static const LazyRegex lacking(R"(No module named '?(\w+)|Cannot find a working (triton) installation)", RE2::Latin1);
  const ShellCommand* installs = nullptr;
  std::string into, runs;
  for (const ShellCommand& command : session) {
    const bool pip = contains(command.typed.text, "pip") && contains(command.typed.text, " install ");
    if (pip) installs = &command, into.clear();
    for (const ShellLine& line : command.output) {
      if (line.text.size() > 500) continue;
      std::string path, name, other;
      if (pip && contains(line.text, "already satisfied") && RE2::FullMatch(piece_of(line.text), place, &path))
        into = folder_of_python(path);
      if (!installs || pip) continue;
      if (contains(line.text, "xecutable") && RE2::FullMatch(piece_of(line.text), program, &path))
        runs = folder_of_python(path);
      if (into.empty() || runs.empty() || into == runs || contains(into, "roaming") || contains(into, "/.local") ||
          (into.starts_with("/usr") && runs.starts_with("/usr")))
        continue;
      if (!RE2::PartialMatch(piece_of(line.text), lacking, &name, &other)) continue;
      if (name.empty()) name = other;
      if (name.size() < 3 || !contains(installs->typed.text, name)) continue;
      add_symptom(snapshot, {mismatch, "pythons"}, installs->typed.row, installs->typed.text).details = {
          {"installed", into}, {"runs", runs}};
      return;
    }
  }
}

// sycl-ls prints a line per device, and nothing where there is none.
void empty_list(const ShellCommand& command, bool last, Snapshot& snapshot) {
  const bool silent =
      std::ranges::all_of(command.output, [](const ShellLine& line) { return trimmed(line.text).empty(); });
  if (command.typed.text == "sycl-ls" && silent && !last)
    add_symptom(snapshot, {missing, "sycl-device"}, command.typed.row, command.typed.text);
}

void crashed_tool(const ShellCommand& command, bool windows, Snapshot& snapshot) {
  const std::string_view typed = command.typed.text;
  if (typed.substr(0, typed.find(' ')).ends_with("clinfo")) {  // a driver's code runs in it, and its own hardly fails
    for (const ShellLine& line : command.output) {
      if (line.text.starts_with("Segmentation fault") || line.text.starts_with("Aborted"))
        add_symptom(snapshot, {failed, "opencl-driver"}, line.row, line.text);
    }
  }
  if (!command.typed.text.starts_with("nvidia-smi") || command.output.empty()) return;
  const ShellLine& first = command.output.front();
  if (!has_any(first.text, {"Segmentation fault", "Bus error", "Aborted"})) return;
  add_symptom(snapshot, {crashed, "nvidia-smi"}, first.row, first.text).details["windows"] = windows ? "yes" : "";
}

// A package that is imported from the user's own folder although an environment is active.
void user_site(const ShellCommand& command, Snapshot& snapshot) {
  static const LazyRegex environment(R"(\((\w[\w.-]*)\) ?.*)", RE2::Latin1);
  static const LazyRegex place(
      R"(.*(?:/\.local/lib/python|\\Roaming\\Python\\Python)[\d.]+[/\\](?:lib[/\\])?site-packages[/\\])"
      R"((torch|tensorflow|jax|jaxlib|keras|numpy|torchvision)[/\\].*)",
      RE2::Latin1);
  std::string name, package;
  if (!command.prompt.starts_with("(") || !RE2::FullMatch(command.prompt, environment, &name) || name == "base") return;
  for (const ShellLine& line : command.output) {
    if (!contains(line.text, "site-packages") || line.text.size() > 300 || contains(line.text, "File \"") ||
        !RE2::FullMatch(line.text, place, &package))
      continue;
    Symptom& symptom = add_symptom(snapshot, {duplicate, "package-of-user"}, line.row, line.text);
    symptom.details = {{"environment", name}, {"package", package}};
    return;
  }
}

}  // namespace

bool starts_commands(std::string_view line) { return line.size() < 2000; }

Snapshot parse_commands(const std::string& text) {
  const std::vector<ShellCommand> session = shell_session(text);
  Snapshot snapshot;
  compare_places(session, snapshot);
  compare_starts(session, snapshot);
  compare_users(session, snapshot);
  compare_attempts(session, snapshot);
  node_made_later(session, snapshot);
  compare_pythons(session, snapshot);
  compare_sycl_lists(session, snapshot);
  compare_nodes(session, snapshot);
  installed_elsewhere(session, snapshot);
  built_modules(session, snapshot);
  const bool windows = contains(text, "WDDM");
  for (const ShellCommand& command : session) {
    filtered_modules(command, snapshot);
    nvml_in_container(command, snapshot);
    cgroup_rules(command, snapshot);
    opencl_of_nvidia(command, snapshot);
    crashed_tool(command, windows, snapshot);
    processors_counted(command, snapshot);
    packages_listed(command, snapshot);
    nodes_listed(command, snapshot);
    wsl_version(command, snapshot);
    empty_list(command, &command == &session.back(), snapshot);
    user_site(command, snapshot);
  }
  load_of_processors(session, snapshot);
  return snapshot;
}

}  // namespace envdoctor
