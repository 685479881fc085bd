#pragma once
// What a difference between two hosts can change.
#include <string>
#include <string_view>
#include <vector>

namespace envdoctor::knowledge {

enum class Changes { results, speed, neither, ignored };

struct DifferenceRow {
  std::string pattern{};  // "/pci/*/link/**": * one step or the rest of one, ** at the end all below
  Changes changes = Changes::neither;
  std::string why{};
};

// The row for a place in a snapshot, the first that fits; null: no row, so neither is known to change.
const DifferenceRow* difference_at(std::string_view path);

// Whether a path fits a pattern.
bool path_fits(std::string_view pattern, std::string_view path);

}  // namespace envdoctor::knowledge
