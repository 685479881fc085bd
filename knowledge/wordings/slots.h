#pragma once
// Statements in free wording: a subject and its state next to each other (slots.json).
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

struct SlotMatch {
  std::string class_{};
  std::string subject{};
  bool operator==(const SlotMatch&) const = default;
};

// The first subject of a line, in the table's order, for which the line states a meaningful state. Lines of more
// than 400 characters are ignored.
std::optional<SlotMatch> match_slots(std::string_view line);

}  // namespace envdoctor::knowledge
