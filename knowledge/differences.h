#pragma once
// The effects of a difference between two hosts.
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

enum class Changes { results, speed, neither, ignored };

struct DifferenceRow {
  std::string pattern{};  // "/pci/*/link/**": * matches one step or the rest of one, ** at the end everything below
  Changes changes = Changes::neither;
  std::string why{};
};

// The row for a place in a snapshot, the first that matches; null: no row, so no effect is known.
const DifferenceRow* difference_at(std::string_view path);

// Whether a path matches a pattern.
bool path_fits(std::string_view pattern, std::string_view path);

}  // namespace envdoctor::knowledge
