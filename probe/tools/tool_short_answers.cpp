// Commands that answer with a word, a number or nothing at all, so that only the command tells what the answer means:
// a service's state, an exit status, a search for libcuda without a hit, a list of packages without NVIDIA's, a busy
// disk.
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "knowledge/codes/names.h"
#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/asked_command.h"
#include "probe/tools/tool_symptom.h"
#include "probe/transcript/transcript.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

bool has_form(std::string_view text, const RE2& form) { return RE2::FullMatch(piece_of(text), form); }

// systemctl is-active and status.
void fabric_manager(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex form(R"(systemctl (?:--\S+ )*(?:is-active|status)(?: -\S+)* nvidia-fabricmanager\S*.*)",
                              RE2::Latin1);
  if (!contains(asked.typed, "fabricmanager") || !has_form(asked.typed, form)) return;
  for (const std::string_view line : asked.answers) {
    const std::string_view state = line.starts_with("Active: ") ? line.substr(8) : line;
    const bool stopped = state.starts_with("inactive") || state.starts_with("failed") ||
                         line.ends_with("nvidia-fabricmanager.service could not be found.");
    if (!stopped && state != "active" && !state.starts_with("active (running)")) continue;
    snapshot.nvidia.fill().fabric_manager_running = !stopped;
    return;
  }
}

// NVSwitch on the bus, by name or by the number that older lists of names lack, or by its nodes.
void switches(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex count(R"(lspci\b.*\bgrep\b.*-\w*c.*(?:(?i)nvswitch|22a3).*)", RE2::Latin1);
  static const LazyRegex node(R"((?:.*/)?nvidia-nvswitch\d+)", RE2::Latin1);
  const bool of_bus = asked.typed.starts_with("lspci"), of_nodes = asked.typed.starts_with("ls /dev");
  if ((!of_bus && !of_nodes) || asked.answers.empty()) return;
  bool found = of_bus && has_form(asked.typed, count) && number_of(asked.answers.front()).value_or(0) > 0;
  for (const std::string_view line : asked.answers) {
    found = found || (of_bus && contains(line, "Bridge") && contains(line, "NVSwitch"));
    for (const std::string_view word : of_nodes ? words_of(line.substr(0, 2000)) : std::vector<std::string_view>{})
      found = found || has_form(word, node);
  }
  if (found) snapshot.nvidia.fill().nvswitch = true;
}

// "libnvidia-ml.so.535.183.01" of ls, find and readlink: the driver's libraries bear its version.
void library_names(const AskedCommand& asked, std::set<std::string>& versions) {
  static const LazyRegex name(R"((?:.*/)?lib(?:cuda|nvidia-ml|nvidia-ptxjitcompiler|nvidia-opencl)\.so\.)"
                              R"((\d{3}\.\d{2,3}(?:\.\d{2})?))",
                              RE2::Latin1);
  static const LazyRegex elsewhere(
      R"(compat|stubs|docker|overlay|containerd|/snap/|flatpak|i386|/lib32|backup|/opt/|/home/)", RE2::Latin1);
  const std::string_view program = asked.typed.substr(0, asked.typed.find(' '));
  if (program != "ls" && program != "find" && program != "readlink" && program != "realpath") return;
  if (RE2::PartialMatch(piece_of(asked.typed), elsewhere)) return;
  for (const std::string_view line : asked.answers) {
    for (const std::string_view word : words_of(line.substr(0, 4000))) {
      std::string version;
      if (!contains(word, ".so.") || !RE2::FullMatch(piece_of(word), name, &version)) continue;
      if (RE2::PartialMatch(piece_of(word), elsewhere) || contains(asked.typed, version.substr(0, 3))) continue;
      versions.insert(version);
    }
  }
}

// "nvidia-smi >/dev/null; echo $?", or echo as the next command: the number is NVML's error.
void exit_status(const AskedCommand& asked, const AskedCommand* before, Snapshot& snapshot) {
  static const LazyRegex both(R"(nvidia-smi(?: [^|;&>]*)?(?:[12&]?> ?(?:/dev/null|&1) ?)*; ?echo .*\$\?.*)",
                              RE2::Latin1);
  static const LazyRegex alone(R"(nvidia-smi(?: [^|;&>]*)?(?:[12&]?> ?(?:/dev/null|&1) ?)*)", RE2::Latin1);
  static const LazyRegex echo(R"(echo ["']?(?:[\w=: ]*)\$\?["']?)", RE2::Latin1),
      number(R"((?:[\w: ]*[=: ])?(\d{1,3}))", RE2::Latin1);
  const bool after_it = before && has_form(before->typed, alone) && has_form(asked.typed, echo);
  int status = 0;
  if ((!after_it && !has_form(asked.typed, both)) || asked.answers.empty() ||
      !RE2::FullMatch(piece_of(asked.answers.back()), number, &status))
    return;
  // Other numbers are no errors of NVML's, or about an option of the command.
  if (status == 4 || status == 9 || status == 12 || status == 15 || status == 18)
    snapshot.nvidia.fill().nvml_error = knowledge::code_name("nvml", status);
}

// Whether a search for files or in the loader's cache would have shown libcuda.so.1.
bool searches_libcuda(std::string_view typed, bool& counts) {
  static const LazyRegex find(R"(find (?:-L )?/(?:usr|usr/lib|usr/lib64)?/? .*-i?name ["']?\*?libcuda\.so[*.1]*["']?)"
                              R"((?: -type f)?(?: -print)?(?: ?2> ?/dev/null)?(?: ?\| ?(?:head|sort|grep)\b.*)?)",
                              RE2::Latin1);
  static const LazyRegex cache(
      R"((?:/sbin/)?ldconfig (?:-p|--print-cache) *\| *e?grep((?: +-\w+)*) +["']?([\w.\\|-]+)["']?)", RE2::Latin1);
  std::string options, pattern;
  if (has_form(typed, find)) return true;
  if (!RE2::FullMatch(piece_of(typed), cache, &options, &pattern) || contains(options, "v")) return false;
  counts = contains(options, "c");
  std::erase(pattern, '\\');
  return std::ranges::any_of(pieces(pattern, '|'),
                             [](std::string_view one) { return one.size() >= 4 && contains("libcuda.so.1", one); });
}

// "find / -name 'libcudnn*'" and the like, of which nothing comes: the library or the file is on no disk.
void found_nowhere(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex form(R"((?:sudo )?find (?:-L )?/(?:usr)?/? .*-i?name ["']?\*?(libcudnn|libdevice)[\w.*]*["']?)"
                              R"((?: -type f)?(?: -print)?(?: ?2> ?/dev/null)?)",
                              RE2::Latin1);
  std::string name;
  if (!asked.silent || !contains(asked.typed, "find") || !RE2::FullMatch(piece_of(asked.typed), form, &name)) return;
  if (name == "libdevice")
    add_symptom(snapshot, {missing, "libdevice"}, asked.row, asked.whole);
  else if (!snapshot.libraries.get())
    snapshot.libraries.fill().push_back({.soname = "libcudnn.so", .found = false});
}

void empty_searches(const AskedCommand& asked, Snapshot& snapshot) {
  bool counts = false;
  if (!contains(asked.typed, "cuda") || !searches_libcuda(asked.typed, counts)) return;
  const bool none =
      counts ? asked.answers.size() == 1 && asked.answers.front() == "0"
             : asked.silent || (!asked.answers.empty() && std::ranges::all_of(asked.answers, [](std::string_view line) {
                 return line.starts_with("find: ") && line.ends_with("Permission denied");
               }));
  if (none && !snapshot.libraries.get())
    snapshot.libraries.fill().push_back({.soname = "libcuda.so.1", .found = false});
}

// A list of packages or of the loader's cache, filtered for Level Zero, that shows none of it.
void level_zero_not_listed(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex form(
      R"((?:(?:/sbin/)?ldconfig (?:-p|--print-cache)|rpm -qa?|dpkg (?:-l|--list|--get-selections)|pacman -Qs?|)"
      R"(apt list --installed|dnf list (?:--)?installed)(?: ?2> ?/dev/null)? *\| *e?grep((?: +-\w+)*) +)"
      R"(["']?[^"'|]*(?:\\?\|[^"'|]*)*(?:level[-_. ]?zero|libze|ze_loader|ze_intel)[^"']*["']?)",
      RE2::Latin1);
  std::string options;
  if (!contains(asked.typed, "ze") || asked.typed.size() > 300 ||
      !RE2::FullMatch(piece_of(asked.typed), form, &options) || contains(options, "v") || contains(options, "c"))
    return;
  const bool listed = std::ranges::any_of(asked.answers, [](std::string_view line) {
    return contains(line, "level-zero") || contains(line, "level_zero") || contains(line, "libze") ||
           contains(line, "ze_loader");
  });
  if (!listed && (asked.silent || !asked.answers.empty()))
    add_symptom(snapshot, {noted, "level-zero-not-listed"}, asked.row, asked.whole);
}

// The library that a file of OpenCL's drivers names, and a command that shows it to be missing.
void registered_library(const std::vector<AskedCommand>& session, Snapshot& snapshot) {
  static const LazyRegex shown(R"((?:cat|more|less|head|tail|grep)\b.* /etc/OpenCL/vendors/\S*(?: .*)?)", RE2::Latin1);
  static const LazyRegex library(R"((?:\S+\.icd:)?(/?(?:[\w.+-]+/)*lib[\w.+-]+\.so[.\d]*))", RE2::Latin1);
  std::set<std::string> named;
  for (const AskedCommand& asked : session) {
    if (contains(asked.typed, "OpenCL/vendors") && has_form(asked.typed, shown)) {
      std::string name;
      for (const std::string_view line : asked.answers)
        if (line.size() < 300 && named.size() < 64 && RE2::FullMatch(piece_of(line), library, &name))
          named.insert(name);
      continue;
    }
    for (const std::string_view line : asked.answers) {
      const bool gone = line.size() < 500 && contains(line, "No such file or directory");
      const auto one = std::ranges::find_if(named, [&](const std::string& path) {
        return path.starts_with("/") && (contains(line, path + "'") || contains(line, path + ":"));
      });
      if (!gone || one == named.end()) continue;
      add_symptom(snapshot, {missing, "registered-opencl-library"}, asked.row, line).details["library"] = *one;
      return;
    }
  }
}

// rpm -qa | grep nvidia, and the like of other distributions, with no row.
void listed_packages(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex filtered(
      R"re((?:rpm -qa?|dpkg (?:-l|--list|--get-selections)|pacman -Qs?|apt list --installed|)re"
      R"re(dnf list (?:--)?installed)(?: 2> ?/dev/null)? *\| *e?grep((?: +-\w+)*) +)re"
      R"re(["']?\^?nvidia(?:-driver)?["']?)re",
      RE2::Latin1);
  static const LazyRegex asked_for(R"re(pacman -Qs nvidia|rpm -qa ["']?\*nvidia\*["']?)re", RE2::Latin1);
  std::string options;
  if (!contains(asked.typed, "nvidia") ||
      (!RE2::FullMatch(piece_of(asked.typed), filtered, &options) && !has_form(asked.typed, asked_for)))
    return;
  if (contains(options, "v")) return;
  const bool none = contains(options, "c") ? asked.answers.size() == 1 && asked.answers.front() == "0" : asked.silent;
  if (none) add_symptom(snapshot, {missing, "listed-driver-package"}, asked.row, asked.whole);
}

// modinfo names the licence of the module that is installed: NVIDIA's own kind has NVIDIA's.
void module_kind(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex form(R"(modinfo (?:-F ?license |--field=?license )?nvidia\b.*)", RE2::Latin1);
  static const LazyRegex licence(R"((?:license: *)?(Dual MIT/GPL|NVIDIA))", RE2::Latin1);
  if (!asked.typed.starts_with("modinfo") || !has_form(asked.typed, form)) return;
  for (const std::string_view line : asked.answers) {
    std::string name;
    if (line.size() < 100 && RE2::FullMatch(piece_of(line), licence, &name))
      snapshot.nvidia.fill().kernel_module_kind = std::string(name == "NVIDIA" ? "proprietary" : "open");
  }
}

// "0000:17:00.0 vfio-pci": a loop over the devices of one vendor that prints who holds them.
void bound_drivers(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex row(
      R"(((?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]):? (?:-> )?)"
      R"((?:\S*/drivers/)?(vfio-pci|nvidia|nouveau|nova_core|amdgpu|radeon|i915|xe|pci-stub|pciback))",
      RE2::Latin1);
  const bool of_nvidia = contains(asked.typed, "0x10de"), of_amd = contains(asked.typed, "0x1002"),
             of_intel = contains(asked.typed, "0x8086");
  if (of_nvidia + of_amd + of_intel != 1 || !contains(asked.typed, "driver")) return;
  std::vector<PciDevice> devices;
  for (const std::string_view line : asked.answers) {
    std::string address, driver;
    // Function 0 is the display; the others are its sound and USB.
    if (line.size() > 200 || devices.size() >= 64 || !RE2::FullMatch(piece_of(line), row, &address, &driver) ||
        !address.ends_with(".0"))
      continue;
    devices.push_back({.address = address,
                       .vendor_id = std::string(of_nvidia ? "10de"
                                                : of_amd  ? "1002"
                                                          : "8086"),
                       .driver = driver});
  }
  if (!devices.empty()) snapshot.pci = std::move(devices);
}

// readlink of one device's driver. Its vendor is what lspci says of this address elsewhere.
void bound_driver(const AskedCommand& asked, const std::string& text, Snapshot& snapshot) {
  static const LazyRegex command(R"((?:readlink|realpath)(?: -\w+)? /sys/bus/pci/devices/(?:0000:)?)"
                                 R"(([0-9a-f]{2}:[0-9a-f]{2}\.[0-7])/driver)",
                                 RE2::Latin1);
  static const LazyRegex target(R"(.*/drivers/(vfio-pci|pci-stub|pciback|nouveau))", RE2::Latin1);
  std::string address, driver;
  if (asked.answers.size() != 1 || !contains(asked.typed, "/driver") ||
      !RE2::FullMatch(piece_of(asked.typed), command, &address) ||
      !RE2::FullMatch(piece_of(asked.answers.front().substr(0, 200)), target, &driver))
    return;
  const bool of_nvidia = std::ranges::any_of(lines_of(text), [&](std::string_view line) {
    return contains(line, address + " ") && contains(line, "controller") && contains(line, "NVIDIA");
  });
  if (!of_nvidia) return;
  const bool open = driver == "nouveau";
  Symptom& symptom =
      add_symptom(snapshot, {present, open ? "nouveau-driver" : "other-driver"}, asked.row, asked.answers.front());
  if (!open) symptom.details = {{"driver", driver}, {"of", address}};
}

// The folder in which OpenCL's drivers are registered, as ls shows it.
void registered_drivers(const AskedCommand& asked, Snapshot& snapshot) {
  static const LazyRegex form(R"(ls(?: -\w+)? /etc/OpenCL/vendors/?(?:\*(?:\.icd)?)?(?: ?2> ?/dev/null)?)",
                              RE2::Latin1);
  if (!contains(asked.typed, "OpenCL/vendors") || !has_form(asked.typed, form)) return;
  std::vector<OpenclIcd> icds;
  bool lists_itself = false;
  for (const std::string_view line : asked.answers) {
    if (contains(line, "No such file") || contains(line, "denied") || contains(line, " -> ")) return;
    const auto words = words_of(line.substr(0, 2000));
    lists_itself = lists_itself || (!words.empty() && words.front() == "total");
    for (const std::string_view word : words) {
      if (word.ends_with(".icd") && icds.size() < 64) icds.push_back({.file = std::string(word)});
    }
  }
  const bool whole = !icds.empty() || lists_itself || asked.silent;
  if (whole && !snapshot.opencl.get()) snapshot.opencl.fill().icds = std::move(icds);
}

// A disk that "iostat -x" shows at work all the time.
void busy_disk(const AskedCommand& asked, Snapshot& snapshot) {
  constexpr double always_percent = 95;
  if (!asked.typed.starts_with("iostat") && !contains(asked.typed, " iostat ")) return;
  bool below_header = false;
  for (const std::string_view line : asked.answers) {
    const auto words = words_of(line.substr(0, 400));
    if (words.size() > 5 && words.front().starts_with("Device") && words.back() == "%util") {
      below_header = true;
    } else if (below_header && words.size() > 5 && number_of<double>(words.back()).value_or(0) >= always_percent) {
      add_symptom(snapshot, {exhausted, "disk"}, asked.row, line).details["device"] = std::string(words.front());
      return;
    }
  }
}

}  // namespace

bool starts_short_answers(std::string_view line) { return line.size() < 2000 && shell_prompt(line) > 0; }

Snapshot parse_short_answers(const std::string& text) {
  Snapshot snapshot;
  std::set<std::string> versions;
  const std::vector<AskedCommand> session = asked_commands(text);
  const AskedCommand* before = nullptr;
  for (const AskedCommand& asked : session) {
    fabric_manager(asked, snapshot);
    switches(asked, snapshot);
    library_names(asked, versions);
    exit_status(asked, before, snapshot);
    empty_searches(asked, snapshot);
    found_nowhere(asked, snapshot);
    listed_packages(asked, snapshot);
    level_zero_not_listed(asked, snapshot);
    module_kind(asked, snapshot);
    bound_drivers(asked, snapshot);
    bound_driver(asked, text, snapshot);
    registered_drivers(asked, snapshot);
    busy_disk(asked, snapshot);
    before = &asked;
  }
  registered_library(session, snapshot);
  // With two versions the loader may take either.
  if (versions.size() == 1) snapshot.nvidia.fill().userspace_driver_version = *versions.begin();
  return snapshot;
}

}  // namespace envdoctor
