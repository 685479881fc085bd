#pragma once
// What a line says in words of its own: a subject and its state side by side (slots.json).
#include <optional>
#include <string>
#include <string_view>

namespace envdoctor::knowledge {

struct SlotMatch {
  std::string class_{};
  std::string subject{};
  bool operator==(const SlotMatch&) const = default;
};

// The first subject of a line, in the table's order, of which the line tells a state that means something. Lines of more
// than 400 characters say nothing.
std::optional<SlotMatch> match_slots(std::string_view line);

}  // namespace envdoctor::knowledge
