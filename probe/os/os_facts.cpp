#include "probe/os/os_facts.h"

#include <algorithm>
#include <map>

#include "host/files/kernel_queries.h"
#include "host/text.h"
#include "knowledge/lower_case.h"
#include "probe/os/mounts.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

constexpr std::size_t name_limit = 200;

// A value in the syntax of os-release(5): bare, in single quotes, or in double quotes with \ before " $ ` and itself.
Text shell_value(std::string_view text) {
  const char quote = text.empty() ? '\0' : text.front();
  if (quote != '"' && quote != '\'') return std::string(text);
  text.remove_prefix(1);
  std::string value;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == quote) return value;
    if (quote == '"' && text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  return failed("unterminated quote");
}

bool is_plain(const std::string& text) {
  return !text.empty() && text.size() <= name_limit &&
         std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == 127; });
}

}  // namespace

Text os_name(std::string_view os_release) {
  std::map<std::string_view, Text> values;
  const auto lines = lines_of(os_release);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto [key, text] = key_value(lines[i], '=');
    if (key != "PRETTY_NAME" && key != "NAME" && key != "VERSION_ID") continue;
    auto value = shell_value(text);
    if (!value.or_empty().empty() && !is_plain(value.or_empty())) value = failed("not a printable name");
    if (!value.get()) value = failed("line " + std::to_string(i + 1) + ": " + value.why());
    values[key] = value;
  }
  const auto known = [&](std::string_view key) { return values[key].outcome() != Outcome::not_probed; };
  if (known("PRETTY_NAME") && !values["PRETTY_NAME"].is("")) return values["PRETTY_NAME"];
  if (!known("NAME")) return failed("no NAME or PRETTY_NAME");
  if (!values["VERSION_ID"].get()) return values["NAME"];
  return values["NAME"].then([&](const std::string& text) { return text + " " + *values["VERSION_ID"].get(); });
}

Text read_os(const Files& files) {
  for (const std::string path : {"/etc/os-release", "/usr/lib/os-release"}) {
    const auto text = files.read(path);
    if (text.outcome() == Outcome::absent) continue;
    if (!text.get()) return text.missing();
    const Text name = os_name(*text.get());
    return name.get() ? name : failed(path + ": " + name.why());
  }
  return absent("no os-release");
}

Text read_platform(const Files& files, const Text& kernel) {
  if (!kernel.get()) return kernel.missing();
  const std::string release = lower_case(*kernel.get());
  if (contains(release, "wsl2") || contains(release, "microsoft-standard")) return std::string("wsl2");
  if (release.ends_with("-microsoft")) return std::string("wsl1");
  // A custom kernel for WSL may have any name; other Hyper-V guests may have /dev/dxg, but not both.
  const bool interop =
      files.status("/proc/sys/fs/binfmt_misc/WSLInterop").get() || files.status("/usr/lib/wsl/lib").get();
  if (interop && files.status("/dev/dxg").get()) return std::string("wsl2");
  return std::string("linux");
}

Text read_arch(const Host& host) {
  const Text arch = read_line(host.files, "/proc/sys/kernel/arch");  // from Linux 6.1 on
  if (arch.get()) return arch;
  if (host.live) return machine();
  const auto cpuinfo = host.files.read("/proc/cpuinfo", 16 << 20);
  if (!cpuinfo.get()) return cpuinfo.missing();
  for (const auto line : lines_of(*cpuinfo.get())) {
    const auto words = words_of(line);
    if (line.starts_with("flags"))
      return std::string(std::ranges::find(words, "lm") != words.end() ? "x86_64" : "i686");
    if (line.starts_with("CPU architecture")) return std::string(words.back() == "8" ? "aarch64" : "arm");
    if (line.starts_with("isa") && words.back().starts_with("rv64")) return std::string("riscv64");
    if (line.starts_with("cpu") && words.size() > 2 && words[2].starts_with("POWER")) return std::string("ppc64le");
  }
  return failed("/proc/cpuinfo: no line names the architecture");
}

Flag read_secure_boot(const Files& files) {
  const std::string efi = "/sys/firmware/efi";
  const auto variable = files.read(efi + "/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c");
  if (const std::string* bytes = variable.get()) {
    if (bytes->size() != 5) return failed("the SecureBoot variable: not 4 bytes of attributes and one of value");
    return (*bytes)[4] == 1;
  }
  if (variable.outcome() == Outcome::failed) return variable.missing();
  if (files.status(efi).get()) return failed("the EFI variables aren't mounted here");
  // Containers mount an empty folder over this one; the kernel's own is never empty.
  if (!files.list("/sys/firmware").or_empty().empty()) return absent("not started by EFI");
  return failed("/sys/firmware shows nothing here");
}

// "none [integrity] confidentiality": the state in brackets is the kernel's.
Text read_lockdown(const Files& files) {
  const auto line = read_line(files, "/sys/kernel/security/lockdown");
  if (line.outcome() == Outcome::absent) return absent("this kernel shows no lockdown");
  return line.then([](const std::string& text) -> Text {
    const auto open = text.find('['), close = text.find(']');
    if (open == text.npos || close == text.npos || close < open) return failed("lockdown: no state in brackets");
    return text.substr(open + 1, close - open - 1);
  });
}

namespace {

Number soft_limit(std::string_view limits, const std::string& name) {
  for (const auto line : lines_of(limits)) {
    if (!line.starts_with(name)) continue;
    const auto words = words_of(line.substr(name.size()));
    if (words.empty()) break;
    if (words[0] == "unlimited") return absent("unlimited");
    const auto value = number_of(words[0]);
    return value && *value >= 0 ? Number(*value) : failed("/proc/self/limits: '" + name + "' is no number");
  }
  return failed("/proc/self/limits: no line '" + name + "'");
}

Number in_mib(const Number& bytes) {
  return bytes.then([](std::int64_t value) { return value >> 20; });
}

// "size=65536k" of a tmpfs; the default is half of the memory.
Number tmpfs_size_mib(const Files& files, const Mount& mount) {
  const auto size = option_of(mount, "size");
  if (const auto kib = number_of(size.substr(0, size.size() - 1)); kib && size.ends_with('k')) return *kib >> 10;
  if (!size.empty()) return failed("/dev/shm: the size is not a number of KiB");
  return files.read("/proc/meminfo").then([](const std::string& text) -> Number {
    const auto kib = first_number(value_of(text, "MemTotal").value_or(""));
    return kib ? Number(*kib / 2 >> 10) : failed("/proc/meminfo: no MemTotal");
  });
}

}  // namespace

Reading<User> parse_user(std::string_view status) {
  const auto uids = words_of(value_of(status, "Uid").value_or(""));
  const auto gids = words_of(value_of(status, "Gid").value_or(""));
  if (uids.size() < 2 || gids.size() < 2) return failed("/proc/self/status: no Uid and Gid");
  const auto uid = number_of(uids[1]);
  const auto gid = number_of(gids[1]);
  if (!uid || !gid) return failed("/proc/self/status: Uid and Gid are not numbers");
  std::vector<std::int64_t> groups{*gid};
  for (const auto word : words_of(value_of(status, "Groups").value_or(""))) {
    const auto group = number_of(word);
    if (!group) return failed("/proc/self/status: a group is not a number");
    groups.push_back(*group);
  }
  sort_unique(groups);
  return User{.uid = *uid, .groups = groups};
}

Reading<Ulimits> parse_ulimits(std::string_view limits) {
  return Ulimits{.memlock_mib = in_mib(soft_limit(limits, "Max locked memory")),
                 .address_space_mib = in_mib(soft_limit(limits, "Max address space")),
                 .open_files = soft_limit(limits, "Max open files"),
                 .processes = soft_limit(limits, "Max processes")};
}

Number read_shm_mib(const Host& host) {
  const auto status = host.files.status("/dev/shm");
  if (status.outcome() == Outcome::absent) return absent("no /dev/shm");
  const auto mounts = read_mounts(host.files);
  if (const Mount* mount = mount_of(mounts.or_empty(), "/dev/shm"); mount && mount->type == "tmpfs") {
    const auto size = tmpfs_size_mib(host.files, *mount);
    if (size.get()) return size;
  }
  if (host.live) return file_system_size_mib("/dev/shm");
  return failed(mounts.get() ? "/dev/shm is not on a tmpfs with a size option" : mounts.why());
}

// The host: operating system, container or virtual machine, and the limits of this process.

void probe_host(Session& session) {
  const Host& host = session.host;
  const Files& files = host.files;
  const Text kernel = read_line(files, "/proc/sys/kernel/osrelease");
  Snapshot part;
  part.host = HostFacts{.platform = read_platform(files, kernel),
                        .os = read_os(files),
                        .kernel = kernel,
                        .arch = read_arch(host),
                        .container = read_container(host),
                        .virtualization = read_virtualization(files),
                        .secure_boot = read_secure_boot(files),
                        .lockdown = read_lockdown(files),
                        .user = files.read("/proc/self/status").then(parse_user),
                        .shm_mib = read_shm_mib(host),
                        .cgroup = read_cgroup(files),
                        .ulimits = files.read("/proc/self/limits").then(parse_ulimits)};
  session.add(part);
}

}  // namespace envdoctor
