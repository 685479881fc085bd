#include "host/files/recording_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <fstream>
#include <vector>

#include "host/files/capture_metadata.h"
#include "host/files/open_in_root.h"

namespace envdoctor {

namespace {

namespace fs = std::filesystem;

// "" or why not.
std::string write_file(const fs::path& path, const std::string& content) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  return file ? "" : path.string() + ": could not be written";
}

std::string read_back(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Rows, class Line>
std::string tidy(const fs::path& path, const Reading<Rows>& rows, Line line) {
  if (!rows.get()) return path.string() + ": " + rows.why();
  std::string text;
  for (const auto& [name, row] : *rows.get()) text += line(name, row);
  std::error_code error;
  return text.empty() && !fs::exists(path, error) ? "" : write_file(path, text);
}

}  // namespace

RecordingFiles::RecordingFiles(const Files& inner, std::string folder, Redaction redaction)
    : inner_(inner), folder_(std::move(folder)), redaction_(std::move(redaction)) {
  std::error_code error;
  fs::create_directories(folder_ + "/root", error);
  if (error) error_ = folder_ + ": " + error.message();
}

std::string RecordingFiles::kept(const std::string& path) const {
  std::string kept = redaction_.path ? redaction_.path(path) : path;
  const bool absolute = path.starts_with('/') && !kept.starts_with('/');
  return absolute ? "/" + kept : kept;  // "$HOME/x" is kept as "/$HOME/x", and is found as such
}

void RecordingFiles::append(const std::string& file, const std::string& line) const {
  if (!lines_.insert(file + line).second) return;
  const std::string path = folder_ + "/" + file;
  const Descriptor out(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  // One write: several processes may be at it.
  const bool good = out && ::write(out.get(), line.data(), line.size()) == static_cast<ssize_t>(line.size());
  if (!good && error_.empty()) error_ = path + ": " + errno_name();
}

void RecordingFiles::note_link(const std::string& place, const std::string& target) const {
  const fs::path file = folder_ + "/root" + kept(place);
  std::error_code error;
  fs::create_directories(file.parent_path(), error);
  if (fs::is_symlink(file, error)) return;
  fs::create_symlink(kept(target), file, error);
  if (error && error_.empty()) error_ = file.string() + ": " + error.message();
}

// Writes down the links on the way, and answers the path without them.
std::string RecordingFiles::note_links(const std::string& path, bool last_too) const {
  const std::string place = follow_links(path, last_too, [&](const std::string& at) -> std::optional<std::string> {
    const auto [known, fresh] = links_.try_emplace(at);
    if (fresh) known->second = inner_.link(at);
    if (!known->second.get()) return std::nullopt;
    note_link(at, *known->second.get());
    return *known->second.get();
  });
  return place.empty() ? normal_path(path) : place;  // a loop
}

void RecordingFiles::note_missing(const std::string& path, const std::string& place, const Missing& missing) const {
  if (missing.outcome != Outcome::failed) return;
  const bool named = missing.why.starts_with(path + ": ");
  const std::string reason = named ? missing.why.substr(path.size() + 2) : missing.why;
  if (reason == "EISDIR" || reason == "not a plain file")
    (void)status(path);  // says as much, and leaves it open to be listed
  else
    append("errors.txt", file_error_line(kept(place), reason));
}

void RecordingFiles::note_node(const std::string& place, const FileStatus& status,
                               const Reading<std::string>& open_error) const {
  Node node{.status = status};
  if (open_error.get()) node.open_error = *open_error.get();
  append("nodes.txt", node_line(kept(place), node));
}

Reading<std::string> RecordingFiles::read(const std::string& path, std::size_t limit) const {
  Reading<std::string> content = inner_.read(path, limit);
  const std::string place = note_links(path, true);
  if (!content.get()) {
    note_missing(path, place, content.missing());
    return content;
  }
  const std::string& text = *content.get();
  const fs::path file = folder_ + "/root" + kept(place);
  const std::string why = write_file(file, redaction_.content ? redaction_.content(path, text) : text);
  if (error_.empty()) error_ = why;
  return content;
}

Reading<std::vector<std::string>> RecordingFiles::list(const std::string& path) const {
  Reading<std::vector<std::string>> names = inner_.list(path);
  const std::string place = note_links(path, true);
  if (!names.get()) {
    note_missing(path, place, names.missing());
    return names;
  }
  if (names.get()->empty()) (void)status(place);
  for (const std::string& name : *names.get()) {
    const std::string child = (place == "/" ? "" : place) + "/" + name;
    if (!link(child).get()) (void)status(child);
  }
  return names;
}

Reading<std::string> RecordingFiles::link(const std::string& path) const {
  Reading<std::string> target = inner_.link(path);
  const std::string place = note_links(path, false);
  if (target.get())
    note_link(place, *target.get());
  else if (target.outcome() == Outcome::failed)
    (void)status(path);  // not a link: then what it is
  return target;
}

Reading<std::string> RecordingFiles::resolve(const std::string& path) const {
  Reading<std::string> target = inner_.resolve(path);
  if (target.get())
    (void)status(path);
  else
    note_missing(path, note_links(path, true), target.missing());
  return target;
}

Reading<FileStatus> RecordingFiles::status(const std::string& path) const {
  Reading<FileStatus> found = inner_.status(path);
  const std::string place = note_links(path, true);
  if (found.get())
    note_node(place, *found.get(), {});
  else
    note_missing(path, place, found.missing());
  return found;
}

Reading<std::string> RecordingFiles::open_error(const std::string& path) const {
  Reading<std::string> error = inner_.open_error(path);
  const Reading<FileStatus> found = status(path);
  if (found.get()) note_node(note_links(path, true), *found.get(), error);
  return error;
}

std::string RecordingFiles::finish() const {
  const std::string nodes = folder_ + "/nodes.txt";
  const std::string errors = folder_ + "/errors.txt";
  for (const std::string& why : {tidy(nodes, parse_nodes(read_back(nodes)), node_line),
                                 tidy(errors, parse_file_errors(read_back(errors)), file_error_line)}) {
    if (error_.empty()) error_ = why;
  }
  return error_;
}

void read_tree(const Files& files, const std::string& path, const TreeRules& rules) {
  struct Folder {
    std::string path{};
    int depth = 0;
  };
  std::deque<Folder> todo = {{.path = path}};
  std::set<std::string> visited;
  std::size_t entries = 0;
  while (!todo.empty()) {
    const Folder folder = todo.front();
    todo.pop_front();
    const Reading<std::string> place = files.resolve(folder.path);
    if (!place.get() || !visited.insert(*place.get()).second) continue;
    for (const std::string& name : files.list(folder.path).or_empty()) {
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
