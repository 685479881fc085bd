#include "probe/os/device_nodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "evidence/json.h"
#include "host/text.h"
#include "probe/probes.h"

namespace envdoctor {

namespace {

using Names = std::map<std::uint32_t, std::string>;

// Names of system accounts only: ids from 1000 on belong to people, whose names are private.
Names system_names(const Reading<std::string>& text) {
  Names names;
  for (const auto line : lines_of(text.or_empty())) {
    const auto fields = pieces(line, ':');
    if (fields.size() < 3) continue;
    const auto id = number_of<std::uint32_t>(fields[2]);
    if (id && (*id < 1000 || *id == 65534)) names.emplace(*id, fields[0]);
  }
  return names;
}

std::string name_or_number(const Names& names, std::uint32_t id) {
  const auto found = names.find(id);
  return found == names.end() ? std::to_string(id) : found->second;
}

// Majors of character devices that a driver has registered. Every Linux has major 1, the memory devices: a sandbox that
// lists only a few of its own says nothing about the others, so it counts as unknown.
std::set<std::uint32_t> registered_majors(const Reading<std::string>& text) {
  std::set<std::uint32_t> majors;
  for (const auto line : lines_of(text.or_empty())) {
    if (line.starts_with("Block")) break;
    const auto words = words_of(line);
    const auto major = words.size() == 2 ? number_of<std::uint32_t>(words[0]) : std::nullopt;
    if (major) majors.insert(*major);
  }
  return majors;
}

bool is_gpu_node(std::string_view name) {
  return name == "kfd" || name == "dxg" || name == "nvmap" || name == "nvhost-gpu" || name == "nvhost-ctrl-gpu" ||
         (name.starts_with("nvidia") && !name.starts_with("nvidia-fs"));
}

std::vector<std::string> paths(const Files& files) {
  std::vector<std::string> found;
  const auto add = [&](const std::string& folder, auto wanted) {
    for (const std::string& name : files.list(folder).or_empty())
      if (wanted(name)) found.push_back(folder + "/" + name);
  };
  add("/dev", is_gpu_node);
  add("/dev/nvidia-caps", [](std::string_view) { return true; });
  add("/dev/dri", [](std::string_view name) { return name.starts_with("card") || name.starts_with("renderD"); });
  add("/dev/accel", [](std::string_view name) { return name.starts_with("accel"); });
  std::ranges::sort(found);
  return found;
}

// Opening some nodes has side effects, and their users don't open them for writing.
const char* why_not_opened(std::string_view path) {
  if (path.starts_with("/dev/dri/card")) return "not opened: the first to open it becomes the display's master";
  if (path.starts_with("/dev/nvidia-nvswitch")) return "not opened: it belongs to the fabric manager";
  if (path.starts_with("/dev/nvidia-caps/")) return "not opened: a capability, which is only ever read";
  if (path == "/dev/nvidia-modeset") return "not opened: it serves displays only";
  return nullptr;
}

}  // namespace

std::vector<DeviceNode> list_nodes(const Files& files) {
  std::vector<DeviceNode> nodes;
  const auto found = paths(files);
  if (found.empty()) return nodes;
  const Names owners = system_names(files.read("/etc/passwd"));
  const Names groups = system_names(files.read("/etc/group"));
  const auto majors = registered_majors(files.read("/proc/devices"));
  for (const std::string& path : found) {
    const auto status = files.status(path);
    if (status.outcome() == Outcome::absent || (status.get() && status.get()->kind == FileStatus::Kind::folder))
      continue;
    DeviceNode node{.path = path};
    if (const FileStatus* known = status.get()) {
      node.owner = name_or_number(owners, known->uid);
      node.group = name_or_number(groups, known->gid);
      node.gid = known->gid;
      node.mode = fmt::format("{:04o}", known->mode & 07777);
      if (known->kind == FileStatus::Kind::character_device) {
        node.major = known->major;
        node.minor = known->minor;
        // Opening it would make the kernel try to load a module, which would change the host.
        if (majors.contains(1) && !majors.contains(known->major)) node.error = std::string("ENXIO");
      } else {
        node.major = node.minor = Number(absent("not a character device"));
        node.error = std::string("ENODEV");
      }
      if (node.error.get()) node.accessible = false;
    } else {
      node.owner = node.group = node.mode = Text(status.missing());
      node.gid = node.major = node.minor = Number(status.missing());
    }
    if (const char* why = why_not_opened(path)) {
      node.accessible = failed(why);
      node.error = failed(why);
    }
    nodes.push_back(node);
  }
  return nodes;
}

// GPU device nodes, and whether this user may open them.

namespace {

constexpr Limits node_limits{.time = Milliseconds(10'000), .memory_mib = 512};

void note_opening(const Files& files, DeviceNode& node) {
  node.error = files.open_error(*node.path.get());
  node.accessible = node.error.then([](const std::string& name) { return name.empty(); });
  if (node.error.is("")) node.error = absent("it opened");
}

bool is_open_question(const DeviceNode& node) { return node.accessible.outcome() == Outcome::not_probed; }

// Runs in a child, since an open can hang in a driver whose GPU is lost. It answers after each node, so that its
// results before a hang are kept.
Snapshot open_all(const Files& files, std::vector<DeviceNode> nodes, const Channel& channel) {
  Snapshot part;
  for (DeviceNode& node : nodes) {
    if (!is_open_question(node)) continue;
    channel.step("open of " + *node.path.get());
    note_opening(files, node);
    part.device_nodes = nodes;
    channel.answer(to_json(part));
  }
  part.device_nodes = std::move(nodes);
  return part;
}

// The child died or hung: what it had answered by then, and for the rest why there is nothing.
void keep_what_there_is(Session& session, const Ended& ended, std::vector<DeviceNode> nodes) {
  Snapshot part = early_answer(ended);
  if (!part.device_nodes.get()) part.device_nodes = std::move(nodes);
  for (DeviceNode& node : *part.device_nodes.get()) {
    if (is_open_question(node))
      node.accessible = failed(ended.step.empty() ? ended.why : fmt::format("{} ({})", ended.why, ended.step));
  }
  session.add(part);
}

}  // namespace

void probe_device_nodes(Session& session) {
  const Files& files = session.host.files;
  auto nodes = list_nodes(files);
  if (!session.host.live) {
    for (DeviceNode& node : nodes)
      if (is_open_question(node)) note_opening(files, node);
  }
  if (std::ranges::none_of(nodes, is_open_question)) return session.add({.device_nodes = std::move(nodes)});
  session.start(
      "device-nodes", "", node_limits,
      [&files, nodes](const Channel& channel) { return open_all(files, nodes, channel); },
      [&session, nodes](const Ended& ended, const Snapshot& part) {
        if (!part.device_nodes.get()) keep_what_there_is(session, ended, nodes);
      });
}

}  // namespace envdoctor
