#include "host/files/capture_metadata.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "host/text.h"

namespace envdoctor {
namespace {

constexpr std::array<std::string_view, 6> kinds = {"file", "folder", "link", "char", "block", "other"};

std::string escape(const std::string& path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte > ' ' && byte != 0x7f && c != '%';
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

template <class Number>
bool number(std::string_view text, Number& into, int base) {
  const auto read = number_of<Number>(text, base);
  into = read.value_or(0);
  return read.has_value();
}

bool unescape(std::string_view text, std::string& into) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      into += text[i];
      continue;
    }
    unsigned char byte = 0;
    if (i + 2 >= text.size() || !number(text.substr(i + 1, 2), byte, 16)) return false;
    into += static_cast<char>(byte);
    i += 2;
  }
  return !into.empty() && into.front() == '/' && into.find('\0') == std::string::npos;
}

std::string_view cut(std::string_view& text, char at) {
  const std::size_t end = std::min(text.find(at), text.size());
  const std::string_view head = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return head;
}

// Calls take(line, rows) for each line that is not blank or a comment, until one is malformed.
template <class Rows, class Take>
Reading<Rows> parse_rows(std::string_view text, Take take) {
  Rows rows;
  for (int line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = cut(text, '\n');
    if (!line.empty() && line.front() != '#' && !take(line, rows))
      return failed(fmt::format("line {} makes no sense", line_number));
  }
  return rows;
}

bool take_node(std::string_view line, Nodes& nodes) {
  const std::vector<std::string_view> words = pieces(line, ' ');
  std::string path;
  if (words.size() != 8 || !unescape(words[0], path)) return false;
  const auto kind = std::ranges::find(kinds, words[1]);
  FileStatus status;
  if (kind == kinds.end() || !number(words[2], status.mode, 8) || !number(words[3], status.uid, 10) ||
      !number(words[4], status.gid, 10) || !number(words[5], status.major, 10) || !number(words[6], status.minor, 10))
    return false;
  status.kind = static_cast<FileStatus::Kind>(kind - kinds.begin());
  Node& node = nodes[path];
  node.status = status;
  if (words[7] != "?") node.open_error = words[7] == "-" ? "" : std::string(words[7]);
  return true;
}

}  // namespace

Reading<Nodes> parse_nodes(std::string_view text) { return parse_rows<Nodes>(text, take_node); }

Reading<FileErrors> parse_file_errors(std::string_view text) {
  return parse_rows<FileErrors>(text, [](std::string_view line, FileErrors& errors) {
    std::string path;
    const bool good = unescape(cut(line, ' '), path) && !line.empty();
    if (good) errors[path] = line;
    return good;
  });
}

std::string node_line(const std::string& path, const Node& node) {
  const FileStatus& s = node.status;
  const std::string open_error = !node.open_error ? "?" : node.open_error->empty() ? "-" : *node.open_error;
  return fmt::format("{} {} {:04o} {} {} {} {} {}\n", escape(path), kinds[static_cast<std::size_t>(s.kind)], s.mode,
                     s.uid, s.gid, s.major, s.minor, open_error);
}

std::string file_error_line(const std::string& path, const std::string& reason) {
  std::string one_line = reason.empty() ? "?" : reason;
  std::ranges::replace(one_line, '\n', ' ');
  return fmt::format("{} {}\n", escape(path), one_line);
}

}  // namespace envdoctor
