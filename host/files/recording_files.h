#pragma once
// Keeps what was read, so that it can be read again elsewhere: root/, nodes.txt and errors.txt in one folder.
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "host/files/descriptor.h"
#include "host/files/files.h"

namespace envdoctor {

// How captured text is redacted. Both may be empty: nothing is changed.
struct Redaction {
  std::function<std::string(const std::string& path, const std::string& content)> content{};
  std::function<std::string(const std::string& path)> path{};  // also applied to the targets of links
};

// Forwards every call and records the answer. Children of a fork may use it as well: each record is appended to the
// folder at once. Answers are returned unchanged and redacted only where they are stored. Owners, modes and device
// numbers are kept; sizes, inodes and file times are not. Nothing is written through a link.
class RecordingFiles : public Files {
 public:
  // `inner` must outlive it. Creates the folder if it doesn't exist; an existing one must be empty.
  RecordingFiles(const Files& inner, std::string folder, Redaction redaction = {});

  [[nodiscard]] Reading<std::string> read(const std::string& path, std::size_t limit = 1 << 20) const override;
  [[nodiscard]] Reading<std::vector<std::string>> list(const std::string& path) const override;
  [[nodiscard]] Reading<std::string> link(const std::string& path) const override;
  [[nodiscard]] Reading<std::string> resolve(const std::string& path) const override;
  [[nodiscard]] Reading<FileStatus> status(const std::string& path) const override;
  [[nodiscard]] Reading<std::string> open_error(const std::string& path) const override;
  [[nodiscard]] std::string root() const override { return inner_.root(); }

  // Sorts the two text files and removes duplicates; `beside` are further files, by name. Returns "" or what could not
  // be written, here or before; then everything that was written is removed.
  [[nodiscard]] std::string finish(const std::map<std::string, std::string>& beside = {});

 private:
  [[nodiscard]] std::string note_links(const std::string& path, bool last_too) const;
  void note_link(const std::string& place, const std::string& target) const;
  void note_node(const std::string& place, const FileStatus& status, const Reading<std::string>& open_error) const;
  void note_missing(const std::string& path, const std::string& place, const Missing& missing) const;
  void append(const std::string& file, const std::string& line) const;
  // Opens a file of the folder for writing and creates it; a failure is recorded.
  [[nodiscard]] Descriptor open_kept(const std::string& file, int flags) const;
  void write(const std::string& file, const std::string& content) const;
  void note_failure(const std::string& file) const;
  template <class Rows, class Line>
  void tidy(const std::string& file, Reading<Rows> (*parse)(std::string_view), Line line) const;
  [[nodiscard]] std::string kept(const std::string& path) const;

  const Files& inner_;
  std::string folder_;
  Descriptor opened_{};
  bool made_ = false;
  Redaction redaction_;
  mutable std::map<std::string, Reading<std::string>> links_{};
  mutable std::set<std::string> lines_{};
  mutable std::string error_{};
};

// "" if such a folder may be written: it does not exist, or is empty and no link. Otherwise what is wrong and what to
// do.
std::string why_not_new(const std::string& folder);

// Which part of a tree to read, and how much.
struct TreeRules {
  std::function<bool(const std::string& path)> wanted{};  // files, folders and links alike; empty: all
  bool follow_links = false;                              // each folder is visited only once
  int depth = 8;
  std::size_t most = 100'000;  // entries
};

// Reads a whole tree through `files`, so that a recording one stores it: for libraries that read files themselves.
void read_tree(const Files& files, const std::string& path, const TreeRules& rules = {});

}  // namespace envdoctor
