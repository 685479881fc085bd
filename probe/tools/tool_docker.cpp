// docker info, docker inspect and nvidia-ctk cdi list: whether the engine knows a way to GPUs, and whether a container
// was given one.
#include <re2/re2.h>

#include <algorithm>

#include "probe/paste/paste_parsers.h"
#include "probe/paste/paste_text.h"
#include "probe/tools/tool_symptom.h"

namespace envdoctor {

bool starts_docker(std::string_view line) {
  const std::string_view words = trimmed(line);
  return words.starts_with("Runtimes: ") || words.starts_with("\"DeviceRequests\":") || contains(line, "CDI devices");
}

Snapshot parse_docker(const std::string& text) {
  using enum SymptomClass;
  Snapshot snapshot;
  std::size_t row = 0, requests_row = 0;
  std::string_view requests;
  bool runtime = false;
  for (const std::string_view line : lines_of(text)) {
    const std::size_t at = row++;
    const std::string_view words = trimmed(line.substr(0, 1000));
    if (words.starts_with("Runtimes: ") && contains(words, "runc") && !contains(words, "nvidia") &&
        !contains(words, "amd"))
      add_symptom(snapshot, {missing, "engine-runtime-for-gpu"}, at, line);
    if (words.starts_with("\"DeviceRequests\": null") || words.starts_with("\"DeviceRequests\": []"))
      requests = line, requests_row = at;
    if (words.starts_with("\"Runtime\": \"nvidia\"") || contains(words, "\"PathOnHost\": \"/dev/")) runtime = true;
    if (contains(words, "Found 0 CDI devices")) add_symptom(snapshot, {missing, "container-spec"}, at, line);
  }
  if (!requests.empty() && !runtime)
    add_symptom(snapshot, {missing, "device-request-of-container"}, requests_row, requests);
  return snapshot;
}

}  // namespace envdoctor
