// LD_DEBUG=libs and the trace of Level Zero's loader: which file of a library was taken, which was not found.
#include <re2/re2.h>

#include <algorithm>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_loader_trace(std::string_view line) {
  return contains(line, "calling init: /") || contains(line, "trying file=") ||
         contains(line, "ZE_LOADER_DEBUG_TRACE") || contains(line, "ZEL_ENABLE");
}

Snapshot parse_loader_trace(const std::string& text) {
  using enum SymptomClass;
  // "  4711:	calling init: /usr/local/cuda/lib64/stubs/libcuda.so.1"
  static const LazyRegex started(
      R"(\s*\d+:\s+calling init: (/\S*/((?:libcu|libnv|libnccl|libOpenCL|libamdhip|libze)[\w.+-]*\.so[\d.]*)))",
      RE2::Latin1);
  static const LazyRegex lacking(R"(.*Load Library of (libze_intel_gpu\.so[.\d]*) failed with .*)", RE2::Latin1);
  Snapshot snapshot;
  std::vector<SharedLibrary> libraries;
  std::size_t row = 0;
  bool gpu_driver = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > 1000) continue;
    const re2::StringPiece piece(line.data(), line.size());
    std::string path, soname;
    if (contains(line, "calling init: /") && RE2::FullMatch(piece, started, &path, &soname)) {
      const auto known = [&](const SharedLibrary& one) { return one.soname.is(soname); };
      if (libraries.size() < 256 && std::ranges::none_of(libraries, known)) {
        SharedLibrary& library = libraries.emplace_back();
        library.soname = soname;
        library.found = true;
        library.path = path;
        if (contains(path, "/stubs/")) library.stub = true;
        if (contains(path, "/stubs/libcuda.so")) add_symptom(snapshot, {present, "libcuda-stub"}, at, line);
      }
    }
    if (contains(line, "ZE_LOADER_DEBUG_TRACE") && contains(line, "libze_intel_gpu")) {
      if (RE2::FullMatch(piece, lacking, &soname) && !gpu_driver)
        add_symptom(snapshot, {missing, "level-zero-driver"}, at, line).details["library"] = soname;
      gpu_driver = gpu_driver || !contains(line, "failed");
    }
  }
  if (!libraries.empty()) snapshot.libraries = std::move(libraries);
  return snapshot;
}

}  // namespace envdoctor
