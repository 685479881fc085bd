#include "knowledge/wordings/helping_changes.h"

#include <re2/re2.h>

#include <vector>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct HelpingChanges {
  std::vector<HelpingChange> all{};

  HelpingChanges() {
    const Table table("helping_changes");
    for (const Row& row : table["changes"]) {
      auto pattern = std::make_unique<RE2>(row.text("pattern"), RE2::Latin1);
      if (!pattern->ok()) row.wrong("pattern", "a regular expression");
      all.push_back({row.text("change"), row.flag_if("speed"), std::move(pattern)});
    }
  }
};

}  // namespace

const HelpingChange* helping_change(std::string_view part) {
  for (const HelpingChange& one : read_once<HelpingChanges>().all) {
    if (RE2::FullMatch(re2::StringPiece(part.data(), part.size()), *one.pattern)) return &one;
  }
  return nullptr;
}

}  // namespace envdoctor::knowledge
