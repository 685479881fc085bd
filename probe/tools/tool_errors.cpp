// Errors of the operating system, as strerror's text, an errno's name or number: the file that they name
// shows which layer of a GPU's stack was refused. strace, Python, Rust, Go and shells print the same few sentences.
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

using enum SymptomClass;

enum class Errno { none, noent, acces, perm, nodev, io, busy, nospc, nomem, timedout };

struct Sentence {
  const char* words;  // in the C locale; programs in other languages give the number as well
  Errno code;
};

constexpr Sentence sentences[] = {
    {"No such file or directory", Errno::noent},
    {"no such file or directory", Errno::noent},
    {"[Errno 2]", Errno::noent},
    {"(os error 2)", Errno::noent},
    {"ENOENT", Errno::noent},
    {"does not exist", Errno::noent},
    {"Permission denied", Errno::acces},
    {"permission denied", Errno::acces},
    {"Permission Denied", Errno::acces},
    {"access denied", Errno::acces},
    {"Access denied", Errno::acces},
    {"[Errno 13]", Errno::acces},
    {"(os error 13)", Errno::acces},
    {"EACCES", Errno::acces},
    {"Operation not permitted", Errno::perm},
    {"operation not permitted", Errno::perm},
    {"[Errno 1]", Errno::perm},
    {"(os error 1)", Errno::perm},
    {"EPERM", Errno::perm},
    {"No such device or address", Errno::nodev},
    {"No such device", Errno::nodev},
    {"no such device", Errno::nodev},
    {"[Errno 19]", Errno::nodev},
    {"[Errno 6]", Errno::nodev},
    {"ENODEV", Errno::nodev},
    {"ENXIO", Errno::nodev},
    {"Input/output error", Errno::io},
    {"input/output error", Errno::io},
    {"[Errno 5]", Errno::io},
    {"EIO (", Errno::io},
    {"Device or resource busy", Errno::busy},
    {"resource busy", Errno::busy},
    {"EBUSY", Errno::busy},
    {"No space left on device", Errno::nospc},
    {"no space left on device", Errno::nospc},
    {"ENOSPC", Errno::nospc},
    {"Cannot allocate memory", Errno::nomem},
    {"ENOMEM", Errno::nomem},
};

Errno errno_in(std::string_view line) {
  for (const Sentence& one : sentences)
    if (contains(line, one.words)) return one.code;
  return Errno::none;
}

// A path that belongs to a GPU's stack, without the marks around it; empty: none.
std::string_view gpu_path_in(std::string_view line) {
  for (const std::string_view start :
       {"/dev/nvidia", "/dev/dri", "/dev/kfd", "/dev/dxg", "/dev/shm", "/dev/accel/", "/proc/driver/nvidia",
        "/sys/module/amdgpu", "/sys/module/nvidia", "/sys/class/kfd", "/sys/bus/pci/devices/", "/lib/firmware/",
        "/etc/OpenCL/vendors"}) {
    const std::size_t at = line.find(start);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at);
    std::string_view path = rest.substr(0, rest.find_first_of(" \t'\"`,;)>]"));
    while (path.ends_with(':') || path.ends_with('.')) path.remove_suffix(1);
    return path;
  }
  return {};
}

struct Meaning {
  std::string_view start;  // of the path
  Errno code;
  SymptomClass class_;
  const char* subject;
};

constexpr Meaning meanings[] = {
    {"/dev/nvidia-caps", Errno::noent, noted, "optional-device-node"},
    {"/dev/nvidia-modeset", Errno::noent, noted, "optional-device-node"},
    {"/dev/nvidia", Errno::noent, missing, "device-node"},
    {"/dev/nvidia", Errno::acces, refused, "device-node"},
    {"/dev/nvidia", Errno::perm, refused, "device-node-by-cgroup"},
    {"/dev/nvidia", Errno::nodev, missing, "device-behind-node"},
    {"/dev/nvidia", Errno::io, missing, "device-behind-node"},
    {"/dev/kfd", Errno::noent, missing, "kfd-node"},
    {"/dev/kfd", Errno::acces, refused, "kfd-node"},
    {"/dev/kfd", Errno::perm, refused, "kfd-node"},
    {"/dev/dri/renderD", Errno::acces, refused, "render-node"},
    {"/dev/dri/renderD", Errno::perm, refused, "render-node"},
    {"/dev/dri/renderD", Errno::noent, missing, "render-node"},
    {"/dev/dri", Errno::noent, missing, "render-node"},
    {"/dev/dri/card", Errno::acces, refused, "render-node"},
    {"/dev/shm", Errno::noent, refused, "shared-memory"},
    {"/dev/shm", Errno::acces, refused, "shared-memory"},
    {"/dev/shm", Errno::perm, refused, "shared-memory"},
    {"/dev/shm", Errno::nospc, exhausted, "shared-memory"},
    {"/dev/shm", Errno::nomem, exhausted, "shared-memory"},
    {"/proc/driver/nvidia/version", Errno::noent, missing, "kernel-driver"},
    {"/sys/module/amdgpu/initstate", Errno::noent, missing, "amdgpu-kernel-module"},
    {"/sys/module/nvidia/version", Errno::noent, missing, "kernel-driver"},
    {"/sys/bus/pci/devices/", Errno::acces, refused, "pci-device-access"},
    {"/sys/bus/pci/devices/", Errno::perm, refused, "pci-device-access"},
    {"/lib/firmware/nvidia", Errno::noent, missing, "gpu-firmware"},
    {"/lib/firmware/amdgpu", Errno::noent, missing, "gpu-firmware"},
    {"/lib/firmware/i915", Errno::noent, missing, "gpu-firmware"},
};

// A call of strace that succeeded: "openat(…, "/dev/nvidia-uvm", …) = 5".
bool succeeded(std::string_view line) {
  static const LazyRegex form(R"((?:\[pid +\d+\] |\d+ +)?(?:open|openat|access|stat|newfstatat)\(.*\) += \d+\s*)",
                              RE2::Latin1);
  return contains(line, ") ") && RE2::FullMatch(piece_of(line), form);
}

struct TracedLibrary {
  std::string name{};
  bool found = false;
};

// The loader tries one folder after the other: "openat(AT_FDCWD, "/usr/lib/libcuda.so.1", …) = -1 ENOENT (…)". A name
// without a version is for compilers, and a program that asks for it tries others.
std::optional<TracedLibrary> traced_library(std::string_view line) {
  static const LazyRegex form(
      R"re((?:\[pid +\d+\] |\d+ +)?open(?:at)?\((?:AT_FDCWD, )?"[^"]*/)re"
      R"re(((?:libcu|libnv|libnccl|libOpenCL|libamdhip64|libhsa-runtime64|libze_|libMIOpen|libroc))re"
      R"re([\w.+-]*\.so\.[\d.]+)".*\) += (-1 ENOENT|\d+).*)re",
      RE2::Latin1);
  TracedLibrary library;
  std::string result;
  if (!contains(line, ".so.") || !RE2::FullMatch(piece_of(line), form, &library.name, &result)) return std::nullopt;
  library.found = !result.starts_with('-');
  return library;
}

struct Search {
  std::size_t row = 0;
  std::string_view line{};
  bool found = false;
};

void record_searches(const std::map<std::string, Search>& searches, Snapshot& snapshot) {
  for (const auto& [name, search] : searches) {
    if (!search.found)
      add_symptom(snapshot, {missing, "library-by-ldd"}, search.row, search.line).details["library"] = name;
  }
}

}  // namespace

bool starts_system_errors(std::string_view line) {
  if (line.size() > 2000) return false;
  if (contains(line, "ENOENT") && traced_library(line)) return true;
  return errno_in(line) != Errno::none && (!gpu_path_in(line).empty() || contains(line, "(os error "));
}

Snapshot parse_system_errors(const std::string& text) {
  struct Refusal {
    std::size_t row = 0;
    std::string_view line{};
    std::string path{};
    const Meaning* meaning = nullptr;
  };
  std::vector<Refusal> refusals;
  std::map<std::string, bool, std::less<>> opened;
  std::map<std::string, int, std::less<>> refused;
  std::map<std::string, Search> searches;
  constexpr std::size_t most_searches = 256;
  std::string_view last_path;  // to which an error without a path refers, if it came just before
  std::size_t row = 0, last_row = 0;
  for (const std::string_view whole : lines_of(text)) {
    const std::size_t at = row++;
    const std::string_view line = whole.substr(0, 2000);
    if (line.find('/') == std::string_view::npos && line.find("rror") == std::string_view::npos) continue;
    if (const auto library = traced_library(line); library && searches.size() < most_searches) {
      Search& search = searches.try_emplace(library->name, Search{at, line}).first->second;
      search.found = search.found || library->found;
    }
    std::string_view path = gpu_path_in(line);
    if (!path.empty() && succeeded(line)) opened.insert_or_assign(std::string(path), true);
    const Errno code = errno_in(line);
    constexpr std::size_t near = 4;
    if (code == Errno::none || (path.empty() && (!contains(line, "os error ") || at > last_row + near))) {
      if (!path.empty()) last_path = path, last_row = at;
      continue;
    }
    if (path.empty()) path = last_path;
    const auto meaning = std::ranges::find_if(
        meanings, [&](const Meaning& one) { return path.starts_with(one.start) && one.code == code; });
    constexpr std::size_t most = 64;
    constexpr int most_of_a_path = 3;
    if (path.empty() || meaning == std::end(meanings) || refusals.size() == most ||
        ++refused[std::string(path)] > most_of_a_path)
      continue;
    refusals.push_back({at, line, std::string(path), meaning});
  }
  Snapshot snapshot;
  record_searches(searches, snapshot);
  for (const Refusal& one : refusals) {
    // A library tries, creates the node and tries again.
    if (opened.contains(one.path)) continue;
    add_symptom(snapshot, {one.meaning->class_, one.meaning->subject}, one.row, one.line).details["node"] = one.path;
  }
  return snapshot;
}

}  // namespace envdoctor
