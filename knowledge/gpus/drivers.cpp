#include "knowledge/gpus/drivers.h"

#include <map>
#include <vector>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Toolkits {
  std::map<std::string, std::string, std::less<>> by_major{};    // CUDA major -> driver, by minor-version compatibility
  std::map<std::string, std::string, std::less<>> by_release{};  // CUDA major.minor -> driver of its first release
};

const Toolkits& toolkits() {
  static const Toolkits all = [] {
    Toolkits t;
    read_table("cuda_driver", {{"minor_version_compatibility",
                                [&t](const Row& row) {
                                  if (!row.has("linux_min_driver")) return;  // CUDA 10: has none
                                  t.by_major[std::to_string(row.number("cuda_major"))] = row.text("linux_min_driver");
                                }},
                               {"toolkits", [&t](const Row& row) {
                                  if (!row.has("linux_min_driver")) return;
                                  const std::string driver = row.text("linux_min_driver");
                                  auto [known, fresh] = t.by_release.try_emplace(row.text("cuda"), driver);
                                  if (!fresh && compare_versions(driver, known->second) < 0) known->second = driver;
                                }}});
    return t;
  }();
  return all;
}

struct Branch {
  std::string branch{};
  std::string max_cuda{};
  std::string newest{};
};

struct Branches {
  std::vector<Branch> branches{};  // ascending
  std::map<std::string, std::string, std::less<>> last_by_architecture{};
};

const Branches& branches() {
  static const Branches all = [] {
    Branches b;
    read_table("driver_branches", {{"branches",
                                    [&b](const Row& row) {
                                      b.branches.push_back({.branch = row.text("branch"),
                                                            .max_cuda = row.text_if("max_cuda_reported"),
                                                            .newest = row.text_if("newest_architecture_seen")});
                                    }},
                                   {"last_branch_by_architecture", [&b](const Row& row) {
                                      const std::string name = row.text("architecture");  // "Tesla (GeForce 8-300)"
                                      b.last_by_architecture[name.substr(0, name.find(" ("))] = row.text("last_branch");
                                    }}});
    return b;
  }();
  return all;
}

struct CardFamily {
  std::string prefix{};
  bool data_center = false;
};

std::vector<CardFamily> read_card_families() {
  std::vector<CardFamily> all;
  read_table("driver_branches", {{"card_families", [&all](const Row& row) {
                                    all.push_back({row.text("prefix"), row.flag_if("data_center")});
                                  }}});
  return all;
}

template <class Map>
std::optional<std::string> look_up(const Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found == map.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::optional<std::string> min_driver_for_cuda(std::string_view cuda) {
  auto by_major = look_up(toolkits().by_major, major_of(cuda));
  auto by_release = look_up(toolkits().by_release, major_minor_of(cuda));
  if (!by_major || !by_release) return by_major ? by_major : by_release;
  // CUDA 11.0 runs on drivers older than those that all of 11.x share.
  return compare_versions(*by_release, *by_major) < 0 ? by_release : by_major;
}

std::optional<std::string> max_cuda_of_driver(std::string_view driver) {
  const std::string branch = major_of(driver);
  for (const Branch& row : branches().branches) {
    if (row.branch == branch && !row.max_cuda.empty()) return row.max_cuda;
  }
  return std::nullopt;
}

std::optional<std::string> last_branch_for(std::string_view architecture) {
  return look_up(branches().last_by_architecture, architecture);
}

std::optional<std::string> first_branch_for(std::string_view architecture) {
  // Only where the branch before is recorded too, and without it: else an older one may have known it.
  const Branch* before = nullptr;
  for (const Branch& row : branches().branches) {
    if (row.newest == architecture) {
      return before != nullptr && !before->newest.empty() ? std::optional(row.branch) : std::nullopt;
    }
    before = &row;
  }
  return std::nullopt;
}

std::optional<bool> data_center_card(std::string_view name) {
  static const std::vector<CardFamily> families = read_card_families();
  if (name.starts_with("NVIDIA ")) name.remove_prefix(7);
  for (const CardFamily& family : families) {
    if (!name.starts_with(family.prefix)) continue;
    // "L4" is a family of its own, "L40" another: a name goes on with something that is no letter or digit.
    const std::string_view rest = name.substr(family.prefix.size());
    if (rest.empty() || rest.front() == ' ' || rest.front() == '-') return family.data_center;
  }
  return std::nullopt;
}

}  // namespace envdoctor::knowledge
