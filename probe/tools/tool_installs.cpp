// Commands that install a framework for a CUDA version: conda's cudatoolkit and pytorch-cuda, pip's index and tags.
#include <fmt/format.h>
#include <re2/re2.h>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_installs(std::string_view line) {
  return contains(line, " install ") &&
         (contains(line, "cudatoolkit=") || contains(line, "pytorch-cuda=") || contains(line, "/whl/cu") ||
          contains(line, "+cu") || contains(line, "cuda-version="));
}

Snapshot parse_installs(const std::string& text) {
  static const LazyRegex conda(R"((?:cudatoolkit|pytorch-cuda|cuda-version)={1,2}(\d{1,2}\.\d))", RE2::Latin1);
  static const LazyRegex pip(R"((?:/whl/(?:test/|nightly/)?|torch==[\d.]+(?:\.dev\d+)?\+)cu(\d{2})(\d)\b)",
                             RE2::Latin1);
  std::string cuda, major, minor, found;
  std::size_t row = 0, last_row = 0;
  std::string_view last;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    if (line.size() > 1000 || !starts_installs(line) || !contains(line, "torch")) continue;
    const re2::StringPiece piece(line.data(), line.size());
    if (RE2::PartialMatch(piece, conda, &found))
      cuda = found;
    else if (RE2::PartialMatch(piece, pip, &major, &minor))
      cuda = fmt::format("{}.{}", major, minor);
    else
      continue;
    last = line;
    last_row = at;
  }
  Snapshot snapshot;
  // The last one counts, as it replaces earlier ones.
  if (!cuda.empty())
    add_symptom(snapshot, {SymptomClass::noted, "installed-for-cuda"}, last_row, last).details["cuda"] = cuda;
  return snapshot;
}

}  // namespace envdoctor
