// FreeBSD's loader of firmware: it tries a file under several names, and says of each that it isn't there before it
// finds one.
#include <re2/re2.h>

#include <map>
#include <set>

#include "knowledge/lazy_regex.h"
#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/text_piece.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_firmware_tries(std::string_view line) { return contains(line, "could not load binary firmware"); }

Snapshot parse_firmware_tries(const std::string& text) {
  using enum SymptomClass;
  static const LazyRegex tried(R"(\b(amdgpu|radeon|i915)[/_](\w+\.bin): could not load binary firmware)", RE2::Latin1);
  static const LazyRegex loaded(R"(loaded firmware image '(?:amdgpu|radeon|i915)[/_](\w+\.bin)')", RE2::Latin1);
  struct FileTry {
    std::string driver{};
    std::size_t row = 0;
    std::string_view line{};
  };
  std::map<std::string, FileTry> tries;
  std::set<std::string> found;
  std::size_t row = 0;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    std::string driver, file;
    if (line.size() > 500 || !contains(line, "firmware")) continue;
    if (RE2::PartialMatch(piece_of(line), tried, &driver, &file)) tries.try_emplace(file, FileTry{driver, at, line});
    if (RE2::PartialMatch(piece_of(line), loaded, &file)) found.insert(file);
  }
  Snapshot snapshot;
  for (const auto& [file, one] : tries) {
    if (found.contains(file))
      add_symptom(snapshot, {harmless, "firmware that lies under another name"}, one.row, one.line);
    else
      add_symptom(snapshot, {missing, "gpu-firmware"}, one.row, one.line).details["file"] = one.driver + "/" + file;
  }
  return snapshot;
}

}  // namespace envdoctor
