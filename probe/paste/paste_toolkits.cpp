// nvcc --version, hipconfig and hipcc --version.
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"

namespace envdoctor {

bool starts_toolkit(std::string_view line) {
  return line.starts_with("Cuda compilation tools, release ") || contains(line, "Build cuda_") ||
         contains(line, "HIP version");
}

Snapshot parse_toolkit(const std::string& text) {
  static const LazyRegex nvcc(R"(Cuda compilation tools, release \d+\.\d+, V(\d+\.\d+\.\d+).*)", RE2::Latin1);
  static const LazyRegex build(R"(\bBuild cuda_(\d+\.\d+)\.r\d)",
                               RE2::Latin1);  // its last line, which some quote alone
  static const LazyRegex hip(R"(HIP version\s*: (\d+\.\d+[.\d]*).*)", RE2::Latin1);
  Snapshot snapshot;
  std::string version;
  for (const std::string_view line : lines_of(text)) {
    if (line.starts_with("Cuda comp") && RE2::FullMatch(line, nvcc, &version) && !snapshot.toolkits.get())
      snapshot.toolkits.fill().push_back({.version = version});
    if (RE2::PartialMatch(line, build, &version) && !snapshot.toolkits.get())
      snapshot.toolkits.fill().push_back({.version = version});
    if (line.starts_with("HIP version") && RE2::FullMatch(line, hip, &version) && !snapshot.rocm.get())
      snapshot.rocm.fill().hip_version = version;
  }
  return snapshot;
}

}  // namespace envdoctor
