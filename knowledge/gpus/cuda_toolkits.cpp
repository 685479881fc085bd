#include "knowledge/gpus/cuda_toolkits.h"

#include <algorithm>
#include <map>

#include "knowledge/gpus/drivers.h"
#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {
namespace {

struct Lifetime {
  std::string first{};
  std::string last{};
};

struct Targets {
  ByName<ToolkitTargets> by_toolkit{};
  ByName<Lifetime> by_capability{};

  Targets() {
    const Table table("cuda_driver");
    for (const Row& row : table["compute_capabilities"])
      by_toolkit[row.text("cuda")] = {
          .lowest = row.text_if("min_cc"), .highest = row.text_if("max_cc"), .native = row.texts("native_sass")};
    for (const Row& row : table["architecture_support"]) {
      for (const std::string& capability : row.texts("cc"))
        by_capability[capability] = {.first = row.text_if("first_toolkit"), .last = row.text_if("last_toolkit")};
    }
  }
};

std::optional<std::string> recorded(std::string_view capability, std::string Lifetime::*which) {
  const Lifetime* found = find_in(read_once<Targets>().by_capability, capability);
  return !found || (found->*which).empty() ? std::nullopt : std::optional(found->*which);
}

// The lower end of "11.x", "10.1-11.x", "12, 13", "10.2". Empty: "any", "driver", "up to 12.8", "ROCm 6".
std::string lower_end(std::string_view range) {
  std::string lowest(range.substr(0, range.find_first_not_of("0123456789.")));
  while (lowest.ends_with('.')) lowest.pop_back();
  return lowest;
}

// The upper end's major: "11.x" -> 11, "11.1-12.x" -> 12, "12, 13" -> 13. Empty as above.
std::string upper_major(std::string_view range) {
  if (lower_end(range).empty()) return {};
  const auto last = range.find_last_of("-, ");
  return major_of(lower_end(range.substr(last == std::string_view::npos ? 0 : last + 1)));
}

}  // namespace

std::vector<Soname> sonames_of_cuda(std::string_view major) {
  std::vector<Soname> all;
  for (const Soname& row : sonames()) {
    const std::string lowest = major_of(lower_end(row.cuda));
    if (lowest.empty() || compare_versions(lowest, major) > 0) continue;
    if (compare_versions(major, upper_major(row.cuda)) <= 0) all.push_back(row);
  }
  return all;
}

std::optional<ToolkitTargets> targets_of_toolkit(std::string_view cuda) {
  return look_up(read_once<Targets>().by_toolkit, major_minor_of(cuda));
}

std::optional<std::string> first_toolkit_for(std::string_view capability) {
  return recorded(capability, &Lifetime::first);
}

std::optional<std::string> last_toolkit_for(std::string_view capability) {
  return recorded(capability, &Lifetime::last);
}

bool native_code_runs(std::string_view built_for, std::string_view device) {
  return major_of(built_for) == major_of(device) && compare_versions(built_for, device) <= 0;
}

bool ptx_runs(std::string_view built_for, std::string_view device) { return compare_versions(built_for, device) <= 0; }

std::string cuda_version_text(std::int64_t number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace envdoctor::knowledge
