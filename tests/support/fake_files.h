#pragma once
// Files held in memory: a path has a text, a link, a node, or an error. Folders follow from the paths below them.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/files/files.h"

namespace envdoctor {

class FakeFiles : public Files {
 public:
  std::map<std::string, std::string> texts{};
  std::map<std::string, std::string> links{};
  std::map<std::string, FileStatus> nodes{};
  std::map<std::string, std::string> open_errors{};  // node -> errno name, "" where it opens
  std::map<std::string, std::string> errors{};       // path -> errno name for reading and listing
  std::set<std::string> folders{};                   // empty ones

  [[nodiscard]] Reading<std::string> read(const std::string& path, std::size_t) const override {
    return find<std::string>(texts, path);
  }
  [[nodiscard]] Reading<std::vector<std::string>> list(const std::string& path) const override {
    if (errors.contains(path)) return failed(path + ": " + errors.at(path));
    std::set<std::string> names;
    const auto add = [&](const std::string& other) {
      if (other.starts_with(path + "/"))
        names.insert(other.substr(path.size() + 1, other.find('/', path.size() + 1) - path.size() - 1));
    };
    for (const auto& entry : texts) add(entry.first);
    for (const auto& entry : links) add(entry.first);
    for (const auto& entry : nodes) add(entry.first);
    for (const auto& folder : folders) add(folder);
    if (names.empty() && !folders.contains(path)) return absent(path + " does not exist");
    return std::vector<std::string>(names.begin(), names.end());
  }
  [[nodiscard]] Reading<std::string> link(const std::string& path) const override {
    return find<std::string>(links, path);
  }
  [[nodiscard]] Reading<std::string> resolve(const std::string& path) const override {
    return links.contains(path) ? links.at(path) : path;
  }
  [[nodiscard]] Reading<FileStatus> status(const std::string& path) const override {
    if (texts.contains(path)) return FileStatus{};
    if (list(path).get()) return FileStatus{.kind = FileStatus::Kind::folder};
    return find<FileStatus>(nodes, path);
  }
  [[nodiscard]] Reading<std::string> open_error(const std::string& path) const override {
    return find<std::string>(open_errors, path);
  }
  [[nodiscard]] std::string root() const override { return "/nonexistent/"; }

 private:
  template <class T>
  Reading<T> find(const std::map<std::string, T>& where, const std::string& path) const {
    if (const auto error = errors.find(path); error != errors.end()) return failed(path + ": " + error->second);
    if (const auto found = where.find(path); found != where.end()) return found->second;
    return absent(path + " does not exist");
  }
};

}  // namespace envdoctor
