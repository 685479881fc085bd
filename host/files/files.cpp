#include "host/files/files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>

#include "host/files/capture_metadata.h"
#include "host/files/open_in_root.h"
#include "host/text.h"

namespace envdoctor {

namespace {

constexpr std::size_t longest_metadata = 64u << 20;
constexpr int reading_flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
constexpr const char* not_captured = ": was not captured";

// For the current errno. ENOTDIR, a path below a plain file, also means absent.
Missing errno_reason(const std::string& path) {
  if (errno == ENOENT || errno == ENOTDIR) return absent(path + ": ENOENT");
  return failed(path + ": " + errno_name());
}

FileStatus::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Kind::file;
  if (S_ISDIR(mode)) return FileStatus::Kind::folder;
  if (S_ISLNK(mode)) return FileStatus::Kind::link;
  if (S_ISCHR(mode)) return FileStatus::Kind::character_device;
  if (S_ISBLK(mode)) return FileStatus::Kind::block_device;
  return FileStatus::Kind::other;
}

FileStatus file_status(const struct stat& s) {
  return {.kind = kind_of(s.st_mode),
          .mode = s.st_mode & 07777u,
          .uid = s.st_uid,
          .gid = s.st_gid,
          .major = major(s.st_rdev),
          .minor = minor(s.st_rdev),
          .size = static_cast<std::uint64_t>(s.st_size)};
}

// Every member takes a path as the caller wrote it, and resolves its links.
class RootedFiles : public Files {
 public:
  explicit RootedFiles(const std::string& root)
      : root_(normal_path(std::filesystem::absolute(root).string())),
        descriptor_(::open(root_.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
    if (!descriptor_) broken_ = root_ + ": " + errno_name();
    const std::filesystem::path folder(root_);
    if (folder.filename() != "root") return;
    nodes_ = capture_metadata((folder.parent_path() / "nodes.txt").string(), parse_nodes);
    errors_ = capture_metadata((folder.parent_path() / "errors.txt").string(), parse_file_errors);
  }

  [[nodiscard]] Reading<std::string> read(const std::string& path, std::size_t limit) const override {
    const Reading<std::string> place = find(path, true);
    if (!place.get()) return place;
    if (const std::string* why = error_of(*place.get())) return failed(path + ": " + *why);
    // Checks the kind before opening: opening a device can have side effects.
    const Descriptor looked = open(*place.get(), O_PATH);
    struct stat status {};
    if (!looked) return no_content(path, *place.get());
    if (fstat(looked.get(), &status) == 0 && S_ISDIR(status.st_mode)) return failed(path + ": EISDIR");
    if (!readable_kind(status)) return failed(path + ": not a plain file");
    const Descriptor file = open(*place.get(), reading_flags);
    return file ? read_all(file, path, limit) : Reading<std::string>(errno_reason(path));
  }

  [[nodiscard]] Reading<std::vector<std::string>> list(const std::string& path) const override {
    const Reading<std::string> place = find(path, true);
    if (!place.get()) return place.missing();
    const Node* node = node_of(*place.get());
    if (node && node->status.kind != FileStatus::Kind::folder) return absent(path + ": ENOENT");
    if (const std::string* why = error_of(*place.get())) return failed(path + ": " + *why);
    std::set<std::string> names = noted_in(*place.get());
    const Descriptor folder = open(*place.get(), O_RDONLY | O_DIRECTORY);
    if (!folder) {
      const Missing why = errno_reason(path);
      if ((names.empty() && !node) || why.outcome != Outcome::absent) return why;
    } else if (const std::unique_ptr<DIR, int (*)(DIR*)> entries{fdopendir(dup(folder.get())), closedir}) {
      while (const dirent* entry = readdir(entries.get())) names.insert(entry->d_name);
    } else {
      return errno_reason(path);
    }
    names.erase(".");
    names.erase("..");
    return std::vector<std::string>(names.begin(), names.end());
  }

  [[nodiscard]] Reading<std::string> link(const std::string& path) const override {
    const Reading<std::string> place = find(path, false);
    if (!place.get()) return place;
    const Descriptor parent = open(std::filesystem::path(*place.get()).parent_path().string(), O_PATH | O_DIRECTORY);
    const std::string name = std::filesystem::path(*place.get()).filename().string();
    char target[PATH_MAX];
    const ssize_t length = parent ? readlinkat(parent.get(), name.c_str(), target, sizeof(target)) : -1;
    if (length >= 0) return std::string(target, static_cast<std::size_t>(length));
    if (errno == ENOENT && is_noted(*place.get())) return failed(path + ": EINVAL");
    return unreadable(path, *place.get());
  }

  [[nodiscard]] Reading<std::string> resolve(const std::string& path) const override {
    const Reading<std::string> place = find(path, true);
    if (live_ && place.get()) {
      const std::unique_ptr<char, void (*)(void*)> real{realpath(place.get()->c_str(), nullptr), std::free};
      return real ? Reading<std::string>(std::string(real.get())) : Reading<std::string>(errno_reason(path));
    }
    if (!place.get() || is_noted(*place.get())) return place;
    if (!open(*place.get(), O_PATH)) return unreadable(path, *place.get());
    return place;
  }

  [[nodiscard]] Reading<FileStatus> status(const std::string& path) const override {
    const Reading<std::string> place = find(path, true);
    if (!place.get()) return place.missing();
    FileStatus found;
    struct stat status {};
    const Descriptor file = open(*place.get(), O_PATH);
    const bool there = file && fstat(file.get(), &status) == 0;
    if (there) found = file_status(status);
    if (const Node* node = node_of(*place.get())) {
      const std::uint64_t size = found.size;
      found = node->status;
      found.size = size;
    } else if (!there && !noted_in(*place.get()).empty()) {
      found = {.kind = FileStatus::Kind::folder, .mode = 0755};
    } else if (!there) {
      return unreadable(path, *place.get());
    }
    return found;
  }

  [[nodiscard]] Reading<std::string> open_error(const std::string& path) const override {
    const Reading<FileStatus> there = status(path);
    if (!there.get()) return there.missing();
    const Reading<std::string> place = find(path, true);
    if (!place.get()) return place;
    if (live_) return open(*place.get(), O_RDWR | O_NONBLOCK | O_NOCTTY) ? "" : errno_name();
    const Node* node = node_of(*place.get());
    if (node && node->open_error) return *node->open_error;
    return failed(path + not_captured);
  }

  [[nodiscard]] std::string root() const override { return root_; }

 private:
  template <class Parse>
  auto capture_metadata(const std::string& path, Parse parse) -> std::remove_reference_t<decltype(*parse("").get())> {
    const Descriptor file(::open(path.c_str(), reading_flags | O_CLOEXEC));
    if (!file && errno == ENOENT) return {};
    const auto text = file ? read_all(file, path, longest_metadata) : Reading<std::string>(errno_reason(path));
    auto rows = text.then(parse);
    if (rows.get()) return *rows.get();
    broken_ = text.get() ? path + ": " + rows.why() : text.why();
    return {};
  }

  // The path with its links resolved, or the reason why they can't be. On the live host the kernel resolves them when
  // the file is opened: /proc has links that only the kernel can follow.
  [[nodiscard]] Reading<std::string> find(const std::string& path, bool last_too) const {
    if (!broken_.empty()) return failed(broken_);
    if (path.find('\0') != std::string::npos) return failed("a path with a null byte");
    if (live_) return path.starts_with('/') ? path : "/" + path;
    const std::string place = follow_links(descriptor_.get(), path, last_too);
    return place.empty() ? Reading<std::string>(errno_reason(path)) : Reading<std::string>(place);
  }

  [[nodiscard]] Descriptor open(const std::string& place, int flags) const {
    return live_ ? Descriptor(::open(place.c_str(), flags | O_CLOEXEC)) : open_beneath(descriptor_.get(), place, flags);
  }

  // For a path that could not be opened: the error that the capture recorded, otherwise the errno.
  [[nodiscard]] Missing unreadable(const std::string& path, const std::string& place) const {
    const Missing why = errno_reason(path);
    const std::string* noted = error_of(place);
    return noted ? failed(path + ": " + *noted) : why;
  }
  [[nodiscard]] Missing no_content(const std::string& path, const std::string& place) const {
    const Missing why = errno_reason(path);
    if (why.outcome != Outcome::absent || !is_noted(place)) return why;
    const Node* node = node_of(place);
    if (!node || node->status.kind == FileStatus::Kind::folder) return failed(path + ": EISDIR");
    const bool plain = node->status.kind == FileStatus::Kind::file;
    return failed(path + (plain ? not_captured : ": not a plain file"));
  }

  [[nodiscard]] const Node* node_of(const std::string& place) const {
    const auto node = nodes_.find(place);
    return node == nodes_.end() ? nullptr : &node->second;
  }
  [[nodiscard]] const std::string* error_of(const std::string& place) const {
    const auto error = errors_.find(place);
    return error == errors_.end() ? nullptr : &error->second;
  }
  // The names in a folder that nodes.txt and errors.txt list.
  [[nodiscard]] std::set<std::string> noted_in(const std::string& place) const {
    const std::string prefix = place == "/" ? place : place + "/";
    std::set<std::string> names;
    const auto gather = [&](const auto& rows) {
      for (auto row = rows.lower_bound(prefix); row != rows.end() && row->first.starts_with(prefix); ++row) {
        const std::string rest = row->first.substr(prefix.size());
        names.insert(rest.substr(0, rest.find('/')));
      }
    };
    gather(nodes_);
    gather(errors_);
    names.erase("");
    return names;
  }
  [[nodiscard]] bool is_noted(const std::string& place) const { return node_of(place) || !noted_in(place).empty(); }

  std::string root_;
  bool live_ = root_ == "/";
  Descriptor descriptor_;
  Nodes nodes_{};
  FileErrors errors_{};
  std::string broken_{};  // why nothing of this capture can be trusted
};

}  // namespace

std::unique_ptr<Files> open_files(const std::string& root) { return std::make_unique<RootedFiles>(root); }

Reading<std::string> read_line(const Files& files, const std::string& path) {
  return files.read(path).then([&](const std::string& content) -> Reading<std::string> {
    const std::string line(trimmed(content.substr(0, content.find('\n'))));
    return line.empty() ? Reading<std::string>(failed(path + ": empty")) : Reading<std::string>(line);
  });
}

Reading<std::int64_t> read_number(const Files& files, const std::string& path) {
  return read_line(files, path).then([&](const std::string& line) -> Reading<std::int64_t> {
    const bool hex = line.starts_with("0x") && !line.starts_with("0x-");
    const auto value = number_of(line, hex ? 16 : 10);
    return value ? Reading<std::int64_t>(*value) : failed(path + ": not a number: " + line.substr(0, 40));
  });
}

}  // namespace envdoctor
