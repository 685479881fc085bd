// Files in /proc and /sys as cat and similar tools print them: "$ cat PATH" and the lines below it, "==> PATH <==" of
// head and tail, "PATH:value" of grep.
#include "probe/gpu/nvidia_driver.h"
#include "probe/os/cpu_info.h"
#include "probe/os/os_facts.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

void cpu_quota(Snapshot& snapshot, const std::string& text) {
  if (const Real cpus = cpu_max(text); cpus.outcome() != Outcome::failed)
    snapshot.host.fill().cgroup.fill().cpus = cpus;
}

// Two files of cgroup v1: a quota in microseconds per period, which is 100 ms unless its own file sets it.
constexpr double usual_period_us = 100'000;

void quota_v1(Snapshot& snapshot, const std::string& text) {
  if (const auto quota = number_of<double>(text))
    snapshot.host.fill().cgroup.fill().cpus = *quota > 0 ? Real(*quota / usual_period_us) : Real(absent("no limit"));
}

void period_v1(Snapshot& snapshot, const std::string& text) {
  Real& cpus = snapshot.host.fill().cgroup.fill().cpus;
  if (const auto period = number_of<double>(text); cpus.get() && period && *period > 0)
    cpus = *cpus.get() * usual_period_us / *period;
}

void memory_limit(Snapshot& snapshot, const std::string& text) {
  Number& limit = snapshot.host.fill().cgroup.fill().memory_mib;
  if (trimmed(text) == "max") limit = absent("no limit");
  if (const auto bytes = number_of(text))
    limit = *bytes > std::int64_t{1} << 60 ? Number(absent("no limit")) : *bytes >> 20;
}

void driver_version(Snapshot& snapshot, const std::string& text) {
  if (const Text version = nvrm_version(text); version.get()) snapshot.nvidia.fill().kernel_driver_version = version;
  if (const Text kind = nvrm_kind(text); kind.get()) snapshot.nvidia.fill().kernel_module_kind = kind;
}

void gpu_information(Snapshot& snapshot, const std::string& text) {
  if (const NvidiaProcGpu gpu = parse_gpu_information(text); gpu.model.get())
    snapshot.nvidia.fill().proc_gpus.fill().push_back(gpu);
}

template <auto section, auto field>
void plain_version(Snapshot& snapshot, const std::string& text) {
  const std::string_view value = trimmed(text);
  const std::string version = leading_version(value);
  if (contains(version, ".") && !contains(value, " ")) (snapshot.*section).fill().*field = version;
}

void os_release(Snapshot& snapshot, const std::string& text) {
  if (const Text name = os_name(text); name.get()) snapshot.host.fill().os = name;
}

void process_status(Snapshot& snapshot, const std::string& text) {
  if (const auto allowed = value_of(text, "Cpus_allowed_list"); allowed && cpu_list(*allowed).get())
    snapshot.cpu.fill().allowed_cpus = static_cast<std::int64_t>(cpu_list(*allowed).get()->size());
  if (const auto user = parse_user(text); user.get()) snapshot.host.fill().user = user;
}

// A file that registers an OpenCL driver; which one it was, its content tells.
void opencl_registration(Snapshot& snapshot, const std::string& text) {
  const std::string library(trimmed(text));
  if (!contains(library, ".so") || contains(library, " ")) return;
  snapshot.opencl.fill().icds.fill().push_back({.library = library});
}

struct KnownFile {
  std::string_view start, end;
  std::size_t lines;  // the maximum number of lines in its content, none of them empty
  void (*read)(Snapshot& snapshot, const std::string& text);
};

constexpr KnownFile known_files[] = {
    {"/sys/fs/cgroup/", "/cpu.max", 1, cpu_quota},
    {"/sys/fs/cgroup/cpu", "/cpu.cfs_quota_us", 1, quota_v1},
    {"/sys/fs/cgroup/cpu", "/cpu.cfs_period_us", 1, period_v1},
    {"/sys/fs/cgroup/", "/memory.max", 1, memory_limit},
    {"/sys/fs/cgroup/memory/", "/memory.limit_in_bytes", 1, memory_limit},
    {"/proc/driver/nvidia/version", "version", 1, driver_version},
    {"/proc/driver/nvidia/gpus/", "/information", 16, gpu_information},
    {"/sys/module/nvidia/version", "version", 1, plain_version<&Snapshot::nvidia, &Nvidia::kernel_driver_version>},
    {"/sys/module/amdgpu/version", "version", 1, plain_version<&Snapshot::rocm, &Rocm::kernel_driver_version>},
    {"/opt/rocm", "/.info/version", 1, plain_version<&Snapshot::rocm, &Rocm::version>},
    {"/etc/OpenCL/vendors/", ".icd", 1, opencl_registration},
    {"/etc/os-release", "", 20, os_release},
    {"/proc/self/status", "", 64, process_status},
};

const KnownFile* known_file(std::string_view path) {
  for (const KnownFile& file : known_files)
    if (path.starts_with(file.start) && path.ends_with(file.end)) return &file;
  return nullptr;
}

std::string_view path_at(std::string_view text) { return text.substr(0, text.find_first_of(" \t:;|&><\"')")); }

// "PATH:value" as grep prints it, "PATH -> value" and "PATH = value" as people write them.
bool names_its_content(std::string_view line) {
  const std::string_view path = path_at(line), rest = line.substr(path.size());
  return rest.find_first_not_of(" :=->") != rest.npos &&
         (rest.starts_with(":") || trimmed(rest).starts_with("->") || trimmed(rest).starts_with("="));
}

// The path whose content follows; empty: not such a command.
std::string_view shown_path(std::string_view line) {
  for (const std::string_view command :
       {"cat /", "==> /", "more /", "less /", "head -1 /", "head -n1 /", "head -n 1 /"}) {
    const std::size_t at = line.find(command);
    if (at == std::string_view::npos || at > 200) continue;
    const std::string_view rest = line.substr(at + command.size() - 1);
    const std::string_view path = path_at(rest);
    // With a second file or a filter it is unknown which lines belong to the first file.
    const std::string_view behind = trimmed(rest.substr(path.size()));
    if (behind.empty() || behind == "<==" || behind == "| head -1" || behind == "| head -n1" || behind == "| head -n 1")
      return path;
  }
  return {};
}

}  // namespace

bool starts_shown_file(std::string_view line) {
  if (line.starts_with("/")) return known_file(path_at(line)) && names_its_content(line);
  return known_file(shown_path(line)) != nullptr;
}

Snapshot parse_shown_files(const std::string& text) {
  Snapshot snapshot;
  const KnownFile* file = nullptr;
  std::string content;
  std::size_t lines = 0;
  const auto close = [&] {
    if (lines > 0) file->read(snapshot, content);
    file = nullptr;
    content.clear();
    lines = 0;
  };
  for (const std::string_view line : lines_of(text)) {
    const bool named = line.starts_with("/") && names_its_content(line);
    const std::string_view path = named ? path_at(line) : contains(line, " /") ? shown_path(line) : "";
    if (!path.empty() || trimmed(line).empty()) {
      close();
      file = path.empty() ? nullptr : known_file(path);
      if (!file || !named) continue;
      content = trimmed(line.substr(line.find_first_not_of(" :=->", path.size())));
      lines = 1;
      close();
    } else if (file) {
      content.append(line).push_back('\n');
      if (++lines == file->lines) close();
    }
  }
  close();
  return snapshot;
}

}  // namespace envdoctor
