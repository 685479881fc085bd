#include "knowledge/lazy_regex.h"
#include "probe/os/os_facts.h"

#include <re2/re2.h>

#include <algorithm>
#include <functional>

#include "host/text.h"
#include "probe/os/mounts.h"

namespace envdoctor {
namespace {

constexpr std::int64_t no_memory_limit = std::int64_t{1} << 60;  // version 1 writes 2^63 less a page for 'none'

struct Membership {
  std::string v2{};                         // path in the unified hierarchy, if there is one
  std::map<std::string, std::string> v1{};  // controller -> path
};

Membership parse_membership(std::string_view text) {
  Membership own;
  static const LazyRegex form("[^:]*:([^:]*):(.*)", RE2::Latin1);
  for (const auto line : lines_of(text)) {
    std::string controllers, path;
    if (!RE2::FullMatch(line, form, &controllers, &path)) continue;
    if (controllers.empty()) own.v2 = path;
    for (const auto controller : pieces(controllers, ',')) own.v1.emplace(controller, path);
  }
  return own;
}

// The folders from a group up to the mount's top. A mount inside a container may show only part of the hierarchy, and
// a group outside of that part maps to its top.
std::vector<std::string> folders_upwards(const Mount& mount, std::string path) {
  if (mount.root != "/") path = path.starts_with(mount.root) ? path.substr(mount.root.size()) : "";
  if (path.find("..") != std::string::npos) path.clear();
  std::vector<std::string> folders;
  for (; !path.empty() && path != "/"; path.erase(path.find_last_of('/'))) {
    folders.push_back(mount.point + (path.starts_with('/') ? "" : "/") + path);
    if (path.find('/') == std::string::npos) break;
  }
  folders.push_back(mount.point);
  return folders;
}

Number memory_limit(const Files& files, const std::string& file) {
  return read_line(files, file).then([&](const std::string& text) -> Number {
    if (text == "max") return absent("no limit");
    const auto bytes = number_of<std::uint64_t>(text);
    if (!bytes) return failed(file + ": not a number of bytes");
    if (*bytes >= static_cast<std::uint64_t>(no_memory_limit)) return absent("no limit");
    return static_cast<std::int64_t>(*bytes >> 20);
  });
}

Real cpu_quota_v1(const Files& files, const std::string& folder) {
  const auto quota = read_number(files, folder + "/cpu.cfs_quota_us");
  if (!quota.get()) return quota.missing();
  if (*quota.get() < 0) return absent("no limit");
  const auto period = read_number(files, folder + "/cpu.cfs_period_us");
  if (!period.get()) return period.missing();
  if (*period.get() <= 0) return failed(folder + "/cpu.cfs_period_us: not a period");
  return static_cast<double>(*quota.get()) / static_cast<double>(*period.get());
}

class Reader {
 public:
  Reader(const Files& files, Membership own, std::vector<Mount> mounts)
      : files_(files), own_(std::move(own)), mounts_(std::move(mounts)) {}

  [[nodiscard]] bool is_v1(const char* controller) const { return own_.v1.contains(controller); }

  [[nodiscard]] Real cpus() const {
    const bool old = is_v1("cpu");
    return limit_of<double>("cpu", [this, old](const std::string& folder) {
      return old ? cpu_quota_v1(files_, folder) : read_line(files_, folder + "/cpu.max").then(cpu_max);
    });
  }
  [[nodiscard]] Number memory_mib() const {
    const char* file = is_v1("memory") ? "/memory.limit_in_bytes" : "/memory.max";
    return limit_of<std::int64_t>(
        "memory", [this, file](const std::string& folder) { return memory_limit(files_, folder + file); });
  }
  [[nodiscard]] List<std::string> device_rules() const {
    if (!is_v1("devices")) return absent("version 2 keeps device rules in the kernel, where they can't be read");
    const auto folders = folders_of("devices");
    if (folders.empty()) return failed("the devices hierarchy isn't mounted here");
    return files_.read(folders.front() + "/devices.list").then([](const std::string& text) {
      std::vector<std::string> rules;
      for (const auto line : lines_of(text))
        if (!trimmed(line).empty()) rules.emplace_back(trimmed(line));
      return rules;
    });
  }

 private:
  // The folders of this process's group and of its parents. Empty: that hierarchy can't be seen.
  [[nodiscard]] std::vector<std::string> folders_of(const char* controller) const {
    const bool old = is_v1(controller);
    for (auto mount = mounts_.rbegin(); mount != mounts_.rend(); ++mount) {
      const auto options = pieces(mount->options, ',');
      if (old ? mount->type == "cgroup" && std::ranges::find(options, controller) != options.end()
              : mount->type == "cgroup2")
        return folders_upwards(*mount, old ? own_.v1.at(controller) : own_.v2);
    }
    return {};
  }

  // The smallest value on the way up; absent if no group sets one. Failed if one can't be read: it may be smaller.
  template <class T>
  Reading<T> limit_of(const char* controller, const std::function<Reading<T>(const std::string&)>& limit) const {
    const auto folders = folders_of(controller);
    Reading<T> result = absent("no limit");
    for (const std::string& folder : folders) {
      const Reading<T> here = limit(folder);
      if (here.outcome() == Outcome::failed) return here;
      if (here.get() && (!result.get() || *here.get() < *result.get())) result = here;
    }
    if (!result.get() && !can_be_seen(folders))
      return failed("this process's control group isn't mounted where it could be read");
    return result;
  }

  // A group without a limit has no file for it (its controller may be off), but it always has one of these.
  [[nodiscard]] bool can_be_seen(const std::vector<std::string>& folders) const {
    return std::ranges::any_of(folders, [this](const std::string& folder) {
      return std::ranges::any_of(
          std::initializer_list<const char*>{"/cgroup.controllers", "/cgroup.clone_children", "/memory.limit_in_bytes"},
          [&](const char* file) { return files_.read(folder + file).get() != nullptr; });
    });
  }

  const Files& files_;
  Membership own_;
  std::vector<Mount> mounts_;
};

}  // namespace

Real cpu_max(std::string_view text) {
  const auto words = words_of(text);
  if (words.empty()) return failed("cpu.max is empty");
  if (words[0] == "max") return absent("no limit");
  const auto quota = number_of(words[0]);
  const auto period = words.size() > 1 ? number_of(words[1]) : 100'000;
  if (!quota || !period || *quota <= 0 || *period <= 0) return failed("cpu.max: not a quota and a period");
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

Reading<Cgroup> read_cgroup(const Files& files) {
  const auto membership = files.read("/proc/self/cgroup");
  if (membership.outcome() == Outcome::absent) return absent("this kernel has no control groups");
  if (!membership.get()) return membership.missing();
  const auto mounts = read_mounts(files);
  if (!mounts.get()) return failed(mounts.why());
  Membership own = parse_membership(*membership.get());
  if (own.v1.empty() && own.v2.empty()) return absent("this process is in no control group");
  const Reader reader(files, own, *mounts.get());
  return Cgroup{.version = reader.is_v1("cpu") || reader.is_v1("memory") ? 1 : 2,
                .cpus = reader.cpus(),
                .memory_mib = reader.memory_mib(),
                .devices = reader.device_rules()};
}

}  // namespace envdoctor
