#pragma once
// What a folder of files can't store about a captured host, as text beside its root; lines starting with # are
// comments.
//
// nodes.txt, one per line: path kind mode uid gid major minor open-error. The kind is file, folder, link, char, block
// or other; the mode octal; the open-error an errno name, "-" (may be opened) or "?" (not tried). errors.txt, one per
// line: path reason, where the reason is an errno name or a sentence. In paths, blanks, control characters and % are
// written %XX.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "evidence/reading.h"
#include "host/files/files.h"

namespace envdoctor {

struct Node {
  FileStatus status{};
  std::optional<std::string> open_error{};
};
using Nodes = std::map<std::string, Node>;
using FileErrors = std::map<std::string, std::string>;

// If two lines have one path the later one counts, but a known open-error stays. Failed with the line's number.
Reading<Nodes> parse_nodes(std::string_view text);
Reading<FileErrors> parse_file_errors(std::string_view text);

// Each with its end of line.
std::string node_line(const std::string& path, const Node& node);
std::string file_error_line(const std::string& path, const std::string& reason);

}  // namespace envdoctor
