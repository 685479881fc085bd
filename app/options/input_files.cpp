#include "app/options/input_files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>

#include "app/options/options.h"
#include "evidence/json.h"
#include "probe/paste/log_reader.h"
#include "probe/paste/log_text.h"
#include "probe/redact.h"

namespace envdoctor {
namespace {

constexpr std::size_t input_limit = 65 << 20;

struct Close {
  void operator()(std::FILE* file) const {
    if (file != stdin && file != stdout) std::fclose(file);
  }
};
using File = std::unique_ptr<std::FILE, Close>;

[[noreturn]] void fail(const std::string& path, const char* what) {
  throw UsageError(fmt::format("{}: cannot {}: {}", shown_name(path), what, std::strerror(errno)));
}

void read_pieces(const std::string& path, const std::function<bool(std::string_view)>& take) {
  File file(path == "-" ? stdin : std::fopen(path.c_str(), "rbe"));
  if (!file) fail(path, "open");
  if (path != "-" && std::filesystem::is_directory(path)) throw UsageError(path + ": is a folder; a file is needed");
  std::string buffer(1 << 16, '\0');
  while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
    if (!take({buffer.data(), got})) return;
  }
  if (std::ferror(file.get())) fail(path, "read");
}

}  // namespace

std::string shown_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string report_name(const std::string& path, bool redacted) {
  const std::string home = redacted ? identity_of(environment()).home : "";
  return home.empty() || !path.starts_with(home + "/") ? shown_name(path) : "$HOME" + path.substr(home.size());
}

Snapshot read_snapshot(const std::string& path, bool redacted) {
  Snapshot snapshot;
  const std::string content = read_input(path);
  try {
    snapshot = snapshot_from_json(content, shown_name(path));
  } catch (const std::exception& error) {
    const std::size_t first = content.find_first_not_of(" \t\r\n");
    if (first == content.npos || content[first] == '{' || content[first] == '[') throw;
    throw UsageError(std::string(error.what()) + " (pass a log with --log)");
  }
  if (redacted) redact(snapshot, {});
  return snapshot;
}

std::string read_input(const std::string& path) {
  std::string content;
  read_pieces(path, [&](std::string_view piece) {
    content += piece;
    return content.size() < input_limit;  // the reader of the document complains
  });
  return content;
}

Snapshot read_log_file(const std::string& path, bool redact) {
  LogReader reader(path == "-" ? "stdin" : std::filesystem::path(path).filename().string(), redact);
  LogText text([&](std::string_view piece) { reader.feed(piece); });
  try {
    read_pieces(path, [&](std::string_view piece) {
      text.feed(piece);
      return true;
    });
    text.finish();
  } catch (const NoLog& error) {
    throw UsageError(fmt::format("{}: {}", shown_name(path), error.what()));
  }
  return reader.finish();
}

void write_file(const std::string& path, const std::string& content) {
  if (path == "-") return write_out(content);
  File file(std::fopen(path.c_str(), "wbe"));
  if (!file) fail(path, "write");
  const bool whole = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  if (!whole || std::fflush(file.get()) != 0) fail(path, "write");
}

void write_out(const std::string& content) {
  const bool whole =
      std::fwrite(content.data(), 1, content.size(), stdout) == content.size() && std::fflush(stdout) == 0;
  if (!whole && errno != EPIPE) fail("standard output", "write");
}

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> env;
  for (char** entry = environ; entry && *entry; ++entry) {
    const std::string_view line = *entry;
    const auto equals = line.find('=');
    if (equals != line.npos && equals > 0) env.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return env;
}

}  // namespace envdoctor
