#include "knowledge/gpus/drivers.h"

#include <algorithm>
#include <vector>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

// Removes and returns the first part of `version`, without leading zeros. Of a part that is no number the leading
// digits count.
std::string_view take_part(std::string_view& version) {
  const auto dot = version.find('.');
  std::string_view part = version.substr(0, dot);
  version = dot == std::string_view::npos ? std::string_view{} : version.substr(dot + 1);
  part = part.substr(0, part.find_first_not_of("0123456789"));
  part.remove_prefix(std::min(part.find_first_not_of('0'), part.size()));
  return part;
}

struct Toolkits {
  ByName<std::string> by_major{};    // CUDA major -> driver, by minor-version compatibility
  ByName<std::string> by_release{};  // CUDA major.minor -> driver of its first release

  Toolkits() {
    const Table table("cuda_driver");
    for (const Row& row : table["minor_version_compatibility"]) {
      if (!row.has("linux_min_driver")) continue;  // CUDA 10 has none
      by_major[std::to_string(row.number("cuda_major"))] = row.text("linux_min_driver");
    }
    for (const Row& row : table["toolkits"]) {
      if (!row.has("linux_min_driver")) continue;
      const std::string driver = row.text("linux_min_driver");
      auto [known, fresh] = by_release.try_emplace(row.text("cuda"), driver);
      if (!fresh && compare_versions(driver, known->second) < 0) known->second = driver;
    }
  }
};

struct Branch {
  std::string branch{};
  std::string max_cuda{};
  std::string newest{};
};

struct Branches {
  std::vector<Branch> branches{};  // ascending
  ByName<std::string> last_by_architecture{};

  Branches() {
    const Table table("driver_branches");
    for (const Row& row : table["branches"])
      branches.push_back(
          {row.text("branch"), row.text_if("max_cuda_reported"), row.text_if("newest_architecture_seen")});
    for (const Row& row : table["last_branch_by_architecture"]) {
      const std::string name = row.text("architecture");  // "Tesla (GeForce 8-300)"
      last_by_architecture[name.substr(0, name.find(" ("))] = row.text("last_branch");
    }
  }
};

}  // namespace

std::optional<std::string> min_driver_for_cuda(std::string_view cuda) {
  auto by_major = look_up(read_once<Toolkits>().by_major, major_of(cuda));
  auto by_release = look_up(read_once<Toolkits>().by_release, major_minor_of(cuda));
  if (!by_major || !by_release) return by_major ? by_major : by_release;
  // CUDA 11.0 runs on older drivers than the minimum of all 11.x.
  return compare_versions(*by_release, *by_major) < 0 ? by_release : by_major;
}

std::optional<std::string> max_cuda_of_driver(std::string_view driver) {
  const std::string branch = major_of(driver);
  for (const Branch& row : read_once<Branches>().branches) {
    if (row.branch == branch && !row.max_cuda.empty()) return row.max_cuda;
  }
  return std::nullopt;
}

std::optional<std::string> last_branch_for(std::string_view architecture) {
  return look_up(read_once<Branches>().last_by_architecture, architecture);
}

std::optional<std::string> first_branch_for(std::string_view architecture) {
  // Only if the previous branch is recorded too, without it: otherwise an older branch may have supported it.
  const Branch* before = nullptr;
  for (const Branch& row : read_once<Branches>().branches) {
    if (row.newest == architecture) {
      return before != nullptr && !before->newest.empty() ? std::optional(row.branch) : std::nullopt;
    }
    before = &row;
  }
  return std::nullopt;
}

int compare_versions(std::string_view a, std::string_view b) {
  while (!a.empty() || !b.empty()) {
    const std::string_view one = take_part(a);
    const std::string_view other = take_part(b);
    if (one.size() != other.size()) return one.size() < other.size() ? -1 : 1;
    if (const int order = one.compare(other); order != 0) return order < 0 ? -1 : 1;
  }
  return 0;
}

std::string major_of(std::string_view version) { return std::string(version.substr(0, version.find('.'))); }

std::string major_minor_of(std::string_view version) {
  const auto first = version.find('.');
  if (first == std::string_view::npos) return std::string(version);
  return std::string(version.substr(0, version.find('.', first + 1)));
}

}  // namespace envdoctor::knowledge
