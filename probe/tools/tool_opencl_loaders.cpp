// A Python package that loads another libOpenCL than clinfo does, and finds fewer platforms.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {
namespace {

// The copy that PyOpenCL's wheel carries, or one of an environment, as ldd, strace and /proc/PID/maps print it.
bool is_loader_of_an_environment(std::string_view line) {
  static const LazyRegex form(
      R"((?:pyopencl\.libs|/envs/[^/\s]+/lib|conda\d?/lib|/v?env/lib|site-packages/[\w.]+)/libOpenCL[-\w]*\.so)",
      RE2::Latin1);
  return line.size() < 1000 && RE2::PartialMatch(piece_of(line), form);
}

// "Platform #0: NVIDIA CUDA" of clinfo -l, "  Platform Name     NVIDIA CUDA" of clinfo; empty: another line.
std::string platform_of_clinfo(std::string_view line) {
  static const LazyRegex form(R"(\s*(?:Platform #\d+:|Platform Name {2,})\s*(\S.*?)\s*)", RE2::Latin1);
  std::string name;
  if (line.size() < 200) RE2::FullMatch(piece_of(line), form, &name);
  return name;
}

}  // namespace

bool starts_opencl_loaders(std::string_view line) {
  return contains(line, "pyopencl.Platform '") || is_loader_of_an_environment(line) ||
         !platform_of_clinfo(line).empty();
}

Snapshot parse_opencl_loaders(const std::string& text) {
  static const LazyRegex of_python(R"(pyopencl\.Platform '([^'\n]{1,100})')", RE2::Latin1);
  Snapshot snapshot;
  std::vector<std::string> listed, found;
  std::string_view loader;
  std::size_t row = 0, loader_row = 0;
  for (const std::string_view line : lines_of(text)) {
    if (loader.empty() && is_loader_of_an_environment(line)) loader = line, loader_row = row;
    if (std::string name = platform_of_clinfo(line); !name.empty()) listed.push_back(std::move(name));
    re2::StringPiece rest = piece_of(line.substr(0, 2000));
    for (std::string name; contains(line, "pyopencl.Platform") && RE2::FindAndConsume(&rest, of_python, &name);)
      found.push_back(name);
    ++row;
  }
  const bool lacks_one = std::ranges::any_of(
      listed, [&](const std::string& name) { return std::ranges::find(found, name) == found.end(); });
  if (!loader.empty() && !found.empty() && lacks_one)
    add_symptom(snapshot, {SymptomClass::mismatch, "opencl-platforms"}, loader_row, loader);
  return snapshot;
}

}  // namespace envdoctor
