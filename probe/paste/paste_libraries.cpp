// ldconfig -p and ldd: where the loader finds GPU libraries.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {
namespace {

constexpr std::string_view gpu_libraries[] = {
    "libcuda.so",     "libcudart.so", "libcudnn", "libcublas",  "libnvidia-",  "libOpenCL.so",   "libamdhip64",
    "libhsa-runtime", "libze_loader", "libnvrtc", "libnccl.so", "libcufft.so", "libcusolver.so", "libcusparse.so"};

bool is_gpu_library(std::string_view soname) {
  return std::ranges::any_of(gpu_libraries, [&](std::string_view start) { return soname.starts_with(start); });
}

}  // namespace

bool starts_library_list(std::string_view line) {
  return contains(line, " => /") && contains(line, ".so") && (contains(line, "(libc6") || contains(line, "(0x"));
}

Snapshot parse_library_list(const std::string& text) {
  // "libcuda.so.1 (libc6,x86-64) => /usr/lib/libcuda.so.1", "libcuda.so.1 => /usr/lib/libcuda.so.1 (0x00007f…)".
  static const LazyRegex row(R"((lib[\w.+-]+\.so[.\d]*) (?:\((libc6[^)]*)\) )?=> (/[^\s(]+)(?: \(0x[[:xdigit:]]+\))?)",
                             RE2::Latin1);
  std::vector<SharedLibrary> libraries;
  for (const std::string_view line : lines_of(text)) {
    std::string soname, kind, path;
    if (!contains(line, " => /") || !RE2::FullMatch(trimmed(line), row, &soname, &kind, &path)) continue;
    const bool cache = !kind.empty();
    if (cache && !contains(kind, "64")) continue;  // another architecture's
    if (!is_gpu_library(soname) || libraries.size() >= 512) continue;
    if (std::ranges::any_of(libraries, [&](const SharedLibrary& known) { return known.soname.is(soname); })) continue;
    SharedLibrary& library = libraries.emplace_back();
    library.soname = soname;
    library.found = true;
    library.path = path;
    if (cache) library.origin = "ldcache";
  }
  Snapshot snapshot;
  if (!libraries.empty()) snapshot.libraries = std::move(libraries);
  return snapshot;
}

}  // namespace envdoctor
