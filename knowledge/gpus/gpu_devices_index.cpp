#include "knowledge/gpus/gpu_devices_index.h"

#include <algorithm>

#include "knowledge/table_rows.h"

namespace envdoctor::knowledge {

std::string gpu_devices_index() {
  const Table table("gpu_arch", Remarks::kept);
  std::vector<std::pair<std::string, std::string>> devices;  // by id: of two with one id, the first counts
  for (const char* list : gpu_device_lists) {
    for (const Row& row : table[list]) {
      const bool intel = row.has("platform");
      std::string& line = devices.emplace_back(row.text("id"), "").second;
      for (const std::string& field : {row.text("id"), row.text(intel ? "platform" : "chip"),
                                       intel ? row.text("architecture") : "", row.text_if("name")})
        line.append(field) += '\t';
      std::ranges::replace(line, '\n', ' ');
    }
  }
  std::ranges::stable_sort(devices, {}, &std::pair<std::string, std::string>::first);
  std::string lines;
  for (const auto& [id, line] : devices) lines.append(line) += '\n';
  return lines;
}

}  // namespace envdoctor::knowledge
