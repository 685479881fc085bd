// lsmod, and the rows of /proc/modules.
#include <algorithm>

#include "probe/os/modules.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::size_t whole_list = 20;  // no kernel with modules has fewer; a shorter list was filtered or truncated

bool is_lsmod_header(std::string_view line) {
  const auto words = words_of(line.substr(0, 200));
  return words.size() == 4 && words[0] == "Module" && words[1] == "Size" && words[2] == "Used" && words[3] == "by";
}

bool in_proc_modules(std::string_view line) { return contains(line.substr(0, 1000), " Live 0x"); }

// "nvidia_uvm           1540096  0", "nvidia  56717312 2 nvidia_uvm,nvidia_modeset"; in /proc/modules
// "ahci 45056 - - Live 0xffffffffc05e".
std::optional<std::string> module_row(std::string_view line) {
  const auto words = words_of(line.substr(0, 1000));
  const bool state = words.size() >= 6 && words[4] == "Live";
  if (words.size() < 3 || (words.size() > 4 && !state) || words[0].size() > 64) return std::nullopt;
  if (words[0].find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") !=
      std::string_view::npos)
    return std::nullopt;
  const auto size = number_of(words[1]), users = number_of(words[2]);
  const bool counts_no_users = state && words[2] == "-";  // a kernel that unloads no modules
  if (!size || *size < 4096 || (!counts_no_users && (!users || *users < -2))) return std::nullopt;
  return std::string(words[0]);
}

// The module of a row, and those that use it ("amdgpu,i915"), which are loaded, too.
std::vector<std::string> modules_of_row(const std::string& name, std::string_view line) {
  std::vector<std::string> modules = {name};
  const auto words = words_of(line.substr(0, 1000));
  if (words.size() >= 4)
    for (const std::string_view user : pieces(words[3], ',')) modules.emplace_back(user);
  return modules;
}

}  // namespace

bool starts_lsmod(std::string_view line) {
  return line.starts_with("Module ")
             ? is_lsmod_header(line)
             : (line.starts_with("nvidia") || line.starts_with("amdgpu") || in_proc_modules(line)) && module_row(line);
}

Snapshot parse_lsmod(const std::string& text) {
  std::vector<Module> modules;
  std::size_t rows = 0;
  bool header = false, drives = false;
  for (const std::string_view line : lines_of(text)) {
    header = header || is_lsmod_header(line) || in_proc_modules(line);
    const auto name = module_row(line);
    if (!name) continue;
    ++rows;
    for (const std::string& one : modules_of_row(*name, line)) {
      if (!is_gpu_module(one) || modules.size() >= 256) continue;
      drives = drives || one == "nvidia" || one == "amdgpu";
      if (std::ranges::none_of(modules, [&](const Module& known) { return known.name.is(one); }))
        modules.push_back({.name = one});
    }
  }
  Snapshot snapshot;
  // A filtered list proves that the modules in it are loaded, and nothing about others.
  if ((header && rows >= whole_list) || drives) snapshot.modules = std::move(modules);
  return snapshot;
}

}  // namespace envdoctor
