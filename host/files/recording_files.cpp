#include "host/files/recording_files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <vector>

#include "host/files/capture_metadata.h"
#include "host/files/open_in_root.h"

namespace envdoctor {

namespace {

namespace fs = std::filesystem;

constexpr const char* own_names[] = {"root", "nodes.txt", "errors.txt"};

}  // namespace

std::string why_not_new(const std::string& folder) {
  std::error_code error;
  const fs::file_status found = fs::symlink_status(folder, error);
  if (!fs::exists(found)) return "";
  const bool takes_it = fs::is_directory(found) && fs::is_empty(folder, error) && !error;
  return takes_it ? "" : folder + ": is no empty folder; name one that is empty, or that does not exist";
}

RecordingFiles::RecordingFiles(const Files& inner, std::string folder, Redaction redaction)
    : inner_(inner), folder_(std::move(folder)), redaction_(std::move(redaction)) {
  error_ = why_not_new(folder_);
  if (!error_.empty()) return;
  std::error_code error;
  made_ = fs::create_directories(folder_, error);
  if (error)
    errno = error.value();
  else
    opened_ = Descriptor(::open(folder_.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!opened_ || !make_folder_beneath(opened_.get(), "root")) error_ = folder_ + ": " + errno_name();
}

void RecordingFiles::note_failure(const std::string& file) const {
  if (error_.empty()) error_ = folder_ + "/" + file + ": cannot be written: " + errno_name();
}

Descriptor RecordingFiles::open_kept(const std::string& file, int flags) const {
  if (!opened_) return {};
  const fs::path path = file;
  const Descriptor folder = make_folder_beneath(opened_.get(), path.parent_path());
  if (folder) {
    Descriptor opened(
        openat(folder.get(), path.filename().c_str(), flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0644));
    if (opened) return opened;
  }
  note_failure(file);
  return {};
}

void RecordingFiles::write(const std::string& file, const std::string& content) const {
  const Descriptor out = open_kept(file, O_WRONLY | O_TRUNC);
  if (out && !write_all(out.get(), content)) note_failure(file);
}

template <class Rows, class Line>
void RecordingFiles::tidy(const std::string& file, Reading<Rows> (*parse)(std::string_view), Line line) const {
  if (faccessat(opened_.get(), file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) != 0) return;
  constexpr std::size_t limit = std::size_t{1} << 30;
  const Reading<std::string> noted = read_all(open_kept(file, O_RDONLY), file, limit);
  const Reading<Rows> rows = noted.get() ? parse(*noted.get()) : Reading<Rows>(noted.missing());
  std::string text;
  for (const auto& [name, row] : rows.or_empty()) text += line(name, row);
  if (rows.get())
    write(file, text);
  else if (error_.empty())
    error_ = folder_ + "/" + file + ": " + rows.why();
}

std::string RecordingFiles::kept(const std::string& path) const {
  std::string kept = redaction_.path ? redaction_.path(path) : path;
  const bool absolute = path.starts_with('/') && !kept.starts_with('/');
  return absolute ? "/" + kept : kept;  // "$HOME/x" is kept as "/$HOME/x", and is found as such
}

void RecordingFiles::append(const std::string& file, const std::string& line) const {
  if (!lines_.insert(file + line).second) return;
  const Descriptor out = open_kept(file, O_WRONLY | O_APPEND);
  // One write, unless the disk is full: several processes may append.
  if (out && !write_all(out.get(), line)) note_failure(file);
}

void RecordingFiles::note_link(const std::string& place, const std::string& target) const {
  if (!opened_) return;
  const fs::path file = "root" + kept(place);
  const Descriptor folder = make_folder_beneath(opened_.get(), file.parent_path());
  char known[1];
  if (!folder || (symlinkat(kept(target).c_str(), folder.get(), file.filename().c_str()) != 0 &&
                  readlinkat(folder.get(), file.filename().c_str(), known, sizeof known) < 0))
    note_failure(file);
}

// Records the links on the way, and returns the path without them.
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
    (void)status(path);  // records that it exists; listing it is still allowed
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
  write("root" + kept(place), redaction_.content ? redaction_.content(path, text) : text);
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

std::string RecordingFiles::finish(const std::map<std::string, std::string>& beside) {
  if (!opened_) return error_;
  tidy("nodes.txt", parse_nodes, node_line);
  tidy("errors.txt", parse_file_errors, file_error_line);
  for (const auto& [name, content] : beside) write(name, content);
  if (error_.empty()) return "";
  std::error_code none;  // the first error is reported; a failed removal adds nothing
  for (const char* name : own_names) fs::remove_all(fs::path(folder_) / name, none);
  for (const auto& [name, content] : beside) fs::remove(fs::path(folder_) / name, none);
  if (made_) fs::remove(folder_, none);
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
