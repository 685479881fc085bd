#include "probe/process_limits.h"

#include <algorithm>

#include "host/kernel.h"
#include "probe/mounts.h"
#include "probe/text.h"

namespace envdoctor {
namespace {

std::string_view line_starting(std::string_view text, std::string_view start) {
  for (const auto line : lines_of(text))
    if (line.starts_with(start)) return line.substr(start.size());
  return {};
}

Number soft_limit(std::string_view limits, std::string_view name) {
  const auto words = words_of(line_starting(limits, name));
  if (words.empty()) return failed("/proc/self/limits: no line '" + std::string(name) + "'");
  if (words[0] == "unlimited") return absent("unlimited");
  const auto value = number_of<std::uint64_t>(words[0]);
  if (!value || *value > INT64_MAX) return failed("/proc/self/limits: '" + std::string(name) + "' is no number");
  return static_cast<std::int64_t>(*value);
}

Number in_mib(const Number& bytes) {
  return bytes.then([](std::int64_t value) { return value >> 20; });
}

// "size=65536k" of a tmpfs; one without the option takes half of the memory.
Number tmpfs_size_mib(const Files& files, const Mount& mount) {
  const auto size = option_of(mount, "size");
  if (!size.empty() && size.ends_with('k')) {
    if (const auto kib = number_of(size.substr(0, size.size() - 1))) return *kib >> 10;
  }
  if (!size.empty()) return failed("/dev/shm: a size that is no number of KiB");
  return files.read("/proc/meminfo").then([](const std::string& text) -> Number {
    const auto words = words_of(line_starting(text, "MemTotal:"));
    const auto kib = words.empty() ? std::nullopt : number_of(words[0]);
    if (!kib) return failed("/proc/meminfo: no MemTotal");
    return *kib / 2 >> 10;
  });
}

}  // namespace

Reading<User> parse_user(std::string_view status) {
  const auto uids = words_of(line_starting(status, "Uid:"));
  const auto gids = words_of(line_starting(status, "Gid:"));
  if (uids.size() < 2 || gids.size() < 2) return failed("/proc/self/status: no Uid and Gid");
  const auto uid = number_of(uids[1]);
  const auto gid = number_of(gids[1]);
  if (!uid || !gid) return failed("/proc/self/status: Uid and Gid are no numbers");
  std::vector<std::int64_t> groups{*gid};
  for (const auto word : words_of(line_starting(status, "Groups:"))) {
    const auto group = number_of(word);
    if (!group) return failed("/proc/self/status: a group that is no number");
    groups.push_back(*group);
  }
  std::ranges::sort(groups);
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
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
  const auto mountinfo = host.files.read("/proc/self/mountinfo", 8 << 20);
  if (mountinfo.get()) {
    const auto mounts = parse_mounts(*mountinfo.get());
    if (const Mount* mount = mount_of(mounts, "/dev/shm"); mount && mount->type == "tmpfs") {
      const auto size = tmpfs_size_mib(host.files, *mount);
      if (size.get()) return size;
    }
  }
  if (host.live) return file_system_size_mib("/dev/shm");
  return failed(mountinfo.get() ? "/dev/shm is on no tmpfs whose size is written down" : mountinfo.why());
}

}  // namespace envdoctor
