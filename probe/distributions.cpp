#include "probe/distributions.h"

#include <algorithm>

#include "probe/text.h"

namespace envdoctor {
namespace {

constexpr std::size_t longest_record = 32u << 20;

// "torch-2.3.0+cu121.dist-info" -> torch, 2.3.0+cu121; an egg's Python version and platform are dropped.
Distribution named(std::string_view entry) {
  for (const std::string_view suffix : {".dist-info", ".egg-info"}) {
    if (!entry.ends_with(suffix)) continue;
    entry.remove_suffix(suffix.size());
    const auto dash = entry.find('-');
    if (dash == 0) return {};
    if (dash == entry.npos) return {.name = std::string(entry)};
    const std::string_view version = entry.substr(dash + 1);
    return {.name = std::string(entry.substr(0, dash)), .version = std::string(version.substr(0, version.find("-py")))};
  }
  return {};
}

}  // namespace

std::string normal_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool mark = c == '-' || c == '_' || c == '.';
    if (mark && (out.empty() || out.back() == '-')) continue;
    out += mark ? '-' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::string header(std::string_view text, std::string_view name) {
  for (const std::string_view line : lines_of(text)) {
    if (trimmed(line).empty()) break;  // the description follows
    if (line.starts_with(name) && line.substr(name.size()).starts_with(':'))
      return std::string(trimmed(line.substr(name.size() + 1)));
  }
  return {};
}

std::vector<Distribution> distributions_in(const Host& host, const std::string& folder) {
  std::vector<Distribution> all;
  const auto names = host.files.list(folder);
  if (!names.get()) return all;
  for (const std::string& entry : *names.get()) {
    Distribution one = named(entry);
    if (one.name.empty() || one.name.starts_with('~')) continue;
    one.folder = folder;
    one.metadata = folder + "/" + entry;
    if (entry.ends_with(".dist-info")) {
      auto record = host.files.read(one.metadata + "/RECORD", longest_record);
      if (record.get()) one.record = std::move(*record.get());
    } else if (one.version.empty()) {
      const auto info = host.files.read(one.metadata + "/PKG-INFO");
      if (info.get()) one.version = header(*info.get(), "Version");
    }
    if (!one.version.empty()) all.push_back(std::move(one));
  }
  return all;
}

}  // namespace envdoctor
