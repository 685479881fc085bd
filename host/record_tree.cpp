#include <deque>

#include "host/record.h"

namespace envdoctor {
namespace {

struct Folder {
  std::string path{};
  int depth = 0;
};

}  // namespace

void read_tree(const Files& files, const std::string& path, const TreeRules& rules) {
  std::deque<Folder> todo = {{.path = path}};
  std::set<std::string> visited;
  std::size_t entries = 0;
  while (!todo.empty()) {
    const Folder folder = todo.front();
    todo.pop_front();
    const Reading<std::string> place = files.resolve(folder.path);
    if (!place.get() || !visited.insert(*place.get()).second) continue;
    const auto names = files.list(folder.path);
    if (!names.get()) continue;
    for (const std::string& name : *names.get()) {
      const std::string child = folder.path + "/" + name;
      if (rules.wanted && !rules.wanted(child)) continue;
      if (++entries > rules.most) return;
      if (files.link(child).get() && !rules.follow_links) continue;
      const auto status = files.status(child);
      if (!status.get()) continue;
      if (status.get()->kind == FileStatus::Kind::folder && folder.depth < rules.depth) {
        todo.push_back({.path = child, .depth = folder.depth + 1});
      } else if (status.get()->kind == FileStatus::Kind::file) {
        (void)files.read(child);
      }
    }
  }
}

}  // namespace envdoctor
