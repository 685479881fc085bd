// getfacl of a device node, and ls -l of /dev where an entry is no device node, or none for computing.
#include <re2/re2.h>

#include <algorithm>
#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// The current user: by id, or by whoami and groups.
struct Account {
  std::string name{};
  std::set<std::string, std::less<>> groups{};
  bool known = false, root = false;
};

Account account_in(std::string_view text) {
  static const LazyRegex user(R"(uid=(\d{1,9})\(([^)]*)\).*)", RE2::Latin1);
  static const LazyRegex group(R"(\d{1,9}\(([^)]*)\))", RE2::Latin1);
  Account account;
  bool asks_for_groups = false;
  for (const std::string_view line : lines_of(text)) {
    if (line.size() > 2000) continue;
    const std::size_t at = line.find("uid=");
    std::string uid, name;
    if (at != std::string_view::npos &&
        RE2::FullMatch(re2::StringPiece(line.data() + at, line.size() - at), user, &uid, &name)) {
      account = {.name = name, .known = true, .root = uid == "0"};
      const std::size_t groups = line.find("gid=");
      re2::StringPiece rest(line.data(), line.size());
      if (groups != std::string_view::npos) rest.remove_prefix(groups);
      while (RE2::FindAndConsume(&rest, group, &name)) account.groups.insert(name);
      return account;
    }
    if (asks_for_groups && !account.known && !trimmed(line).empty()) {
      for (const std::string_view word : words_of(line)) account.groups.emplace(word == ":" ? "" : word);
      account.known = line.find_first_of("/$#:=") == line.npos || contains(line, " : ");
      account.root = account.groups.contains("root");
    }
    const std::string_view words = trimmed(line);
    asks_for_groups = words.ends_with(" groups") || words == "groups" || words.ends_with("$ groups $USER") ||
                      words.ends_with("id -nG") || words.ends_with("id -Gn");
  }
  return account;
}

bool reads_and_writes(std::string_view rights) { return rights.starts_with("rw"); }

struct AccessList {
  std::size_t row = 0;
  std::string_view line{};
  std::string path{}, owner{}, group{};
  bool open = false;  // to the account
};

bool is_render_or_kfd(std::string_view path) { return path.starts_with("/dev/dri/") || path == "/dev/kfd"; }

const char* subject_of_node(std::string_view path) {
  return path == "/dev/kfd" ? "kfd-node" : path.starts_with("/dev/dri/") ? "render-node" : "device-node";
}

}  // namespace

bool starts_getfacl(std::string_view line) { return line.starts_with("# file: ") && contains(line, "dev/"); }

Snapshot parse_getfacl(const std::string& text) {
  Snapshot snapshot;
  const Account account = account_in(text);
  std::vector<AccessList> lists;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.starts_with("# file: ")) {
      std::string_view path = trimmed(line.substr(8));
      lists.push_back(
          {.row = at, .line = line, .path = path.starts_with("/") ? std::string(path) : "/" + std::string(path)});
      if (lists.size() > 64) break;
      continue;
    }
    if (lists.empty()) continue;
    AccessList& list = lists.back();
    if (const auto owner = after(line, "# owner:")) list.owner = *owner;
    if (const auto group = after(line, "# group:")) list.group = *group;
    const auto parts = pieces(line.substr(0, 200), ':');
    if (parts.size() != 3) continue;
    // Groups alone don't tell whether a user that the list names is this one.
    const std::string_view user = parts[1].empty() ? std::string_view(list.owner) : parts[1];
    const bool mine = parts[0] == "user"    ? (account.name.empty() ? !parts[1].empty() : user == account.name)
                      : parts[0] == "group" ? account.groups.contains(parts[1].empty() ? list.group : parts[1])
                                            : parts[0] == "other";
    list.open = list.open || (mine && reads_and_writes(parts[2]));
  }
  if (!account.known || account.root) return snapshot;
  for (const AccessList& list : lists) {
    const bool gpu = is_render_or_kfd(list.path) || list.path.starts_with("/dev/nvidia");
    if (gpu && !list.open && !contains(list.path, "/card"))
      add_symptom(snapshot, {SymptomClass::refused, subject_of_node(list.path)}, list.row, list.line).details["node"] =
          list.path;
  }
  return snapshot;
}

bool starts_dev_listing(std::string_view line) {
  return (line.starts_with("crw") || line.starts_with("-")) && (contains(line, "nvidia") || contains(line, "renderD") ||
                                                                contains(line, " card") || contains(line, "/dev/kfd"));
}

Snapshot parse_dev_listing(const std::string& text) {
  using enum SymptomClass;
  // "---------- 1 root root 0 Jan 20 10:00 /dev/nvidia0": a file without a device's numbers.
  static const LazyRegex file(
      R"(-[rwxsStT-]{9}[.+@]?\s+\d+\s+\S+\s+\S+\s+\d+\s.*\s((?:/dev/)?(?:nvidia(?:\d+|ctl|-uvm)|dri/renderD\d+|renderD\d+|kfd)))",
      RE2::Latin1);
  static const LazyRegex node(
      R"(c([r-][w-])[x-]([r-][w-])[x-]([r-][w-])[x-]([.@]?)\s+\d+\s+(\S+)\s+(\S+)\s+\d+,\s*\d+\s.*\s((?:/dev/dri/)?(?:card|renderD)\d+|/dev/kfd))",
      RE2::Latin1);
  Snapshot snapshot;
  const Account account = account_in(text);
  std::size_t row = 0, card_row = 0;
  std::string_view card;
  bool render = false, reported = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > 300 || line.size() < 20) continue;
    const re2::StringPiece piece(line.data(), line.size());
    std::string path, owner, group, mine, groups, others, mark;
    if (line[0] == '-' && RE2::FullMatch(piece, file, &path)) {
      add_symptom(snapshot, {mismatch, "file-in-place-of-node"}, at, line).details["node"] = path;
    } else if (line[0] == 'c' && RE2::FullMatch(piece, node, &mine, &groups, &others, &mark, &owner, &group, &path)) {
      if (contains(path, "renderD")) render = true;
      if (contains(path, "card") && card.empty()) card = line, card_row = at;
      const bool may = others == "rw" || (groups == "rw" && account.groups.contains(group)) || owner == account.name;
      if (account.known && !account.root && !may && !contains(path, "card") && !reported) {
        reported = true;
        add_symptom(snapshot, {refused, subject_of_node(path == "/dev/kfd" ? path : "/dev/dri/")}, at, line)
            .details["node"] = path;
      }
    }
  }
  if (!card.empty() && !render)
    add_symptom(snapshot, {missing, "render-node"}, card_row, card).details["node"] = "/dev/dri/renderD*";
  return snapshot;
}

}  // namespace envdoctor
