#include "knowledge/gpus/gpu_devices_index.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::string gpu_devices_index() {
  const Table table("gpu_arch", Remarks::kept);
  std::vector<std::pair<std::string, std::string>> entries;  // by id: of two with one id, the first counts
  const auto add = [&](const std::string& id, std::initializer_list<std::string> fields) {
    std::string& line = entries.emplace_back(id, id + '\t').second;
    for (const std::string& field : fields) line.append(field) += '\t';
    std::ranges::replace(line, '\n', ' ');
  };
  std::set<std::string> disputed;
  for (const Row& row : table["nvidia_notes"]) {
    if (row.flag_if("capability_disputed"))
      std::ranges::move(row.texts("ids"), std::inserter(disputed, disputed.end()));
  }
  for (const char* list : {"nvidia_devices", "amd_devices", "intel_devices"}) {
    for (const Row& row : table[list]) {
      const bool intel = row.has("platform");
      const std::string id = row.text("id");
      add(id, {row.text(intel ? "platform" : "chip"), intel ? row.text("architecture") : "", row.text_if("name"),
               disputed.contains(id) ? "disputed" : ""});
    }
  }
  for (const char* list : {"nvidia_codenames", "amd_codenames"}) {
    for (const Row& row : table[list]) {
      add("chip:" + row.text("codename"),
          {row.text("architecture"), row.text_if("compute_capability"), row.text_if("gfx")});
      if (row.has("compute_capability"))
        add("capability:" + row.text("compute_capability"), {row.text("architecture")});
    }
  }
  for (const Row& row : table["capability_facts"]) add("fact:" + row.text("fact"), {row.text("since")});
  std::ranges::stable_sort(entries, {}, &std::pair<std::string, std::string>::first);
  std::string lines;
  for (const auto& [id, line] : entries) lines.append(line) += '\n';
  return lines;
}

}  // namespace envdoctor::knowledge
