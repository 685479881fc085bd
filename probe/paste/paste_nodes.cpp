// ls -l of device nodes, and id. ls shows who may open a node; whether the program may is only known where id
// was run as well and the modes are conclusive.
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <map>
#include <optional>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

// nvidia-bug-report.sh prints it before the row of ls.
constexpr std::string_view bug_report_mark = "*** ls: ";

struct Person {
  std::int64_t uid = 0;
  std::map<std::string, std::int64_t> groups{};
};

// "uid=1000(me) gid=1000(me) groups=1000(me),44(video)".
std::optional<Person> person_of(std::string_view line) {
  static const LazyRegex user(R"(uid=(\d{1,9})(?:\([^)]*\))? gid=(\d{1,9})(?:\(([^)]*)\))?(?:.*?groups=(.*))?)",
                              RE2::Latin1);
  static const LazyRegex group(R"((\d{1,9})\(([^)]*)\))", RE2::Latin1);
  Person person;
  std::int64_t gid = 0;
  std::string name;
  re2::StringPiece groups;
  const std::size_t at = line.find("uid=");
  if (at == std::string_view::npos || !RE2::PartialMatch(line.substr(at), user, &person.uid, &gid, &name, &groups))
    return std::nullopt;
  person.groups.emplace(name, gid);
  while (RE2::FindAndConsume(&groups, group, &gid, &name)) person.groups.emplace(name, gid);
  return person;
}

bool is_gpu_path(std::string_view path) {
  static const LazyRegex form(R"(/dev/(?:nvidia[a-z0-9-]*|nvidia-caps/nvidia-cap\d+|kfd|dxg|dri/(?:renderD|card)\d+))",
                              RE2::Latin1);
  return RE2::FullMatch(path, form);
}

// Three characters of a mode as a digit.
int bits(std::string_view letters) {
  return (letters[0] == 'r' ? 4 : 0) + (letters[1] == 'w' ? 2 : 0) + (letters[2] == 'x' ? 1 : 0);
}

// Sets what the modes prove: without an access list nobody but the owner, the group and root may.
void judge_mode(DeviceNode& node, const Person& person) {
  const std::string& mode = *node.mode.get();
  const auto gives = [&](std::size_t digit) { return mode[digit] == '6' || mode[digit] == '7'; };
  const auto group = person.groups.find(node.group.or_empty());
  if (group != person.groups.end()) node.gid = group->second;
  if (person.uid == 0 || !node.owner.is("root")) return;
  if (group != person.groups.end() ? gives(2) : gives(3)) return;
  node.accessible = false;
  node.error = "EACCES";
}

}  // namespace

bool starts_device_nodes(std::string_view line) {
  if (line.starts_with(bug_report_mark)) line.remove_prefix(bug_report_mark.size());
  return line.starts_with("crw") || line.starts_with("uid=");
}

Snapshot parse_device_nodes(const std::string& text) {
  static const LazyRegex row(R"(c([r-][w-][x-])([r-][w-][x-])([r-][w-][x-])([.+@]?)\s+\d+\s+)"
                             R"((\S+)\s+(\S+)\s+(?:[^\s,\d][^\s,]*\s+)?(\d{1,6}),\s*(\d{1,7})\s+.*\s(\S+))",
                             RE2::Latin1);
  std::map<std::string, DeviceNode> nodes;
  std::vector<std::string> guarded;  // by an access list, which ls doesn't show
  std::optional<Person> person;
  for (std::string_view line : lines_of(text)) {
    if (line.starts_with(bug_report_mark)) line.remove_prefix(bug_report_mark.size());
    if (!person && contains(line, "uid=")) person = person_of(line);
    if (!line.starts_with("c")) continue;
    std::string mine, groups, others, mark, owner, group, path;
    std::int64_t major = 0, minor = 0;
    if (!RE2::FullMatch(trimmed(line), row, &mine, &groups, &others, &mark, &owner, &group, &major, &minor, &path))
      continue;
    // For a folder ls prints file names without the path; only these names are unambiguous.
    if (path.starts_with("renderD") || path.starts_with("card")) path = "/dev/dri/" + path;
    if (!is_gpu_path(path) || nodes.size() >= 256) continue;
    if (mark == "+") guarded.push_back(path);
    nodes.emplace(path, DeviceNode{.path = path,
                                   .owner = owner,
                                   .group = group,
                                   .mode = fmt::format("0{}{}{}", bits(mine), bits(groups), bits(others)),
                                   .major = major,
                                   .minor = minor});
  }
  Snapshot snapshot;
  if (person) {
    User& user = snapshot.host.fill().user.fill();
    user.uid = person->uid;
    auto& groups = user.groups.fill();
    for (const auto& [name, gid] : person->groups) groups.push_back(gid);
    sort_unique(groups);
  }
  // A listing of /dev/dri alone says nothing about the other nodes that computing needs.
  const bool whole = std::ranges::any_of(nodes, [](const auto& node) { return !node.first.starts_with("/dev/dri/"); });
  for (auto& [path, node] : nodes) {
    if (person && std::ranges::count(guarded, path) == 0) judge_mode(node, *person);
    if (whole) snapshot.device_nodes.fill().push_back(std::move(node));
  }
  return snapshot;
}

}  // namespace envdoctor
